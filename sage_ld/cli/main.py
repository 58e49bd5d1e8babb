"""The entry point: runs a command, and turns an error into one line and an exit status."""

from __future__ import annotations

import sys

from sage_ld.cli.app import FAILED, app
from sage_ld.cli.terminal import harmless
from sage_ld.foundation.errors import SageError

# isort: off
# In the order of --help.
from sage_ld.cli import (
    changing,
    annotate,
    edges,
    doctor,
    reading,
    inspect,
    outline,
    analyse,
    concepts,
    tables,
    ask_graph,
    ask,
    reason,
    export,
    evaluate,
    tune,
    retrievals,
    tools,
    mcp,
    approvals,
    serve,
)

COMMANDS = (
    *(changing, annotate, edges, doctor, reading, inspect, outline, analyse, concepts, tables, ask_graph),
    *(ask, reason),
    *(export, evaluate, tune, retrievals, tools, mcp, approvals, serve),
)
"""The modules whose commands `app` has."""

_INTERRUPTED = 130
_SHOWN = 300  # characters of what the system says


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
    except (OSError, RuntimeError) as error:
        if (message := _of_the_system(error)) is None:
            raise
        sys.stderr.write(f"sage-ld: {harmless(message)}\n")
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.stderr.write("sage-ld: interrupted; the graph is as it was before\n")
        sys.exit(_INTERRUPTED)


def _of_the_system(error: OSError | RuntimeError) -> str | None:
    """What an error means that files of the graph met; None for one that is a fault of ours."""
    from sage_ld.graph.store.oxigraph import is_damage
    from sage_ld.foundation.processes.failures import is_full, one_line

    said = one_line(str(error))
    if is_damage(error):
        return f"the store is damaged ({said[:_SHOWN]}); restore a backup, or see: sage-ld doctor KG"
    if is_full(error):
        return f"the disk is full ({said[:_SHOWN]}); make room and repeat the command: nothing was changed"
    if isinstance(error, OSError):
        return f"{said[:_SHOWN]}; nothing was changed"
    return None
