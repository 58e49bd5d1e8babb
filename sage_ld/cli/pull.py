"""Commands that keep graphs beside other stores: pull, push."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.ingest_report import counted
from sage_ld.cli.reading import text_or_file
from sage_ld.cli.terminal import system_message
from sage_ld.foundation.errors import InputError, SageError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.service.workers.pulls import Pull

AS_JSON = Annotated[bool, typer.Option("--json", help="Print each report as one JSON object.")]


@app.command()
def pull(
    graph: GRAPH,
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="Addresses or files of RDF; a graph store or an endpoint."),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--graph",
            metavar="IRI",
            help="The named graph; without it, named graphs keep theirs, and the rest has the address.",
        ),
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="SOURCE is a graph store, which is asked for the graph IRI.")
    ] = False,
    query: Annotated[
        str | None,
        typer.Option(metavar="QUERY|@FILE", help="SOURCE is a SPARQL endpoint, and this a CONSTRUCT query."),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="SOURCE is a linked data event stream (LDES).")
    ] = False,
    retrievable: Annotated[
        bool | None,
        typer.Option("--retrievable/--not-retrievable", help="Whether a search finds its resources."),
    ] = None,
    watch: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=1, help="Do it again at this interval.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace graphs here that this source did not make.")
    ] = False,
    as_json: AS_JSON = False,
) -> None:
    """Keep named graphs as they are elsewhere: only what differs is written, all of it or nothing.

    A source that says that it has not changed (ETag, Last-Modified) is not read again. A graph that it
    names, and that something else has made here, is not replaced, unless --graph names it, or with --replace.

    Example: sage-ld pull films examples/films.shapes.ttl --graph urn:x:shapes

    Example: sage-ld pull films http://localhost:7878/store --store --graph http://example.org/people

    Example: sage-ld pull films https://example.org/sparql --query @people.rq --graph urn:x:p --watch 3600
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.workers.pulls import DATASET, QUERY, STORE, STREAM, Pull
    from sage_ld.service.workers.pulls import pull as pulled

    given = {STORE: store, QUERY: query is not None, STREAM: stream}
    kinds = [kind for kind, is_given in given.items() if is_given]
    if len(kinds) > 1:
        options = ", ".join(f"--{kind}" for kind in kinds)
        raise InputError(f"{options}: each says what SOURCE is; give one of them")
    kind = kinds[0] if kinds else DATASET
    text = "" if query is None else text_or_file(query)
    asked = Pull(tuple(sources), kind, name, text, retrievable, dry_run, replace)
    knowledge = KnowledgeGraph.open(graph)
    while True:
        try:
            done = pulled(knowledge, asked)
        except (SageError, OSError, RuntimeError) as error:
            message = str(error) if isinstance(error, SageError) else system_message(error)
            if watch is None or message is None:
                raise
            typer.echo(f"sage-ld: {harmless(message)}; next try in {watch:g} s", err=True)
        else:
            _report(done, asked, as_json)
        if watch is None:
            return
        time.sleep(watch)


def _report(done: dict[str, Any], asked: Pull, as_json: bool) -> None:
    for each in done.get("warnings", []):
        typer.echo(harmless(f"warning: {each}"), err=True)
    if as_json:
        typer.echo(json.dumps({"graph": asked.name, **done}))
    elif not done["changed"]:
        typer.echo(harmless(f"{asked.name}: unchanged; revision {done['revision']}"))
    else:
        added, removed = counted(done["added"], "statement"), f"{done['removed']:,}"
        said = f"added {added} and removed {removed}; revision {done['revision']}"
        if asked.dry_run:
            said = f"would add {added} and remove {removed}; nothing was changed"
        typer.echo(harmless(f"{asked.name}: {said}"))


@app.command()
def push(
    graph: GRAPH,
    endpoint: Annotated[
        str, typer.Argument(metavar="ENDPOINT", help="The address of a graph store; or of SPARQL updates.")
    ],
    choice: Annotated[
        str,
        typer.Option("--graph", metavar="IRI|own|all", help="A graph, what users state, or all graphs."),
    ] = "own",
    target: Annotated[
        str | None, typer.Option("--to", metavar="IRI", help="The name there, if one graph is sent.")
    ] = None,
    by_update: Annotated[
        bool, typer.Option("--update", help="Send what differs as SPARQL updates, batch by batch.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace content there that did not come from here.")
    ] = False,
    rdf: Annotated[str, typer.Option(help="1.2, or 1.1 without triple terms.")] = "1.2",
    as_json: AS_JSON = False,
) -> None:
    """Make graphs in another store be what they are here; a graph that is the same there is not sent.

    Content there that did not come from here is not replaced, unless --replace says so.

    Example: sage-ld push films http://localhost:7878/store

    Example: sage-ld push films http://localhost:7878/update --update --graph urn:x:notes --to urn:x:films
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.remote.pushes import Push, chosen_graphs
    from sage_ld.graph.remote.pushes import push as pushed

    if rdf not in ("1.1", "1.2"):
        raise InputError(f"--rdf {rdf[:40]!r}: choose 1.1 or 1.2")
    knowledge = KnowledgeGraph.open(graph)
    store = knowledge.snapshot().stores.named
    graphs = chosen_graphs(store, knowledge.iris.base, choice)
    asked = Push(endpoint, knowledge.directory.path / "pushes", by_update, replace, rdf, target)
    for each in pushed(store, graphs, asked, knowledge.settings):
        if as_json:
            typer.echo(json.dumps({"graph": each.graph, "added": each.added, "removed": each.removed}))
            continue
        added, removed = counted(each.added, "statement"), f"{each.removed:,}"
        same = not each.added and not each.removed
        said = "unchanged" if same else f"added {added} and removed {removed}"
        typer.echo(harmless(f"{each.graph or 'the default graph'}: {said}"))
