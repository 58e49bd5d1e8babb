"""The drift of a graph from its last build, compared with what relinking really changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from service.web import client_of
from waiting import waited_for

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.terms import node

FILMS = Path(__file__).parents[2] / "examples" / "films"
PAGES = sorted(FILMS.rglob("*.*"), key=lambda each: each.name)
"""The films of the examples: texts, tables, records."""
MANY = 3 * len(PAGES) // 4
SAMPLED = 40
"""Fewer chunks than the graphs have."""
NEAR = 0.1
"""How far an estimate from so few may be from what relinking changes."""


def built(folder: Path, pages: list[Path]) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.settings = replace(graph.settings, relink_share=9.0)
    graph.ingest(pages)
    return graph


def similar(graph: KnowledgeGraph) -> set[tuple[str, str]]:
    store, name = graph.snapshot().stores.named, node(graph.iris.edges_graph)
    quads = store.quads_for_pattern(None, node(v.SIMILAR_TO), None, name)
    return {(str(quad.subject), str(quad.object)) for quad in quads}


def added(graph: KnowledgeGraph) -> None:
    graph.ingest(PAGES[MANY:])


def deleted(graph: KnowledgeGraph) -> None:
    graph.delete([each.iri for each in list(graph.documents.values())[::4]])


@pytest.mark.parametrize("change", [added, deleted], ids=lambda each: each.__name__)
def test_the_estimate_is_near_what_relinking_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[KnowledgeGraph], None]
) -> None:
    """From all chunks it is exact: a sample is all that is estimated."""
    graph = built(tmp_path, PAGES[:MANY])
    change(graph)
    drift, before = graph.drift(), similar(graph)
    monkeypatch.setattr("sage_ld.graph.derivations.edge_input.SAMPLED", SAMPLED)
    estimate = graph.drift()
    monkeypatch.undo()
    graph.relink()
    after, relinked = similar(graph), graph.drift()
    assert drift is not None
    assert estimate is not None
    assert relinked is not None
    really = len(before ^ after) / len(before | after)
    assert drift.changed == pytest.approx(really, abs=1e-6)
    assert estimate.changed == pytest.approx(really, abs=NEAR)
    assert really > 0.05
    assert estimate.sampled_chunks == SAMPLED < drift.sampled_chunks == drift.chunks != drift.built_chunks
    assert max(each.distance for each in drift.thresholds) > 0
    assert relinked.changed == 0
    assert all(each.now == each.value and each.distance == 0 for each in relinked.thresholds)


def test_without_what_a_build_notes_nothing_is_said(tmp_path: Path) -> None:
    graph = built(tmp_path, PAGES[:12])
    assert graph.drift() is not None
    with graph.writer() as writer:
        writer.exchange(list(writer.store.quads_for_pattern(None, node(v.SAMPLED_VALUES), None, None)), [])
        writer.publish()
    assert graph.drift() is None
    graph.relink()
    assert graph.drift() is not None


def test_metrics_show_the_drift_once_it_is_measured(tmp_path: Path) -> None:
    graph = built(tmp_path, PAGES[:12])
    graph.close()
    with client_of(graph.directory.path) as client:
        changed = 'sage_ld_drift_changed_share{edges="similarity"} 0.0'
        assert waited_for(lambda: changed in client.get("/metrics").text)
        distance = 'sage_ld_drift_distance{kind="DocumentDocument",signal="topicSimilarity"} 0.0'
        assert distance in client.get("/metrics").text


def test_a_graph_of_one_page_has_moved_nowhere(tmp_path: Path) -> None:
    drift = built(tmp_path, PAGES[:1]).drift()
    assert drift is not None
    assert drift.changed == 0
