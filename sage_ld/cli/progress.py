"""Progress bars of long commands, on standard error where that is a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from sage_ld.graph.preparation import Progress as Report


@contextmanager
def progress() -> Iterator[Report]:
    """A function to report a step, how much of it is done, and how much there is; each step has a bar."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description:12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    tasks: dict[str, TaskID] = {}

    def report(step: str, done: int, total: int) -> None:
        if step not in tasks:
            tasks[step] = bar.add_task(step, total=total)
        bar.update(tasks[step], completed=done, total=total)

    with bar:
        yield report
