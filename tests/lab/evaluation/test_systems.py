"""Searches of one graph by several recipes: their names, what they find, and what they were expanded from."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from graph.corpus import FILES, built, write
from lab.evaluation.conftest import HEADER

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.recipes import Ranking, load_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.lab.evaluation import System, documents, evaluate, expansions, load_dataset, searcher, systems
from sage_ld.lab.evaluation.systems import seeds_of
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.rankings.table import ranked

SAGE, HYBRID = Mode.SAGE, Mode.HYBRID
GOLD = HEADER + "q1\tpeople/mira-tolland.md\t1\nq2\ttowns.csv\t1\n"
QUERIES = """{"_id": "q1", "text": "Who wrote the music of the film that won the Golden Heron in 1987?"}
{"_id": "q2", "text": "On which river does the town of Sennet stand?"}
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("systems")
    return built(folder / "graph", write(folder / "corpus"))


def test_a_search_is_named_by_its_mode_or_where_several_are_compared_by_its_recipe(graph, tmp_path):
    (tmp_path / "mine.toml").write_text("[retrieval]\nbm25_weight = 0.7\n")
    mine = str(tmp_path / "mine.toml")
    assert list(systems(graph, [SAGE, HYBRID])) == ["sage", "hybrid"]
    assert list(systems(graph, [SAGE, HYBRID], [mine])) == ["sage", "hybrid"]
    several = systems(graph, [SAGE, HYBRID], ["default", mine, "paper"])
    assert list(several) == ["default", "mine", "paper", "hybrid"]
    assert several["mine"].retriever.parameters.bm25_weight == 0.7
    assert several["hybrid"].retriever is several["default"].retriever
    assert [name for name, each in several.items() if each.split] == ["paper"]
    with pytest.raises(InputError, match="two searches are named 'mine'"):
        systems(graph, [SAGE], [mine, mine])
    with pytest.raises(NotFoundError, match="recipe magic"):
        systems(graph, [SAGE], ["magic"])


def test_only_the_relations_that_are_named_are_followed(tmp_path):
    made = built(tmp_path / "graph", write(tmp_path / "corpus"))
    made.edges.add("heron.md", "uses", "towns.csv", valid_from="2020-01-01")
    snapshot = made.snapshot()

    def followed(**how):
        system = systems(made, [SAGE], **how)["sage"]
        inquiry = system.retriever.inquiry(snapshot, system.question("Who?"))
        return [each.forward for each in inquiry.relations.properties]

    assert (followed(), followed(relations=["uses"]), followed(relations=["part_of"])) == (
        ["uses"],
        ["uses"],
        [],
    )
    [found] = systems(made, [SAGE], relations=["uses"], as_of="2026-11-23").values()
    assert found.question("Who?").as_of == "2026-11-23"
    searcher({"sage": found})("Who won the Golden Heron?", 4, "sage")
    with pytest.raises(InputError, match="relations"):
        searcher(systems(made, [SAGE], relations=["magic"]))("Who?", 4, "sage")
    with pytest.raises(InputError, match="as_of"):
        systems(made, [SAGE], as_of="soon")


def test_what_is_searched_is_measured_at_equal_budget(graph, folder):
    dataset = load_dataset(folder(QUERIES, gold=GOLD))
    named = systems(graph, [SAGE, HYBRID], ["default", "paper"])
    found = evaluate(dataset, searcher(named), list(named), [2, 4], per_budget=["paper"])
    for name, result in found.modes.items():
        for ranking in result.run_at(4).values():
            assert set(ranking) <= set(FILES)
            assert len(ranking) >= 4 or (name == "paper" and len(ranking) in (2, 3))
    assert all(len(ranking) <= 2 for ranking in found.modes["paper"].run_at(2).values())
    assert found.modes["paper"].run_at(1) == found.modes["paper"].run_at(2)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """A river's long chronicle, whose 40 sections all answer better than the eight short notes beside it."""
    folder = tmp_path_factory.mktemp("crowded")
    (folder / "corpus").mkdir()
    years = [f"## Year {year}\n\nThe river Osme flooded the town of Sennet.\n" for year in range(1900, 1940)]
    (folder / "corpus" / "chronicle.md").write_text("# Osme\n\n" + "\n".join(years))
    for number, name in enumerate(("alder", "birch", "cedar", "elder", "hazel", "larch", "maple", "rowan")):
        text = f"# {name.title()}\n\nAt Sennet a {name} stands, planted in {1800 + number}.\n"
        (folder / "corpus" / f"{name}.md").write_text(text)
    return built(folder / "graph", folder / "corpus")


def test_every_search_finds_as_many_documents_as_the_budget_whatever_else_is_asked_for(crowded, folder):
    queries = '{"_id": "q1", "text": "When did the river Osme flood the town of Sennet?"}\n'
    dataset = load_dataset(folder(queries, gold=HEADER + "q1\trowan.md\t1\n"))
    recipes = ["default", "paper", "java"]
    named = systems(crowded, list(Mode), recipes)
    named |= {"walk": System(Retriever(crowded, walking(crowded)), SAGE)}
    split = [name for name, each in named.items() if each.split]
    assert split == ["paper", "java"]
    alone = evaluate(dataset, searcher(named), list(named), [3], per_budget=split)
    among = evaluate(dataset, searcher(named), list(named), [3, 50], per_budget=split)
    for name in named:
        ranking = alone.modes[name].run_at(3)["q1"][:3]
        assert ranking == among.modes[name].run_at(3)["q1"][:3]
        assert len(ranking) == 3 or name in split, name


def test_where_shares_are_fixed_neighbours_come_until_there_are_as_many_documents(tmp_path):
    """Of the seed's two links one leads to 260 chunks of a chronicle, which all stand before the other."""
    (tmp_path / "corpus").mkdir()
    years = [f"## Year {year}\n\nThe river Osme rose.\n" for year in range(1500, 1760)]
    texts = {
        "chronicle.md": "# Chronicle\n\n" + "\n".join(years),
        "hazel.md": "# Hazel\n\nThe hazel grows far away.\n",
        "rowan.md": "# Rowan\n\nThe oldest rowan stands near. See [one](chronicle.md) and [two](hazel.md).\n",
    }
    for name, text in texts.items():
        (tmp_path / "corpus" / name).write_text(text)
    made = built(tmp_path / "graph", tmp_path / "corpus")
    search = searcher(systems(made, [SAGE], ["paper"]))
    found = documents(search("Where does the oldest rowan stand, by the river Osme?", 3, "sage"))
    assert found == ["rowan.md", "chronicle.md", "hazel.md"]


def walking(graph):
    return replace(graph.recipe.retrieval, ranking=Ranking.PAGERANK)


def test_an_expansion_says_where_it_began_and_what_it_led_to(graph, folder):
    dataset = load_dataset(folder(QUERIES, gold=GOLD))
    named = systems(graph, [SAGE], ["default", "paper"])
    wide = expansions(named["default"], dataset, 2)("q1")
    assert "people/mira-tolland.md" in wide.seeds | wide.reached
    assert len(expansions(named["paper"], dataset, 2)("q1").seeds) == 1


@pytest.mark.parametrize("name", ["default", "paper", "java", "two hops", "walk"])
def test_whatever_has_a_path_is_among_what_the_search_came_to(graph, folder, name):
    dataset = load_dataset(folder(QUERIES, gold=GOLD))
    shared = replace(load_recipe("paper").retrieval, hops=2, pool=1, channels=CHANNEL_NAMES)
    others = {"two hops": shared, "walk": replace(walking(graph), pool=1, channels=CHANNEL_NAMES)}
    given = others[name] if name in others else load_recipe(name).retrieval
    system = System(Retriever(graph, given), SAGE)
    snapshot = graph.snapshot()
    iris = {each.iri: each.identifier for each in reading.documents(snapshot.store)}
    chunk_table = system.retriever.chunk_table(snapshot)
    paths = 0
    for budget, (identifier, text) in product((1, 2, 5), dataset.questions.items()):
        seeds, reached = expansions(system, dataset, budget)(identifier)
        k = seeds_of(budget)
        found = ranked(system.retriever.inquiry(snapshot, system.question(text, k + 99, 99)))
        place = {
            each.iri: iris[chunk_table.iris[chunk_table.documents[chunk_table.rows[each.iri]]]]
            for each in found
        }
        led = {place[each.iri] for each in found if each.path}
        assert led <= seeds | reached
        paths += len(led)
        if given.ranking is Ranking.SHARED:
            assert led == reached
            assert {place[each.iri] for each in found if not each.path} == seeds
    assert paths


def test_a_flat_mode_of_a_recipe_with_fixed_shares_is_explained_by_the_seeds_of_each_budget(graph):
    flat = systems(graph, [HYBRID], ["paper"])["hybrid"]
    assert flat.fixed
    assert not flat.split
