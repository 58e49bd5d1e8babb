"""Progress of long commands on standard error: bars on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from sage_ld.graph.preparation import Progress as Report
from sage_ld.settings import Settings


@contextmanager
def progress() -> Iterator[Report]:
    """A function to report a step, how much of it is done, and how much there is."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _bars(console) as report:
            yield report
    else:
        yield _lines(Settings.load().progress_interval)


@contextmanager
def _bars(console: Console) -> Iterator[Report]:
    bar = Progress(
        TextColumn("{task.description:12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )
    tasks: dict[str, TaskID] = {}

    def report(step: str, done: int, total: int) -> None:
        if step not in tasks:
            tasks[step] = bar.add_task(step, total=total)
        bar.update(tasks[step], completed=done, total=total)

    with bar:
        yield report


def _lines(interval: float) -> Report:
    """Reports by a line, at most one in `interval` seconds, and none before the first have passed."""
    start = last = time.monotonic()

    def report(step: str, done: int, total: int) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= interval:
            last = now
            sys.stderr.write(f"sage-ld: {step}: {done:,} of {total:,} after {now - start:.0f} s\n")

    return report
