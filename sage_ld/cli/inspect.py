"""The command inspect: how a graph's edges, components, sections, entities and concepts are distributed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import check_output, print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.table import Table

    from sage_ld.lab.inspection import CountDistribution, GraphInspection, Reached


@app.command()
def inspect(
    graph: GRAPH,
    questions: Annotated[
        Path | None,
        typer.Option(help="A file with a question a line, or a queries.jsonl: show what each reaches."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--plot", help="Draw the distributions to this .svg or .png file.")
    ] = None,
) -> None:
    """Show what a graph is made of: degrees by kind of edge, hubs, components, empty sections, rare entities.

    Example: sage-ld inspect films --json
    """
    from dataclasses import asdict

    from rich.console import Console

    from sage_ld.graph import KnowledgeGraph
    from sage_ld.lab.inspection import as_json as inspection_json
    from sage_ld.lab.inspection import inspect, plot, read_questions, what_questions_reach
    from sage_ld.lab.inspection.plots import check_picture
    from sage_ld.retrieval import Retriever

    check_output(picture, "--plot")
    if picture is not None:
        check_picture(picture)
    knowledge = KnowledgeGraph.open(graph)
    asked = None if questions is None else read_questions(questions, knowledge.settings)
    inspection = inspect(knowledge.snapshot())
    reached = None if asked is None else what_questions_reach(Retriever(knowledge), asked)
    if as_json:
        print_json(inspection_json(inspection) | ({} if reached is None else {"reach": asdict(reached)}))
    else:
        console = Console()
        for table in _tables(inspection, reached):
            console.print(table)
            console.print()
    if picture is not None:
        plot(inspection, picture, reached)


def _tables(inspection: GraphInspection, reached: Reached | None) -> Iterator[Table]:
    from rich.text import Text

    rows = {f"edges of a node, {kind}": each for kind, each in inspection.degrees.items()}
    rows |= {
        "nodes of a component": inspection.components,
        "chunks that mention an entity": inspection.mentions,
        "terms of a concept": inspection.concepts,
    }
    numbers = _table("distribution", "of", "mean", "median", "95 %", "highest")
    for name, each in rows.items():
        numbers.add_row(name, *_cells(each))
    yield numbers
    counts = _table("what may be missing", "count", "of")
    counts.add_row("sections without text", f"{inspection.empty_sections:,}", f"{inspection.sections:,}")
    for name in inspection.empty_examples:
        counts.add_row(Text(f"  {harmless(name)}"), "", "")
    counts.add_row(
        "entities that one chunk mentions",
        f"{inspection.single_entities:,}",
        f"{inspection.mentions.count:,}",
    )
    yield counts
    hubs = _table("hub", "edges")
    for hub in inspection.hubs:
        hubs.add_row(Text(harmless(hub.name)), f"{hub.degree:,}")
    yield hubs
    if reached is not None:
        yield _reach(reached)


def _reach(reached: Reached) -> Table:
    from rich.text import Text

    table = _table("question", "names", "starts", "reaches", "documents")
    table.caption = f"{reached.covered:.1%} of the chunks are reached by a question"
    for each in reached.questions:
        counts = (each.entities, each.starts, each.reached, each.documents)
        table.add_row(Text(harmless(each.question)), *(f"{count:,}" for count in counts))
    return table


def _table(first: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(first)
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _cells(each: CountDistribution) -> tuple[str, ...]:
    return (
        f"{each.count:,}",
        *(f"{value:,.1f}" for value in (each.mean, each.median, each.percentile_95)),
        f"{each.highest:,}",
    )
