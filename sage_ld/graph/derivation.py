"""What follows from several documents: similarity edges, links between documents, labels of entities.

All of it is a function of what the store holds, so it can be derived anew at any time (`run_all`). After a
small change only what the change touches is derived (`run`): similarity edges of the new chunks, by the
thresholds of the last build; links from the new chunks, and from those whose text holds a new title.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from pyoxigraph import Literal, Quad

import sage_ld
from sage_ld import vocabulary as v
from sage_ld.annotators.links import Target, find_links
from sage_ld.edges import build
from sage_ld.graph.aspects import edge_input
from sage_ld.graph.preparation import Progress
from sage_ld.graph.writer import Writer
from sage_ld.model import EdgeKind, EdgeSet, FloatArray, IntArray, Link
from sage_ld.recipes import Recipe
from sage_ld.store import queries, reading
from sage_ld.store.derived import BuildRecord, build_quads, entity_quads, link_quads, similarity_quads
from sage_ld.store.reading import StoredChunk, StoredDocument
from sage_ld.store.terms import node


@dataclass(slots=True)
class Changes:
    """What one writer has changed so far."""

    chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that are new."""
    documents: set[str] = field(default_factory=set)
    """IRIs of the documents that are new."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities that new or removed chunks mention."""
    removed: int = 0
    """How many chunks were taken out."""


class Deriver:
    """Derives into the writer's store."""

    def __init__(self, writer: Writer, recipe: Recipe, encoder_name: str, progress: Progress) -> None:
        self.writer = writer
        self.recipe = recipe
        self.encoder_name = encoder_name
        self.progress = progress

    def run_all(self) -> dict[str, int]:
        """Derives everything anew; gives the number of edges by kind."""
        store, iris = self.writer.store, self.writer.iris
        self.writer.merge_indexes()
        chunks, documents = reading.chunks(store), reading.documents(store)
        self.progress("linking", 0, 3)
        edge_sets = self._similar(chunks, documents, None)
        self.progress("linking", 1, 3)
        links = self._links(chunks, range(len(chunks)), documents)
        self.progress("linking", 2, 3)
        self.writer.replace_graph(iris.edges_graph, self._edge_quads(edge_sets, links, chunks, documents))
        self.writer.replace_graph(iris.entities_graph, entity_quads(reading.surface_forms(store), iris))
        record = BuildRecord(self.encoder_name, self.recipe.name, sage_ld.__version__, len(chunks), _now())
        self.writer.replace_graph(iris.builds_graph, build_quads(record, edge_sets, iris))
        self.writer.compact()
        self.progress("linking", 3, 3)
        return _counts(edge_sets, links)

    def run(self, changes: Changes, relink_share: float) -> dict[str, int]:
        """Derives what `changes` touch; everything where that is over `relink_share` of the chunks."""
        if not (changes.chunks or changes.removed):
            return {}
        before = self._chunks_of_last_build()
        if before is None or len(changes.chunks) + changes.removed > relink_share * before:
            return self.run_all()
        self.writer.flush_indexes()
        self.writer.derive_entities(changes.entities)
        return self._link_new(changes)

    def _link_new(self, changes: Changes) -> dict[str, int]:
        store = self.writer.store
        chunks, documents = reading.chunks(store, links=False), reading.documents(store)
        new = [i for i, each in enumerate(chunks) if each.iri in changes.chunks]
        edge_sets = self._similar(chunks, documents, np.array(new, np.int64))
        named = _naming(chunks, documents, changes)
        among = sorted([*new, *named])
        for i, whole in zip(among, reading.chunks(store, [chunks[i].iri for i in among]), strict=True):
            chunks[i] = whole
        links = self._links(chunks, among, documents)
        self.writer.remove_edges(self._links_from(chunks[i].iri for i in named))
        self.writer.extend(self._edge_quads(edge_sets, links, chunks, documents))
        return _counts(edge_sets, links)

    def _similar(
        self, chunks: Sequence[StoredChunk], documents: Sequence[StoredDocument], focus: IntArray | None
    ) -> list[EdgeSet]:
        titles = {each.iri: each.name for each in documents}
        arrays = edge_input(chunks, titles, self.writer.vectors, self.writer.encoder, focus)
        return build(arrays, self.recipe.edges, None if focus is None else self._thresholds())

    def _links(
        self, chunks: Sequence[StoredChunk], among: Sequence[int], documents: Sequence[StoredDocument]
    ) -> list[Link]:
        """The links of the chunks `among`, which are positions in `chunks`, to any of the documents.

        A document is known by its title and its first chunk, in words and as a vector.
        """
        first: dict[str, int] = {}
        for i in sorted(range(len(chunks)), key=lambda i: chunks[i].chunk.position):
            first.setdefault(chunks[i].document, i)
        targets, iris = [], []
        for document in documents:
            lead = chunks[first[document.iri]] if document.iri in first else None
            targets.append(
                Target(document.identifier, document.name, lead.chunk.text if lead else "", document.url)
            )
            iris.append(lead.iri if lead else None)
        found = find_links(
            [chunks[i].chunk for i in among],
            targets,
            chunk_vectors=self._vectors([chunks[i].iri for i in among]),
            target_vectors=self._vectors(iris),
            settings=self.writer.settings,
        )
        return [replace(link, chunk=among[link.chunk]) for link in found]

    def _vectors(self, chunks: Sequence[str | None]) -> FloatArray | None:
        """(n, d) the vectors of chunks, zeros for None; None where they are not of length 1."""
        if not self.writer.encoder.unit_vectors:
            return None
        result = np.zeros((len(chunks), self.writer.encoder.dimensions), np.float32)
        known = [i for i, iri in enumerate(chunks) if iri is not None]
        result[known] = self.writer.vectors.vectors(str(chunks[i]) for i in known)
        return result

    def _edge_quads(
        self,
        edge_sets: Sequence[EdgeSet],
        links: Sequence[Link],
        chunks: Sequence[StoredChunk],
        documents: Sequence[StoredDocument],
    ) -> Iterator[Quad]:
        iris = self.writer.iris
        names = [each.iri for each in chunks]
        for edges in edge_sets:
            yield from similarity_quads(edges, names, _shared(edges, chunks), iris)
        yield from link_quads(links, names, [each.iri for each in documents], iris)

    def _links_from(self, chunks: Iterable[str]) -> list[str]:
        """The reifiers of the links of some chunks in the graph of edges."""
        store, found = self.writer.store, []
        for row in reading.select(store, queries.bind("outgoing_links", chunk=chunks)):
            found.append(row["link"].value)
        return sorted(found)

    def _chunks_of_last_build(self) -> int | None:
        for quad in self.writer.store.quads_for_pattern(None, node(v.CHUNK_COUNT), None, None):
            if isinstance(quad.object, Literal):
                return int(quad.object.value)
        return None

    def _thresholds(self) -> dict[EdgeKind, dict[str, float]]:
        """What the percentiles gave in the last build."""
        found: dict[EdgeKind, dict[str, float]] = {}
        for row in reading.select(self.writer.store, queries.text("thresholds")):
            found.setdefault(EdgeKind(row["kind"].value), {})[row["signal"].value] = float(row["value"].value)
        return found


def _naming(
    chunks: Sequence[StoredChunk], documents: Sequence[StoredDocument], changes: Changes
) -> list[int]:
    """The old chunks whose text holds the title of a new document: their links are found anew."""
    titles = [each.name.casefold() for each in documents if each.name and each.iri in changes.documents]
    return [
        i
        for i, each in enumerate(chunks)
        if each.iri not in changes.chunks and any(title in each.chunk.text.casefold() for title in titles)
    ]


def _shared(edges: EdgeSet, chunks: Sequence[StoredChunk]) -> list[list[str]]:
    """For each edge the entities that both its chunks mention."""
    sets = [frozenset(each.entities) for each in chunks]
    pairs = zip(edges.source.tolist(), edges.target.tolist(), strict=True)
    return [sorted(sets[source] & sets[target]) for source, target in pairs]


def _counts(edge_sets: Sequence[EdgeSet], links: Sequence[Link]) -> dict[str, int]:
    kinds = Counter(str(link.kind) for link in links)
    return {str(each.kind): len(each.weight) for each in edge_sets} | dict(kinds)


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
