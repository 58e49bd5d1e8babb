"""The report of an ingest: what was done, what was left out and why, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Final

import typer

from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph import IngestSummary

_NAMES: Final = 5
"""How many of a list of names are shown, unless all are asked for."""


def print_summary(
    summary: IngestSummary, *, dry_run: bool = False, every: bool = False, as_json: bool = False
) -> None:
    """Prints what an ingest did, or would do; with `every`, all names, else the first of each list."""
    if as_json:
        typer.echo(json.dumps(asdict(summary), default=sorted, indent=2))
        return
    would = "would be " if dry_run else ""
    typer.echo(
        f"{counted(summary.added, 'document')} {would}added, {summary.replaced} {would}replaced, "
        + (f"{summary.removed} {would}removed, " if summary.removed else "")
        + f"{summary.unchanged} unchanged"
        + ("" if dry_run else f"; {counted(summary.chunks, 'chunk')}")
    )
    for what, names in _changes(summary).items():
        if names and (dry_run or every or what == "removed"):
            typer.echo(f"{would}{what}: {_listed(names, every)}")
    print_edges(summary.edges)
    _print_left_out(summary, every)
    typer.echo("time: " + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in summary.seconds.items()))


def print_batch(summary: IngestSummary) -> None:
    """Prints one line about an ingest of changed files, and one for each file that could not be read."""
    changes = ((what, names) for what, names in _changes(summary).items() if names)
    done = [f"{len(names)} {what} ({_listed(names, every=False)})" for what, names in changes]
    if done:
        typer.echo(f"{datetime.now():%H:%M:%S} {', '.join(done)}")
    print_failures(summary.failed)


def print_failures(failed: Sequence[tuple[str, str]]) -> None:
    """Prints each file that could not be read, with the reason."""
    for _, reason in failed:
        typer.echo(f"sage-ld: {harmless(reason)}", err=True)
    if len(failed) > 1:
        typer.echo(f"sage-ld: {len(failed)} files could not be read", err=True)


def print_edges(edges: Mapping[str, int]) -> None:
    """Prints how many edges there are of each kind."""
    if edges:
        typer.echo("edges: " + ", ".join(f"{count} {kind}" for kind, count in sorted(edges.items())))


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "chunk"), counted(2, "chunk")
    ('1 chunk', '2 chunks')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _changes(summary: IngestSummary) -> dict[str, list[str]]:
    return {
        "added": summary.added_documents,
        "replaced": summary.replaced_documents,
        "removed": summary.removed_documents,
    }


def _print_left_out(summary: IngestSummary, every: bool) -> None:
    from sage_ld.build.readers.discovery import REMEDIES

    if summary.missing:
        typer.echo(
            f"{counted(len(summary.missing), 'document')} whose file has gone (--sync takes them out): "
            f"{_listed(summary.missing, every)}"
        )
    for reason, names in sorted(summary.skipped.items()):
        typer.echo(f"skipped {counted(len(names), 'file')} ({reason}): {_listed(names, every)}")
        if remedy := next((each for kind, each in REMEDIES.items() if reason.startswith(kind)), None):
            typer.echo(f"  to have them in the graph: {remedy}")
    for kept in (True, False):
        pairs = [
            f"{name} = {other}"
            for name, other in summary.duplicates.items()
            if (name not in summary.skipped_duplicates) == kept
        ]
        if pairs:
            done = "kept; --duplicates skip leaves them out" if kept else "skipped"
            typer.echo(
                f"{counted(len(pairs), 'document')} with the content of another one ({done}): "
                f"{_listed(pairs, every)}"
            )
    for reason, count in sorted(summary.left_out.items()):
        typer.echo(f"left out {counted(count, 'statement')} {reason}")
    _print_passed_over(summary, every)
    for warning in summary.warnings:
        typer.echo(f"warning: {harmless(warning)}")


def _print_passed_over(summary: IngestSummary, every: bool) -> None:
    if summary.passed_over:
        kinds = (
            f"{counted(sum(by_document.values()), kind)} ({_listed(list(by_document), every)})"
            for kind, by_document in sorted(summary.passed_over.items())
        )
        typer.echo(f"passed over: {'; '.join(kinds)}")


def _listed(names: Sequence[str], every: bool) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(map(harmless, names if every else names[:_NAMES]))
    return shown if every or len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"
