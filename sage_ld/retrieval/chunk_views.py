"""Chunks as a person reads them: name, text, document and entities, fetched by two named queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from sage_ld.deadline import Check, unchecked
from sage_ld.model import ChunkView
from sage_ld.store import queries
from sage_ld.store.protocol import Store
from sage_ld.store.reading import CHUNK_KINDS, select

_BATCH: Final = 100
"""Chunks that are read at once."""


def chunk_views(store: Store, chunks: Sequence[str], check: Check = unchecked) -> dict[str, ChunkView]:
    """Chunk IRI -> view; `check` is called before some of them are read."""
    shown: dict[str, ChunkView] = {}
    for begin in range(0, len(chunks), _BATCH):
        check()
        shown |= _views(store, chunks[begin : begin + _BATCH])
    return shown


def _views(store: Store, chunks: Sequence[str]) -> dict[str, ChunkView]:
    mentions: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in select(store, queries.bind("mentions", chunk=chunks)):
        mentions[row["chunk"].value].append((row["entity"].value, row["label"].value))
    found = {}
    for row in select(store, queries.bind("chunks", chunk=chunks)):
        text = {name: None if row[name] is None else row[name].value for name in _OPTIONAL}
        iri = row["chunk"].value
        found[iri] = ChunkView(
            iri=iri,
            kind=CHUNK_KINDS[row["kind"].value],
            name=row["name"].value,
            text=row["text"].value,
            document=row["document"].value,
            identifier=row["identifier"].value,
            title=text["title"] or row["identifier"].value,
            url=text["url"],
            section=text["section"],
            section_name=text["heading"],
            mentions=tuple(sorted(mentions[iri], key=lambda each: (each[1], each[0]))),
        )
    return found


_OPTIONAL = ("title", "url", "section", "heading")
