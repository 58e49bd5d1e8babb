"""Named graphs that users write, as documents: their resources are found like those of an RDF file.

Such a document's identifier is the graph's IRI, and it follows the graph. It has no statements of its own:
those stay in the user's graph, and what follows from them (chunks, mentions, keywords) is in the document's.
Its class marks it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from pyoxigraph import BlankNode, NamedNode, Triple

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.rdf_resources import add_resources, label_of
from sage_ld.build.readers.statements import Statement, is_reserved
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.incoming_documents import without_own
from sage_ld.graph.changes.preparation import store_documents
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.resources import NAMED_GRAPH
from sage_ld.graph.store.stored_documents import own_document, stored_document
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer

MEDIA_TYPE: Final = "application/n-triples"


def retrievable_graphs(store: Store, iris: Iris) -> set[str]:
    """The names of the graphs that are documents."""
    marked = store.quads_for_pattern(None, node(v.TYPE), node(NAMED_GRAPH), None)
    documents = [
        each.subject.value
        for each in marked
        if isinstance(each.subject, NamedNode) and each.graph_name == _graph_of(each.subject.value, iris)
    ]
    return {each.identifier for each in reading.documents(store, documents)} if documents else set()


def _graph_of(document: str, iris: Iris) -> NamedNode:
    return NamedNode(iris.document_graph(document))


def check_name(store: Store, name: str, iris: Iris) -> None:
    """Refuses to make a document of the graph called `name`.

    Raises InputError if it is ours, or its name no IRI or another document's identifier, NotFoundError if
    there is no such graph.
    """
    if name.startswith(iris.base):
        raise InputError(f"the graph <{name[:200]}> is sage-ld's own; give a graph of yours another name")
    try:
        there = store.contains_named_graph(NamedNode(name))
    except ValueError:
        raise InputError(f"{name[:200]!r} is not an absolute IRI; give the graph's name") from None
    if not there:
        raise NotFoundError(f"there is no graph <{name[:200]}>; write it first")
    if stored_document(store, iris, name) is not None and name not in retrievable_graphs(store, iris):
        raise InputError(
            f"{name[:200]!r} is the identifier of a document that was read from a file; delete that, or give "
            "the graph another name"
        )


def graph_document(store: Store, name: str, iris: Iris, settings: Settings) -> Document | None:
    """The document made of a named graph; None if there is no such graph.

    A graph in which no resource is described in words is a document without text. Statements in our own
    vocabulary are not in its text, and resources of ours are no subjects, as in files.
    """
    if not store.contains_named_graph(NamedNode(name)):
        return None
    quads = store.quads_for_pattern(None, None, None, NamedNode(name))
    statements = _sorted(
        (each.subject, each.predicate, each.object)
        for each in quads
        if not isinstance(each.subject, Triple)  # RDF 1.2 Concepts §3.1: only an object is a triple
    )
    builder = DocumentBuilder(name, settings)
    add_resources(builder, [each for each in statements if not any(map(is_reserved, each))])
    text = "\n".join(str(Triple(*each)) for each in statements)
    document = builder.build(
        title=label_of(NamedNode(name), statements),
        media_type=MEDIA_TYPE,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        types=(v.SCHEMA + "Dataset", NAMED_GRAPH),
        url=name,
    )
    return without_own(document, iris.base)


def _sorted(statements: Iterable[Statement]) -> list[Statement]:
    """The statements in an order that does not depend on the store, nor on the labels of blank nodes.

    Those stand by what is said of them in words.
    """
    listed = list(statements)
    words: dict[object, list[str]] = {}
    for subject, predicate, value in listed:
        if isinstance(subject, BlankNode) and not isinstance(value, BlankNode):
            words.setdefault(subject, []).append(f"{predicate} {value}")
    keys = {blank: "_:" + " ".join(sorted(said)) for blank, said in words.items()}

    def key(term: object) -> str:
        return keys.get(term, "_:") if isinstance(term, BlankNode) else str(term)

    return sorted(listed, key=lambda each: tuple(map(key, each)))


def make_retrievable(graph: OpenGraph, name: str, retrievable: bool) -> int | None:
    """Has retrieval find the resources of a named graph, or find them no more; returns the new revision."""
    with graph.writer() as writer:
        follow_graphs(graph.deriver(writer), [name], retrievable)
        return writer.publish()


def follow_graphs(deriver: Deriver, names: Iterable[str] | None, retrievable: bool | None = None) -> None:
    """Brings the documents made of named graphs to what these graphs say; of all such graphs for None.

    With `retrievable`, each becomes a document or ceases to be one; without, it stays what it is. Raises
    InputError where a graph may not become one, LimitError where its text gets too long.
    """
    writer, iris = deriver.writer, deriver.writer.iris
    followed = retrievable_graphs(writer.store, iris)
    changes, documents = Changes(), []
    for name in sorted(followed if names is None else set(names)):
        if retrievable and name not in followed:
            check_name(writer.store, name, iris)
        wanted = name in followed if retrievable is None else retrievable
        document = graph_document(writer.store, name, iris, writer.settings) if wanted else None
        if document is not None and _holds(writer, document):
            continue
        if name in followed:
            changes.remove(writer, [iris.document(name)])
        documents += [] if document is None else [document]
    if documents:
        store_documents(documents, {}, deriver, changes)
    deriver.run(changes, writer.settings.relink_share)


def _holds(writer: Writer, document: Document) -> bool:
    """Whether a document is stored with the same content."""
    stored = own_document(writer.store, writer.iris, document.identifier)
    return stored is not None and stored.content_hash == document.content_hash


def check_no_named_graph(stored: StoredDocument) -> None:
    """Raises ConflictError for a document that is made of a named graph."""
    if stored.media_type == MEDIA_TYPE:
        name = repr(stored.identifier[:200])
        raise ConflictError(f"{name} belongs to the named graph of that name; change the graph")
