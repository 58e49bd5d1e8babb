"""The input of edge building, from the indexes: vectors of content, topic, columns, title, description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

import numpy as np

from sage_ld.build.edges import Aspect, EdgeInput, StackedRows
from sage_ld.build.edges.signals import REMOVED, SharedEntities
from sage_ld.build.encoders import Encoder
from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind, DoubleArray, FloatArray, IntArray
from sage_ld.graph.indexes.aspects import ENCODED, AspectIndex, ChunkAspects
from sage_ld.graph.indexes.layout import SegmentIndex, concatenated_ranges
from sage_ld.graph.indexes.mentions import Mentions
from sage_ld.graph.indexes.positions import ChunkInDocument
from sage_ld.graph.indexes.segments import Segment, aligned_stored_rows
from sage_ld.graph.indexes.strings import Numbers, text_number
from sage_ld.graph.indexes.vectors import VectorIndex, nearest

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class StoredEntities:
    """The entities of chunks, which are given by their stored rows in the index of aspects."""

    def __init__(self, index: SegmentIndex, aspects: AspectIndex, hub: int) -> None:
        """`index` is that of mentions. An entity that more than `hub` chunks mention is not rare."""
        self._index = index
        self._mentions = Mentions(index.segments)
        self._aspects = aspects
        self._hub = hub

    def block(self, left: IntArray, right: IntArray) -> FloatArray:
        """(a, b) the similarity of each of `left` to each of `right`."""
        values = np.zeros((len(left), len(right)), np.float32)
        entities, owners = self._of(left)
        for place in range(len(left)):
            values[place] = self._similar_to(entities[owners == place])[right]
        return values

    def pairs(self, left: IntArray, right: IntArray) -> DoubleArray:
        """(k,) the similarity of left[i] to right[i]."""
        chunks, ends = np.unique(np.append(left, right), return_inverse=True)
        one, other = ends[: len(left)], ends[len(left) :]
        entities, owners = self._of(chunks)
        names, number = np.unique(entities, return_inverse=True)
        weights = self._weights(names)[number]
        masses = np.bincount(owners, weights, minlength=len(chunks))
        begin = np.searchsorted(owners, one)
        counts = np.searchsorted(owners, one, side="right") - begin
        of_one, pair = concatenated_ranges(begin, counts), np.repeat(np.arange(len(one)), counts)
        both = np.isin(other[pair] * len(names) + number[of_one], owners * len(names) + number)
        shared = np.bincount(pair[both], weights[of_one[both]], minlength=len(one))
        return np.asarray(shared / np.where(shared > 0, masses[one] + masses[other] - shared, 1))

    def sharing(self, left: IntArray, right: IntArray) -> tuple[IntArray, IntArray]:
        """The positions in `left` and `right`, both ascending, of the pairs that share a rare entity."""
        rows, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        entities, owners = self._of(left)
        rare = self._mentions.frequencies(entities) <= self._hub
        for place in range(len(left)):
            others = self._mentions.mentioning(entities[rare & (owners == place)]).rows
            found = _places(self._aspects.positions(self._mentions.iris(np.unique(others))), right)
            rows.append(np.full(len(found), place, np.int64))
            columns.append(found)
        return np.concatenate(rows), np.concatenate(columns)

    def _of(self, chunks: IntArray) -> tuple[Numbers, IntArray]:
        """The entities of some chunks, by chunk, and (e,) which of the chunks each is of."""
        return self._mentions.of_rows(self._index.rows(map(self._aspects.iri, chunks.tolist())))

    def _weights(self, entities: Numbers) -> DoubleArray:
        """(m,) the inverse frequency of each entity among the chunks."""
        frequencies = self._mentions.frequencies(entities)
        return np.asarray(np.log1p(len(self._aspects) / np.maximum(frequencies, 1)))

    def _similar_to(self, entities: Numbers) -> DoubleArray:
        """(n,) the similarity of a chunk with some entities to that of each stored row."""
        weights = self._weights(entities)
        rows, places = self._mentions.mentioning(entities)
        shared = np.bincount(rows, weights[places], minlength=len(self._index))
        rows = np.flatnonzero((shared > 0) & (self._positions >= 0))
        both = shared[rows]
        similar = np.zeros(sum(len(each.keys) for each in self._aspects.segments))
        similar[self._positions[rows]] = both / (weights.sum() + self._masses[rows] - both)
        return similar

    @cached_property
    def _masses(self) -> DoubleArray:
        """(r,) the sum of the weights of the entities of each row of the index of mentions."""
        entities, rows = self._mentions.of_rows(np.arange(len(self._index)))
        return np.asarray(np.bincount(rows, self._weights(entities), minlength=len(self._index)), np.float64)

    @cached_property
    def _positions(self) -> IntArray:
        """(r,) the chunk of each row of the index of mentions; -1 for anything that is not a chunk."""
        return aligned_stored_rows(self._index.segments, self._aspects.segments)


def _places(wanted: IntArray, among: IntArray) -> IntArray:
    """The positions of the wanted ones among some numbers, both ascending."""
    if not len(among):
        return np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    return np.asarray(at[among[at] == wanted], np.int64)


SAMPLED: Final = 512
"""Chunks by whose edges a graph is compared with its last build."""


def chunk_aspects(placed: ChunkInDocument) -> ChunkAspects:
    """The aspects by which a chunk is compared, beside its content."""
    chunk, is_table = placed.chunk, placed.chunk.kind is ChunkKind.TABLE
    texts = {
        AspectName.TOPIC: placed.topic,
        AspectName.COLUMNS: ", ".join(chunk.table.columns) if chunk.table else "",
        AspectName.TITLE: placed.title if is_table else "",
        AspectName.DESCRIPTION: chunk.heading if is_table else "",
        AspectName.SKELETON: placed.skeleton,
    }
    return ChunkAspects(chunk.kind, placed.document, texts)


def encoded_texts(chunks: Iterable[ChunkAspects], encoder: Encoder) -> dict[str, FloatArray]:
    """The vectors of what chunks are compared by, each text encoded once; the encoder's cache keeps them."""
    distinct = sorted({text for each in chunks for text in each.texts.values() if text})
    short = _within_limit(distinct, encoder)
    return dict(zip(distinct, encoder.encode(short), strict=True)) if short else {}


def edge_input(
    aspects: AspectIndex,
    vectors: VectorIndex,
    encoder: Encoder,
    entities: SharedEntities | csr_matrix,
    focus: IntArray | None = None,
) -> EdgeInput:
    """All chunks as the edge builders take them: positions are the rows of both indexes, removed ones too.

    `entities` and `focus` count in these positions.
    """
    segments = aspects.segments
    return EdgeInput(
        kinds=np.concatenate(
            [
                np.zeros(0, np.uint8),
                *(np.where(each.live, each.arrays["kinds"], np.uint8(REMOVED)) for each in segments),
            ]
        ),
        documents=np.concatenate([np.zeros(0, np.uint64), *(each.arrays["documents"] for each in segments)]),
        aspects={name: _aspect(segments, name, encoder.dimensions) for name in ENCODED}
        | {AspectName.CONTENT: _content(vectors)},
        entities=entities,
        similarity=encoder.similarity,
        nearest=nearest if encoder.unit_vectors else None,
        focus=focus,
    )


def sampled(aspects: AspectIndex) -> IntArray:
    """The rows of an even sample of the chunks: those whose IRIs have the smallest numbers.

    Two graphs that have most chunks in common have most of the sample in common.
    """
    return aspects.positions(nsmallest(SAMPLED, aspects.iris, key=text_number))


def _aspect(segments: Sequence[Segment], name: AspectName, dimensions: int) -> Aspect:
    parts, rows, begin = [np.zeros((0, dimensions), np.float32)], [np.zeros(0, np.int64)], 0
    for each in segments:
        own = each.arrays[f"{name}_rows"].astype(np.int64)
        rows.append(np.where(own < 0, -1, own + begin))
        parts.append(each.arrays[f"{name}_vectors"])
        begin += len(parts[-1])
    return Aspect(StackedRows(parts), np.concatenate(rows))


def _content(vectors: VectorIndex) -> Aspect:
    parts = [
        np.zeros((0, vectors.dimension), np.float32),
        *(each.arrays["vectors"] for each in vectors.segments),
    ]
    return Aspect(StackedRows(parts), np.arange(sum(map(len, parts)), dtype=np.int64))


def _within_limit(texts: Sequence[str], encoder: Encoder) -> list[str]:
    """The texts, each shortened by words until the encoder reads it: a topic is a help, not a record."""
    if encoder.max_tokens is None:
        return list(texts)
    result = []
    for text, count in zip(texts, encoder.count_tokens(texts), strict=True):
        words = text.split()
        while count > encoder.max_tokens:
            words = words[: max(1, len(words) * encoder.max_tokens // count - 1)]
            text = " ".join(words)
            if len(words) == 1:
                text = text[: len(text) // 2]
            count = encoder.count_tokens([text])[0]
        result.append(text)
    return result


def entity_matrix(entities: Sequence[Sequence[str]]) -> csr_matrix:
    """(n, m): which chunk mentions which entity, given as IRIs; columns in order of IRI."""
    from scipy.sparse import csr_matrix

    numbers = {iri: number for number, iri in enumerate(sorted({iri for each in entities for iri in each}))}
    columns = [numbers[iri] for each in entities for iri in each]
    ends = np.cumsum([0, *map(len, entities)])
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(entities), len(numbers)))
