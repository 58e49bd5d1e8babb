"""The command that measures retrieval: eval."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sage_ld.cli.changing import GRAPH
from sage_ld.cli.main import app
from sage_ld.cli.outputs import check_output, write_output
from sage_ld.cli.progress import progress
from sage_ld.errors import InputError
from sage_ld.evaluation import (
    BUDGETS,
    Dataset,
    Evaluation,
    Explanation,
    System,
    as_json,
    as_table,
    chart_svg,
    evaluate,
    expansions,
    explain,
    explanation_json,
    explanation_table,
    known_documents,
    load_dataset,
    searcher,
    systems,
    trec_lines,
)
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Mode
from sage_ld.settings import Settings

_CRITERIA = {"success": False, "all": True}  # whether every relevant document is needed


@app.command(name="eval")
def evaluate_modes(
    graph: GRAPH,
    dataset: Annotated[
        Path, typer.Argument(metavar="DATASET", help="A folder with queries.jsonl and qrels/.")
    ],
    qrels: Annotated[str | None, typer.Option(help="Which judgements, where there are several.")] = None,
    budgets: Annotated[str, typer.Option(help="Results in all, comma-separated.")] = ",".join(
        map(str, BUDGETS)
    ),
    mode: Annotated[list[Mode] | None, typer.Option(help="May be given several times.")] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(help="A preset or a recipe file instead of the graph's; several are compared."),
    ] = None,
    baseline: Annotated[
        str, typer.Option(help="What the others are set against: a mode, or a recipe of several.")
    ] = str(Mode.HYBRID),
    explained: Annotated[bool, typer.Option("--explain", help="Count where questions fail.")] = False,
    bridges: Annotated[
        str | None,
        typer.Option(help="For --explain: judgements of documents that lead to those asked for."),
    ] = None,
    as_object: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Write the curves as SVG to this file.")] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write the ranking of the first mode as a TREC run.")
    ] = None,
) -> None:
    """Measure recall at equal budget, with the interval of the gain over flat hybrid search.

    Example: sage-ld eval films my-benchmark --qrels answer --budgets 5,10 --explain
    """
    check_output(chart, "--chart", ".svg")
    check_output(run, "--run")
    knowledge = KnowledgeGraph.open(graph)
    named = systems(knowledge, mode or (Mode.SAGE, Mode.HYBRID), recipe or ())
    judged = load_dataset(dataset, qrels, knowledge.settings)
    leading = _bridges(dataset, bridges, explained, knowledge.settings)
    _check_baseline(baseline, named)
    split = [name for name, system in named.items() if system.split]
    with progress() as report:
        done, total = count(1), len(named) * len(judged.questions)
        found = evaluate(
            judged,
            searcher(named),
            list(named),
            _budgets(budgets),
            baseline,
            split,
            lambda: report("ask", next(done), total),
            known_documents(named),
        )
    _print(found, _explanations(found, named, leading) if explained else None, as_object)
    _write(found, next(iter(named)), chart, run)


def _check_baseline(baseline: str, named: Mapping[str, System]) -> None:
    if baseline not in named and baseline != Mode.HYBRID:
        raise InputError(
            f"--baseline {baseline}: nothing of that name is measured; it may be {', '.join(named)}"
        )


def _bridges(
    folder: Path, qrels: str | None, explained: bool, settings: Settings
) -> dict[str, Collection[str]]:
    if qrels is None:
        return {}
    if not explained:
        raise InputError(f"--bridges {qrels}: it serves --explain alone; give that too, or leave it out")
    leading = load_dataset(folder, qrels, settings)
    return {question: leading.relevant(question) for question in leading.questions}


def _explanations(
    found: Evaluation, named: Mapping[str, System], bridges: Mapping[str, Collection[str]]
) -> dict[str, dict[str, list[Explanation]]]:
    """Criterion to search to an explanation for each budget; one criterion where one document is relevant."""
    dataset = found.dataset
    criteria = _CRITERIA if _several(dataset) else {"success": False}
    told: dict[str, dict[str, list[Explanation]]] = {each: {} for each in criteria}
    for name, result in found.modes.items():
        shared = None if named[name].fixed else expansions(named[name], dataset, found.budgets[-1])
        for budget in found.budgets:
            expansion = shared or expansions(named[name], dataset, budget)
            for criterion, every in criteria.items():
                each = explain(dataset, result.run_at(budget), budget, expansion, every, bridges)
                told[criterion].setdefault(name, []).append(each)
    return told


def _print(
    found: Evaluation, reasons: dict[str, dict[str, list[Explanation]]] | None, as_object: bool
) -> None:
    if as_object:
        told = as_json(found)
        if reasons is not None:
            told["explanations"] = {name: explanation_json(each) for name, each in reasons.items()}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
        sys.stdout.flush()
        return
    console = Console()
    console.print(as_table(found))
    for name, each in (reasons or {}).items():
        console.print(explanation_table(each, _CRITERIA[name]))


def _several(dataset: Dataset) -> bool:
    return any(len(dataset.relevant(question)) > 1 for question in dataset.questions)


def _budgets(text: str) -> Sequence[int]:
    try:
        return [int(each) for each in text.split(",")]
    except ValueError:
        raise InputError(
            f"budgets {text!r}: give whole numbers with commas between, such as 5,10,20"
        ) from None


def _write(found: Evaluation, first: str, chart: Path | None, run: Path | None) -> None:
    if chart is not None:
        write_output(chart, chart_svg(found), "--chart")
    if run is not None:
        lines = trec_lines(found.modes[first].run, f"sage-ld-{first}")
        write_output(run, "".join(f"{line}\n" for line in lines), "--run")
