"""The evidence for each candidate of a question, as numbers: what a learned ranking weighs.

All of it comes from the indexes and the graph's edges at query time; nothing is encoded but the question.
`docs/retrieval.md` gives every feature's formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.annotators.words import STOP_WORDS
from sage_ld.indexes.analysis import terms
from sage_ld.indexes.lexical import Matches
from sage_ld.model import DoubleArray, FloatArray, IntArray
from sage_ld.retrieval.catalogue import Catalogue, Unit
from sage_ld.retrieval.scores import Scores

OWN: Final = ("bm25", "dense", "hybrid", "log_rank", "coverage", "title_coverage", "title_asked")
"""What a candidate has of itself."""
EDGE: Final = (
    "seed", "seed_log_rank", "seed_title", "confidence", "forward", "unit_coverage", "pair_coverage", "mean",
)  # fmt: skip
"""What its best link gives."""
BEST: Final = ("seed", "pair_coverage", "mean", "seed_title")
"""What the best of all its links gives, each number for itself."""
ALL: Final = ("links", "seeds")
"""What all its links give together."""
NAMES: Final = (*OWN, *(f"edge_{name}" for name in EDGE), *(f"max_{name}" for name in BEST), *ALL)
FREE: Final = frozenset(("log_rank", "links", "edge_seed_log_rank", "edge_forward"))
"""Features of which more may lower a score; of all others it never does, which a model is held to."""

CANDIDATES: Final = 200
"""How many of the flat ranking's first chunks are candidates."""
UNRANKED: Final = 400
"""How deep the flat ranking is looked at; what is not in it counts as standing right behind."""
FUNCTION_TERMS: Final = frozenset(term for word in STOP_WORDS for term in terms(word))
"""Terms that say nothing of what is asked for."""


@dataclass(frozen=True, slots=True)
class Question(Scores):
    """A question's scores over all chunks, and which chunk holds which of its m terms."""

    matches: Matches
    holding: NDArray[np.bool_]
    """(n, m) in the row order of the vector index."""
    order: IntArray
    """The first `UNRANKED` rows of the flat ranking, best first."""

    @property
    def weights(self) -> DoubleArray:
        """(m,) each term's share of the question's inverse document frequency, question words left out."""
        content = np.array([term not in FUNCTION_TERMS for term in self.matches.terms], np.bool_)
        idf = np.where(content if content.any() else True, self.matches.idf, 0.0)
        return np.asarray(idf / max(idf.sum(), 1e-9))


@dataclass(frozen=True, slots=True)
class Hops:
    """The links from and to the seeds, as parallel arrays of length e."""

    slot: IntArray
    """The seed's place among the seeds."""
    candidate: IntArray
    """The row that the hop leads to."""
    forward: NDArray[np.bool_]
    confidence: DoubleArray
    units: Sequence[Unit]


@dataclass(frozen=True, slots=True)
class Features:
    """(c, len(NAMES)) numbers for c candidates."""

    candidates: IntArray
    """(c,) rows, ascending."""
    values: FloatArray
    best_hop: IntArray
    """(c,) the number of the best link that leads to each; -1 where none does."""


def features(
    question: Question,
    seeds: IntArray,
    hops: Hops,
    others: IntArray,
    catalogue: Catalogue,
    vectors: FloatArray,
) -> Features:
    """The features of the flat ranking's first chunks, of all that the hops lead to, and of `others`.

    `others` are further rows; `vectors` are all chunks', (n, d).
    """
    candidates = np.unique(np.concatenate([question.order[:CANDIDATES], hops.candidate, others]))
    table = _own(question, candidates, catalogue)
    table |= {name: np.zeros(len(candidates)) for name in NAMES[len(OWN) :]}
    table["edge_forward"] -= 1
    table["edge_seed_log_rank"] += np.log(UNRANKED + 1)
    best_hop = np.full(len(candidates), -1, np.int64)
    if len(hops.slot):
        evidence = _evidence(question, seeds, hops, catalogue, vectors)
        _gather(table, best_hop, np.searchsorted(candidates, hops.candidate), evidence, hops, len(seeds))
    values = np.column_stack([table[name] for name in NAMES]).astype(np.float32)
    return Features(candidates, values, best_hop)


def _own(question: Question, rows: IntArray, catalogue: Catalogue) -> dict[str, DoubleArray]:
    bm25, dense, hybrid = (
        each[rows].astype(np.float64) for each in (question.bm25, question.dense, question.hybrid)
    )
    top = question.order[0]
    rank = np.full(len(question.bm25), UNRANKED + 1.0)
    rank[question.order] = np.arange(1, len(question.order) + 1)
    titles = _title_terms(question, rows, catalogue)
    return {
        "bm25": bm25 / max(float(question.bm25.max()), 1e-9),
        "dense": dense,
        "hybrid": hybrid / max(float(question.hybrid[top]), 1e-9),
        "log_rank": np.log(rank[rows]),
        "coverage": question.holding[rows] @ question.weights,
        "title_coverage": titles @ question.weights,
        "title_asked": titles.sum(axis=1) / catalogue.title_lengths[catalogue.documents[rows]],
    }


def _title_terms(question: Question, rows: IntArray, catalogue: Catalogue) -> NDArray[np.bool_]:
    """(len(rows), m) which term is in the title of each row's document."""
    numbers, back = np.unique(catalogue.documents[rows], return_inverse=True)
    asked = question.matches.terms
    held = [[term in catalogue.titles[number] for term in asked] for number in numbers.tolist()]
    return np.array(held, np.bool_).reshape(len(numbers), len(asked))[back]


def _evidence(
    question: Question, seeds: IntArray, hops: Hops, catalogue: Catalogue, vectors: FloatArray
) -> dict[str, DoubleArray]:
    """(e,) each number of `EDGE`, and `total`, by which a candidate's best link is chosen."""
    weights, asked = question.weights, question.matches.terms
    seed_rows = seeds[hops.slot]
    target = np.where(hops.forward, hops.candidate, seed_rows)
    units = _terms([unit.terms for unit in hops.units], asked)
    windows = _terms([unit.window for unit in hops.units], asked)
    titles = _title_terms(question, seeds, catalogue)[hops.slot]
    own_titles = _title_terms(question, hops.candidate, catalogue)
    paired = units | question.holding[target]
    seed_score = (question.hybrid[seeds] / max(float(question.hybrid[question.order[0]]), 1e-9))[hops.slot]
    cosine = np.einsum("ij,ij->i", vectors[seed_rows], vectors[hops.candidate]).astype(np.float64)
    dense, seed_dense = question.dense[hops.candidate].astype(np.float64), question.dense[seed_rows]
    found = {
        "seed": seed_score,
        "seed_log_rank": np.log(hops.slot + 1.0),
        "seed_title": titles.sum(axis=1) / catalogue.title_lengths[catalogue.documents[seed_rows]],
        "unit_coverage": units @ weights,
        "pair_coverage": paired @ weights,
        "confidence": hops.confidence,
        "forward": hops.forward.astype(np.float64),
        "mean": (dense + seed_dense) / np.sqrt(2 + 2 * np.clip(cosine, -0.99, 1)),
    }
    window = (windows & ~titles & ~own_titles) @ weights
    found["total"] = hops.confidence * (
        0.5 * seed_score
        + found["pair_coverage"]
        + 0.5 * window
        + 0.3 * found["seed_title"]
        + 0.5 * found["mean"]
    )
    return found


def _terms(units: Sequence[frozenset[str]], asked: Sequence[str]) -> NDArray[np.bool_]:
    held = [[term in unit for term in asked] for unit in units]
    return np.array(held, np.bool_).reshape(len(units), len(asked))


def _gather(
    table: dict[str, DoubleArray],
    best_hop: IntArray,
    place: IntArray,
    evidence: dict[str, DoubleArray],
    hops: Hops,
    seeds: int,
) -> None:
    """Brings the links' evidence to their candidates: of the best link, the best of each, and the sums."""
    order = np.lexsort((evidence["total"], place))
    last = order[np.append(place[order][1:] != place[order][:-1], True)]
    at = place[last]
    best_hop[at] = last
    for name in EDGE:
        table[f"edge_{name}"][at] = evidence[name][last]
    for name in BEST:
        np.maximum.at(table[f"max_{name}"], place, evidence[name])
    table["links"] += np.log1p(np.bincount(place, minlength=len(best_hop)))
    pairs = np.unique(place * seeds + hops.slot)
    by_slot = np.zeros(seeds)
    by_slot[hops.slot] = evidence["seed"]
    table["seeds"] += np.bincount(pairs // seeds, weights=by_slot[pairs % seeds], minlength=len(best_hop))
