"""What the process that ingests does with a hostile file takes time in proportion to the file."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.user_shapes import read_shapes, validate_by

MOST_SECONDS = 30.0
"""Of the processor's time: each of these took minutes, or never ended, and takes about one second now."""
LONG_TITLE = "---\ntitle: " + " ".join(f"w{n}é" for n in range(600)) + "\n---\nNothing é here at all.\n"
LONG_ANCHOR = '<p>x <a href="http://a.example/">Ab' + "(" * 400_000 + "</a></p>"
ONE_LABEL = "".join(f'<http://e.org/r{n}> <https://schema.org/name> "Osmere" .\n' for n in range(3_000))
CLIQUE = "<p>text</p><script type='application/ld+json'>" + "[{names}]</script>"
NODES = ",".join(
    f'{{"@id": "_:a{n}", "http://x.org/p": [{",".join(f"""{{"@id": "_:a{m}"}}""" for m in range(12))}]}}'
    for n in range(12)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("title.md", LONG_TITLE),
        ("anchor.html", LONG_ANCHOR),
        ("label.nt", ONE_LABEL),
        ("clique.html", CLIQUE.replace("{names}", NODES)),
    ],
)
def test_a_hostile_file_does_not_stall_the_ingest(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    begin = time.process_time()
    summary = graph.ingest(tmp_path / name)
    assert time.process_time() - begin < MOST_SECONDS
    assert (summary.added, summary.failed) == (1, [])


@pytest.mark.parametrize(
    "constraint",
    [
        'sh:property [ sh:path e:p ; sh:pattern "(" ]',
        'sh:sparql [ sh:select "SELECT $this WHERE { $this <a> }" ]',
        "sh:not e:C",
    ],
)
def test_a_shape_that_cannot_be_evaluated_is_an_error_of_ours(tmp_path: Path, constraint: str) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n")
    (tmp_path / "b.nt").write_text('<http://e.org/a> <http://e.org/p> "x" .\n')
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    graph.ingest([tmp_path / "a.md", tmp_path / "b.nt"])
    shapes = tmp_path / "shapes.ttl"
    shapes.write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e.org/> .\n"
        f"e:C a sh:NodeShape ; sh:targetSubjectsOf e:p ; {constraint} .\n"
    )
    with pytest.raises(InputError, match="correct them"):
        validate_by(graph.snapshot().store, read_shapes(shapes, Settings()), Settings())
