"""The output of `eval` (tables, JSON, charts, runs), and the options that it checks first."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from rich.console import Console

from sage_ld.cli.terminal import write_output
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Mode
from sage_ld.foundation.settings import Settings
from sage_ld.lab.evaluation import (
    Dataset,
    Evaluation,
    Explanation,
    System,
    as_json,
    as_table,
    by_class_json,
    by_class_table,
    chart_svg,
    expansions,
    explain,
    explanation_json,
    explanation_table,
    load_dataset,
    trec_lines,
)
from sage_ld.lab.evaluation.by_class import Classes

_CRITERIA = {"success": False, "all": True}  # whether every relevant document is needed


def check_baseline(baseline: str, named: Mapping[str, System]) -> None:
    """Raises InputError if `baseline` is neither a search of `named` nor flat hybrid search."""
    if baseline not in named and baseline != Mode.HYBRID:
        raise InputError(
            f"--baseline {baseline}: no search of that name is measured; choose from {', '.join(named)}"
        )


def bridges(
    folder: Path, qrels: str | None, explained: bool, settings: Settings
) -> dict[str, Collection[str]]:
    """Question to the documents that lead to those asked for; empty without `qrels`.

    Raises InputError if nothing is explained, and what `load_dataset` raises.
    """
    if qrels is None:
        return {}
    if not explained:
        raise InputError(f"--bridges {qrels} works only with --explain; add --explain, or omit --bridges")
    leading = load_dataset(folder, qrels, settings)
    return {question: leading.relevant(question) for question in leading.questions}


def explanations(
    evaluation: Evaluation, named: Mapping[str, System], leading: Mapping[str, Collection[str]]
) -> dict[str, dict[str, list[Explanation]]]:
    """Criterion to search to an explanation for each budget; one criterion where one document is relevant."""
    dataset = evaluation.dataset
    criteria = _CRITERIA if _several(dataset) else {"success": False}
    reasons: dict[str, dict[str, list[Explanation]]] = {each: {} for each in criteria}
    for name, result in evaluation.modes.items():
        shared = None if named[name].fixed else expansions(named[name], dataset, evaluation.budgets[-1])
        for budget in evaluation.budgets:
            expansion = shared or expansions(named[name], dataset, budget)
            for criterion, every in criteria.items():
                each = explain(dataset, result.run_at(budget), budget, expansion, every, leading)
                reasons[criterion].setdefault(name, []).append(each)
    return reasons


def print_evaluation(
    evaluation: Evaluation,
    reasons: dict[str, dict[str, list[Explanation]]] | None,
    classes: Classes | None,
    as_object: bool,
) -> None:
    """Prints the measures: tables, or one JSON object.

    With `reasons` also why questions failed, with `classes` also the measures by difficulty.
    """
    if as_object:
        report = as_json(evaluation)
        if reasons is not None:
            report["explanations"] = {name: explanation_json(each) for name, each in reasons.items()}
        if classes is not None:
            report["difficulty"] = by_class_json(evaluation, classes)
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
        sys.stdout.flush()
        return
    console = Console()
    console.print(as_table(evaluation))
    for name, each in (reasons or {}).items():
        console.print(explanation_table(each, _CRITERIA[name]))
    if classes is not None:
        console.print(by_class_table(evaluation, classes))


def _several(dataset: Dataset) -> bool:
    return any(len(dataset.relevant(question)) > 1 for question in dataset.questions)


def numbers(text: str) -> Sequence[int]:
    """The whole numbers of a list with commas. Raises InputError if one is not a number."""
    try:
        return [int(each) for each in text.split(",")]
    except ValueError:
        raise InputError(
            f"--budgets {text!r} is not a list of whole numbers; give one such as 5,10,20"
        ) from None


def write_evaluation(evaluation: Evaluation, first: str, chart: Path | None, run: Path | None) -> None:
    """Writes the curves as SVG, and the ranking of the search `first` as a TREC run, to the files named."""
    if chart is not None:
        write_output(chart, chart_svg(evaluation), "--chart")
    if run is not None:
        lines = trec_lines(evaluation.modes[first].run, f"sage-ld-{first}")
        write_output(run, "".join(f"{line}\n" for line in lines), "--run")
