"""Whether a process's priority (its nice value), once lowered, can be raised again."""

from __future__ import annotations

import os
import sys
import threading
from functools import cache


@cache
def can_be_raised() -> bool:
    """Whether this process may raise the priority of a process of its own that it has lowered.

    Linux allows it with CAP_SYS_NICE, or up to the limit RLIMIT_NICE (setpriority(2)). It is tried once, in
    a thread, which has a priority of its own there and takes it along when it ends. Elsewhere only root may.
    """
    if sys.platform != "linux":
        return os.name == "posix" and os.geteuid() == 0
    outcomes: list[bool] = []
    thread = threading.Thread(target=lambda: outcomes.append(_lowered_and_raised()))
    thread.start()
    thread.join()
    return outcomes == [True]


def _lowered_and_raised() -> bool:
    """Lowers the priority of the current thread and raises it again, if the system allows it."""
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, priority + 1)
        os.setpriority(os.PRIO_PROCESS, 0, priority)
    except OSError:
        return False
    return True
