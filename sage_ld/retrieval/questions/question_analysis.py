"""The analysis of a question: what it names in the graph, the subgraph around that, and how hard it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from sage_ld.foundation.model import IntArray
from sage_ld.graph.indexes.strings import text_number
from sage_ld.retrieval.channels.expansion import expand
from sage_ld.retrieval.chunks.chunk_table import ChunkTable, chunk_views
from sage_ld.retrieval.questions.difficulty import (
    DENSE_RIVAL,
    LEXICAL_RIVAL,
    RIVAL,
    Difficulty,
    Separation,
    adjacency,
    default_model,
    effective_documents,
    rivals,
    subgraph_features,
)
from sage_ld.retrieval.questions.question_nodes import ENTRY_KINDS, NamedNodes, named_nodes
from sage_ld.retrieval.rankings.features import ScoredQuestion
from sage_ld.retrieval.rankings.method import Inquiry

FLAT: Final = 10
"""Chunks with which the flat ranking begins that are always in the subgraph."""
SPREAD: Final = 20
"""Chunks with which it begins over whose documents the scores may spread."""
MOST_CHUNKS: Final = 40
"""Chunks in the subgraph that mention what the question names: those with the highest flat scores."""


@dataclass(frozen=True, slots=True)
class QuestionNode:
    """An entity that a question names."""

    iri: str
    label: str
    chunks: int
    """The number of chunks that mention it."""


@dataclass(frozen=True, slots=True)
class QuestionAnalysis:
    """The difficulty of a question, and the reasons."""

    question: str
    revision: int
    nodes: tuple[QuestionNode, ...]
    """What it names, the rarest first."""
    features: Mapping[str, float]
    """By the names of `difficulty.FEATURES`."""
    points: Mapping[str, int]
    """0 to 2 of each dimension."""
    total: int
    """0 to 10."""
    difficulty: Difficulty


@dataclass(frozen=True, slots=True)
class TouchedSubgraph:
    """The part of a graph that a question touches."""

    named: NamedNodes
    entries: IntArray
    """(g,) the places of its entities among `named`, the rarest first."""
    rows: IntArray
    """(c,) the rows of its chunks, ascending."""
    features: Mapping[str, float]

    @classmethod
    def of(cls, inquiry: Inquiry) -> TouchedSubgraph:
        """The entities that a question names, chunks that mention them, and the first of the flat ranking."""
        snapshot, question = inquiry.snapshot, inquiry.question()
        named = named_nodes(snapshot, inquiry.text, inquiry.language, ENTRY_KINDS)
        entries = named.rarest()
        kept = np.isin(named.nodes, entries)
        mentioning = np.unique(named.rows[kept])
        highest = np.argsort(-question.hybrid[mentioning], kind="stable")[:MOST_CHUNKS]
        first = question.order[:FLAT]
        rows = np.union1d(mentioning[highest], first)
        kept &= np.isin(named.rows, rows)
        count, order = len(entries), np.argsort(entries)
        mentions = np.column_stack(
            [
                order[np.searchsorted(entries[order], named.nodes[kept])],
                count + np.searchsorted(rows, named.rows[kept]),
            ]
        )
        edges = adjacency(np.concatenate([mentions, count + _joined(inquiry, rows)]), count + len(rows))
        asked = np.arange(count) if count else np.searchsorted(rows, first)
        documents = ChunkTable.of(snapshot).documents[rows]
        features = asdict(subgraph_features(edges, asked, documents)) | asdict(_separation(inquiry, question))
        return cls(named, entries, rows, features)


def _separation(inquiry: Inquiry, question: ScoredQuestion) -> Separation:
    rows = question.order[:SPREAD]
    return Separation(
        rivals(question.hybrid, RIVAL),
        rivals(question.bm25, LEXICAL_RIVAL),
        rivals(question.dense, DENSE_RIVAL),
        effective_documents(question.hybrid[rows], ChunkTable.of(inquiry.snapshot).documents[rows]),
    )


def _joined(inquiry: Inquiry, rows: IntArray) -> IntArray:
    """(e, 2) the places of the chunks (rows, ascending) that an edge of the channels joins."""
    snapshot, table = inquiry.snapshot, ChunkTable.of(inquiry.snapshot)
    chunks = [snapshot.vectors.iris[row] for row in rows.tolist()]
    hubs, relations = inquiry.parameters.hubs, inquiry.relations
    steps = expand(snapshot.store, chunks, inquiry.channels, table.rows, hubs, inquiry.check, relations)
    places = {chunk: place for place, chunk in enumerate(chunks)}
    pairs = {(places[each.seed], places[each.chunk]) for each in steps if each.chunk in places}
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def analyse(inquiry: Inquiry) -> QuestionAnalysis:
    """The difficulty of a question, by the part of the graph that it touches; HARD if that is nothing."""
    touched, model = TouchedSubgraph.of(inquiry), default_model()
    points = model.points(touched.features)
    total = sum(points.values())
    unknown = not len(touched.entries) and not touched.features["lexical_rivals"]
    return QuestionAnalysis(
        inquiry.text,
        inquiry.snapshot.number,
        _nodes(inquiry, touched),
        touched.features,
        points,
        total,
        Difficulty.HARD if unknown else model.difficulty(total),
    )


def _nodes(inquiry: Inquiry, touched: TouchedSubgraph) -> tuple[QuestionNode, ...]:
    """The entities with their names, which are read from one chunk of each."""
    named, iris = touched.named, inquiry.snapshot.vectors.iris
    chunks = [named.chunks(place) for place in touched.entries.tolist()]
    shown = chunk_views(inquiry.snapshot.store, sorted({iris[rows[0]] for rows in chunks}), inquiry.check)
    names = {text_number(iri): (iri, label) for view in shown.values() for iri, label in view.mentions}
    numbers = named.numbers[touched.entries].tolist()
    return tuple(
        QuestionNode(*names[number], len(rows))
        for number, rows in zip(numbers, chunks, strict=True)
        if number in names
    )
