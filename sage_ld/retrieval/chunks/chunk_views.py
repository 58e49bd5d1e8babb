"""Chunks as a person reads them: name, text, document and entities, fetched by two named queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.graph.store import queries
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import CHUNK_KINDS, abstracts, first_rows, select

_BATCH: Final = 100
"""Chunks that are read at once."""


def chunk_views(store: Store, chunks: Sequence[str], check: Check = unchecked) -> dict[str, ChunkView]:
    """Chunk IRI -> view, of those that are chunks; `check` is called before some of them are read."""
    shown: dict[str, ChunkView] = {}
    for begin in range(0, len(chunks), _BATCH):
        check()
        shown |= _views(store, chunks[begin : begin + _BATCH])
    return shown


def with_abstracts(store: Store, views: Mapping[str, ChunkView], longest: int) -> dict[str, ChunkView]:
    """The views, by the IRIs of their chunks, with the abstracts of the sections and documents.

    Of an abstract, which a user's RDF may state, its first `longest` characters.
    """
    around = {iri for each in views.values() for iri in (each.document, each.section) if iri is not None}
    texts = {iri: text[:longest] for iri, text in abstracts(store, around).items()}
    return {
        iri: replace(
            each,
            document_abstract=texts.get(each.document),
            section_abstract=None if each.section is None else texts.get(each.section),
        )
        for iri, each in views.items()
    }


def _views(store: Store, chunks: Sequence[str]) -> dict[str, ChunkView]:
    mentions: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in select(store, queries.bind("mentions", chunk=chunks)):
        entity, label = iri_of(row["entity"]), text_of(row["label"])
        if entity is not None and label:
            mentions[row["chunk"].value].add((entity, label))
    shown = {}
    rows = (row for row in select(store, queries.bind("chunks", chunk=chunks)) if iri_of(row["document"]))
    for row in first_rows(rows, "chunk", "identifier"):
        iri, document = row["chunk"].value, row["document"].value
        identifier, section = text_of(row["identifier"]), iri_of(row["section"])
        shown[iri] = ChunkView(
            iri=iri,
            kind=CHUNK_KINDS[row["kind"].value],
            name=text_of(row["name"]),
            text=text_of(row["text"]),
            document=document,
            identifier=identifier,
            title=text_of(row["title"]) or identifier,
            url=text_of(row["url"]) or None,
            section=section,
            section_name=None if section is None else text_of(row["heading"]) or None,
            place=text_of(row["place"]) or None,
            begin=integer_of(row["begin"]),
            end=integer_of(row["end"]),
            mentions=tuple(sorted(mentions[iri], key=lambda each: (each[1], each[0]))),
        )
    return shown
