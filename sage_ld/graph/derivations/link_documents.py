"""Documents as targets of links: what the document index holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sage_ld.build.annotators.targets import LEAD_CHARACTERS, Target
from sage_ld.foundation.model import Chunk
from sage_ld.graph.indexes.documents import IndexedDocument
from sage_ld.graph.store import reading
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredChunk, StoredDocument


def indexed_document(
    document: Target, chunks: Iterable[tuple[str, Chunk]], root: str, path: str
) -> IndexedDocument:
    """A document as a target of links, with the text of its first chunk; `chunks` are pairs with IRIs.

    `root` and `path` say which file it came from.
    """
    iri, lead = min(chunks, key=lambda each: (each[1].position, each[0]), default=(None, None))
    target = document if lead is None else replace(document, text=lead.text)
    return IndexedDocument(target, iri, root, path)


def with_leads(
    documents: Iterable[StoredDocument], chunks: Iterable[StoredChunk]
) -> dict[str, IndexedDocument]:
    """Documents of the store as targets of links, by IRI, in their order; `chunks` are all that they have."""
    leads: dict[str, tuple[int, str, str]] = {}
    for each in chunks:
        lead = (each.chunk.position, each.iri, each.chunk.text[:LEAD_CHARACTERS])
        leads[each.document] = min(lead, leads.get(each.document, lead))
    found = {}
    for document in documents:
        _, iri, text = leads.get(document.iri, (0, None, ""))
        target = Target(document.identifier, document.name, text, document.url)
        found[document.iri] = IndexedDocument(target, iri, document.root, document.path)
    return found


def indexed_documents(store: Store, iris: Iterable[str]) -> dict[str, IndexedDocument]:
    """The documents among some IRIs that the store has, by IRI."""
    documents = reading.documents(store, sorted(iris))
    parts = [chunk for each in documents for chunk in reading.chunks_of(store, each.iri)]
    return with_leads(documents, reading.chunks(store, parts, links=False))
