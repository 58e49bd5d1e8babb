"""The process that writes, which crashes as soon as it has published."""

from __future__ import annotations

import os
import signal

from sage_ld.graph.store.directory import Directory
from sage_ld.service.workers.update_process import main


def crash(directory: Directory, number: int) -> None:
    """Publishes a revision, and ends the process as a fault of a library does."""
    _make_current(directory, number)
    os.kill(os.getpid(), signal.SIGSEGV)


_make_current = Directory.make_current

if __name__ == "__main__":
    Directory.make_current = crash  # type: ignore[method-assign]
    main()
