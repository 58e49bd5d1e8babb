"""The resources that a process uses, if the system tells: memory in bytes, processor time in seconds."""

from __future__ import annotations

import os
from pathlib import Path


def anonymous_memory(process: int) -> int:
    """Bytes that a process has in memory and shares with no file; 0 if the system does not tell.

    >>> anonymous_memory(os.getpid()) >= 0
    True
    """
    sizes = (line.split()[1] for line in _read(process, "status").splitlines() if line.startswith("RssAnon:"))
    return 1024 * int(next(sizes, "0"))


def processor_time(process: int) -> float:
    """Seconds that the processors have worked for a process; 0 if the system does not tell.

    >>> processor_time(os.getpid()) >= 0
    True
    """
    fields = _read(process, "stat").rpartition(")")[2].split()  # a name in brackets may hold anything
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _read(process: int, name: str) -> str:
    try:
        return Path(f"/proc/{process}/{name}").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
