"""The command that measures retrieval: eval."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sage_ld.cli.keeping import GRAPH
from sage_ld.cli.main import app
from sage_ld.errors import InputError
from sage_ld.evaluation.charts import chart_svg
from sage_ld.evaluation.datasets import load_dataset
from sage_ld.evaluation.evaluate import BUDGETS, Evaluation, Search, evaluate
from sage_ld.evaluation.reports import as_json, as_table, trec_lines
from sage_ld.graph import KnowledgeGraph
from sage_ld.recipes import Ranking
from sage_ld.retrieval import Mode, Retriever

SEED_SHARE = 0.4
"""The share of seeds in a budget, as in the paper: 2 + 3 of 5."""


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
    as_object: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Write the curves as SVG to this file.")] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write the ranking of the first mode as a TREC run.")
    ] = None,
) -> None:
    """Measure recall at equal budget, with the interval of the gain over flat hybrid search.

    Example: sage-ld eval films my-benchmark --qrels answer --budgets 5,10
    """
    retriever = Retriever(KnowledgeGraph.open(graph))
    modes = [str(each) for each in mode or (Mode.SAGE, Mode.HYBRID)]
    shared = (str(Mode.SAGE),) if retriever.parameters.ranking is Ranking.SHARED else ()
    found = evaluate(
        load_dataset(dataset, qrels, retriever.graph.settings),
        searcher(retriever),
        modes,
        _budgets(budgets),
        per_budget=shared,
    )
    _write(found, modes[0], chart, run)
    if as_object:
        sys.stdout.write(json.dumps(as_json(found), indent=2) + "\n")
    else:
        Console().print(as_table(found))


def searcher(retriever: Retriever) -> Search:
    """What the evaluation asks: a question, a budget and a mode to the documents of the results."""
    snapshot = retriever.graph.snapshot()
    catalogue = retriever.catalogue(snapshot)
    names = retriever.identifiers(snapshot)
    channels = retriever.parameters.channels

    def search(question: str, budget: int, mode: str) -> list[tuple[str, float]]:
        k = max(1, round(SEED_SHARE * budget))
        ranked = retriever.rank(snapshot, question, k, budget - k, Mode(mode), channels)
        rows = [catalogue.rows[each.iri] for each in ranked]
        return [
            (names[int(catalogue.documents[row])], each.score) for row, each in zip(rows, ranked, strict=True)
        ]

    return search


def _budgets(text: str) -> Sequence[int]:
    try:
        return [int(each) for each in text.split(",")]
    except ValueError:
        raise InputError(
            f"budgets {text!r}: give whole numbers with commas between, such as 5,10,20"
        ) from None


def _write(found: Evaluation, first: str, chart: Path | None, run: Path | None) -> None:
    if chart is not None:
        chart.write_text(chart_svg(found), encoding="utf-8")
    if run is not None:
        lines = trec_lines(found.modes[first].run, f"sage-ld-{first}")
        run.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
