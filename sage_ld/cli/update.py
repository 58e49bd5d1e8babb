"""The command that changes statements: update."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.ingest_report import counted
from sage_ld.cli.reading import text_or_file
from sage_ld.foundation.errors import PreconditionError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph import KnowledgeGraph


@app.command()
def update(
    graph: GRAPH,
    text: Annotated[
        str, typer.Argument(metavar="UPDATE|@FILE", help="An update, or @ and the name of a file with one.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the update would change, and change nothing.")
    ] = False,
    revision: Annotated[
        int | None, typer.Option(help="Change the graph only if this is still its newest revision.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
) -> None:
    """Carry out a SPARQL update, all of it or nothing, and say how many statements came and went.

    WHERE looks at the store's own default graph, so name a graph: GRAPH ?g { … }, WITH or USING.

    Example: sage-ld update films "INSERT DATA { GRAPH <urn:x:notes> { <urn:x:a> <urn:x:p> 1 } }" --dry-run
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.representations.changed_statements import changed_statements

    done = _carried_out(KnowledgeGraph.open(graph), text_or_file(text), dry_run=dry_run, revision=revision)
    report = changed_statements(done, dry_run=dry_run)
    for each in report["warnings"]:
        typer.echo(harmless(f"warning: {each}"), err=True)
    if as_json:
        typer.echo(json.dumps(report))
        return
    added = counted(report["added"], "statement")
    if dry_run:
        typer.echo(f"would add {added} and remove {report['removed']:,}; nothing was changed")
    else:
        typer.echo(f"added {added} and removed {report['removed']:,}; revision {report['revision']}")
    for edge in report.get("removedEdges", []):
        typer.echo(harmless(f"warning: the curated edge {edge['id']} went with what it joined"), err=True)


def _carried_out(
    knowledge: KnowledgeGraph, text: str, *, dry_run: bool, revision: int | None
) -> dict[str, Any]:
    """The result of an update by the owner of the graph, as a service's process that writes gives it."""
    from sage_ld.foundation.processes.failures import query_syntax_error
    from sage_ld.service.workers.commit import Write
    from sage_ld.service.workers.text_limits import TextLimits
    from sage_ld.service.workers.updates import run_update

    job = {
        "base": knowledge.iris.base,
        "using": None,
        "within": None,
        "may_remove": True,
        "limits": TextLimits.of(knowledge.settings)._asdict(),
        "dry_run": dry_run,
    }
    with knowledge.writer() as writer:
        current = knowledge.directory.current()
        if revision not in (None, current):
            raise PreconditionError(
                f"--revision {revision}: the newest revision is {current}; nothing was changed; read the "
                "graph again, and repeat the update"
            )
        write = Write(knowledge, writer, job, text.encode())
        try:
            return run_update(write)
        except SyntaxError as error:
            raise query_syntax_error(error) from None
