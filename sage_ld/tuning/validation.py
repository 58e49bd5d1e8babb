"""Cross-validation: each question is ranked by a model that has not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sage_ld.evaluation.measures import Run
from sage_ld.retrieval.trees import Trees
from sage_ld.tuning.examples import Example, rank

FOLDS = 5

Fit = Callable[[Sequence[Example]], Trees]
"""From the examples that may be seen to a model."""


def folds(count: int, number: int = FOLDS) -> Iterator[tuple[list[int], list[int]]]:
    """For each fold the places that are learned from, and those held out: every `number`-th.

    >>> [held for _, held in folds(5, 2)]
    [[0, 2, 4], [1, 3]]
    """
    for fold in range(number):
        held = list(range(fold, count, number))
        yield [place for place in range(count) if place % number != fold], held


def held_out(
    examples: Sequence[Example], fit: Fit, number: int = FOLDS, advance: Callable[[], None] | None = None
) -> Run:
    """The rankings of all questions, each by the model of the folds that it is not in, in their order."""
    rankings: dict[str, list[str]] = {}
    for seen, held in folds(len(examples), number):
        model = fit([examples[place] for place in seen])
        rankings |= {examples[place].question: rank(examples[place], model) for place in held}
        if advance is not None:
            advance()
    return {each.question: rankings[each.question] for each in examples}
