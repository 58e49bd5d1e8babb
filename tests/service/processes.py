"""The processes of a service, as Linux shows them in /proc."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children(process: int) -> list[int]:
    """The processes that a process has started, and that are still there."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for thread in threads for each in thread.read_text().split()]


def runs(process: int) -> bool:
    """Whether a process is there, and is more than an entry that nobody has read yet."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def with_variable(name: str, value: str) -> dict[int, str]:
    """The running processes that have an environment variable: the command line of each, by its number."""
    entry, result = f"{name}={value}".encode(), {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or belongs to somebody else
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
                result[int(folder.name)] = b" ".join(command).decode()
    return result


def parent(process: int) -> int:
    """The process that started another one, or took its place; 0 where that other has ended."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
