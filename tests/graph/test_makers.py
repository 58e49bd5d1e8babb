"""Each mention, edge, entity and concept leads to the build, the method and the version that made it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import QuerySolutions

from sage_ld import KnowledgeGraph
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.package_files import version
from sage_ld.graph.changes import preparation
from sage_ld.graph.derivations import builds
from sage_ld.graph.shapes.shacl import validate

PAGE = Path(__file__).parents[2] / "docs" / "provenance.md"
CONCEPTS = "[concepts]\nderive = true\nleast_chunks = 1\n"


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    (tmp_path / "recipe.toml").write_text(CONCEPTS, "utf-8")
    return built(tmp_path / "kg", write(tmp_path / "files"), recipe=str(tmp_path / "recipe.toml"))


def makers(graph: KnowledgeGraph) -> dict[str, set[tuple[str, str]]]:
    """Class -> (resource, version that made it), by the query that the documentation shows."""
    (query,) = re.findall(
        r"```sparql\n((?:PREFIX .*\n)+SELECT \?thing.*?)```", PAGE.read_text("utf-8"), re.DOTALL
    )
    rows = graph.snapshot().stores.named.query(query)
    assert isinstance(rows, QuerySolutions)
    found: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        assert row["method"].value
        found.setdefault(row["class"].value, set()).add((row["thing"].value, row["version"].value))
    return found


def test_each_thing_that_is_found_has_one_maker(graph: KnowledgeGraph) -> None:
    found = makers(graph)
    store = graph.snapshot().stores.named
    for name in (v.CHUNK, v.MENTION, v.ADJACENCY, v.ENTITY, v.CONCEPT):
        rows = store.query(f"SELECT DISTINCT ?thing {{ GRAPH ?g {{ ?thing a <{name}> }} }}")
        assert isinstance(rows, QuerySolutions)
        ours = {row["thing"].value for row in rows}
        assert {thing for thing, _ in found[name]} == ours
        assert {made for _, made in found[name]} == {version()}


def test_a_document_that_another_version_read_keeps_its_maker(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (preparation, builds):
        monkeypatch.setattr(module, "version", lambda: "9.9.9")
    graph.add("Piet Ansgar met Mira Tolland in Hask.", identifier="later")
    assert {made for _, made in makers(graph)[v.MENTION]} == {version(), "9.9.9"}
    graph.relink()
    assert {made for _, made in makers(graph)[v.MENTION]} == {version(), "9.9.9"}
    assert {made for _, made in makers(graph)[v.ENTITY]} == {"9.9.9"}
    assert validate(graph.snapshot().store).conforms
