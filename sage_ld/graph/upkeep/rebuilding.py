"""Indexes made from the store: what a writer puts into them, and what a reader takes for damaged ones.

A published revision is never written to. Where one of its indexes cannot be read, whoever opens the revision
rebuilds that index in a temporary folder, which is gone again as soon as the files are mapped into memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sage_ld.build.chunkers import encoding_text, lexical_text
from sage_ld.build.encoders.cache import load_cached
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.build.languages import indexed_language
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.temporary_folders import temporary_folder
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.indexes.positions import ChunkInDocument, PositionIndex
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.protocol import Store

T = TypeVar("T", LexicalIndex, VectorIndex, PositionIndex, LinkIndex, MentionIndex)
_log = logging.getLogger("sage_ld.graph")


def placed_chunks(
    store: Store, default_language: str, iris: Iterable[str] | None = None
) -> dict[str, ChunkInDocument]:
    """The chunks of the store (or those asked for), each with its document, by IRI.

    `default_language` is the tag of those whose document names none.
    """
    chunks = reading.chunks(store, iris)
    documents = reading.documents(store, {each.document for each in chunks}) if chunks else ()
    by_iri = {each.iri: each for each in documents}
    placed = {}
    for each in chunks:
        document = by_iri.get(each.document)
        language = indexed_language(document.language if document else None, default_language)
        placed[each.iri] = ChunkInDocument(
            each.chunk,
            each.document,
            document.name if document else "",
            language,
            each.topic,
            document.url if document else None,
            each.skeleton,
        )
    return placed


def languages_of(placed: Mapping[str, ChunkInDocument]) -> dict[str, str]:
    """The language of each of some chunks (by IRI), as the lexical index takes them."""
    return {iri: each.language for iri, each in placed.items()}


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes of one revision."""

    lexical: LexicalIndex
    vectors: VectorIndex
    positions: PositionIndex
    links: LinkIndex
    mentions: MentionIndex
    summaries: VectorIndex | None
    """The vectors of abstracts; None where the graph has none."""
    rebuilt: Mapping[str, str]
    """The reason why an index was rebuilt, by the index's name."""


def open_indexes(
    directory: Directory, number: int, store: Store, settings: Settings, distrusted: Collection[str] = ()
) -> Indexes:
    """The indexes of a revision, whose store is `store`; one that is damaged or missing is rebuilt.

    So are those that `distrusted` names: their files can be read, but are not what was published.
    """
    folder = directory.revision(number)
    rebuild = _RevisionRebuild(directory, number, store, settings, frozenset(distrusted))
    lexical = rebuild.unless(
        lambda: LexicalIndex.open(folder / "lexical", settings=settings), rebuild.lexical
    )
    vectors = rebuild.unless(lambda: VectorIndex.open(folder / "vectors"), rebuild.vectors)
    positions = rebuild.unless(lambda: PositionIndex.open(folder / "positions"), rebuild.positions)
    links = rebuild.unless(lambda: LinkIndex.open(folder / "links"), rebuild.links)
    mentions = rebuild.unless(lambda: MentionIndex.open(folder / "mentions"), rebuild.mentions)
    if not lexical.digest == vectors.digest == positions.digest:
        lexical = rebuild.unless_it_differs(lexical, rebuild.lexical)
        vectors = rebuild.unless_it_differs(vectors, rebuild.vectors)
        positions = rebuild.unless_it_differs(positions, rebuild.positions)
    made, summaries = directory.made(number), None
    if made is not None and made.summaries:
        summaries = rebuild.unless(lambda: VectorIndex.open(folder / "summaries"), rebuild.summaries)
    return Indexes(lexical, vectors, positions, links, mentions, summaries, rebuild.reasons)


@dataclass
class _RevisionRebuild:
    """The contents of a revision from which its indexes are rebuilt."""

    directory: Directory
    number: int
    store: Store
    settings: Settings
    distrusted: frozenset[str] = frozenset()
    reasons: dict[str, str] = field(default_factory=dict)
    """The reason why an index was rebuilt, by the index's name."""

    def unless(self, open_index: Callable[[], T], build: Callable[[Path], T]) -> T:
        """The published index, or else one that is built."""
        if build.__name__ in self.distrusted:
            return self._built(build, f"{build.__name__} is not what was published")
        try:
            return open_index()
        except SageError as error:
            return self._built(build, str(error))

    def unless_it_differs(self, index: T, build: Callable[[Path], T]) -> T:
        """The index, or else one that is built, where it does not hold exactly the chunks of the store."""
        if set(index.iris) == self.chunks.keys():
            return index
        return self._built(build, f"{build.__name__} does not hold the chunks of the store")

    def _built(self, build: Callable[[Path], T], reason: str) -> T:
        _log.warning(
            "revision %d: %s; the index is rebuilt for this process, and on disk by the next write "
            "(sage-ld relink is one)",
            self.number,
            reason,
        )
        self.reasons[build.__name__] = reason
        with temporary_folder("index") as folder:
            return build(folder)

    @cached_property
    def chunks(self) -> dict[str, ChunkInDocument]:
        """The chunks of the store."""
        return placed_chunks(self.store, self.settings.default_language)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each chunk that is encoded."""
        return {iri: encoding_text(each.chunk) for iri, each in self.chunks.items()}

    def lexical(self, folder: Path) -> LexicalIndex:
        """The index of terms."""
        index = LexicalIndex.create(folder, settings=self.settings)
        texts = ((iri, lexical_text(each.chunk)) for iri, each in self.chunks.items())
        index.update(texts, (), languages_of(self.chunks))
        return index

    def vectors(self, folder: Path) -> VectorIndex:
        """The index of the vectors of chunks."""
        return self._encoded(folder, self.texts)

    def summaries(self, folder: Path) -> VectorIndex:
        """The index of the vectors of abstracts."""
        return self._encoded(folder, reading.abstracts(self.store))

    def _encoded(self, folder: Path, texts: Mapping[str, str]) -> VectorIndex:
        """An index of the vectors of texts by IRI: from the cache, encoded again where they are missing."""
        encoder = load_cached(self.directory.configuration(self.number).encoder, self.settings)
        index = VectorIndex.create(folder, encoder.dimensions)
        index.update(list(texts), encode_stored(encoder, list(texts.values())), ())
        return index

    def positions(self, folder: Path) -> PositionIndex:
        """The index of the places of terms."""
        index = PositionIndex.create(folder)
        index.update(self.chunks, ())
        return index

    def links(self, folder: Path) -> LinkIndex:
        """The index of links."""
        index = LinkIndex.create(folder)
        index.update(reading.links(self.store), ())
        return index

    def mentions(self, folder: Path) -> MentionIndex:
        """The index of mentions."""
        index = MentionIndex.create(folder)
        index.update(reading.mentions(self.store), ())
        return index
