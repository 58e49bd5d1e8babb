"""Measures of a ranking: Success@k, Recall@k, nDCG@10 and MRR by ir-measures, and All@k.

All@k is 1 where every relevant document is among the first k, the strict measure of multi-hop retrieval;
ir-measures lacks it, but it follows exactly from its Recall@k.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from sage_ld.foundation import extras
from sage_ld.foundation.model import DoubleArray

Run: TypeAlias = Mapping[str, Sequence[str]]
"""Question identifier to document identifiers, the best first, each document once."""

AT_BUDGET = ("success", "recall", "all")
"""The families that are measured at every budget."""
NDCG_DEPTH = 10
WHOLE = (f"ndcg@{NDCG_DEPTH}", "mrr")
"""The measures of the ranking as a whole."""


def measure_names(budgets: Iterable[int]) -> list[str]:
    """The measures at these budgets, in the order of every report.

    >>> measure_names([2, 5])
    ['success@2', 'success@5', 'recall@2', 'recall@5', 'all@2', 'all@5', 'ndcg@10', 'mrr']
    """
    budgets = sorted(set(budgets))
    return [f"{family}@{k}" for family in AT_BUDGET for k in budgets] + list(WHOLE)


def documents(results: Iterable[tuple[str, float]]) -> list[str]:
    """The documents of `results` (a chunk's document, its score; best first), each once, at its best chunk.

    >>> documents([("a", 0.9), ("b", 0.8), ("a", 0.7), ("c", 0.6)])
    ['a', 'b', 'c']
    """
    return list(dict.fromkeys(document for document, _ in results))


def measure(
    run: Run, judgements: Mapping[str, Mapping[str, int]], names: Iterable[str]
) -> dict[str, DoubleArray]:
    """Each measure's value for every judged question, in the order of `judgements`; 0 if the run has none.

    >>> judged = {"q": {"a": 1, "b": 1}}
    >>> values = measure({"q": ["a", "x", "b"]}, judged, ["recall@2", "all@3"])
    >>> float(values["recall@2"][0]), float(values["all@3"][0])
    (0.5, 1.0)

    Raises UnavailableError if ir-measures is not installed.
    """
    library, names = load_library(), list(names)
    wanted = {name: _parse(library, name) for name in names}
    row = {question: number for number, question in enumerate(judgements)}
    values = {each: np.zeros(len(row)) for each in set(wanted.values())}
    results = library.iter_calc(list(values), _qrels(library, judgements), _scored(library, run, judgements))
    for result in results:
        values[result.measure][row[result.query_id]] = result.value
    return {name: _value(name, values[wanted[name]]) for name in names}


def load_library() -> Any:
    """ir-measures, which counts. Raises UnavailableError if the extra `evaluation` is not installed."""
    return extras.load("ir_measures", extras.EVALUATION)


def _value(name: str, values: DoubleArray) -> DoubleArray:
    # Recall of 1.0 is n / n, which floating point divides exactly.
    return (values == 1.0).astype(np.float64) if name.startswith("all@") else values


def _parse(library: Any, name: str) -> Any:
    family, _, depth = name.partition("@")
    if family == "mrr":
        return library.RR
    base = {
        "success": library.Success,
        "recall": library.R,
        "all": library.R,
        "ndcg": library.nDCG,
    }[family]
    return base @ int(depth)


def _qrels(library: Any, judgements: Mapping[str, Mapping[str, int]]) -> list[object]:
    return [
        library.Qrel(question, document, grade)
        for question, grades in judgements.items()
        for document, grade in grades.items()
    ]


def _scored(library: Any, run: Run, judgements: Mapping[str, Mapping[str, int]]) -> list[object]:
    """The run with scores that fall by one a rank: trec_eval, which counts, breaks ties by identifier."""
    return [
        library.ScoredDoc(question, document, float(-rank))
        for question in judgements
        for rank, document in enumerate(run.get(question, ()))
    ]
