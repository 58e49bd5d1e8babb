"""Sidecars: what they state, in place of what the file says, and where they cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from build.readers.reading import results

from sage_ld.foundation.model import Document
from sage_ld.graph import KnowledgeGraph

PAGE = """<!doctype html><html lang="en"><title>Quay</title>
<meta name="description" content="Stones."><h1>Quay</h1><p>The quay is of stone.</p></html>"""
SIDECAR = "title: The old quay\nlanguage: de\nteam: red\ntags: [stone]\ndescription: Old.\nyear: 1901\n"


def document(folder: Path, name: str = "quay.html") -> Document:
    found = results(folder)
    assert list(found) == [name], "the sidecar is no document"
    assert found[name].error is None
    return found[name].documents[0]


@pytest.mark.parametrize("ending", ["yaml", "yml", "json"])
def test_a_sidecar_goes_before_what_the_file_says(tmp_path: Path, ending: str) -> None:
    (tmp_path / "quay.html").write_text(PAGE)
    plain = document(tmp_path)
    text = '{"title": "The old quay", "language": "de", "team": "red", "tags": ["stone"], ' \
        '"description": "Old.", "year": 1901}' if ending == "json" else SIDECAR  # fmt: skip
    (tmp_path / f"quay.html.meta.{ending}").write_text(text)
    said = document(tmp_path)
    assert (said.title, said.language, said.description) == ("The old quay", "de", "Old.")
    assert said.keywords == ("stone",)
    assert [(each.key, each.value, each.datatype) for each in said.metadata[:2]] == [
        ("team", "red", "string"),
        ("year", "1901", "integer"),
    ]
    assert said.text == plain.text
    assert said.content_hash != plain.content_hash


def test_of_many_documents_none_takes_the_title(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"_id": "1", "title": "One", "text": "x"}\n{"_id": "2", "text": "y"}\n'
    )
    (tmp_path / "a.jsonl.meta.yaml").write_text("title: All\nteam: red\n")
    documents = results(tmp_path)["a.jsonl"].documents
    assert [each.title for each in documents] == ["One", "2"]
    assert [[(p.key, p.value) for p in each.metadata] for each in documents] == [[("team", "red")]] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("team: [", "quay.html.meta.yaml: not valid YAML: "),
        ("- team", "quay.html.meta.yaml: not a map"),
        ("a: 1\n---\nb: 2", "quay.html.meta.yaml: 2 YAML documents"),
        ("a: &a [*a, *a]", "max_"),
    ],
)
def test_a_sidecar_that_cannot_be_read_is_an_error_that_names_it(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "quay.html").write_text(PAGE)
    (tmp_path / "quay.html.meta.yaml").write_text(text)
    assert message in str(results(tmp_path)["quay.html"].error)


def test_its_change_renews_the_document(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "quay.html").write_text(PAGE)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "corpus"])
    (tmp_path / "corpus" / "quay.html.meta.yaml").write_text(SIDECAR)
    assert graph.ingest([tmp_path / "corpus"]).replaced == 1
    assert graph.ingest([tmp_path / "corpus"]).unchanged == 1
    (tmp_path / "corpus" / "quay.html.meta.yaml").unlink()
    assert graph.ingest([tmp_path / "corpus"]).replaced == 1
