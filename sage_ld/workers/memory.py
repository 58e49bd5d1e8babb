"""Private memory of a process, in bytes."""

from __future__ import annotations

from pathlib import Path


def anonymous_memory(process: int) -> int:
    """Bytes that a process has in memory and shares with no file; 0 where the system does not tell.

    >>> import os
    >>> anonymous_memory(os.getpid()) >= 0
    True
    """
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    sizes = (line.split()[1] for line in lines if line.startswith("RssAnon:"))
    return 1024 * int(next(sizes, "0"))
