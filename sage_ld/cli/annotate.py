"""The command annotate: metadata of documents by a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import FAILED, GRAPH, app
from sage_ld.cli.ingest_report import counted
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph.changes.annotating import AnnotationSummary

_SHOWN = 10


@app.command()
def annotate(
    graph: GRAPH,
    documents: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOCUMENT]...", help="Identifiers or IRIs of documents; all by default."),
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of calls of the model; the next run continues.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Include documents that a model has already annotated.")
    ] = False,
) -> None:
    """Have a language model give topics, keywords, entities and titles in place of the rules.

    What a model has annotated is left alone, so an interrupted run is gone on with by the same command.

    Example: sage-ld annotate films --calls 200
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as report:
        summary = KnowledgeGraph.open(graph).annotate(documents, calls=calls, again=again, progress=report)
    print_annotations(summary)
    if summary.failed:
        raise typer.Exit(FAILED)


def print_annotations(summary: AnnotationSummary) -> None:
    """Prints what a run of annotate did."""
    typer.echo(
        f"annotated {counted(summary.documents, 'document')} ({counted(summary.chunks, 'chunk')}, "
        f"{summary.entities:,} entities) with {counted(summary.calls, 'call')}, {summary.tokens:,} tokens, "
        f"{summary.cached:,} answers from the cache"
    )
    if summary.dropped:
        typer.echo(f"left out: {summary.dropped:,} entities that their chunk does not name")
    if summary.annotated_before:
        typer.echo(f"annotated before: {counted(summary.annotated_before, 'document')}")
    if summary.changed:
        typer.echo(f"changed meanwhile, and left as they are: {counted(summary.changed, 'document')}")
    if summary.left:
        typer.echo(f"no calls left for {counted(summary.left, 'document')}; run it again to go on")
    for name, why in list(summary.failed.items())[:_SHOWN]:
        typer.echo(harmless(f"{name}: in part as the rules say: {why}"), err=True)
    if (more := len(summary.failed) - _SHOWN) > 0:
        typer.echo(f"and {more:,} more", err=True)
