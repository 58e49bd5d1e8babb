"""The input of edge building, from stored chunks: vectors of content, topic, columns, title, description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from sage_ld.edge_kinds import AspectName
from sage_ld.edges import Aspect, EdgeInput
from sage_ld.encoders import Encoder
from sage_ld.indexes.hnsw import nearest
from sage_ld.indexes.vectors import VectorIndex
from sage_ld.model import ChunkKind, IntArray
from sage_ld.store.reading import StoredChunk


def edge_input(
    chunks: Sequence[StoredChunk],
    titles: Mapping[str, str],
    vectors: VectorIndex,
    encoder: Encoder,
    focus: IntArray | None = None,
) -> EdgeInput:
    """The chunks as the edge builders take them; `titles` are the documents' names by IRI.

    Texts that many chunks share (a title, a table's columns) are encoded once, and the encoder's cache keeps
    them for the next time.
    """
    tables = [each.chunk.kind is ChunkKind.TABLE for each in chunks]
    texts = {
        AspectName.TOPIC: [each.topic for each in chunks],
        AspectName.COLUMNS: [
            ", ".join(each.chunk.table.columns) if each.chunk.table else "" for each in chunks
        ],
        AspectName.TITLE: [
            titles.get(each.document, "") if table else "" for each, table in zip(chunks, tables, strict=True)
        ],
        AspectName.DESCRIPTION: [
            each.chunk.heading if table else "" for each, table in zip(chunks, tables, strict=True)
        ],
    }
    aspects = {name: _encoded(each, encoder) for name, each in texts.items()}
    aspects[AspectName.CONTENT] = Aspect.each(vectors.vectors(each.iri for each in chunks))
    numbers = {iri: number for number, iri in enumerate(sorted({each.document for each in chunks}))}
    return EdgeInput(
        kinds=tuple(each.chunk.kind for each in chunks),
        documents=np.array([numbers[each.document] for each in chunks], np.int64),
        aspects=aspects,
        entities=_entities(chunks),
        similarity=encoder.similarity,
        nearest=nearest if encoder.unit_vectors else None,
        focus=focus,
    )


def _encoded(texts: Sequence[str], encoder: Encoder) -> Aspect:
    """One row for each different text; none for an empty one."""
    distinct = sorted({text for text in texts if text})
    short = _within_limit(distinct, encoder)
    vectors = encoder.encode(short) if short else np.zeros((0, encoder.dimensions), np.float32)
    number = {text: row for row, text in enumerate(distinct)}
    return Aspect(vectors, np.array([number.get(text, -1) for text in texts], np.int64))


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


def _entities(chunks: Sequence[StoredChunk]) -> csr_matrix:
    """(n, m): which chunk mentions which entity; columns in order of IRI."""
    numbers = {
        iri: number for number, iri in enumerate(sorted({iri for each in chunks for iri in each.entities}))
    }
    columns = [numbers[iri] for each in chunks for iri in each.entities]
    ends = np.cumsum([0, *(len(each.entities) for each in chunks)])
    return csr_matrix((np.ones(len(columns)), columns, ends), shape=(len(chunks), len(numbers)))
