"""Priorities of processes: how they are lowered and raised again, and whether the system allows that."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import nullcontext, suppress
from enum import Enum
from functools import cache
from typing import Final

_LOWER: Final = 10  # of the nice value: about a tenth of the time that another process gets


class Priority(Enum):
    """The priority of a process."""

    ORDINARY = "ordinary"
    LOW = "low"
    """It gets about a tenth of the time that a process of ordinary priority gets beside it."""
    IDLE = "idle"
    """It gets the time that nobody else wants, and stops at once where somebody does."""


def change(process: int, priority: Priority, nice: int) -> None:
    """Gives a process (0: the current thread) a priority; `nice` is its nice value at the ordinary one.

    On Linux each thread has its own, and takes that of the thread that starts it. A process that is killed
    ends with the last of its threads, so one that was left idle would keep it for as long as others want the
    processor. Raises PermissionError where it is to be raised and that is not allowed, OSError if the process
    has ended.
    """
    changed: set[int] = set()
    while begun := _threads(process) - changed:  # one that was started meanwhile has the former priority
        for each in begun:
            with nullcontext() if each == process else suppress(ProcessLookupError):
                _change(each, priority, nice)
        changed |= begun


def _threads(process: int) -> set[int]:
    """The threads of a process, as far as each has a priority of its own."""
    if sys.platform != "linux" or process == 0:
        return {process}
    return {int(each) for each in os.listdir(f"/proc/{process}/task")}


def _change(thread: int, priority: Priority, nice: int) -> None:
    idle = priority is Priority.IDLE
    if sys.platform == "linux":
        os.sched_setscheduler(thread, os.SCHED_IDLE if idle else os.SCHED_OTHER, os.sched_param(0))
    elif idle:
        nice = 19
    os.setpriority(os.PRIO_PROCESS, thread, nice + _LOWER if priority is Priority.LOW else nice)


@cache
def can_be_raised() -> bool:
    """Whether this process may lower the priority of a process of its own, and raise it again.

    Linux allows it with CAP_SYS_NICE, or up to the limit RLIMIT_NICE (setpriority(2), sched(7)). It is tried
    once, in a thread, which has a priority of its own there and takes it along when it ends. Elsewhere only
    root may.
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
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        for priority in (Priority.LOW, Priority.ORDINARY, Priority.IDLE, Priority.ORDINARY):
            change(0, priority, nice)
    except OSError:  # some systems in sandboxes know no scheduling policies
        return False
    return True
