"""Training examples of a ranking: each question's candidates with their evidence and what they are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sage_ld.foundation import extras
from sage_ld.foundation.model import DoubleArray, FloatArray
from sage_ld.graph import Snapshot
from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.lab.evaluation.measures import Run, documents
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.rankings.features import FEATURE_NAMES, Features
from sage_ld.retrieval.rankings.learned import candidates
from sage_ld.retrieval.rankings.learned_model import LearnedModel

BEST_GAIN = 7.0
"""The gain of a document of the highest grade: what 3 of 3 has where gains are 2 to the grade, less 1."""

_HYBRID: Final = FEATURE_NAMES.index("hybrid")
Gains = Mapping[str, Mapping[str, float]]
"""Question identifier to document identifier to its gain, above 0."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question's c candidates."""

    question: str
    values: FloatArray
    """(c, features) the evidence for each, in the columns `rankings.features.FEATURE_NAMES`."""
    documents: NDArray[np.object_]
    """(c,) the identifier of each one's document."""
    gains: DoubleArray
    """(c,) 0 for what is not relevant."""
    relevant: frozenset[str]
    """The documents that are worth something, candidates or not."""


@dataclass(frozen=True, slots=True)
class Examples:
    """A data set's examples."""

    dataset: Dataset
    items: tuple[Example, ...]
    """One a question, in the data set's order."""
    unknown: tuple[str, ...] = ()
    """Judged documents that the graph does not hold; to a ranking they are missed."""

    def learnable(self) -> int:
        """The number of questions with something relevant among their candidates."""
        return sum(bool(each.gains.any()) for each in self.items)


def graded(dataset: Dataset) -> Gains:
    """Gains in proportion to the grades, as nDCG has them; the highest grade has `BEST_GAIN`."""
    top = max(chain.from_iterable(grades.values() for grades in dataset.judgements.values()))
    return {
        question: {document: BEST_GAIN * grade / top for document, grade in grades.items()}
        for question, grades in dataset.judgements.items()
    }


def collect(
    retriever: Retriever,
    dataset: Dataset,
    gains: Gains | None = None,
    advance: Callable[[], None] | None = None,
) -> Examples:
    """Asks every question for its candidates. `advance` is called after each.

    Raises InputError if the graph holds none of the judged documents, UnavailableError if the extra
    `tuning`, which learning from the answers needs, is not installed.
    """
    extras.check_tuning()
    worth = graded(dataset) if gains is None else gains
    snapshot = retriever.graph.snapshot()
    chunk_table = retriever.chunk_table(snapshot)
    names = np.array(retriever.identifiers(snapshot), dtype=object)
    unknown = dataset.unknown(names.tolist())
    items = []
    for identifier, text in dataset.questions.items():
        gathered = evidence(retriever, snapshot, text)
        those = names[chunk_table.documents[gathered.candidates]]
        given = worth.get(identifier, {})
        gained = np.array([given.get(each, 0.0) for each in those])
        items.append(Example(identifier, gathered.values, those, gained, frozenset(given)))
        if advance is not None:
            advance()
    return Examples(dataset, tuple(items), unknown)


def evidence(retriever: Retriever, snapshot: Snapshot, question: str) -> Features:
    """The candidates of a question in one revision, and what speaks for each, by a retriever's parameters."""
    inquiry, given = retriever.inquiry(snapshot, question), retriever.parameters
    table, scored = retriever.chunk_table(snapshot), inquiry.question()
    return candidates(snapshot, table, scored, given.channels, given, relations=inquiry.relations).features


def rank(example: Example, model: LearnedModel) -> list[str]:
    """The documents of an example by a model, the best first."""
    return ranked(example, model.logits(example.values))


def ranked(example: Example, scores: NDArray[np.floating[Any]]) -> list[str]:
    """The documents of an example by the scores of its candidates, the best first, each at its best chunk."""
    order = np.argsort(-scores, kind="stable")
    return documents((str(document), 0.0) for document in example.documents[order])


def flat_run(examples: Sequence[Example]) -> Run:
    """The flat ranking of all questions, of their candidates."""
    return {each.question: ranked(each, each.values[:, _HYBRID]) for each in examples}


def run_of(examples: Sequence[Example], model: LearnedModel) -> Run:
    """The rankings of all questions."""
    return {each.question: rank(each, model) for each in examples}
