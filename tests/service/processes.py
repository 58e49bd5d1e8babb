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


def commands() -> dict[int, list[str]]:
    """The command line of each process, by its number; bytes that are not UTF-8 are escaped."""
    result = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            line = (folder / "cmdline").read_bytes().decode(errors="surrogateescape")
            result[int(folder.name)] = line.rstrip("\0").split("\0")
    return result


def at_work(graph: Path) -> list[int]:
    """The processes whose command line names a graph."""
    return [number for number, command in commands().items() if str(graph) in "\0".join(command)]


def writers(graph: Path) -> list[int]:
    """The processes that write for a graph."""
    wanted = {"sage_ld.service.workers.update_process", str(graph)}
    return [number for number, command in commands().items() if wanted <= {*command}]


def with_variable(name: str, value: str) -> dict[int, str]:
    """The running processes that have an environment variable: the command line of each, by its number."""
    entry, result = f"{name}={value}".encode(), {}
    for number, command in commands().items():
        with suppress(OSError):  # it has ended, or belongs to somebody else
            if entry in Path(f"/proc/{number}/environ").read_bytes().split(b"\0"):
                result[number] = " ".join(command)
    return result


def parent(process: int) -> int:
    """The process that started another one, or took its place; 0 where that other has ended."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
