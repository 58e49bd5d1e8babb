"""Commands that export and validate a graph: export, validate."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from sage_ld.cli.app import FAILED, GRAPH, app
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.shown_text import harmless


@app.command()
def export(
    graph: GRAPH,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file to write; without it, standard output.")
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="jsonld, turtle, trig, ntriples, nquads or graphml; by default what the suffix of the file "
            "says, else jsonld.",
        ),
    ] = None,
    rdf: Annotated[str, typer.Option(help="1.1, or 1.2 with triple terms.")] = "1.1",
    graphs: Annotated[
        list[str] | None,
        typer.Option(
            "--graph", help="Only this named graph, by IRI; own is all that users state. It may be repeated."
        ),
    ] = None,
    retrievals: Annotated[
        bool, typer.Option("--retrievals", help="With the newest kept retrievals, as a graph of their own.")
    ] = False,
) -> None:
    """Stream the whole graph in a standard format.

    Example: sage-ld export films -o films.ttl

    Example: sage-ld export films --graph own --rdf 1.2 -o users.trig
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.exports import export as write
    from sage_ld.graph.exports.streams import checked_format, source
    from sage_ld.graph.store.user_statements import OWN

    name = form or _format_of(output)
    chosen, knowledge = checked_format(name, rdf), KnowledgeGraph.open(graph)
    with ExitStack() as stack:
        stores = knowledge.snapshot().stores
        if retrievals:
            from sage_ld.service.workers.retrievals import with_retrievals

            stores = stack.enter_context(with_retrievals(stores, knowledge.retrievals))
        to = nullcontext(sys.stdout.buffer) if output is None else _replacing(output)
        if not graphs:
            write(source(stores, chosen), stack.enter_context(to), name, rdf)
            return
        own = knowledge.configuration.base_iri + OWN
        names = [own if each == "own" else each for each in graphs]
        write(stores.named, stack.enter_context(to), name, rdf, names)


def _format_of(output: Path | None) -> str:
    """The format that the name of a file says. Raises InputError if it says none."""
    from sage_ld.graph.exports.streams import FORMATS

    if output is None:
        return "jsonld"
    suffixes = {each.extension: name for name, each in FORMATS.items()} | {"json": "jsonld"}
    if (name := suffixes.get(output.suffix.lower().removeprefix("."))) is None:
        raise InputError(
            f"{output}: the name does not show a format; end it with .{', .'.join(suffixes)}, or give "
            "--format"
        )
    return name


@contextmanager
def _replacing(file: Path) -> Iterator[BinaryIO]:
    """A stream to a temporary file, which replaces `file` when it is complete."""
    part = file.with_name(file.name + ".part")
    try:
        with part.open("wb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror}); name another file") from None
    part.replace(file)


@app.command()
def validate(
    graph: GRAPH,
    shapes: Annotated[
        list[Path] | None,
        typer.Option(help="A file of SHACL shapes of your own, which are checked too; may be repeated."),
    ] = None,
) -> None:
    """Check a graph against the SHACL shapes, and against shapes of your own.

    The exit status is 1 if it does not conform to all of them.

    Example: sage-ld validate films --shapes examples/films.shapes.ttl
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.shapes.shacl import validate as check
    from sage_ld.graph.shapes.user_shapes import read_shapes, validate_by

    opened = KnowledgeGraph.open(graph)
    own = [(path, read_shapes(path, opened.settings)) for path in shapes or ()]
    store = opened.snapshot().store
    with progress() as report_step:
        report = check(store, progress=partial(report_step, "shapes"))
    conforms = report.conforms
    typer.echo(harmless(str(report)))
    for path, read in own:
        report = validate_by(store, read, opened.settings)
        conforms = conforms and report.conforms
        typer.echo(harmless(f"{path}: {report}"))
    if not conforms:
        raise typer.Exit(FAILED)
