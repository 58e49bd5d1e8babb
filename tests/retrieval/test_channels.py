"""The table of channels: what every row promises, and that a new channel is a row."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
from retrieval.edgeless import EDGELESS

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNEL_NAMES, CHANNELS, RELATION, Hubs
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import queries
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_context, answer_jsonld
from sage_ld.retrieval.channels.expansion import expand
from sage_ld.retrieval.channels.relations import followed_relations
from sage_ld.retrieval.rankings.table import RANKINGS

DOCS = Path(__file__).parents[2] / "docs"
QUESTION = "Who wrote the music of the film that won the Golden Heron in 1987?"


@pytest.mark.parametrize("name", CHANNEL_NAMES)
def test_queries_name_their_channel(name: str) -> None:
    channel = CHANNELS[name]
    assert channel.name == name
    assert queries.text(channel.query).startswith(f"# purpose    Channel `{name}`: ")
    assert f"in the channel `{name}`." in queries.text(channel.walk_query)


@pytest.mark.parametrize("name", CHANNEL_NAMES)
def test_an_edge_is_of_a_class_that_the_row_and_the_ontology_name(related: KnowledgeGraph, name: str) -> None:
    channel, snapshot = CHANNELS[name], related.snapshot()
    iris = snapshot.vectors.iris
    relations = followed_relations(snapshot)
    steps = expand(snapshot.store, iris, [name], iris, Hubs(50, 50), relations=relations)
    assert steps, "the fixture `related` (tests/retrieval/conftest.py) has no edge of this channel"
    edges = [channel.edge(step, 0) for step in steps if step.edges and channel.edge]
    named = {v.SAGE + edge["type"][0] for edge in edges}
    assert named <= set(channel.edge_classes)
    assert bool(edges) == bool(channel.edge_classes)
    terms = answer_context().keys()
    assert [key for edge in edges for key in edge if key not in terms] == [], (
        "see _TERMS in answers/results.py"
    )
    ontology = {quad.subject.value for quad in ox.parse(path=package_files.path(package_files.ONTOLOGY))}
    assert set(channel.edge_classes) <= ontology


@pytest.mark.parametrize(
    ("page", "heading"), [("retrieval.md", "## Choose the channels"), ("ranking.md", "## Channels")]
)
def test_a_page_has_a_row_for_each_channel(page: str, heading: str) -> None:
    section = (DOCS / page).read_text("utf-8").partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", section, re.M)) == set(CHANNEL_NAMES)


@pytest.mark.parametrize("ranking", sorted(set(RANKINGS) - EDGELESS))
def test_a_new_row_is_a_new_channel(
    graph: KnowledgeGraph, ranking: Ranking, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = CHANNELS["structure"]
    row = replace(old, name="order", read=lambda row, chunks: replace(old.read(row, chunks), channel="order"))
    monkeypatch.setitem(CHANNELS, "order", row)
    given = replace(graph.recipe.retrieval, ranking=ranking, pool=2)

    def asked(channel: str) -> list[tuple[str, float]]:
        answer = Retriever(graph, given).retrieve(QUESTION, 11, 9, channels=[channel])
        steps = [step for result in answer.results for step in result.path]
        assert steps
        assert {step.channel for step in steps} == {channel}
        assert answer_jsonld(answer)["wasGeneratedBy"]["channel"] == [channel]
        return [(result.view.iri, result.score) for result in answer.results]

    assert asked("order") == asked("structure")


@pytest.mark.parametrize(
    "name", [each for each in CHANNEL_NAMES if CHANNELS[each].followed_class or each == RELATION]
)
def test_nothing_is_asked_where_there_is_nothing_to_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "note.md").write_text("# Slip\n\nA ferry with two funnels.", encoding="utf-8")
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([tmp_path / "note.md"])
    snapshot, asked = made.snapshot(), []
    monkeypatch.setattr(
        "sage_ld.retrieval.channels.expansion.select", lambda *query: asked.append(query) or iter(())
    )
    iris = snapshot.vectors.iris
    relations = followed_relations(snapshot)
    assert expand(snapshot.store, iris, [name], iris, Hubs(50, 50), relations=relations) == []
    assert asked == []
    assert expand(snapshot.store, iris, ["entity"], iris, Hubs(50, 50)) == []
    assert len(asked) == 1
    made.close()
