"""The command that checks a graph, and repairs what is derived."""

from __future__ import annotations

from typing import Annotated

import typer

from sage_ld.cli.app import FAILED, GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless


@app.command()
def doctor(
    graph: GRAPH,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what is derived: indexes, edges, leftovers, digests.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a graph: its files and their digests, indexes, shapes and edges.

    Each finding is one line: what is wrong, what it means, what would be done. A repair never changes
    documents and graphs of users; what it cannot repair is left, and the exit status is 1.

    Example: sage-ld doctor films

    To repair what is derived: sage-ld doctor films --repair
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph.store.directory import Directory
    from sage_ld.graph.upkeep.checking import check_graph

    with progress() as report:
        health = check_graph(Directory(graph), repair=repair, progress=report)
    if as_json:
        print_json(health.as_json())
    else:
        for each in health.repaired:
            typer.echo(f"repaired: {harmless(f'{each.check}: {each.where}: {each.meaning}')}")
        for each in health.findings:
            typer.echo(harmless(str(each)))
        if health.more:
            typer.echo(f"and {health.more:,} more of these kinds")
        typer.echo(f"revision {health.revision}: " + ("nothing is wrong" if health.clean else "see above"))
    if not health.clean:
        raise typer.Exit(FAILED)
