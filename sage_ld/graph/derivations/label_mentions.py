"""Mentions of users' resources by labels that texts write in whatever case.

They stand in the graph of resources, where a chunk's own document does not say that it mentions the resource.
A new chunk's words are looked up among the labels, and the words of a new label in the index of words, so
both cost what they have. A word that very many chunks hold is an ordinary one of the corpus, and no label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from pyoxigraph import NamedNode, Quad

from sage_ld.build.annotators.cells import TextCell, cells_of
from sage_ld.build.annotators.gazetteer import find_listed, name_key
from sage_ld.build.annotators.titles import forms
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Chunk, ChunkKind, Mention
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph.derivations.builds import last_chunk_count
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.store import reading, resources
from sage_ld.graph.store.documents import add_mention
from sage_ld.graph.store.nquads import LineCollector, quads_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredChunk
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer

_BATCH_CHUNKS: Final = 1_000  # chunks that are read from the store at once
_LARGEST_SHARE: Final = 0.1
_LEAST_FREQUENT: Final = 50
_FEW_CHUNKS: Final = 20
"""Chunks up to which each run of words is looked up in the store: for more, all labels are read first."""


def label_mentions(writer: Writer, terms: Mapping[str, str]) -> Iterator[str]:
    """The mentions of all chunks by labels, as N-Quads; `terms` gives the resource that each label names."""
    ordinary = _ordinary(writer, len(writer.vectors.iris))
    telling = {key: resource for key, resource in terms.items() if not ordinary(key)}
    waiting = iter(sorted(_holding(writer, telling)))
    while batch := list(islice(waiting, _BATCH_CHUNKS)):
        for chunk in reading.chunks(writer.store, batch, links=False):
            yield from _lines(writer, chunk, telling.get)


def follow_label_mentions(
    writer: Writer, relabelled: Set[str], changes: Changes
) -> tuple[list[Quad], list[Quad]]:
    """Brings mentions by labels to what chunks and labels say now; gives those that went, and the new ones.

    `relabelled` are the resources whose labels were others, or may be.
    """
    store, iris, graph = writer.store, writer.iris, node(writer.iris.resources_graph)
    if not relabelled and next(store.quads_for_pattern(None, node(v.CANDIDATE), None, graph), None) is None:
        return [], []
    terms = _StoredTerms(writer)
    ordinary = _ordinary(writer, last_chunk_count(store) or 0)

    @cache
    def resource_of(key: str) -> str | None:
        resource = terms.resource_of(key)
        return None if resource is None or ordinary(key) else resource

    if len(changes.chunks) > _FEW_CHUNKS:
        terms.read_all()
    keys = {key for resource in relabelled for key in terms.of(resource)} | _crossing(writer, changes, terms)
    stale = set(changes.chunks | changes.annotated | _holding(writer, keys))
    for resource in relabelled | {each for key in keys if (each := terms.resource_of(key))}:
        quads = store.quads_for_pattern(None, node(v.MENTIONS), NamedNode(resource), graph)
        stale.update(chunk for quad in quads if (chunk := iri_of(quad.subject)))
    if len(stale) > _FEW_CHUNKS:
        terms.read_all()
    gone, new = list[Quad](), list[Quad]()
    waiting = iter(sorted(stale))
    while batch := list(islice(waiting, _BATCH_CHUNKS)):
        before = {quad for chunk in batch for quad in resources.label_mentions(store, chunk, iris)}
        read = reading.chunks(store, batch, links=False)
        after = {quad for chunk in read for quad in quads_of(_lines(writer, chunk, resource_of))}
        writer.exchange(sorted(before - after, key=str), sorted(after - before, key=str))
        gone += (each for each in before - after if each.predicate == node(v.MENTIONS))
        new += (each for each in after - before if each.predicate == node(v.MENTIONS))
    return gone, new


class _Named(NamedTuple):
    """A resource that has a label: its labels, and the resource that its mentions are of."""

    terms: set[str]
    target: str


class _StoredTerms:
    """The labels that name resources, as the graph of resources has them, each looked up when asked for."""

    def __init__(self, writer: Writer) -> None:
        self._store, self._iris = writer.store, writer.iris
        self._graph = node(writer.iris.resources_graph)
        self.resource_of = cache(self._resource_of)
        self._named = cache(self._read)
        self._known: Set[str] | None = None
        """The entities of all labels that name resources, if they have been read."""

    def read_all(self) -> None:
        """Reads which labels there are."""
        if self._known is not None:
            return
        quads = self._store.quads_for_pattern(None, node(v.IS_REPLACED_BY), None, self._graph)
        self._known = set(filter(None, (iri_of(quad.subject) for quad in quads)))

    def of(self, resource: str) -> set[str]:
        """The keys of the labels that name a resource."""
        store, graph = self._store, self._graph
        quads = store.quads_for_pattern(None, node(v.IS_REPLACED_BY), NamedNode(resource), graph)
        entities = filter(None, (iri_of(quad.subject) for quad in quads))
        having = {each for entity in entities for each in self._having(entity)}
        keys = {key for each in having for key in self._named(each).terms}
        return {key for key in keys if self.resource_of(key) == resource}

    def _resource_of(self, key: str) -> str | None:
        entity = self._iris.entity(key)
        if self._known is not None and entity not in self._known:
            return None
        quads = self._store.quads_for_pattern(NamedNode(entity), node(v.IS_REPLACED_BY), None, self._graph)
        for resource in (iri_of(quad.object) for quad in quads):
            for each in map(self._named, self._having(entity)):
                if key in each.terms and each.target == resource:
                    return resource
        return None

    def _having(self, entity: str) -> list[str]:
        quads = self._store.quads_for_pattern(NamedNode(entity), node(v.CANDIDATE), None, self._graph)
        return [each for quad in quads if (each := iri_of(quad.object))]

    def _read(self, resource: str) -> _Named:
        said = resources.labels(self._store, resource, self._iris)
        return _Named(said.terms(), resources.target(self._store, resource))


def _ordinary(writer: Writer, chunks: int) -> Callable[[str], bool]:
    """Whether a key is one word that over a tenth of so many chunks hold, and more than a few."""
    most = max(_LEAST_FREQUENT, _LARGEST_SHARE * chunks)
    return cache(lambda key: " " not in key and len(_holding(writer, (key,))) > most)


def _crossing(writer: Writer, changes: Changes, terms: _StoredTerms) -> set[str]:
    """The words of new and of removed chunks that name a resource, and may now be ordinary, or no longer."""
    most = max(_LEAST_FREQUENT, _LARGEST_SHARE * (last_chunk_count(writer.store) or 0))
    removed, number = _removed_words(writer, changes)
    number += len(changes.chunks)
    return {
        word
        for word in removed | _words(writer.store, sorted(changes.chunks))
        if terms.resource_of(word) and abs(len(_holding(writer, (word,))) - most) <= number
    }


def _words(store: Store, chunks: Sequence[str]) -> set[str]:
    read = reading.chunks(store, chunks, links=False) if chunks else ()
    return {word for each in read for word in name_key(each.chunk.text).split()}


def _removed_words(writer: Writer, changes: Changes) -> tuple[set[str], int]:
    """The words of removed chunks, and how many these are; none where the revision is damaged."""
    if not changes.gone:
        return set(), 0
    try:
        before = writer.published_store()
        chunks = [chunk for each in sorted(changes.gone) for chunk in reading.chunks_of(before, each)]
        return _words(before, chunks), len(chunks)
    except InputError:
        return set(), 0


def _holding(writer: Writer, keys: Iterable[str]) -> set[str]:
    """The chunks (IRIs) that hold all words of one of some keys; letters beside dots are not looked for."""
    words = ({word for word in forms(key) if len(word) > 1} for key in keys)
    return {chunk for each in words for chunk in writer.words.holding(each)}


def _lines(writer: Writer, stored: StoredChunk, resource_of: Callable[[str], str | None]) -> list[str]:
    """The mentions of a chunk by labels, as N-Quads; none of a record of RDF, whose statements join it."""
    store, iris, chunk = writer.store, writer.iris, stored.chunk
    if chunk.subject:
        return []
    places: dict[str, list[Mention]] = {}
    for cell in _parts(chunk):
        for resource, begin, end in find_listed(cell.text, resource_of):
            place, surface = cell.begin + begin, cell.text[begin:end]
            column = cell.column if chunk.table else None
            mention = Mention(surface, surface, place, cell.begin + end, 1, cell.row, column)
            places.setdefault(resource, []).append(mention)
    graph = node(iris.resources_graph)
    quads = store.quads_for_pattern(NamedNode(stored.iri), node(v.MENTIONS), None, None) if places else ()
    own = {iri_of(quad.object) for quad in quads if quad.graph_name != graph}
    out = LineCollector(iris.resources_graph)
    for resource, found in places.items():
        if resource not in own:
            mention = replace(found[0], count=len(found))
            add_mention(out, stored.iri, mention, NamedNode(resource), iris)
    return out.take()


def _parts(chunk: Chunk) -> list[TextCell]:
    """The values of a table or record; the whole text of prose."""
    if chunk.kind is ChunkKind.TEXT:
        return [TextCell(None, "", chunk.text, chunk.begin, chunk.end)]
    return cells_of(chunk)
