"""Evaluation of search modes at equal budget: ask every question, measure, compare with a baseline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import DoubleArray
from sage_ld.lab.evaluation.bootstrap import Interval, paired_bootstrap
from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.lab.evaluation.measures import NDCG_DEPTH, Run, documents, load_library, measure, measure_names

Search: TypeAlias = Callable[[str, int, str], Sequence[tuple[str, float]]]
"""(question, budget, mode) to results, best first: each a chunk's document and its score.

As many chunks as the budget, or more; fewer only where it has no more to give. A mode that is asked at each
budget gives what it takes itself to come to as many documents.
"""

BUDGETS = (2, 5, 10, 20, 50, 100)
"""The budgets k + k' of the curve in the SAGE paper (Titiya et al. 2026, arXiv:2602.16964)."""
HIGHEST_BUDGET = 10_000
SPARE = 2
"""A ranking is asked for this many times the largest budget in chunks, as a document may have several."""
MORE = 4
"""Where those were of too few documents, it is asked for so many times as many chunks."""


@dataclass(frozen=True, slots=True)
class ModeResult:
    """The rankings and measures of one mode."""

    values: Mapping[str, DoubleArray]
    """Measure to its value for each question, in the data set's order."""
    runs: Mapping[int, Run]
    """The rankings, by how deep they were asked for: the budgets, and what nDCG needs beyond them."""

    @property
    def run(self) -> Run:
        """The deepest ranking: at the largest budget, or as deep as nDCG needs."""
        return self.runs[max(self.runs)]

    def run_at(self, budget: int) -> Run:
        """The ranking that counts at a budget."""
        return self.runs[min((k for k in self.runs if k >= budget), default=max(self.runs))]

    def mean(self, name: str) -> float:
        """The measure's mean over the questions."""
        return float(self.values[name].mean())


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of all modes on one data set."""

    dataset: Dataset
    budgets: tuple[int, ...]
    modes: Mapping[str, ModeResult]
    baseline: str | None
    """The mode that the others are set against; None if it was not evaluated."""
    differences: Mapping[str, Mapping[str, Interval]]
    """Mode to measure to the interval of its difference from the baseline."""
    unknown: tuple[str, ...] | None = None
    """Judged documents that the graph does not hold, missed by every mode; None if nobody looked."""


def evaluate(
    dataset: Dataset,
    search: Search,
    modes: Sequence[str],
    budgets: Sequence[int] = BUDGETS,
    baseline: str = "hybrid",
    per_budget: Collection[str] = (),
    advance: Callable[[], None] | None = None,
    known: Collection[str] | None = None,
) -> Evaluation:
    """Ask every question in every mode, and measure at every budget.

    A mode is asked once a question, since the results at a small budget begin those at a larger one, and
    again for more chunks where they were of fewer documents than the largest budget. A mode in `per_budget`,
    whose shares of seeds and neighbours are fixed, is not so nested: it is asked once at each budget. Either
    way a measure at k sees k documents where the mode finds as many, and never more. `advance` is called
    after each question and mode. However small the budgets are, nDCG@10 and MRR see ten documents.

    Judged documents that are not among the `known` ones, which a search may find at all, are noted.

    Raises InputError for no modes, a budget outside 1 to `HIGHEST_BUDGET`, or where no judged document is
    known; UnavailableError if the extra `evaluation` is not installed, before any question is asked.
    """
    load_library()
    if not modes:
        raise InputError("no mode to evaluate; give at least one, such as sage or hybrid")
    ordered = _checked(budgets)
    unknown = None if known is None else dataset.unknown(known)
    results = {
        mode: _evaluate_mode(dataset, search, mode, ordered, mode in per_budget, advance)
        for mode in dict.fromkeys(modes)
    }
    against = baseline if baseline in results else None
    return Evaluation(dataset, ordered, results, against, _differences(results, against), unknown)


def compare(
    dataset: Dataset,
    runs: Mapping[str, Run],
    budgets: Sequence[int] = BUDGETS,
    baseline: str | None = None,
    unknown: tuple[str, ...] | None = None,
) -> Evaluation:
    """Measure rankings that are there already, each by its name, as `evaluate` measures modes."""
    ordered = tuple(sorted(set(budgets)))
    results = {
        name: ModeResult(_measured(dataset, {ordered[-1]: run}, ordered), {ordered[-1]: run})
        for name, run in runs.items()
    }
    against = baseline if baseline in results else None
    return Evaluation(dataset, ordered, results, against, _differences(results, against), unknown)


def _checked(budgets: Sequence[int]) -> tuple[int, ...]:
    """Each once, ascending."""
    if not budgets or min(budgets) < 1:
        raise InputError(f"budgets {list(budgets)}: each must be at least 1; give some, such as 5, 10 and 20")
    if (largest := max(budgets)) > HIGHEST_BUDGET:
        raise InputError(f"budget {largest:,}: the limit is {HIGHEST_BUDGET:,}; give smaller ones")
    return tuple(sorted(set(budgets)))


def _evaluate_mode(
    dataset: Dataset,
    search: Search,
    mode: str,
    budgets: tuple[int, ...],
    separate: bool,
    advance: Callable[[], None] | None,
) -> ModeResult:
    depths = budgets if budgets[-1] >= NDCG_DEPTH else (*budgets, NDCG_DEPTH)
    runs: dict[int, dict[str, list[str]]] = {k: {} for k in (depths if separate else depths[-1:])}
    for identifier, text in dataset.questions.items():
        for k, run in runs.items():
            run[identifier] = (
                documents(search(text, k, mode))[:k] if separate else _first(search, text, k, mode)
            )
        if advance is not None:
            advance()
    return ModeResult(_measured(dataset, runs, budgets), runs)


def _first(search: Search, text: str, count: int, mode: str) -> list[str]:
    """The first `count` documents, or all that there are."""
    chunks = SPARE * count
    while True:
        results = search(text, chunks, mode)
        ranked = documents(results)
        if len(ranked) >= count or len(results) < chunks:
            return ranked[:count]
        chunks *= MORE


def _measured(dataset: Dataset, runs: Mapping[int, Run], budgets: tuple[int, ...]) -> dict[str, DoubleArray]:
    """Every measure, each taken of the run that was asked for at its budget."""
    by_run: dict[int, list[str]] = {}
    for name in measure_names(budgets):
        by_run.setdefault(_run_for(name, runs), []).append(name)
    values: dict[str, DoubleArray] = {}
    for k, names in by_run.items():
        values |= measure(runs[k], dataset.judgements, names)
    return {name: values[name] for name in measure_names(budgets)}


def _run_for(name: str, runs: Mapping[int, Run]) -> int:
    deepest = max(runs)
    family, _, depth = name.partition("@")
    if not depth:
        return deepest
    at_least = NDCG_DEPTH if family == "ndcg" else int(depth)
    return min((k for k in runs if k >= at_least), default=deepest)


def _differences(results: Mapping[str, ModeResult], baseline: str | None) -> dict[str, dict[str, Interval]]:
    if baseline is None:
        return {}
    base = results[baseline]
    names = list(base.values)
    flat = np.column_stack([base.values[name] for name in names])
    return {
        mode: dict(
            zip(
                names,
                paired_bootstrap(flat, np.column_stack([result.values[name] for name in names])),
                strict=True,
            )
        )
        for mode, result in results.items()
        if mode != baseline
    }
