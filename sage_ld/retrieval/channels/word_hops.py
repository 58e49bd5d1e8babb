"""Hops over rare words, as arrays: chunks that share with a seed what the question does not name.

A second hop often goes over a word that is no entity and no title: the number of a form, a surname, the name
of a job. This is a second search by the words that the first one brought (pseudo-relevance feedback; Lavrenko
and Croft 2001, "Relevance-Based Language Models"), but from chunk to chunk, and by the three rarest words
alone. The words are in the lexical index and not in the graph: a learned ranking weighs such hops, and no
path shows them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.languages.analysis import english_function_terms
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.graph import Snapshot
from sage_ld.retrieval.channels.expansion import highest_of_each
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

WORDS: Final = 3
"""The rarest words that two chunks share, by which their hop is weighed."""
_MOST_CHUNKS: Final = 1_000
_MOST_DOCUMENTS: Final = 300
_MOST_SHARE: Final = 0.1
"""Chunks, documents and share of all documents that may have a word for it to be rare; three documents always
may."""
_MOST_WORDS: Final = 40
"""Words of a seed, the rarest, that are followed."""
_MOST_HOPS: Final = 100
"""Hops from a seed, those of the highest weight."""


@dataclass(frozen=True, slots=True)
class WordHops:
    """Hops from seeds to chunks of other documents, as parallel arrays of length e."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    weight: DoubleArray
    """In 0..`WORDS`: the sum of idf² over the rarest words that both have, where a word that `d` of `n`
    documents have has the idf `ln((n + 1) / d) / ln(n + 1)`."""

    def where(self, kept: NDArray[np.bool_]) -> WordHops:
        """The hops that `kept` (e,) names."""
        return WordHops(*(getattr(self, each.name)[kept] for each in fields(self)))


def word_hops(
    snapshot: Snapshot, chunk_table: ChunkTable, seeds: Sequence[int], asked: frozenset[str]
) -> WordHops:
    """The hops from some rows over words; `asked` are the terms of the question, which lead nowhere."""
    found = [_of_seed(snapshot, chunk_table, seed, asked) for seed in seeds]
    seed = np.repeat(np.array(seeds, np.int64), [len(rows) for rows, _ in found])
    rows = np.concatenate([np.zeros(0, np.int64), *(each for each, _ in found)])
    return WordHops(seed, rows, np.concatenate([np.zeros(0), *(each for _, each in found)]))


def _of_seed(
    snapshot: Snapshot, chunk_table: ChunkTable, seed: int, asked: frozenset[str]
) -> tuple[IntArray, DoubleArray]:
    """The rows that a seed leads to, and the weights of the hops."""
    documents, count = chunk_table.documents, len(chunk_table.iris)
    most = max(WORDS, min(_MOST_SHARE * count, _MOST_DOCUMENTS))
    silent = asked | english_function_terms()
    vector_rows = snapshot.derived(_vector_rows)
    terms = snapshot.lexical.rare_terms(int(snapshot.lexical_rows[seed]), _MOST_CHUNKS)
    telling = [rows for term, rows in terms.items() if len(term) > 1 and term not in silent]
    if not telling:
        return np.zeros(0, np.int64), np.zeros(0)
    held = sorted(telling, key=len)[:_MOST_WORDS]
    rows, of = (
        vector_rows[np.concatenate(held)],
        np.repeat(np.arange(len(held)), [len(each) for each in held]),
    )
    pairs = np.sort(of * count + documents[rows])
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])]
    among = np.bincount(pairs // count, minlength=len(held))
    leading = ((among > 1) & (among <= most))[of] & (documents[rows] != documents[seed])
    rows, values = rows[leading], (np.log((count + 1) / among) / math.log(count + 1))[of[leading]]
    kept = highest_of_each(rows, values, WORDS)
    reached, place = np.unique(rows[kept], return_inverse=True)
    weights = np.bincount(place, values[kept] ** 2, len(reached)).astype(np.float64)
    first = np.argsort(-weights, kind="stable")[:_MOST_HOPS]
    return reached[first], weights[first]


def _vector_rows(snapshot: Snapshot) -> IntArray:
    """(n,) the row of the vector index for each row of the lexical one."""
    return np.argsort(snapshot.lexical_rows)
