"""An evaluation as a table for people, as JSON for programs, and as a TREC run file for other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from rich.markup import escape
from rich.table import Table

from sage_ld.lab.evaluation.bootstrap import CONFIDENCE, LEAST_QUESTIONS, Interval
from sage_ld.lab.evaluation.evaluate import Evaluation
from sage_ld.lab.evaluation.measures import AT_BUDGET, WHOLE, Run

DIGITS = 6
"""Decimals of a figure in JSON: more than the questions of any data set can resolve."""


def as_json(evaluation: Evaluation) -> dict[str, Any]:
    """One object: `dataset`, `qrels`, `queries`, `modes` → mode → measure (0..1), and the differences.

    `unjudged_queries` were left out, as nothing is relevant to them; of `unknown_documents`, which are judged
    but not in the graph, `unknown_example` is the first.
    `differences` → mode → measure → `difference`, `low`, `high`: against `baseline`, 95 % interval.
    """
    report: dict[str, Any] = {
        "dataset": evaluation.dataset.name,
        "qrels": evaluation.dataset.qrels,
        "queries": len(evaluation.dataset.questions),
        "unjudged_queries": evaluation.dataset.unjudged,
        "budgets": list(evaluation.budgets),
        "modes": {
            mode: {name: round(result.mean(name), DIGITS) for name in result.values}
            for mode, result in evaluation.modes.items()
        },
    }
    if evaluation.unknown is not None:
        report["unknown_documents"] = len(evaluation.unknown)
    if evaluation.unknown:
        report["unknown_example"] = evaluation.unknown[0]
    if evaluation.baseline is not None:
        report["baseline"] = evaluation.baseline
        report["confidence"] = CONFIDENCE
        report["differences"] = {
            mode: {name: _interval(interval) for name, interval in intervals.items()}
            for mode, intervals in evaluation.differences.items()
        }
    return report


def _interval(interval: Interval) -> dict[str, float]:
    return {
        "difference": round(interval.difference, DIGITS),
        "low": round(interval.low, DIGITS),
        "high": round(interval.high, DIGITS),
    }


def as_table(evaluation: Evaluation) -> Table:
    """Per cent by measure, mode and budget; below each mode its gain over the baseline with its interval."""
    dataset = evaluation.dataset
    table = Table(
        title=escape(f"{dataset.name} · {dataset.qrels} · {len(dataset.questions):,} questions · per cent"),
        caption=escape(_caption(evaluation)),
    )
    table.add_column("measure")
    table.add_column("mode")
    for k in evaluation.budgets:
        table.add_column(f"@{k}", justify="right")
    for family in AT_BUDGET:
        _add_rows(table, evaluation, family, [f"{family}@{k}" for k in evaluation.budgets])
    for name in WHOLE:
        _add_rows(table, evaluation, name, [name])
    return table


def _caption(evaluation: Evaluation) -> str:
    parts = [_budget(evaluation)]
    if unjudged := evaluation.dataset.unjudged:
        parts.append(f"questions without a relevant document, left out: {unjudged:,}")
    if unknown := evaluation.unknown:
        parts.append(
            f"judged documents that are not in the graph, missed in every row: {len(unknown):,}, such as "
            f"{unknown[0]!r}"
        )
    return "\n".join(parts)


def _budget(evaluation: Evaluation) -> str:
    if evaluation.baseline is None:
        return "budget: results in all (k + k')"
    few = len(evaluation.dataset.questions) < LEAST_QUESTIONS
    starred = f"no stars below {LEAST_QUESTIONS} questions" if few else "starred where it leaves out 0"
    return (
        f"budget: results in all (k + k'), equal for all modes; in brackets the {CONFIDENCE:.0%} interval "
        f"of the gain over {evaluation.baseline} (paired bootstrap), {starred}"
    )


def _add_rows(table: Table, evaluation: Evaluation, label: str, names: list[str]) -> None:
    for mode, result in evaluation.modes.items():
        table.add_row(label, escape(mode), *(f"{100 * result.mean(name):.1f}" for name in names))
        if intervals := evaluation.differences.get(mode):
            table.add_row("", "", *(_gain(intervals[name]) for name in names), style="dim")
    table.add_section()


def _gain(interval: Interval) -> str:
    star = "*" if interval.significant else ""
    return f"{100 * interval.difference:+.1f}{star}\n[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"


def trec_lines(run: Run, tag: str) -> Iterator[str]:
    """The lines of a TREC run file: question, `Q0`, document, rank from 1, score, tag.

    The score falls by one a rank, to 1 at the last, so that a tool which sorts by it keeps our order. Fields
    end at white space: in an identifier it is percent-encoded, and so is the percent sign, so that decoding
    gives the identifier back.

    >>> list(trec_lines({"q1": ["a b", "100%"]}, "sage"))
    ['q1 Q0 a%20b 1 2 sage', 'q1 Q0 100%25 2 1 sage']
    """
    for question, ranking in run.items():
        for rank, document in enumerate(ranking, start=1):
            score = len(ranking) + 1 - rank
            yield f"{_field(question)} Q0 {_field(document)} {rank} {score} {_field(tag)}"


def _field(text: str) -> str:
    return re.sub(r"[\s%]", lambda found: quote(found[0], safe=""), text)
