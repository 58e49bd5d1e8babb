"""The supervisor of web processes, with processes of other kinds."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from service import processes as system
from waiting import waited_for

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.settings import Settings
from sage_ld.service.http.metrics_folder import FOLDER
from sage_ld.service.supervisor import Supervisor

READY = "os.write(0, b'+')"
DRAINING = f"signal.signal(signal.SIGTERM, lambda *_: print(1, file=open('told', 'a'))); {READY}; rest()"
"""A process whose requests under way do not come to an end."""


@contextmanager
def supervising(
    folder: Path, code: str, *, processes: int = 1, timeout: float = 60, web_memory: int = 0
) -> Iterator[Supervisor]:
    """A supervisor of processes that run `code`, each after it has left a line with its number in `runs`."""
    program = f"""import os, signal, sys, time
def rest():
    while True: time.sleep(1)
print(os.getpid(), file=open('runs', 'a'))
{code}"""
    settings = replace(
        Settings(), sparql_timeout=1, update_timeout=timeout, retrieve_timeout=1, write_timeout=1,
        web_memory=web_memory,
    )  # fmt: skip
    environment = {**os.environ, FOLDER: str(folder)}
    command = ["env", "-C", str(folder), sys.executable, "-c", program]
    with socket.socket() as listening:
        made = Supervisor(command, environment, settings, processes, listening, lambda: None)
        try:
            yield made
        finally:
            for each in runs(folder):
                with suppress(OSError):
                    os.kill(int(each), signal.SIGKILL)
            made.end()


def runs(folder: Path) -> list[str]:
    """The numbers of the processes that have been started so far."""
    file = folder / "runs"
    return file.read_text().split() if file.exists() else []


def until(made: Supervisor, condition: Callable[[], bool]) -> None:
    def looked() -> bool:
        made.watch()
        return condition()

    assert waited_for(looked)


def test_a_process_that_ends_at_once_is_replaced_again_and_again(tmp_path: Path) -> None:
    with supervising(tmp_path, f"{READY}; os._exit(7)") as made:
        until(made, lambda: len(runs(tmp_path)) >= 6)


def test_processes_that_all_end_before_one_serves_end_the_service(tmp_path: Path) -> None:
    with supervising(tmp_path, "os._exit(7)") as made:
        with pytest.raises(SageError, match=r"5 web processes ended before one could serve .*with 7"):
            until(made, lambda: False)
        assert len(runs(tmp_path)) == 5


def test_a_process_that_takes_too_much_memory_is_replaced(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not tell how much memory a process has")
    with supervising(
        tmp_path, f"taken = b'x' * 200_000_000; {READY}; rest()", web_memory=100_000_000
    ) as made:
        until(made, lambda: len(runs(tmp_path)) >= 2)


def test_a_process_within_its_memory_stays(tmp_path: Path) -> None:
    with supervising(tmp_path, f"{READY}; rest()", web_memory=100_000_000) as made:
        until(made, lambda: len(runs(tmp_path)) == 1)
        for _ in range(20):
            made.watch()
            time.sleep(0.05)
        assert len(runs(tmp_path)) == 1


def test_a_graph_that_cannot_be_served_ends_the_service(tmp_path: Path) -> None:
    with supervising(tmp_path, "sys.exit(3)") as made, pytest.raises(SageError, match="cannot serve"):
        until(made, lambda: False)


def told(folder: Path) -> int:
    """How many processes were told to finish what is under way."""
    file = folder / "told"
    return len(file.read_text().split()) if file.exists() else 0


def test_another_process_serves_while_the_one_before_finishes_its_requests(tmp_path: Path) -> None:
    with supervising(tmp_path, DRAINING) as made:
        until(made, lambda: len(runs(tmp_path)) == 1)
        made.replace_all()
        until(made, lambda: told(tmp_path) == 1)
        assert len(runs(tmp_path)) == 2
        assert all(system.runs(int(each)) for each in runs(tmp_path))
        made.replace_all()
        for _ in range(10):
            made.watch()
            time.sleep(0.05)
        assert len(runs(tmp_path)) == 2  # a slot has no more than two


def test_requests_that_come_to_no_end_are_given_up(tmp_path: Path) -> None:
    with supervising(tmp_path, DRAINING, timeout=1) as made:
        until(made, lambda: len(runs(tmp_path)) == 1)
        [first] = runs(tmp_path)
        made.replace_all()
        until(made, lambda: not system.runs(int(first)))
        assert told(tmp_path) == 1


def test_processes_are_replaced_one_after_the_other_and_serve_until_then(tmp_path: Path) -> None:
    waiting = f"""
while len(open('runs').readlines()) > 2 and not os.path.exists('go'): time.sleep(0.01)
{DRAINING}"""
    with supervising(tmp_path, waiting, processes=2) as made:
        until(made, lambda: len(runs(tmp_path)) == 2)
        made.replace_all()
        until(made, lambda: len(runs(tmp_path)) == 3)
        for _ in range(20):
            made.watch()
            time.sleep(0.05)
        assert (len(runs(tmp_path)), told(tmp_path)) == (3, 0)
        (tmp_path / "go").touch()
        until(made, lambda: told(tmp_path) == 2)
        assert len(runs(tmp_path)) == 4
