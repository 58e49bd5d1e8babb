"""The application that every command belongs to, and what commands share.

`sage-ld --help` and shell completion import the module of every command, so these modules import at their top
only what a signature needs. A command imports what it works with when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FAILED = 1
"""Exit status: the job failed. (2 is wrong usage.)"""

GRAPH = Annotated[Path, typer.Argument(metavar="KG", help="The graph's directory.")]

app = typer.Typer(
    name="sage-ld",
    help="Build a knowledge graph in RDF from mixed files, and ask it questions; each result says why it is "
    "there.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        import sage_ld

        typer.echo(f"sage-ld {sage_ld.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Options that come before the command."""
