"""Hops over shared entities: `entity.rq` gives those that follow from the index of mentions."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_ld.foundation.channels import ENTITY, NAMES_TOO, Hubs, rarity
from sage_ld.foundation.model import PathStep
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.indexes.strings import text_number
from sage_ld.graph.store import reading
from sage_ld.retrieval.channels import expansion
from sage_ld.retrieval.channels.expansion import ChannelHops, expand

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
    """The hops between all chunks that follow from the index of mentions."""
    iris, mentions = snapshot.vectors.iris, reading.mentions(snapshot.store)
    named = {text_number(entity): entity for each in mentions.values() for entity in each}
    entities, places = snapshot.mentions.of_rows(snapshot.mention_rows)
    frequency = snapshot.mentions.frequencies(entities)
    found = set()
    for seed, number, count in zip(places.tolist(), entities, frequency.tolist(), strict=True):
        for row in snapshot.mentioning_rows[snapshot.mentions.mentioning(number[None]).rows].tolist():
            if row != seed and 1 < count <= hub:
                weight, via = rarity(count, len(iris)), (named[int(number)],)
                found.add(PathStep(iris[seed], iris[row], ENTITY, NAMES_TOO, weight, via=via))
    return found


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


def test_of_too_many_hops_those_over_the_rarest_entities_are_weighed(
    boats: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = boats.snapshot()
    iris = snapshot.vectors.iris
    steps = expand(snapshot.store, iris, [ENTITY], iris, Hubs(1000, 0))
    monkeypatch.setattr(expansion, "MOST_HOPS", len(steps) // 2)
    some = ChannelHops.of(steps, snapshot.vectors.row_of)
    assert len(some.steps) == len(steps) // 2
    assert [step for step in steps if step in set(some.steps)] == some.steps.tolist()
    assert min(some.weight) >= max(step.weight for step in set(steps) - set(some.steps))
