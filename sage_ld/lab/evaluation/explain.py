"""Failure analysis: which step of the retrieval lost a document that ought to be among the first k.

Graph retrieval finds a document as a seed, or over an edge from a seed. Hence three reasons:

- `edge there but ranked low`: the document was a seed itself, or an edge leads to it from a seed; the score
  put it behind the budget;
- `edge missing`: another document of the same question was a seed, but no edge led on to this one;
- `seed missed`: neither it nor a document that would lead to it was a seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from rich.table import Table

from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.lab.evaluation.measures import Run


class Reason(StrEnum):
    """The reason why a document was missed, in the order of the retrieval's steps."""

    SEED_MISSED = "seed missed"
    EDGE_MISSING = "edge missing"
    RANKED_LOW = "edge there but ranked low"


class Expansion(NamedTuple):
    """The documents that a question was expanded from, and those that it led to, by identifier."""

    seeds: frozenset[str]
    reached: frozenset[str]


@dataclass(frozen=True, slots=True)
class Miss:
    """A relevant document that a ranking lacks at a budget."""

    question: str
    document: str
    reason: Reason
    rank: int | None
    """From 1, where the ranking has it further down."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """All misses of one mode at one budget."""

    budget: int
    every: bool
    """Whether a question fails that lacks one relevant document (All@k is 0), or only one that lacks all."""
    failed: int
    questions: int
    misses: tuple[Miss, ...]

    def counts(self) -> dict[Reason, int]:
        """The number of questions that fail for each reason, in the order of the retrieval's steps.

        Where one document would do, a question's reason is that of the document that came furthest; where
        every one is needed, of the one that was lost first.

        >>> list(Explanation(5, False, 0, 1, ()).counts().values())
        [0, 0, 0]
        """
        order = list(Reason)
        steps: dict[str, list[int]] = {}
        for miss in self.misses:
            steps.setdefault(miss.question, []).append(order.index(miss.reason))
        choose = min if self.every else max
        counted = Counter(order[choose(each)] for each in steps.values())
        return {reason: counted[reason] for reason in Reason}


def explain(
    dataset: Dataset,
    run: Run,
    budget: int,
    expansion: Callable[[str], Expansion],
    every: bool = False,
    bridges: Mapping[str, Collection[str]] | None = None,
) -> Explanation:
    """Find the reason for each relevant document that a failed question misses.

    `run` ranks as deep as is known; `expansion` is asked for the questions (identifiers) that fail. Without
    `every` those fail that have no relevant document among the first `budget`, with it those that lack one.
    `bridges` adds documents that lead to the relevant ones though they are not judged relevant (in OTT-QA,
    the table).
    """
    misses: list[Miss] = []
    failed = 0
    for question in dataset.questions:
        relevant = dataset.relevant(question)
        ranks = {document: rank for rank, document in enumerate(run.get(question, ()), start=1)}
        missing = sorted(document for document in relevant if ranks.get(document, budget + 1) > budget)
        if not missing or (not every and len(missing) < len(relevant)):
            continue
        failed += 1
        known = relevant | set((bridges or {}).get(question, ()))
        expanded = expansion(question)
        misses += [Miss(question, each, _reason(each, known, expanded), ranks.get(each)) for each in missing]
    return Explanation(budget, every, failed, len(dataset.questions), tuple(misses))


def _reason(document: str, known: Collection[str], expanded: Expansion) -> Reason:
    if document in expanded.seeds or document in expanded.reached:
        return Reason.RANKED_LOW
    if any(other in expanded.seeds for other in known if other != document):
        return Reason.EDGE_MISSING
    return Reason.SEED_MISSED


def explanation_table(explanations: Mapping[str, Sequence[Explanation]], every: bool) -> Table:
    """For people: how many questions fail for which reason, by mode and budget."""
    first = next(iter(explanations.values()))
    criterion = "a relevant document is missing (all@k)" if every else "no relevant document (success@k)"
    table = Table(title=f"questions that fail, of {first[0].questions:,}: {criterion}")
    table.add_column("mode")
    table.add_column("where")
    for each in first:
        table.add_column(f"@{each.budget}", justify="right")
    for mode, explanation in explanations.items():
        table.add_row(mode, "in all", *(f"{each.failed:,}" for each in explanation))
        for reason in Reason:
            table.add_row("", reason.value, *(f"{each.counts()[reason]:,}" for each in explanation))
        table.add_section()
    return table


def explanation_json(explanations: Mapping[str, Sequence[Explanation]]) -> dict[str, Any]:
    """Mode to `@k` to `failed` and the number of questions by reason."""
    return {
        mode: {
            f"@{each.budget}": {"failed": each.failed}
            | {reason.value: count for reason, count in each.counts().items()}
            for each in explanation
        }
        for mode, explanation in explanations.items()
    }
