"""Links between documents: of new chunks, and of old ones whose links a change may have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np

from sage_ld.build.annotators.hyperlinks import ReferenceIndex
from sage_ld.build.annotators.links import Target, find_links, index_targets
from sage_ld.build.annotators.titles import forms
from sage_ld.foundation.model import FloatArray, IntArray, Link
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.indexes.documents import IndexedDocument
from sage_ld.graph.indexes.stored_targets import StoredTargets
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.indexes.words import may_link, may_name, may_refer
from sage_ld.graph.store import queries, reading
from sage_ld.graph.store.derived import link_lines
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.store.reading import StoredChunk
from sage_ld.graph.writing.writer import Writer

_BATCH_CHUNKS: Final = 1_000  # chunks that are read from the store, and linked, at once


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    counts: Counter[str] = Counter()
    return DerivationResult(_lines(corpus.writer, counts), counts)


def _lines(writer: Writer, counts: Counter[str]) -> Iterator[str]:
    """The links of all chunks to documents, found batch after batch, and counted by kind."""
    documents = writer.documents.every()
    index = index_targets(each.target for each in documents.values())
    targets = _RowVectors.of(writer, [each.lead for each in documents.values()])
    concerned = iter(sorted(may_link(writer.words, index.targets)))
    while batch := list(islice(concerned, _BATCH_CHUNKS)):
        chunks = _read(writer, batch)
        links = find_links(
            [each.chunk for each in chunks],
            index,
            chunk_vectors=_vectors(writer, [each.iri for each in chunks]),
            target_vectors=targets,
            settings=writer.settings,
        )
        counts.update(_counts(links))
        yield from link_lines(links, [each.iri for each in chunks], list(documents), writer.iris)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Finds the links of the new chunks, and of old ones that led to, refer to or name a changed document."""
    if not (changes.documents or changes.linking):
        return {}
    writer, targets = corpus.writer, StoredTargets(corpus.writer.documents)
    new = [targets.documents[number].target for number in targets.numbers(changes.documents).tolist()]
    old = (_concerned(writer, new, targets) | changes.linking) - changes.chunks
    chunks = _read(writer, old | changes.chunks)
    links = find_links(
        [each.chunk for each in chunks],
        targets.index,
        chunk_vectors=_vectors(writer, [each.iri for each in chunks]),
        target_vectors=_LeadVectors(writer, targets.documents) if writer.encoder.unit_vectors else None,
        settings=writer.settings,
    )
    writer.remove_edges(_links_from(writer, sorted(old)))
    documents = {link.document: targets.iri(link.document) for link in links}
    lines = link_lines(links, [each.iri for each in chunks], documents, writer.iris)
    writer.extend(quads_of(lines))
    return _counts(links)


def _read(writer: Writer, chunks: Iterable[str]) -> list[StoredChunk]:
    """The chunks among some IRIs that are indexed, with the links that their files carry."""
    iris = sorted(chunks)
    known = [iri for iri, row in zip(iris, writer.vectors.rows(iris).tolist(), strict=True) if row >= 0]
    return reading.chunks(writer.store, known) if known else []


def _vectors(writer: Writer, chunks: Sequence[str | None]) -> FloatArray | None:
    """(n, d) the vectors of chunks, zeros for None; None if they are not of length 1."""
    vectors = _RowVectors.of(writer, chunks)
    return None if vectors is None else vectors[np.arange(len(chunks))]


@dataclass(frozen=True, slots=True)
class _RowVectors:
    """The vectors of chunks whose rows in an index are known, which does not change meanwhile."""

    index: VectorIndex
    rows: IntArray
    """-1 for one that has no vector; zeros stand for it."""

    @classmethod
    def of(cls, writer: Writer, chunks: Sequence[str | None]) -> _RowVectors | None:
        """The vectors of chunks (IRIs); None if they are not of length 1."""
        if not writer.encoder.unit_vectors:
            return None
        return cls(writer.vectors, writer.vectors.rows(each or "" for each in chunks))

    def __getitem__(self, numbers: IntArray) -> FloatArray:
        """(k, d)."""
        rows = self.rows[numbers]
        result = np.zeros((len(rows), self.index.dimension), np.float32)
        result[rows >= 0] = self.index.take(rows[rows >= 0])
        return result


@dataclass(frozen=True, slots=True)
class _LeadVectors:
    """The vectors of documents: those of their first chunks."""

    writer: Writer
    documents: Sequence[IndexedDocument]

    def __getitem__(self, targets: IntArray) -> FloatArray:
        """(k, d)."""
        vectors = _vectors(self.writer, [self.documents[number].lead for number in targets.tolist()])
        assert vectors is not None
        return vectors


def _concerned(writer: Writer, new: Sequence[Target], targets: StoredTargets) -> set[str]:
    """The chunks (IRIs) that hold a name of a new document, word for word, or a link that may lead to it."""
    index, references, known = index_targets(new), ReferenceIndex(new), targets.index
    concerned = set()
    for each in _read(writer, may_name(writer.words, new) | may_refer(writer.words, new)):
        own = known.numbers.get(each.chunk.document)
        source = Target(each.chunk.document, "") if own is None else known.targets[own]
        leads = any(references.leads(link.target, source) for link in each.chunk.links)
        if leads or index.matches(forms(each.chunk.text)):
            concerned.add(each.iri)
    return concerned


def _links_from(writer: Writer, chunks: Iterable[str]) -> list[str]:
    """The reifiers of the links of some chunks in the graph of edges."""
    rows = queries.select(writer.store, queries.bind("outgoing_links", chunk=chunks))
    return sorted(filter(None, (iri_of(row["link"]) for row in rows)))


def _counts(links: Sequence[Link]) -> dict[str, int]:
    return dict(Counter(str(link.kind) for link in links))


LINKS = Derivation("links", lambda iris: iris.edges_graph, _derive, _follow)
