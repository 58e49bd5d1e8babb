"""Hops over shared entities: those that `entity.rq` returns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.retrieval.channels import entity_hops
from sage_ld.retrieval.channels.channel_hops import ChannelHops
from sage_ld.retrieval.channels.entity_hops import EntityHops
from sage_ld.retrieval.channels.expansion import expand

PLACES = ("Quillport", "Brackwater", "Hask")


def page(number: int) -> str:
    """Every page names Quillport; every other one Brackwater, and every fourth one Hask."""
    named = [place for step, place in zip((1, 2, 4), PLACES, strict=True) if number % step == 0]
    return f"# Boat {number}\n\nBoat {number} crossed the sound. It was built for {' and '.join(named)}.\n"


@pytest.fixture
def boats(tmp_path: Path) -> KnowledgeGraph:
    folder = tmp_path / "boats"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.md").write_text(page(number))
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([folder])
    return graph


def indexed(snapshot: Snapshot, hub: int) -> set[PathStep]:
    """The hops of the index from all chunks."""
    rows = np.arange(len(snapshot.vectors.iris))
    shared = EntityHops.of(snapshot, rows, hub)
    hops = ChannelHops.over(shared, len(rows))
    steps = hops.steps(snapshot, range(len(shared.seed)))
    assert len(set(steps.values())) == len(steps)
    return set(steps.values())


def queried(snapshot: Snapshot, hub: int) -> set[PathStep]:
    """Those of the channel's query."""
    iris = snapshot.vectors.iris
    return set(expand(snapshot.store, iris, ["entity"], iris, Hubs(hub, 0)))


@pytest.mark.parametrize("hub", [0, 1, 2, 3, 8, 1000])
def test_the_index_gives_the_hops_of_the_query(graph: KnowledgeGraph, hub: int) -> None:
    snapshot = graph.snapshot()
    assert indexed(snapshot, hub) == queried(snapshot, hub)
    assert hub < 2 or indexed(snapshot, hub)


def test_it_does_so_after_every_change(
    boats: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_RELINK_SHARE", "1000")
    graph = KnowledgeGraph.open(boats.directory.path)
    seen = [queried(graph.snapshot(), 1000)]

    def follows() -> bool:
        seen.append(queried(graph.snapshot(), 1000))
        return indexed(graph.snapshot(), 1000) == seen[-1] != seen[-2]

    (tmp_path / "boats/3.md").write_text("# Boat 3\n\nBoat 3 sank off Hask.\n")
    graph.ingest([tmp_path / "boats"])
    assert follows()
    graph.delete(["0.md"])
    assert follows()
    (tmp_path / "boats/hask.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        '<http://example.org/hask> a rdfs:Resource ; rdfs:label "Hask" .\n'
    )
    graph.ingest([tmp_path / "boats/hask.ttl"])  # the mentions of the name become those of the resource
    assert follows()
    assert any(step.via == ("http://example.org/hask",) for step in seen[-1])
    graph.relink()
    assert indexed(graph.snapshot(), 1000) == queried(graph.snapshot(), 1000)


def test_of_too_many_hops_those_over_the_rarest_entities_are_looked_at(
    boats: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = boats.snapshot()
    every = indexed(snapshot, 1000)
    monkeypatch.setattr(entity_hops, "MOST_HOPS", len(every) // 2)
    some = indexed(snapshot, 1000)
    assert some < every
    assert min(step.weight for step in some) >= max(step.weight for step in every - some)
    assert len(some) <= len(every) // 2


def test_they_do_not_depend_on_how_the_graph_came_about(
    boats: KnowledgeGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGE_LD_RELINK_SHARE", "1000")
    graph = KnowledgeGraph.open(boats.directory.path)
    for number in (2, 7, 4):  # each becomes a segment of its own
        (tmp_path / f"boats/{number}.md").write_text(page(number) + "Later it was broken up.\n")
        graph.ingest([tmp_path / "boats"])
    monkeypatch.setattr(entity_hops, "MOST_HOPS", 40)

    def hops() -> list[tuple[str, str, int]]:
        snapshot = graph.snapshot()
        iris = snapshot.vectors.iris
        rows = np.array(sorted(range(len(iris)), key=iris.__getitem__), np.int64)
        found = EntityHops.of(snapshot, rows, 1000)
        ends = zip(found.seed.tolist(), found.candidate.tolist(), found.entity.tolist(), strict=True)
        return [(iris[seed], iris[candidate], entity) for seed, candidate, entity in ends]

    before = hops()
    assert before
    graph.relink()
    assert hops() == before
