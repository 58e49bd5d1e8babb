"""The input of edge building, from the indexes: vectors of content, topic, columns, title, description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, Final

import numpy as np

from sage_ld.build.edges import Aspect, EdgeInput, StackedRows
from sage_ld.build.edges.signals import REMOVED, SharedEntities
from sage_ld.build.encoders import Encoder
from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind, FloatArray, IntArray
from sage_ld.graph.indexes.aspects import ENCODED, AspectIndex, ChunkAspects
from sage_ld.graph.indexes.hashed import text_number
from sage_ld.graph.indexes.hnsw import nearest
from sage_ld.graph.indexes.positions import ChunkInDocument
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.vectors import VectorIndex

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

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
