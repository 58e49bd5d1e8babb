"""An evaluation by the difficulty of its questions: each measure's mean in each class, with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
from rich.markup import escape
from rich.table import Table

from sage_ld.foundation.model import DoubleArray
from sage_ld.lab.evaluation.bootstrap import CONFIDENCE, Interval, paired_bootstrap
from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.lab.evaluation.evaluate import Evaluation
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.questions.difficulty import Difficulty

DECIMALS = 6
Classes: TypeAlias = Mapping[str, Difficulty]
"""Question identifier to its class."""


def difficulties(retriever: Retriever, dataset: Dataset) -> dict[str, Difficulty]:
    """The class of each question of a data set, in the newest revision of a graph."""
    snapshot = retriever.graph.snapshot()
    return {
        question: retriever.analyse(text, at=snapshot).difficulty
        for question, text in dataset.questions.items()
    }


def mean_intervals(values: DoubleArray) -> list[Interval]:
    """The mean of each column of `values` (questions, measures) and its 95 % bootstrap interval.

    >>> mean_intervals(np.array([[1.0], [1.0]]))[0].low
    1.0
    """
    return paired_bootstrap(np.zeros_like(values), values)


def by_class(evaluation: Evaluation, classes: Classes) -> dict[str, dict[Difficulty, dict[str, Interval]]]:
    """Mode to class, of those that have a question, to measure to the interval of its mean."""
    of_question = np.array([classes[question] for question in evaluation.dataset.questions])
    intervals: dict[str, dict[Difficulty, dict[str, Interval]]] = {}
    for mode, result in evaluation.modes.items():
        table = np.column_stack(list(result.values.values()))
        intervals[mode] = {
            each: dict(zip(result.values, mean_intervals(table[of_question == each]), strict=True))
            for each in Difficulty
            if each in of_question
        }
    return intervals


def by_class_json(evaluation: Evaluation, classes: Classes) -> dict[str, Any]:
    """Mode to class to `questions`, and to measure to `mean`, `low` and `high`."""
    return {
        mode: {
            str(each): {"questions": next(iter(measures.values())).questions}
            | {
                name: {
                    "mean": round(one.difference, DECIMALS),
                    "low": round(one.low, DECIMALS),
                    "high": round(one.high, DECIMALS),
                }
                for name, one in measures.items()
            }
            for each, measures in of_mode.items()
        }
        for mode, of_mode in by_class(evaluation, classes).items()
    }


def by_class_table(evaluation: Evaluation, classes: Classes) -> Table:
    """For people: per cent by measure, mode and class."""
    table = Table(title=f"by difficulty · per cent, with the {CONFIDENCE:.0%} interval of the mean")
    table.add_column("measure")
    table.add_column("mode")
    counts = {each: sum(one is each for one in classes.values()) for each in Difficulty}
    for each, count in counts.items():
        table.add_column(f"{each} ({count:,})", justify="right")
    for row in _rows(by_class(evaluation, classes)):
        table.add_row(*row)
    return table


def _rows(intervals: Mapping[str, Mapping[Difficulty, Mapping[str, Interval]]]) -> Iterator[list[str]]:
    names = next(iter(next(iter(intervals.values())).values()))
    for name in names:
        for mode, of_mode in intervals.items():
            cells = [_cell(of_mode[each][name]) if each in of_mode else "" for each in Difficulty]
            yield [name, escape(mode), *cells]


def _cell(one: Interval) -> str:
    return f"{100 * one.difference:.1f} [{100 * one.low:.1f}, {100 * one.high:.1f}]"
