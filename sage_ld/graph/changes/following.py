"""Retrievable named graphs: the documents made of what users write follow their graphs."""

from __future__ import annotations

from collections.abc import Iterable

from sage_ld.foundation.model import Document
from sage_ld.graph.changes.ingestion import store_documents
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.stored_documents import own_document
from sage_ld.graph.views.named_graphs import check_name, graph_document, retrievable_graphs
from sage_ld.graph.writing.writer import Writer


def make_retrievable(graph: OpenGraph, name: str, retrievable: bool) -> int | None:
    """Has retrieval find the resources of a named graph, or find them no more; gives the new revision."""
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
        if retrievable:
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
