"""The memory of an ingest of one file of records: little for each record, however many there are."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import preparation
from sage_ld.graph.writing import graph_replacement, writer

MOST_BYTES = 22_000
"""Of Python's objects and arrays, for each further record: 17,000 in parts, 28,000 whole."""
RECORD = (
    '<http://e.org/{n}> <http://www.w3.org/2000/01/rdf-schema#label> "Osmere {n}" ;'
    ' a <http://schema.org/Place> ; <http://e.org/on> "1987-05-{day:02}" ;'
    ' <http://e.org/says> "Water runs to number {n}" ; <http://e.org/by> <http://e.org/{other}> .\n'
)


def test_memory_hardly_grows_with_the_number_of_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "BATCH_RECORDS", 100)
    monkeypatch.setattr(writer, "_MOST_ADDED", 100)
    monkeypatch.setattr(graph_replacement, "BATCH_LINES", 2_000)
    peaks = [_peak(tmp_path / str(count), count) for count in (200, 600)]
    assert (peaks[1] - peaks[0]) / 400 < MOST_BYTES


def _peak(folder: Path, count: int) -> int:
    folder.mkdir()
    records = (RECORD.format(n=n, day=1 + n % 28, other=n // 2) for n in range(count))
    (folder / "records.ttl").write_text("".join(records))
    graph = KnowledgeGraph.create(folder / "kg", encoder="jaccard")
    tracemalloc.start()
    graph.ingest([folder / "records.ttl"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
