"""The entry point: runs a command, and turns an error into one line and an exit status."""

from __future__ import annotations

import sys

from sage_ld.cli.app import FAILED, app
from sage_ld.cli.terminal import harmless
from sage_ld.errors import SageError

# isort: off
from sage_ld.cli import changing, reading, export, evaluate, tune, serve  # in the order that --help has

COMMANDS = (changing, reading, export, evaluate, tune, serve)
"""The modules whose commands `app` has."""

_INTERRUPTED = 130


def main() -> None:
    """Runs the command line. Exit status: 0 done, 1 the job failed, 2 wrong usage."""
    try:
        app()
    except SageError as error:
        sys.stderr.write(f"sage-ld: {harmless(str(error))}\n")
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing more to say
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.stderr.write("sage-ld: interrupted; the graph is as it was before\n")
        sys.exit(_INTERRUPTED)
