"""Why a document that ought to be found is not among the first k: which step of the retrieval lost it.

Graph retrieval finds a document as a seed, or over an edge from a seed. Hence three reasons:

- `edge there but ranked low`: the document was a seed itself, or an edge leads to it from a seed; the score
  put it behind the budget;
- `edge missing`: another document of the same question was a seed, but no edge joins the two;
- `seed missed`: neither it nor a document that would lead to it was a seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rich.table import Table

from sage_ld.evaluation.datasets import Dataset
from sage_ld.evaluation.measures import Run


class Reason(StrEnum):
    """Why a document was missed."""

    SEED_MISSED = "seed missed"
    EDGE_MISSING = "edge missing"
    RANKED_LOW = "edge there but ranked low"


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
    failed: int
    """Questions that fail: Success@k is 0, or with `every` All@k."""
    questions: int
    misses: tuple[Miss, ...]

    def counts(self) -> dict[Reason, int]:
        """How many misses have each reason, in the order of the retrieval's steps.

        >>> list(Explanation(5, 0, 1, ()).counts().values())
        [0, 0, 0]
        """
        found = Counter(miss.reason for miss in self.misses)
        return {reason: found[reason] for reason in Reason}


def explain(
    dataset: Dataset,
    run: Run,
    budget: int,
    seeds: Mapping[str, Collection[str]],
    neighbours: Callable[[str], Collection[str]],
    every: bool = False,
    bridges: Mapping[str, Collection[str]] | None = None,
) -> Explanation:
    """Find the reason for each relevant document that a failed question misses.

    `run` ranks as deep as is known; `seeds` are the documents expanded for each question; `neighbours` gives
    the documents that an edge joins with one, in either direction. A question fails where no relevant
    document is among the first `budget`, or, with `every`, where one of them is not. `bridges` adds documents
    that lead to the relevant ones though they are not judged relevant (in OTT-QA, the table).
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
        expanded = set(seeds.get(question, ()))
        misses += [
            Miss(question, each, _reason(each, known, expanded, neighbours), ranks.get(each))
            for each in missing
        ]
    return Explanation(budget, failed, len(dataset.questions), tuple(misses))


def _reason(
    document: str, known: Collection[str], seeds: set[str], neighbours: Callable[[str], Collection[str]]
) -> Reason:
    if document in seeds or not seeds.isdisjoint(neighbours(document)):
        return Reason.RANKED_LOW
    if any(other in seeds for other in known if other != document):
        return Reason.EDGE_MISSING
    return Reason.SEED_MISSED


def explanation_table(explanation: Explanation) -> Table:
    """The counts, for people."""
    table = Table(
        title=f"missed at {explanation.budget}: {explanation.failed:,} of {explanation.questions:,} questions"
    )
    table.add_column("reason")
    table.add_column("documents", justify="right")
    table.add_column("share", justify="right")
    total = max(len(explanation.misses), 1)
    for reason, count in explanation.counts().items():
        table.add_row(reason.value, f"{count:,}", f"{count / total:.0%}")
    return table
