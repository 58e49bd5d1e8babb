"""Commands that change a graph or keep it safe: ingest, relink, reencode, rebase, delete, backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sage_ld.cli.app import FAILED, GRAPH, app
from sage_ld.cli.terminal import harmless
from sage_ld.encoders import CHOICES
from sage_ld.errors import InputError

if TYPE_CHECKING:
    from sage_ld.graph import IngestSummary, KnowledgeGraph


_NAMES: Final = 5
"""Files that are named of those that were skipped for the same reason."""


@app.command()
def ingest(
    graph: GRAPH,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders to read.")],
    base_iri: Annotated[
        str | None,
        typer.Option(
            help="The IRI that the IRIs of all resources begin with; sage-ld rebase changes it later."
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(help=f"{CHOICES}. sage-ld reencode changes it later."),
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option(help="default, paper, java or a recipe file; fixed when the graph is created."),
    ] = None,
    ignore_links: Annotated[bool, typer.Option(help="Ignore the links in the files.")] = False,
    curated: Annotated[
        bool,
        typer.Option(help="Let RDF files describe the graph's own resources, which other files may not."),
    ] = False,
    follow_symlinks: Annotated[
        bool, typer.Option(help="Follow symbolic links in folders to files outside them.")
    ] = False,
) -> None:
    """Read files into a graph, and link them.

    The graph is created if it does not exist. Unchanged files are skipped, and changed files
    replace what they said before. A file that cannot be read is named, does not stop the others, and makes
    the exit status 1. So does a file of an unknown kind if its own path is given; in a folder it is skipped,
    and named.

    Example: sage-ld ingest films examples/films
    """
    from sage_ld.cli.progress import progress
    from sage_ld.graph.creation import removed_on_failure

    with removed_on_failure(graph) as discard:
        knowledge = _open_or_create(graph, base_iri, encoder, recipe)
        with progress() as report:
            summary = knowledge.ingest(
                paths,
                ignore_links=ignore_links,
                curated=curated,
                follow_symlinks=follow_symlinks,
                progress=report,
            )
        if summary.failed and not summary.added:
            discard()
    _print_summary(summary)
    if summary.failed:
        _print_failures(summary.failed)
        raise typer.Exit(FAILED)


@app.command()
def relink(graph: GRAPH) -> None:
    """Rebuild all edges, thresholds and labels.

    Example: sage-ld relink films
    """
    from sage_ld.cli.progress import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as report:
        summary = KnowledgeGraph.open(graph).relink(report)
    _print_edges(summary.edges)


@app.command()
def reencode(graph: GRAPH, encoder: Annotated[str, typer.Option(help=f"{CHOICES}.")]) -> None:
    """Encode all chunks with another encoder, and rebuild edges and thresholds.

    No file is read again, and the chunks stay as they are. The graph answers as before until all is done.

    Example: sage-ld reencode films --encoder static
    """
    from sage_ld.cli.progress import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as report:
        knowledge = KnowledgeGraph.open(graph)
        before = knowledge.configuration.encoder
        summary = knowledge.reencode(encoder, report)
    typer.echo(f"encoder: {knowledge.configuration.encoder} (was {before})")
    _print_edges(summary.edges)


@app.command()
def rebase(
    graph: GRAPH,
    base_iri: Annotated[str, typer.Argument(metavar="IRI", help="The new base; it ends in / or #.")],
) -> None:
    """Move the IRIs of all the graph's own resources to another base IRI; others stay as they are.

    The graph answers as before until all is done.

    Example: sage-ld rebase films https://films.example.org/id/
    """
    from sage_ld.cli.progress import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as report:
        summary = KnowledgeGraph.open(graph).rebase(base_iri, report)
    moved = _counted(summary.statements, "statement")
    typer.echo(f"base IRI: {summary.base_iri} (was {summary.before}); {moved} changed")


@app.command()
def delete(
    graph: GRAPH,
    documents: Annotated[
        list[str], typer.Argument(metavar="DOCUMENT...", help="Identifiers or IRIs of documents.")
    ],
) -> None:
    """Delete documents, with all that is known only from them.

    Thresholds stay as they are, and edges that others now have room for are made by sage-ld relink.

    Example: sage-ld delete films people/tobias-wren.md
    """
    from sage_ld.graph import KnowledgeGraph

    summary = KnowledgeGraph.open(graph).delete(documents)
    deleted = _counted(len(summary.documents), "document")
    chunks = _counted(summary.chunks, "chunk")
    typer.echo(f"deleted {deleted} with {chunks}; sage-ld relink computes edges and thresholds anew")


@app.command()
def backup(
    graph: GRAPH, folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")]
) -> None:
    """Copy the newest revision of a graph, even during a write.

    Example: sage-ld backup films backups/films-monday
    """
    from sage_ld.graph.backup import copy_graph

    typer.echo(f"copied revision {copy_graph(graph, folder)} of {graph} to {folder}")


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that sage-ld backup made.")],
    graph: GRAPH,
) -> None:
    """Create a graph from a backup, which holds no access tokens.

    Example: sage-ld restore backups/films-monday films
    """
    from sage_ld.graph.backup import copy_graph

    copy_graph(folder, graph)
    typer.echo(f"restored {graph} from {folder}")


def _open_or_create(
    path: Path, base_iri: str | None, encoder: str | None, recipe: str | None
) -> KnowledgeGraph:
    from sage_ld.encoders import stands_for
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.store.directory import Directory

    if not Directory(path).exists():
        return KnowledgeGraph.create(
            path, base_iri=base_iri, encoder=encoder or "minilm", recipe=recipe or "default"
        )
    knowledge = KnowledgeGraph.open(path)
    fixed = knowledge.configuration
    other_encoder = None if encoder is None or stands_for(encoder, fixed.encoder) else encoder
    for option, given, has, remedy in (
        ("--base-iri", base_iri, fixed.base_iri, f"sage-ld rebase {path} {base_iri}"),
        ("--encoder", other_encoder, fixed.encoder, f"sage-ld reencode {path} --encoder {encoder}"),
        ("--recipe", recipe, fixed.recipe, "create another graph"),
    ):
        if given is not None and given != has:
            raise InputError(
                f"{option} {given} does not fit: {path} has {has}; leave the option out, or: {remedy}"
            )
    return knowledge


def _print_summary(summary: IngestSummary) -> None:
    typer.echo(
        f"{_counted(summary.added, 'document')} added, {summary.replaced} replaced, "
        f"{summary.unchanged} unchanged; {_counted(summary.chunks, 'chunk')}"
    )
    _print_edges(summary.edges)
    for reason, names in sorted(summary.skipped.items()):
        typer.echo(f"skipped {_counted(len(names), 'file')} ({reason}): {_listed(names)}")
    for reason, count in sorted(summary.left_out.items()):
        typer.echo(f"left out {_counted(count, 'statement')} {reason}")
    typer.echo("time: " + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in summary.seconds.items()))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _listed(names: list[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(map(harmless, names[:_NAMES]))
    return shown if len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"


def _print_failures(failed: list[tuple[str, str]]) -> None:
    for _, reason in failed:
        typer.echo(f"sage-ld: {harmless(reason)}", err=True)
    if len(failed) > 1:
        typer.echo(f"sage-ld: {len(failed)} files could not be read", err=True)


def _print_edges(edges: dict[str, int]) -> None:
    if edges:
        typer.echo("edges: " + ", ".join(f"{count} {kind}" for kind, count in sorted(edges.items())))
