"""Documents as targets of links: what the document index holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from sage_ld.annotators.targets import Target
from sage_ld.indexes.documents import IndexedDocument
from sage_ld.model import Chunk
from sage_ld.store import reading
from sage_ld.store.protocol import Store
from sage_ld.store.reading import StoredChunk, StoredDocument


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
    parts: dict[str, list[tuple[str, Chunk]]] = defaultdict(list)
    for each in chunks:
        parts[each.document].append((each.iri, each.chunk))
    return {
        each.iri: indexed_document(
            Target(each.identifier, each.name, url=each.url), parts.get(each.iri, ()), each.root, each.path
        )
        for each in documents
    }


def indexed_documents(store: Store, iris: Iterable[str]) -> dict[str, IndexedDocument]:
    """Those of some documents (IRIs) that the store has, by IRI."""
    documents = reading.documents(store, sorted(iris))
    parts = [chunk for each in documents for chunk in reading.chunks_of(store, each.iri)]
    return with_leads(documents, reading.chunks(store, parts, links=False))
