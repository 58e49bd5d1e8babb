"""Chunks that are prepared, and that linking reads again: in batches, as if all were at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import preparation
from sage_ld.graph.derivations import links


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([write(tmp_path / "corpus")])
    return graph


def test_the_graph_is_the_same_whatever_the_size_of_batches(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = canonical(graph)
    monkeypatch.setattr(links, "_BATCH_CHUNKS", 2)
    graph.relink()
    assert canonical(graph) == before


RECORDS = "".join(
    f'<e:{n}> <e:name> "{"Osmere" if n % 3 else f"Tarn {n}"}" ; <e:at> [ <e:is> "{n}" ] ; <e:by> <e:1> ;'
    f' <e:on> "01"^^<http://www.w3.org/2001/XMLSchema#integer> . <e:like{n}> <e:name> "Hollin Beck" .\n'
    for n in range(8)
)
"""Records with and without blank nodes; every second one has the same text."""


def test_a_large_file_of_records_is_stored_in_parts_as_if_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "corpus")
    (folder / "records.ttl").write_text(RECORDS)
    (folder / "records.trig").write_text(f"{RECORDS}<e:graph> {{ {RECORDS} }}")
    states = []
    for size in (5_000, 3):
        monkeypatch.setattr(preparation, "BATCH_RECORDS", size)
        graph = KnowledgeGraph.create(tmp_path / f"kg{size}", encoder="jaccard")
        graph.ingest([folder])
        (folder / "records.ttl").write_text(RECORDS.replace("Tarn", "Lake"))
        graph.ingest([folder])
        changed = canonical(graph)
        graph.delete("records.ttl")
        states.append((changed, canonical(graph)))
        assert graph.check().clean
        (folder / "records.ttl").write_text(RECORDS)
    assert states[0] == states[1]
