"""The resources that a process uses, if the system tells: memory in bytes, processor time in seconds."""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_LIBC: Final = ctypes.CDLL(None)


def anonymous_memory(process: int) -> int:
    """Bytes that a process has in memory and shares with no file; 0 if the system does not tell.

    >>> import os
    >>> anonymous_memory(os.getpid()) >= 0
    True
    """
    with suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines()
        return 1024 * int(next((line.split()[1] for line in lines if line.startswith("RssAnon:")), "0"))
    return 0


def process_tree(process: int) -> list[int]:
    """A process and all that descend from it; the process alone if the system does not tell.

    >>> import os
    >>> os.getpid() in process_tree(os.getpid())
    True
    """
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            after_name = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            children.setdefault(int(after_name[1]), []).append(int(folder.name))
    processes = [process]
    for each in processes:
        processes += children.get(each, ())
    return processes


def processor_time(process: int) -> float:
    """Seconds that the processors have worked for a process; 0 if the system does not tell.

    By the clock of the process (POSIX, `clock_getcpuclockid`), which costs a microsecond: it is read for each
    query.

    >>> import os
    >>> processor_time(os.getpid()) <= time.process_time()
    True
    """
    clock = ctypes.c_int()
    with suppress(AttributeError, OSError):  # the system has no such clock; the process has ended
        if _LIBC.clock_getcpuclockid(process, ctypes.byref(clock)) == 0:
            return time.clock_gettime(clock.value)
    return 0.0
