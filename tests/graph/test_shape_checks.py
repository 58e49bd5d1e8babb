"""Curated RDF is held to the shapes: a file that breaks them is named, and the others go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.corpus import built, write

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading

NOTE = "http://www.w3.org/2004/02/skos/core#note"


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    return built(tmp_path / "graph", write(tmp_path / "corpus"))


def curated(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.ttl").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (f"<{v.TEXT}> 'another text'", "exactly one text"),
        (f"<{v.NAME}> 'one' , 'two'", "name"),
        (f"<{v.POSITION}> 'first'", "position"),
    ],
)
def test_a_file_that_breaks_the_shapes_is_named(
    graph: KnowledgeGraph, tmp_path: Path, statement: str, reason: str
) -> None:
    chunk = reading.chunk_iris(graph.snapshot().store)[0]
    good = f"<{chunk}> <{NOTE}> 'checked' ."
    folder = curated(tmp_path / "curated", bad=f"<{chunk}> {statement} .", good=good)
    summary = graph.ingest([folder], curated=True)
    ((name, message),) = summary.failed
    assert name == "bad.ttl"
    assert reason in message
    assert "breaks the shapes" in message
    assert (summary.added, summary.added_documents) == (1, ["good.ttl"])
    assert validate(graph.snapshot().store).conforms


def test_what_the_graph_held_of_the_file_stays(graph: KnowledgeGraph, tmp_path: Path) -> None:
    chunk = reading.chunk_iris(graph.snapshot().store)[0]
    folder = curated(tmp_path / "curated", notes=f"<{chunk}> <{NOTE}> 'checked' .")
    assert not graph.ingest([folder], curated=True).failed
    before = set(map(str, graph.snapshot().store))
    curated(folder, notes=f"<{chunk}> <{NOTE}> 'again' ; <{v.TEXT}> 'another' .")
    summary = graph.ingest([folder], curated=True, sync=True)
    assert [name for name, _ in summary.failed] == ["notes.ttl"]
    assert "what the graph holds of it stays" in summary.failed[0][1]
    assert set(map(str, graph.snapshot().store)) == before
    curated(folder, notes=f"<{chunk}> <{NOTE}> 'again' .")
    assert graph.ingest([folder], curated=True, sync=True).replaced == 1


def test_a_file_is_judged_with_the_patches_of_its_document(graph: KnowledgeGraph, tmp_path: Path) -> None:
    """A document has one date of its last change: the patch's, or one that the file states."""
    folder = curated(tmp_path / "curated", notes=f"<urn:heron> <{NOTE}> 'seen' .")
    graph.ingest([folder], curated=True)
    graph.patch_metadata("notes.ttl", {"modified": "2024-05-18"})
    day = f"'2024-05-17'^^<{v.XSD}date>"
    curated(folder, notes=f"<{graph.iris.document('notes.ttl')}> <{v.MODIFIED}> {day} .")
    ((name, message),) = graph.ingest([folder], curated=True).failed
    assert (name, "breaks the shapes" in message) == ("notes.ttl", True)
    assert graph.documents["notes.ttl"].metadata == {"modified": "2024-05-18"}
    assert validate(graph.snapshot().stores.named).conforms


def test_edges_keep_their_evidence(graph: KnowledgeGraph, tmp_path: Path) -> None:
    """A chunk with edges is judged with them: a note about it breaks nothing."""
    chunks = reading.chunk_iris(graph.snapshot().store)
    notes = "".join(f"<{each}> <{NOTE}> 'checked' .\n" for each in chunks)
    assert not graph.ingest([curated(tmp_path / "curated", notes=notes)], curated=True).failed
