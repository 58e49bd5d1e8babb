"""Searches of one graph by several recipes: their names, what they find, and what they were expanded from."""

from __future__ import annotations

import pytest
from evaluation.conftest import HEADER
from graph.corpus import FILES, write

from sage_ld.errors import InputError, NotFoundError
from sage_ld.evaluation import evaluate, expansions, load_dataset, searcher, systems
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Mode

SAGE, HYBRID = Mode.SAGE, Mode.HYBRID
GOLD = HEADER + "q1\tpeople/mira-tolland.md\t1\nq2\ttowns.csv\t1\n"
QUERIES = """{"_id": "q1", "text": "Who wrote the music of the film that won the Golden Heron in 1987?"}
{"_id": "q2", "text": "On which river does the town of Sennet stand?"}
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("systems")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([write(folder / "corpus")])
    return made


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


def test_what_is_searched_is_measured_at_equal_budget(graph, folder):
    dataset = load_dataset(folder(QUERIES, gold=GOLD))
    named = systems(graph, [SAGE, HYBRID], ["default", "paper"])
    found = evaluate(dataset, searcher(named), list(named), [2, 4], per_budget=["paper"])
    for name, result in found.modes.items():
        for ranking in result.run_at(4).values():
            assert set(ranking) <= set(FILES)
            assert len(ranking) == 4 or (name == "paper" and len(ranking) in (2, 3))
    assert all(len(ranking) <= 2 for ranking in found.modes["paper"].run_at(2).values())
    assert found.modes["paper"].run_at(1) == found.modes["paper"].run_at(2)


def test_an_expansion_says_where_it_began_and_what_it_led_to(graph, folder):
    dataset = load_dataset(folder(QUERIES, gold=GOLD))
    named = systems(graph, [SAGE], ["default", "paper"])
    wide = expansions(named["default"], dataset, 2)("q1")
    assert "people/mira-tolland.md" in wide.seeds | wide.reached
    assert len(expansions(named["paper"], dataset, 2)("q1").seeds) == 1
