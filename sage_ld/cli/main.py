"""The entry point: commands are gathered here, and errors become one line and an exit status."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer
from rich.console import Console

import sage_ld
from sage_ld.errors import SageError

FAILED = 1
WRONG_USAGE = 2

app = typer.Typer(
    name="sage-ld",
    help="Mixed files to a knowledge graph in RDF; questions to answers in JSON-LD that say why.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sage-ld {sage_ld.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Options of every command."""


def load_commands() -> None:
    """Imports the modules of commands, each of which adds its own to `app`."""
    for module in ("changing", "reading", "export", "evaluate", "tune", "serve"):
        import_module(f"sage_ld.cli.{module}")


def main() -> None:
    """Runs the command line. Exit status: 0 done, 1 the job failed, 2 wrong usage."""
    load_commands()
    try:
        app()
    except SageError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"sage-ld: {error}", markup=False)
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing more to say
        sys.exit(FAILED)
    except KeyboardInterrupt:
        Console(stderr=True).print("sage-ld: interrupted; the graph is as it was before")
        sys.exit(130)
