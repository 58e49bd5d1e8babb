import tomllib

import pytest

from sage_ld.foundation.edge_kinds import SIGNALS, Rule
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.model import EdgeKind
from sage_ld.foundation.recipes import PRESETS, Fusion, Strategy, load_recipe, parse_recipe, write_recipe
from sage_ld.foundation.vocabulary import SAGE
from sage_ld.foundation.vocabulary import SIGNALS as SIGNAL_IRIS


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_a_file(tmp_path, name):
    path = tmp_path / "mine.toml"
    path.write_text(write_recipe(load_recipe(name)), "utf-8")
    assert load_recipe(path) == load_recipe(name)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_a_rule_for_each_kind_whose_shares_sum_to_one(name):
    rules = load_recipe(name).edges.rules
    assert set(rules) == set(EdgeKind)
    for rule in rules.values():
        assert sum(rule.signals.values()) == pytest.approx(1, abs=1e-5)


def test_signals_are_those_of_the_vocabulary():
    assert {SAGE + name for name in SIGNALS} == set(SIGNAL_IRIS)


def test_java_is_the_ports_weighted_sum():
    rule = load_recipe("java").edges.rules[EdgeKind.TABLE_DOCUMENT]
    assert dict(rule.signals) == {"topicSimilarity": 0.4, "entitySimilarity": 0.35, "contentSimilarity": 0.25}
    assert (rule.rule, rule.percentile) == (Rule.WEIGHTED, 95.0)


def test_a_file_names_only_what_differs(tmp_path):
    path = tmp_path / "wide.toml"
    path.write_text(
        'base = "paper"\n[chunking]\nstrategy = "default"\nrows = 20\n[retrieval]\nfusion = "rrf"\n'
        "[edges]\ncandidates = 30\n[edges.TableTable]\nsignals = { titleSimilarity = 1 }\npercentile = 99\n"
    )
    recipe, paper = load_recipe(path), load_recipe("paper")
    assert (recipe.name, recipe.chunking.rows, recipe.chunking.least_rows) == ("wide", 20, 5)
    assert recipe.chunking.strategy is Strategy.DEFAULT
    assert recipe.retrieval.fusion is Fusion.RRF
    assert recipe.edges.candidates == 30
    assert recipe.edges.rules[EdgeKind.TABLE_TABLE].percentile == 99.0
    assert recipe.edges.rules[EdgeKind.DOCUMENT_DOCUMENT] == paper.edges.rules[EdgeKind.DOCUMENT_DOCUMENT]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rows = 5",
            "rows: unknown key; the keys are name, chunking, edges, retrieval, concepts, summaries, ",
        ),
        ("[chunking]\nrow = 5", "chunking.row: unknown key"),
        ("[chunking]\nrows = 'ten'", "chunking.rows: 'ten' is of the wrong type; give a whole number"),
        ("[chunking]\nrows = true", "chunking.rows: True is of the wrong type"),
        ("[chunking]\nrows = 0", "chunking.rows: 0 is below its minimum 1"),
        ("[chunking]\nmax_tokens = 15", "chunking.max_tokens: 15 is below its minimum 16"),
        (
            "[chunking]\nstrategy = 'magic'",
            "chunking.strategy: 'magic' is not one of its values; choose from default, paper",
        ),
        ("chunking = 3", "chunking: 3 is not a table"),
        ("edges = 3", "edges: 3 is not a table"),
        ("[edges.Foo]\npercentile = 5", "edges.Foo: unknown key"),
        ("[edges.TableTable]\npercentile = 500", "edges.TableTable.percentile: 500.0 is outside 0..100"),
        ("[edges.TableTable]\nthreshold = 1.5", "edges.TableTable.threshold: 1.5 is outside 0..1"),
        ("[edges.TableTable]\ncut = 'sharp'", "TableTable.cut: 'sharp' is not one of its values"),
        ("[edges.TableTable]\nsignals = { x = 1 }", "edges.TableTable.signals: 'x' is not a signal"),
        ("[edges.TableTable]\nsignals = { titleSimilarity = -1 }", "titleSimilarity: -1 is not a weight"),
        ("[edges.TableTable]\nsignals = {}", "edges.TableTable.signals is empty"),
        ("[retrieval]\nbm25_weight = 2", "retrieval.bm25_weight: 2.0 is outside 0..1"),
        ("[retrieval]\nbm25_weight = nan", "retrieval.bm25_weight: nan is outside 0..1"),
        ("[retrieval]\nrestart_power = nan", "retrieval.restart_power: nan is outside 0..100"),
        ("[retrieval]\nrestart_power = -5", "retrieval.restart_power: -5.0 is outside 0..100"),
        ("[retrieval]\nhops = 20000", "retrieval.hops: 20000 is above its maximum 10"),
        ("[retrieval]\nchannels = ['foo']", "unknown channel 'foo'; the channels are similarity"),
        ("[edges.TableTable]\nsignals = { titleSimilarity = inf }", "titleSimilarity: inf is not a weight"),
        (
            "[retrieval]\nchannels = [1]",
            r"retrieval.channels: \[1\] is of the wrong type; give a list of strings",
        ),
        ("base = 'mine'", "base: 'mine' is not a preset; choose one of default, paper, java"),
        ("[chunking", "not valid TOML"),
        ("x = " + "[" * 5_000, "not valid TOML"),
    ],
)
def test_errors_name_the_key_and_the_remedy(text, message):
    with pytest.raises(InputError, match=message):
        parse_recipe(text)


def test_a_recipe_that_is_nowhere_is_named():
    with pytest.raises(NotFoundError, match=r"recipe none-such is neither a preset \(default, paper, java\)"):
        load_recipe("none-such")


def test_written_recipes_are_toml():
    assert tomllib.loads(write_recipe(load_recipe("default")))["edges"]["TableTable"]["max_edges"] == 8
