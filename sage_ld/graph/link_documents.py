"""Documents as targets of links, read from the store: what the document index holds."""

from __future__ import annotations

from collections.abc import Iterable

from sage_ld.annotators.targets import LEAD_CHARACTERS, Target
from sage_ld.indexes.documents import IndexedDocument
from sage_ld.store import reading
from sage_ld.store.protocol import Store
from sage_ld.store.reading import StoredChunk, StoredDocument


def indexed_document(document: StoredDocument, lead: StoredChunk | None) -> IndexedDocument:
    """A document as a target of links: by its title, and its first chunk `lead`, if it has one."""
    text = lead.chunk.text if lead else ""
    target = Target(document.identifier, document.name, text[:LEAD_CHARACTERS], document.url)
    return IndexedDocument(target, lead.iri if lead else None)


def indexed_documents(store: Store, iris: Iterable[str]) -> dict[str, IndexedDocument]:
    """Those of some documents (IRIs) that the store has, by IRI."""
    documents = reading.documents(store, sorted(iris))
    parts = [chunk for each in documents for chunk in reading.chunks_of(store, each.iri)]
    lead: dict[str, StoredChunk] = {}
    for chunk in sorted(reading.chunks(store, parts, links=False), key=lambda each: each.chunk.position):
        lead.setdefault(chunk.document, chunk)
    return {each.iri: indexed_document(each, lead.get(each.iri)) for each in documents}
