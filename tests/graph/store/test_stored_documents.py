"""Documents are looked up by identifier and IRI in one way, at the cost of one document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from graph.corpus import built, write
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld import ConflictError, NotFoundError
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import stored_documents
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stored_documents import (
    StoredDocuments,
    documents_named,
    resource_named,
    stored_document,
)
from sage_ld.graph.store.terms import node

OTHER = "http://example.org/minutes"
STATED = f"""PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/>
INSERT DATA {{ GRAPH <http://example.org/g> {{
  <{OTHER}> a sage:Document ; schema:identifier "minutes" ; schema:name "Minutes" ;
    schema:encodingFormat "text/plain" ; sage:contentHash "{64 * "0"}" .
  <http://example.org/film> schema:identifier "heron.md" , "film" .
}} }}"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("looked-up")
    made = built(folder / "graph", write(folder / "corpus", ("heron.md", "towns.csv")))
    with made.writer() as writer:
        writer.change().update(STATED)
        writer.publish()
    yield made
    made.close()


@pytest.fixture
def place(graph: KnowledgeGraph) -> tuple[Store, Iris]:
    return graph.snapshot().stores.named, graph.iris


@pytest.mark.parametrize("name", ["heron.md", "minutes"])
def test_a_document_is_found_by_its_identifier_whatever_its_iri(
    graph: KnowledgeGraph, place: tuple[Store, Iris], name: str
) -> None:
    found = stored_document(*place, name)
    assert found is not None
    assert found.identifier == name == graph.documents[name].identifier
    assert StoredDocuments(lambda: place[0], place[1]).get(name) == (None if found.iri == OTHER else found)
    assert documents_named(*place, [name, found.iri, name]) == {name: [found], found.iri: [found]}
    assert graph.neighbourhood(name, nodes=5).nodes[0].iri == found.iri
    assert set(graph.documents) == {each.identifier for each in graph.documents.values()}


@pytest.mark.parametrize("name", ["none.md", "film", "http://example.org/film", "", "a b", "\ud800", "<x>"])
def test_what_is_no_document_is_none(graph: KnowledgeGraph, place: tuple[Store, Iris], name: str) -> None:
    assert stored_document(*place, name) is None
    assert documents_named(*place, [name]) == {}
    assert name not in StoredDocuments(lambda: place[0], place[1])
    assert name not in graph.documents
    with pytest.raises(NotFoundError):
        graph.delete(name)


def test_a_resource_is_named_by_its_iri_or_a_documents_identifier(place: tuple[Store, Iris]) -> None:
    store, iris = place

    def named(name: str) -> str | None:
        return resource_named(store, iris, name, lambda iri: stored_documents.is_mentioned(store, iri))

    assert named("heron.md") == iris.document("heron.md")
    assert named("http://example.org/film") == "http://example.org/film"
    assert named("film") is None
    assert named("\ud800") is None
    assert named("none") is None


class CountingStore:
    """A store that counts the statements that are read from it."""

    def __init__(self, store: Store) -> None:
        self._store, self.count = store, 0

    def quads_for_pattern(self, *pattern: Any) -> Iterator[Quad]:
        for quad in self._store.quads_for_pattern(*pattern):
            self.count += 1
            yield quad

    def query(self, *arguments: Any, **named: Any) -> Any:
        return self._store.query(*arguments, **named)


def test_a_look_up_reads_no_more_where_many_resources_have_the_identifier(place: tuple[Store, Iris]) -> None:
    def reads(namesakes: int) -> int:
        store = in_memory()
        store.extend(place[0])
        for number in range(namesakes):
            resource = NamedNode(f"http://example.org/{number}")
            store.add(Quad(resource, node(v.IDENTIFIER), Literal("heron.md")))
        counting = CountingStore(store)
        found = stored_document(cast("Store", counting), place[1], "heron.md")
        assert found is not None
        assert found.iri == place[1].document("heron.md")
        return counting.count

    assert reads(4_000) <= reads(1_000) + 10


def test_a_document_that_an_update_states_is_changed_by_no_other_way(graph: KnowledgeGraph) -> None:
    number = graph.directory.current()
    changes: list[Callable[[], object]] = [
        lambda: graph.add("A note.", identifier="minutes"),
        lambda: graph.add("A note.", identifier="minutes", replace=True),
        lambda: graph.patch_metadata("minutes", {"team": "red"}),
        lambda: graph.delete("minutes"),
        lambda: graph.delete(OTHER),
    ]
    for change in changes:
        with pytest.raises(ConflictError, match="which an update states"):
            change()
    assert graph.directory.current() == number
    assert graph.documents["minutes"].iri == OTHER
