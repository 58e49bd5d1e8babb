"""Commands that change a graph or keep it safe: ingest, relink, reencode, rebase, delete, backup, restore."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.build.encoders import CHOICES
from sage_ld.cli.app import FAILED, GRAPH, app
from sage_ld.cli.ingest_report import (
    counted,
    print_batch,
    print_edges,
    print_failures,
    print_summary,
)
from sage_ld.cli.model_functions import CALLS, JUDGE, MAKE_SKELETONS, SUMMARISE, chosen, plug_in, report
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph import IngestSummary, KnowledgeGraph
    from sage_ld.graph.changes.watching import Ingest


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
        typer.Option(help="default, paper, java or a recipe file. sage-ld relink changes it later."),
    ] = None,
    ignore_links: Annotated[bool, typer.Option(help="Ignore the links in the files.")] = False,
    curated: Annotated[
        bool,
        typer.Option(help="Let RDF files describe the graph's own resources, which other files may not."),
    ] = False,
    follow_symlinks: Annotated[
        bool, typer.Option(help="Follow symbolic links in folders to files outside them.")
    ] = False,
    ocr: Annotated[
        bool,
        typer.Option(
            "--ocr",
            help="Read the text of pictures and of scanned pages, which takes seconds for a page; needs "
            "sage-ld[ocr].",
        ),
    ] = False,
    encoding: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The coding of text files that are not UTF-8 and state none: windows-1252, koi8-r. Of one "
            "file, its sidecar says it: encoding: koi8-r.",
        ),
    ] = "",
    header: Annotated[
        str,
        typer.Option(
            metavar="ROWS",
            help="Which row of a table names its columns, where the guess is wrong: 3 or 3-4 (rows of a "
            "sheet, lines of a CSV file), none, or auto. Of one file, its sidecar says it: header: 3.",
        ),
    ] = "",
    meta: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Metadata of all documents of this run, as in team=red; may be repeated. A run without it "
            "takes it out again.",
        ),
    ] = None,
    metadata_terms: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A Turtle file that says which properties keys of metadata mean; the graph keeps it.",
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder that identifiers begin below, remembered by the graph; else the folder that is "
            "named first.",
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option(help="Let documents take the place of those that came from other files.")
    ] = False,
    sync: Annotated[
        bool, typer.Option(help="Remove documents whose files are no longer in the folders.")
    ] = False,
    watch: Annotated[bool, typer.Option(help="Sync, then follow the folders until Ctrl-C.")] = False,
    dry_run: Annotated[
        bool, typer.Option(help="Report what would be added, replaced and removed, and change nothing.")
    ] = False,
    duplicates: Annotated[
        Duplicates,
        typer.Option(
            help="Documents with the same content as another one: keep both, or skip the later one."
        ),
    ] = Duplicates.KEEP,
    annotate: Annotated[
        bool, typer.Option("--annotate", help="Afterwards, have a language model annotate the new documents.")
    ] = False,
    judge: JUDGE = False,
    summarise: SUMMARISE = False,
    make_skeletons: MAKE_SKELETONS = False,
    calls: CALLS = None,
    verbose: Annotated[bool, typer.Option(help="Name every document and file in the report.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole report as one JSON object.")
    ] = False,
) -> None:
    """Read files into a graph, and link them.

    The graph is created if it does not exist. Unchanged files are skipped, and changed files
    replace what they said before. A file that cannot be read is named, does not stop the others, and makes
    the exit status 1. So does a file of an unknown kind if its own path is given; in a folder it is skipped,
    and named.

    A file's identifier is its path below a root that the graph remembers, whichever path it is named by. A
    file whose documents would replace those of another file is refused, unless --replace is given.

    Example: sage-ld ingest films examples/films

    To see what a sync would do: sage-ld ingest films examples/films --sync --dry-run

    To follow the folder: sage-ld ingest films examples/films --watch

    To have a language model annotate it: sage-ld ingest films examples/films --annotate

    To read scans and photographs, too: sage-ld ingest archive ~/scans --ocr

    To say that the third row of a sheet names its columns: sage-ld ingest prices prices.xlsx --header 3

    To begin with one of its files: sage-ld ingest films examples/films/index.md --root examples/films
    """
    from sage_ld.cli.metadata import stated_metadata
    from sage_ld.cli.terminal import progress
    from sage_ld.graph.changes.creation import removed_on_failure

    _check_together(watch, dry_run, annotate, as_json)
    by_model = chosen(judge, summarise, make_skeletons)
    metadata = stated_metadata(meta or ())

    def one(knowledge: KnowledgeGraph, only: Collection[str] | None = None) -> IngestSummary:
        with progress() as shown:
            return knowledge.ingest(
                paths,
                ignore_links=ignore_links,
                curated=curated,
                follow_symlinks=follow_symlinks,
                metadata=metadata,
                metadata_terms=metadata_terms,
                root=root,
                replace=replace,
                sync=sync or watch,
                only=only,
                duplicates=duplicates,
                ocr=ocr,
                header=header,
                encoding=encoding,
                dry_run=dry_run,
                progress=shown,
            )

    with removed_on_failure(graph) as discard:
        knowledge = _open_or_create(graph, base_iri, encoder, recipe, dry_run=dry_run)
        asked = plug_in(knowledge, by_model, calls)
        if not watch:
            summary = one(knowledge)
            if dry_run or (summary.failed and not summary.added):
                discard()
    if watch:
        _follow(knowledge, paths, partial(one, knowledge), verbose)
        report(asked)
        return
    print_summary(summary, dry_run=dry_run, every=verbose, as_json=as_json)
    if annotate:
        _annotate(knowledge, summary)
    if summary.failed:
        print_failures(summary.failed)
    report(asked)
    if summary.failed:
        raise typer.Exit(FAILED)


def _check_together(watch: bool, dry_run: bool, annotate: bool, as_json: bool) -> None:
    """Raises BadParameter for options that exclude each other, UnavailableError without a model."""
    if watch and dry_run:
        raise typer.BadParameter("--watch changes the graph; leave out one of --watch and --dry-run")
    if annotate and (watch or dry_run):
        raise typer.BadParameter(
            "--annotate cannot be combined with --watch or --dry-run; run sage-ld annotate"
        )
    if as_json and (watch or annotate):
        raise typer.BadParameter("--json cannot be combined with --watch or --annotate; leave it out")
    if annotate:  # before the files are read, which may take long
        from sage_ld.foundation.language_model import LanguageModel
        from sage_ld.foundation.settings import Settings

        LanguageModel.of(Settings.load(), "--annotate")


def _annotate(knowledge: KnowledgeGraph, summary: IngestSummary) -> None:
    """Has a language model annotate what an ingest has added."""
    from sage_ld.cli.annotate import print_annotations
    from sage_ld.cli.terminal import progress

    if new := [*summary.added_documents, *summary.replaced_documents]:
        with progress() as shown:
            annotations = knowledge.annotate(new, progress=shown)
        print_annotations(annotations)


def _follow(knowledge: KnowledgeGraph, folders: list[Path], ingest: Ingest, verbose: bool) -> None:
    """Follows folders until it is interrupted, and reports each batch of changes."""
    from sage_ld.graph.changes.watching import watch

    first, failed = True, None
    try:
        for summary in watch(folders, ingest, leave_out=knowledge.directory.path):
            if first and summary.seconds:
                print_summary(summary, every=verbose)
                print_failures(summary.failed)
                typer.echo(f"watching {', '.join(harmless(str(each)) for each in folders)}; Ctrl-C ends it")
                first = False
            elif summary.failed != failed or summary.seconds:
                print_batch(summary)
            failed = None if summary.seconds else summary.failed
    except KeyboardInterrupt:
        typer.echo("stopped; what was reported is in the graph")


@app.command()
def relink(
    graph: GRAPH,
    recipe: Annotated[
        Path | None,
        typer.Option(help="TOML file that changes reason, [edges], [concepts], [analogies] or [retrieval]."),
    ] = None,
    judge: JUDGE = False,
    calls: CALLS = None,
) -> None:
    """Rebuild all edges, thresholds, labels, concepts and inferred statements.

    Example: sage-ld relink films

    To infer statements from RDF, with reason = "owl-rl" in a file: sage-ld relink films --recipe owl.toml

    To have a language model say which near terms name one thing: sage-ld relink films --judge
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph

    by_model = chosen(judge)
    knowledge = KnowledgeGraph.open(graph)
    asked = plug_in(knowledge, by_model, calls, check=recipe is None)  # which may switch concepts on
    with progress() as shown:
        summary = knowledge.relink(shown, recipe=recipe)
    print_edges(summary.edges)
    for warning in summary.warnings:
        typer.echo(f"warning: {harmless(warning)}")
    report(asked)


@app.command()
def reencode(graph: GRAPH, encoder: Annotated[str, typer.Option(help=f"{CHOICES}.")]) -> None:
    """Encode all chunks with another encoder, and rebuild edges and thresholds.

    No file is read again, and the chunks stay as they are. The graph answers as before until all is done.

    Example: sage-ld reencode films --encoder static
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as shown:
        knowledge = KnowledgeGraph.open(graph)
        before = knowledge.configuration.encoder
        summary = knowledge.reencode(encoder, shown)
    typer.echo(f"encoder: {knowledge.configuration.encoder} (was {before})")
    print_edges(summary.edges)


@app.command()
def rebase(
    graph: GRAPH,
    base_iri: Annotated[str, typer.Argument(metavar="IRI", help="The new base; it ends in / or #.")],
) -> None:
    """Move the IRIs of all the graph's own resources to another base IRI; others stay as they are.

    The graph answers as before until all is done.

    Example: sage-ld rebase films https://films.example.org/id/
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph

    with progress() as shown:
        summary = KnowledgeGraph.open(graph).rebase(base_iri, shown)
    moved = counted(summary.statements, "statement")
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
    deleted = counted(len(summary.documents), "document")
    chunks = counted(summary.chunks, "chunk")
    typer.echo(f"deleted {deleted} with {chunks}; sage-ld relink computes edges and thresholds again")


@app.command()
def upgrade(
    graph: GRAPH,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A new folder for a backup, which is made first.")
    ],
) -> None:
    """Bring a graph that an earlier sage-ld made to the present format, after a backup.

    Its documents stay as they are; edges, labels and indexes are derived again. The graph answers as before
    until all is done.

    Example: sage-ld upgrade films backups/films-before
    """
    from sage_ld.cli.terminal import progress
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.store.configuration import FORMAT_VERSION

    knowledge = KnowledgeGraph.open(graph)
    before = knowledge.directory.format_version()
    with progress() as shown:
        moved = knowledge.upgrade(folder, shown)
    changed = counted(moved, "statement")
    typer.echo(f"format version: {FORMAT_VERSION} (was {before}); {changed} changed; backup in {folder}")


@app.command()
def backup(
    graph: GRAPH, folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")]
) -> None:
    """Copy the newest revision of a graph, even during a write.

    Example: sage-ld backup films backups/films-monday
    """
    from sage_ld.graph.upkeep.backup import copy_graph

    typer.echo(f"copied revision {copy_graph(graph, folder)} of {graph} to {folder}")


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that sage-ld backup made.")],
    graph: GRAPH,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace what the graph holds, which may be served meanwhile.")
    ] = False,
) -> None:
    """Create a graph from a backup or a snapshot, which holds no access tokens.

    With --replace, the graph is there already: what it holds is replaced by one new revision, and it keeps
    its settings and tokens.

    Example: sage-ld restore backups/films-monday films

    To go back while it is served: sage-ld restore backups/films-monday films --replace
    """
    from sage_ld.graph.store.directory import Directory
    from sage_ld.graph.upkeep.backup import copy_graph, restore_revision

    directory = Directory(graph)
    if replace and directory.exists():
        typer.echo(f"restored {graph} from {folder} as revision {restore_revision(folder, directory)}")
        return
    if directory.exists():
        raise InputError(f"{graph} is already a graph; name a new folder, or replace its content: --replace")
    copy_graph(folder, graph, verify=True)
    typer.echo(f"restored {graph} from {folder}")


def _open_or_create(
    path: Path, base_iri: str | None, encoder: str | None, recipe: str | None, *, dry_run: bool
) -> KnowledgeGraph:
    from sage_ld.build.encoders import stands_for
    from sage_ld.foundation.recipes import DEFAULT_ENCODER, PRESETS
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.changes.creation import configure_empty
    from sage_ld.graph.store.directory import Directory

    if not Directory(path).exists():
        return KnowledgeGraph.create(
            path, base_iri=base_iri, encoder=encoder or DEFAULT_ENCODER, recipe=recipe or "default"
        )
    knowledge = KnowledgeGraph.open(path)
    fixed = knowledge.configuration
    other_encoder = None if encoder is None or stands_for(encoder, fixed.encoder) else encoder
    relinked = "create another graph" if recipe in PRESETS else f"sage-ld relink {path} --recipe {recipe}"
    changed = [
        (option, value, has, remedy)
        for option, value, has, remedy in (
            ("--base-iri", base_iri, fixed.base_iri, f"sage-ld rebase {path} {base_iri}"),
            ("--encoder", other_encoder, fixed.encoder, f"sage-ld reencode {path} --encoder {encoder}"),
            ("--recipe", recipe, fixed.recipe, relinked),
        )
        if value is not None and value != has
    ]
    own_recipe = fixed.recipe if fixed.recipe in PRESETS else str(path / fixed.recipe)
    if changed and (
        configuration := configure_empty(
            knowledge.directory,
            base_iri or fixed.base_iri,
            encoder or fixed.encoder,
            recipe or own_recipe,
            dry_run=dry_run,
        )
    ):
        knowledge.configuration = configuration
        return knowledge
    for option, value, has, remedy in changed:
        raise InputError(
            f"{option} {value} does not fit: {path} has {has}; leave the option out, or: {remedy}"
        )
    return knowledge
