"""Text for a terminal: what a file holds cannot move the cursor or hide what is around it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.shown_text import harmless_json

if TYPE_CHECKING:
    from rich.progress import TaskID

    from sage_ld.foundation.progress import Progress as Report

SHOWN: Final = 300
"""Characters of what the system says."""


def print_json(value: object) -> None:
    """Prints a value as indented JSON."""
    sys.stdout.write(harmless_json(json.dumps(value, ensure_ascii=False, indent=2)) + "\n")


def check_output(file: Path | None, option: str, suffix: str | None = None) -> None:
    """Raises InputError, naming the option, where `file` cannot be written or has another suffix."""
    if file is None:
        return
    if suffix is not None and file.suffix.lower() != suffix:
        raise InputError(f"{option} {file}: the name must end in {suffix}; name the file {file.stem}{suffix}")
    if os.path.isdir(file):
        raise InputError(f"{option} {file} is a folder; name a file in it")
    if not os.path.isdir(file.parent):
        raise InputError(
            f"{option} {file}: the folder {file.parent} does not exist; create it, or name another file"
        )
    if not os.access(file if os.path.exists(file) else file.parent, os.W_OK):
        raise InputError(f"{option} {file}: cannot be written; change its permissions, or name another file")


def write_output(file: Path, text: str, option: str) -> None:
    """Writes the file. Raises InputError if that fails, as on a full disk."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{option} {file}: cannot be written ({error.strerror}); name another file"
        ) from None


def system_message(error: OSError | RuntimeError) -> str | None:
    """The message for an operating system's error on files of the graph; None for a fault of ours."""
    from sage_ld.foundation.processes.failures import is_full, one_line
    from sage_ld.graph.store.oxigraph import is_damage

    message = one_line(str(error))
    if is_damage(error):
        return f"the store is damaged ({message[:SHOWN]}); restore a backup, or see: sage-ld doctor KG"
    if is_full(error):
        return f"the disk is full ({message[:SHOWN]}); make room and repeat the command: nothing was changed"
    if isinstance(error, OSError):
        return f"{message[:SHOWN]}; nothing was changed"
    return None


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
