"""The command that learns a ranking from judgements: tune."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import check_output, write_output
from sage_ld.foundation.errors import InputError

if TYPE_CHECKING:
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.lab.evaluation import Dataset
    from sage_ld.lab.tuning import Tuning


@app.command(name="tune")
def tune_ranking(
    graph: GRAPH,
    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DATASET]", help="A folder with queries.jsonl and qrels/.")
    ] = None,
    feedback: Annotated[
        bool, typer.Option(help="Learn from users' feedback on kept retrievals instead of a DATASET.")
    ] = False,
    qrels: Annotated[str | None, typer.Option(help="The judgements to use, if there are several.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the recipe with the ranking to this file.")
    ] = None,
    adopt: Annotated[bool, typer.Option(help="Make the graph use this ranking from now on.")] = False,
    as_object: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Learn a ranking from your own judgements, and measure its gain.

    The gain is cross-validated. Nothing is written without -o or --adopt; with either of them the ranking is
    kept, whether it gains or not.

    Example: sage-ld tune films my-judgements -o films.toml
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.foundation.recipes import PRESETS, write_recipe
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.lab.tuning import FOLDS, collect, parameters, tune, tuning_json
    from sage_ld.retrieval import Retriever

    if output is not None and str(output) in PRESETS:
        raise InputError(f"-o {output} is the name of a preset; name the file {output}.toml")
    check_output(output, "-o")
    knowledge = KnowledgeGraph.open(graph)
    judged = _judged(knowledge, dataset, qrels, feedback)
    retrieval = parameters(knowledge.recipe.retrieval)
    with progress() as report:
        asked, learned = count(1), count(1)
        examples = collect(
            Retriever(knowledge, retrieval),
            judged,
            advance=lambda: report("ask", next(asked), len(judged.questions)),
        )
        tuning = tune(examples, lambda: report("learn", next(learned), FOLDS + 1))
    retrieval = replace(retrieval, model=tuning.model.to_json())
    if as_object:
        sys.stdout.write(json.dumps(tuning_json(tuning), indent=2) + "\n")
        sys.stdout.flush()
    else:
        _print(tuning)
    if output is not None:
        recipe = replace(knowledge.recipe, name=output.stem, retrieval=retrieval)
        write_output(output, write_recipe(recipe), "-o")
    if adopt:
        knowledge.adopt(retrieval)
    if not as_object:
        _print_kept(output, graph if adopt else None)


def _judged(graph: KnowledgeGraph, dataset: Path | None, qrels: str | None, feedback: bool) -> Dataset:
    """The judgements to learn from. Raises InputError unless exactly one source of them is given."""
    from sage_ld.lab.evaluation import load_dataset
    from sage_ld.lab.tuning import feedback_dataset

    if (dataset is None) != feedback or (feedback and qrels is not None):
        raise InputError("give one source of judgements: a DATASET, with --qrels if need be, or --feedback")
    if dataset is not None:
        return load_dataset(dataset, qrels, graph.settings)
    judged = feedback_dataset(graph)
    typer.echo(
        f"{judged.judgements:,} judgements of users, {judged.gone:,} of them of chunks that are gone.",
        err=True,
    )
    return judged.dataset


def _print(tuning: Tuning) -> None:
    from rich.console import Console

    from sage_ld.lab.evaluation import as_table

    Console(highlight=False, soft_wrap=True).print(as_table(tuning.evaluation))
    questions = len(tuning.evaluation.dataset.questions)
    typer.echo(f"{tuning.learnable} of {questions} questions could be learned from, in {tuning.folds} folds.")
    typer.echo(tuning.verdict)
    typer.echo(tuning.comparison)


def _print_kept(output: Path | None, adopted: Path | None) -> None:
    if output is not None:
        typer.echo(f"wrote {output}; try it: sage-ld search KG QUESTION --recipe {output}")
    if adopted is not None:
        typer.echo(f"{adopted} uses this ranking from now on; a running server must be restarted to use it")
    if output is None and adopted is None:
        typer.echo("nothing was written; -o FILE writes the recipe, --adopt makes the graph use it")
