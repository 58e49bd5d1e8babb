"""The entry point: runs a command, and turns an error into one line and an exit status."""

from __future__ import annotations

import sys
from copy import copy
from importlib import import_module
from typing import Final

from typer import Typer
from typer.main import get_command_name

from sage_ld.cli.app import FAILED, app
from sage_ld.cli.terminal import SHOWN, system_message
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.lazy_imports import is_installed
from sage_ld.foundation.shown_text import harmless

COMMANDS: Final = (
    *(
        "changing",
        "update",
        "pull",
        "annotate",
        "edges",
        "doctor",
        "reading",
        "inspect",
        "outline",
        "analyse",
    ),
    *("concepts", "tables", "ask_graph", "ask", "reason"),
    *("export", "evaluate", "tune", "retrievals", "tools", "mcp", "approvals", "serve"),
)
"""The modules whose commands `app` has, in the order of --help."""
_ROOMS: Final = {
    **dict.fromkeys(("inspect", "evaluate", "tune"), "sage_ld.lab"),
    **dict.fromkeys(("tables", "ask_graph", "ask", "reason", "tools", "mcp", "approvals"), "sage_ld.agents"),
}
"""Module -> the room without which its commands are missing."""

for _name in COMMANDS:
    if is_installed(_ROOMS.get(_name, "sage_ld")):
        import_module(f"sage_ld.cli.{_name}")

_INTERRUPTED = 130


def main() -> None:
    """Runs the command line. Exit status: 0 done, 1 the job failed, 2 wrong usage."""
    try:
        _with_what_is_called(sys.argv[1:2])()
    except SageError as error:
        sys.stderr.write(f"sage-ld: {harmless(str(error))}\n")
        sys.exit(FAILED)
    except UnicodeEncodeError as error:
        sys.stderr.write(f"sage-ld: {harmless(_of_an_encoding(error))}\n")
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing more to say
        sys.exit(FAILED)
    except (OSError, RuntimeError) as error:
        if (message := system_message(error)) is None:
            raise
        sys.stderr.write(f"sage-ld: {harmless(message)}\n")
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.stderr.write("sage-ld: interrupted; the graph is as it was before\n")
        sys.exit(_INTERRUPTED)


def _with_what_is_called(name: list[str]) -> Typer:
    """The application with the command of a name alone: typer reads all signatures that it has in 0.1 s."""
    only = copy(app)
    only.registered_commands = [
        each
        for each in app.registered_commands
        if each.callback and [each.name or get_command_name(each.callback.__name__)] == name
    ]
    only.registered_groups = [each for each in app.registered_groups if [each.name] == name]
    return only if only.registered_commands or only.registered_groups else app


def _of_an_encoding(error: UnicodeEncodeError) -> str:
    """The message for a text that cannot be encoded: an argument, or what is printed."""
    if error.encoding == "utf-8":  # each byte of an argument that is not UTF-8 is half of a surrogate pair
        return f"{error.object[:SHOWN]}: not UTF-8; give arguments in UTF-8"
    sign = error.object[error.start]
    return f"the output cannot be written in {error.encoding} ({sign!r}); set PYTHONIOENCODING=utf-8"
