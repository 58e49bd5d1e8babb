"""The process that writes, which waits once it has published until a client has cancelled the job."""

from __future__ import annotations

import time

from waiting import waited_for

from sage_ld.graph.store.directory import Directory
from sage_ld.service.workers.update_process import main

LONGER_THAN_A_LOOK = 0.5  # seconds


def linger(directory: Directory, number: int) -> None:
    """Publishes a revision, and goes on some time after a job has been cancelled."""
    _make_current(directory, number)
    waited_for(lambda: any(directory.path.glob("jobs/*/cancel")))
    time.sleep(LONGER_THAN_A_LOOK)


_make_current = Directory.make_current

if __name__ == "__main__":
    Directory.make_current = linger  # type: ignore[method-assign]
    main()
