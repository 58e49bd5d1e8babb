"""The command that measures retrieval: eval."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.search_options import option
from sage_ld.cli.terminal import check_output
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Mode, Question

_ASKED: Final = parameters(Question)


@app.command(name="eval")
def evaluate_modes(
    graph: GRAPH,
    dataset: Annotated[
        Path, typer.Argument(metavar="DATASET", help="A folder with queries.jsonl and qrels/.")
    ],
    qrels: Annotated[str | None, typer.Option(help="The judgements to use, if there are several.")] = None,
    budgets: Annotated[
        str, typer.Option(help="Numbers of results at which to measure, with commas.")
    ] = "2,5,10,20,50,100",
    mode: Annotated[list[Mode] | None, typer.Option(help="A mode to measure; may be repeated.")] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            help="A preset or recipe file to use instead of the graph's; repeat it to compare several."
        ),
    ] = None,
    relation: Annotated[list[str] | None, option(_ASKED["relations"])] = None,
    as_of: Annotated[str | None, option(_ASKED["as_of"])] = None,
    baseline: Annotated[
        str, typer.Option(help="The mode or recipe that the others are compared with.")
    ] = str(Mode.HYBRID),
    explained: Annotated[
        bool, typer.Option("--explain", help="Count the reasons why questions fail.")
    ] = False,
    by_difficulty: Annotated[
        bool, typer.Option("--by-difficulty", help="Show the measures of easy and hard questions, too.")
    ] = False,
    bridges: Annotated[
        str | None,
        typer.Option(
            help="With --explain: judgements that name the documents which lead to the relevant ones."
        ),
    ] = None,
    as_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    chart: Annotated[Path | None, typer.Option(help="Write the curves as SVG to this file.")] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write the ranking of the first mode as a TREC run.")
    ] = None,
) -> None:
    """Measure recall at equal budget, with and without the graph.

    The gain over hybrid search, which does not use the graph, has a confidence interval.

    Example: sage-ld eval films my-benchmark --qrels answer --budgets 5,10 --explain
    """
    from sage_ld.cli import evaluation_output as output
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.lab.evaluation import (
        difficulties,
        evaluate,
        known_documents,
        load_dataset,
        searcher,
        systems,
    )

    check_output(chart, "--chart", ".svg")
    check_output(run, "--run")
    knowledge = KnowledgeGraph.open(graph)
    named = systems(knowledge, mode or (Mode.SAGE, Mode.HYBRID), recipe or (), relation, as_of)
    judged = load_dataset(dataset, qrels, knowledge.settings)
    leading = output.bridges(dataset, bridges, explained, knowledge.settings)
    output.check_baseline(baseline, named)
    split = [name for name, system in named.items() if system.split]
    with progress() as report:
        done, total = count(1), len(named) * len(judged.questions)
        evaluation = evaluate(
            judged,
            searcher(named),
            list(named),
            output.numbers(budgets),
            baseline,
            split,
            lambda: report("ask", next(done), total),
            known_documents(named),
        )
    reasons = output.explanations(evaluation, named, leading) if explained else None
    retriever = next(iter(named.values())).retriever
    classes = difficulties(retriever, judged) if by_difficulty else None
    output.print_evaluation(evaluation, reasons, classes, as_object)
    output.write_evaluation(evaluation, next(iter(named)), chart, run)
