"""Cross-validation: a question is ranked by a model that has seen neither it nor its documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from sage_ld.foundation.errors import InputError
from sage_ld.lab.evaluation.measures import Run
from sage_ld.lab.tuning.examples import Example, rank
from sage_ld.retrieval.rankings.learned_model import LearnedModel

FOLDS = 5

Fit = Callable[[Sequence[Example]], LearnedModel]
"""A function that learns a model from the examples that it may see."""
Fold = tuple[list[int], list[int]]
"""The places of the examples that are learned from, and of those that are held out."""


def folds(examples: Sequence[Example], number: int = FOLDS) -> Iterator[Fold]:
    """The examples in a number of folds, or fewer.

    Questions that have a relevant document in common, or are joined so through others, are held out
    together: a model would else know the very document that it is tested on. Each such group goes to the fold
    that is smallest by then; a fold that stays empty is left out. Raises InputError if all are one group.
    """
    groups = _groups(examples)
    if len(sizes := np.bincount(groups).tolist()) < 2:
        raise InputError(
            f"all {len(examples)} questions are joined by relevant documents that they share, so that none "
            "can be held out from learning; judge questions about other documents too"
        )
    filled = [0] * number
    fold_of: dict[int, int] = {}
    for group in groups:
        if group not in fold_of:
            fold_of[group] = filled.index(min(filled))
            filled[fold_of[group]] += sizes[group]
    placed = [fold_of[group] for group in groups]
    for fold in sorted(set(placed)):
        yield (
            [place for place, its in enumerate(placed) if its != fold],
            [place for place, its in enumerate(placed) if its == fold],
        )


def _groups(examples: Sequence[Example]) -> list[int]:
    """The number of each question's group."""
    numbers: dict[str, int] = {}
    pairs = [
        (place, numbers.setdefault(document, len(numbers)))
        for place, each in enumerate(examples)
        for document in each.relevant
    ]
    rows, columns = np.array(pairs, np.int64).reshape(-1, 2).T
    judged = csr_matrix((np.ones(len(pairs)), (rows, columns)), (len(examples), max(len(numbers), 1)))
    return [int(label) for label in connected_components(judged @ judged.T, directed=False)[1]]


def held_out(
    examples: Sequence[Example],
    fit: Fit,
    split: Iterable[Fold],
    advance: Callable[[], None] | None = None,
) -> Run:
    """The rankings of all questions, each by the model of the folds that it is not in, in their order."""
    rankings: dict[str, list[str]] = {}
    for seen, held in split:
        model = fit([examples[place] for place in seen])
        rankings |= {examples[place].question: rank(examples[place], model) for place in held}
        if advance is not None:
            advance()
    return {each.question: rankings[each.question] for each in examples}
