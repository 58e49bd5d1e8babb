"""Postings: which rows hold which term how often, as the arrays of one lexical segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.languages import ENGLISH
from sage_ld.graph.indexes.files import ascending
from sage_ld.graph.indexes.strings import Arrays, Dictionary, pack, unpack

Occurrences: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""The rows that hold a term, ascending, and how often each does."""

NAMES = ("lengths", "terms", "term_offsets", "starts", "rows", "counts", "languages")
FORMERLY_MISSING = {"languages": np.bytes_(ENGLISH)}
"""Arrays that earlier releases did not write, and what every row of theirs has in them."""
_LANGUAGE = "S3"


@dataclass(frozen=True, slots=True)
class Postings:
    """The occurrences of t terms in n rows, term by term, the terms in code point order."""

    lengths: NDArray[np.int32]
    """(n,) terms of each row, repetitions included."""
    terms: Dictionary
    starts: NDArray[np.int64]
    """(t + 1,) where each term's occurrences begin in `rows` and `counts`."""
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    languages: NDArray[np.bytes_]
    """(n,) the language in which each row was analysed."""

    @classmethod
    def of(cls, arrays: Arrays) -> Postings:
        """The view of a segment's arrays."""
        terms = Dictionary.of(arrays["terms"], arrays["term_offsets"])
        starts, rows, counts = arrays["starts"], arrays["rows"], arrays["counts"]
        return cls(arrays["lengths"], terms, starts, rows, counts, arrays["languages"])

    def find(self, term: str) -> Occurrences | None:
        """The occurrences of `term`; None if no row holds it."""
        index = self.terms.find(term)
        if index is None:
            return None
        here = slice(self.starts[index], self.starts[index + 1])
        return self.rows[here], self.counts[here]


def fit(arrays: Arrays, rows: int) -> bool:
    """Whether the arrays of a segment with so many rows belong together, each term with its occurrences."""
    lengths, blob, offsets, starts, holders, counts, languages = (arrays[name] for name in NAMES)
    if any(arrays[name].ndim != 1 for name in NAMES) or not (len(offsets) == len(starts) > 0):
        return False
    ends = len(blob) == offsets[-1] and len(holders) == len(counts) and ascending(starts, len(holders))
    return bool(len(lengths) == len(languages) == rows and ends)


def build(texts: Iterable[Sequence[str]], languages: Sequence[str]) -> Arrays:
    """The arrays of rows whose terms are `texts`, each analysed in its language."""
    numbers: dict[str, int] = {}
    lengths: list[int] = []
    term_of: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, text in enumerate(texts):
        lengths.append(len(text))
        counted = Counter(text)
        term_of.extend(numbers.setdefault(term, len(numbers)) for term in counted)
        counts.extend(counted.values())
        rows.extend([row] * len(counted))
    found = (np.array(each) for each in (lengths, term_of, rows, counts))
    return {**_arrays(list(numbers), *found), "languages": np.array(languages, _LANGUAGE)}


def join(parts: Sequence[tuple[Arrays, NDArray[np.int64]]]) -> Arrays:
    """Several segments as one: each with the new row of each of its rows, -1 for a row that is dropped."""
    size = sum(int(np.count_nonzero(new >= 0)) for _, new in parts)
    lengths = np.zeros(size, np.int64)
    languages = np.zeros(size, _LANGUAGE)
    numbers: dict[str, int] = {}
    columns: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]] = []
    for arrays, new in parts:
        lengths[new[new >= 0]] = arrays["lengths"][new >= 0]
        languages[new[new >= 0]] = arrays["languages"][new >= 0]
        names = unpack(arrays["terms"], arrays["term_offsets"])
        number = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        rows = new[arrays["rows"]]
        kept = rows >= 0
        columns.append(
            (np.repeat(number, np.diff(arrays["starts"]))[kept], rows[kept], arrays["counts"][kept])
        )
    term_of, rows_of, counts = (np.concatenate(column) for column in zip(*columns, strict=True))
    return {**_arrays(list(numbers), lengths, term_of, rows_of, counts), "languages": languages}


def _arrays(
    names: list[str],
    lengths: NDArray[Any],
    term_of: NDArray[Any],
    rows: NDArray[Any],
    counts: NDArray[Any],
) -> Arrays:
    """Sort occurrences by term, then row; drop terms that occur nowhere."""
    used = np.zeros(len(names), dtype=np.bool_)
    used[term_of.astype(np.int64)] = True
    kept = [number for number in sorted(range(len(names)), key=names.__getitem__) if used[number]]
    rank = np.zeros(len(names), dtype=np.int64)
    rank[kept] = np.arange(len(kept))
    ranks = rank[term_of.astype(np.int64)]
    order = np.lexsort((rows, ranks))
    starts = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(np.bincount(ranks, minlength=len(kept)), out=starts[1:])
    blob, offsets = pack(names[number] for number in kept)
    return {
        "lengths": lengths.astype(np.int32),
        "terms": blob,
        "term_offsets": offsets,
        "starts": starts,
        "rows": rows[order].astype(np.int32),
        "counts": counts[order].astype(np.int32),
    }
