"""Progress of long commands on standard error: bars on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from rich.progress import TaskID

    from sage_ld.foundation.progress import Progress as Report


@contextmanager
def progress() -> Iterator[Report]:
    """A function to report a step, how much of it is done, and how much there is."""
    if sys.stderr.isatty():
        with _bars() as report:
            yield report
    else:
        yield _lines(Settings.load().progress_interval)


@contextmanager
def _bars() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description:12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
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
