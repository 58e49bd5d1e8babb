"""Near-duplicates among results: of nearly equal texts the first stays, and the next candidates move up."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.rdf_values import text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.vectors import Similarity
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.rankings.method import Ranked

_FIRST_SPARE: Final = 2
_MOST_SPARE: Final = 8
"""How many times as many candidates are looked at as results are asked for: at first, and at most."""
_BATCH: Final = 200
"""Texts that are read at once."""


def distinct(
    texts: Sequence[str],
    vectors: FloatArray,
    similarity: Similarity,
    threshold: float,
    most: int,
    check: Check = unchecked,
) -> list[int]:
    """The places of the first `most` of m candidates that are no near-duplicates of one before them.

    A near-duplicate has the same text, but for case, forms of characters and white space, or a vector (m, d)
    whose similarity to that of a candidate that stays is `threshold` or more. `check` is called at times.

    >>> from sage_ld.graph.indexes.vectors import dot
    >>> distinct(["A b", "a  B", "c"], np.eye(3, dtype=np.float32), dot, 0.95, 3)
    [0, 2]
    """
    kept: list[int] = []
    seen: set[str] = set()
    staying = np.empty_like(vectors[:most])
    for place, text in enumerate(map(normalised, texts)):
        if place % _BATCH == 0:
            check()
        vector = vectors[place : place + 1]
        near = bool(kept) and float(similarity(vector, staying[: len(kept)]).max()) >= threshold
        if near or text in seen:
            continue
        staying[len(kept)] = vector
        kept.append(place)
        seen.add(text)
        if len(kept) == most:
            break
    return kept


def normalised(text: str) -> str:
    """A text by which equal ones are told: compatibility forms, case and white space make no difference.

    >>> normalised("The  Ninth Ferry ") == normalised("THE ninth ferry")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def distinct_ranked(
    ranked: Callable[[int], list[Ranked]],
    snapshot: Snapshot,
    similarity: Similarity,
    threshold: float,
    count: int,
    check: Check = unchecked,
) -> list[Ranked]:
    """The first `count` of a ranking without near-duplicates; `ranked` returns its first so many.

    Of more candidates than eight times `count` no further ones move up.
    """
    spare = _FIRST_SPARE
    while True:
        candidates = ranked(spare * count)
        iris = [each.iri for each in candidates]
        texts = _texts(snapshot, iris, check)
        vectors = snapshot.vectors.vectors(iris)
        kept = distinct(texts, vectors, similarity, threshold, count, check)
        if len(kept) == count or len(candidates) < spare * count or spare >= _MOST_SPARE:
            return [candidates[place] for place in kept]
        spare *= _FIRST_SPARE


def _texts(snapshot: Snapshot, iris: Sequence[str], check: Check) -> list[str]:
    """The texts of chunks; of one that has none, its IRI, which no other has."""
    texts: dict[str, str] = {}
    for begin in range(0, len(iris), _BATCH):
        check()
        for row in select(snapshot.store, queries.bind("chunk_texts", chunk=iris[begin : begin + _BATCH])):
            texts[row["chunk"].value] = text_of(row["text"])
    return [texts.get(iri) or iri for iri in iris]
