"""The supervisor of web processes, with processes of other kinds."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sage_ld.errors import SageError
from sage_ld.service.http.metrics_folder import FOLDER
from sage_ld.service.server import Supervisor
from sage_ld.settings import Settings


@contextmanager
def supervising(folder: Path, code: str, web_memory: int = 0) -> Iterator[Supervisor]:
    """A supervisor of one process, which runs `code` after it has left a line with its number in `runs`."""
    program = f"import os, sys, time; print(os.getpid(), file=open('runs', 'a')); {code}"
    settings = replace(Settings(), web_memory=web_memory)
    environment = {**os.environ, FOLDER: str(folder)}
    command = ["env", "-C", str(folder), sys.executable, "-c", program]
    with socket.socket() as listening:
        made = Supervisor(command, environment, settings, 1, listening)
        try:
            yield made
        finally:
            made.end()


def runs(folder: Path) -> list[str]:
    """The numbers of the processes that have been started so far."""
    file = folder / "runs"
    return file.read_text().split() if file.exists() else []


def until(made: Supervisor, condition: Callable[[], bool]) -> None:
    for _ in range(600):
        made.watch()
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not come to that")


def test_a_process_that_ends_at_once_is_replaced_again_and_again(tmp_path: Path) -> None:
    with supervising(tmp_path, "os._exit(7)") as made:
        until(made, lambda: len(runs(tmp_path)) >= 4)


def test_a_process_that_takes_too_much_memory_is_replaced(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell how much memory a process has")
    with supervising(tmp_path, "taken = b'x' * 200_000_000; time.sleep(600)", 100_000_000) as made:
        until(made, lambda: len(runs(tmp_path)) >= 2)


def test_a_process_within_its_memory_stays(tmp_path: Path) -> None:
    with supervising(tmp_path, "time.sleep(600)", 100_000_000) as made:
        until(made, lambda: len(runs(tmp_path)) == 1)
        for _ in range(20):
            made.watch()
            time.sleep(0.05)
        assert len(runs(tmp_path)) == 1


def test_a_graph_that_cannot_be_served_ends_the_service(tmp_path: Path) -> None:
    with supervising(tmp_path, "sys.exit(3)") as made, pytest.raises(SageError, match="cannot serve"):
        until(made, lambda: False)
