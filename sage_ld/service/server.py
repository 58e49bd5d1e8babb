"""The supervisor of `sage-ld serve`: it starts, watches and replaces the web processes.

The HTTP server is granian, one in each web process. Its own supervisor ends the whole service when a process
dies twice within seconds; this one replaces any process, however it ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from sage_ld.errors import InputError, SageError
from sage_ld.service.http import logs, metrics_folder
from sage_ld.service.http.metrics_folder import FOLDER
from sage_ld.settings import Settings
from sage_ld.store.directory import Directory
from sage_ld.workers.usage import anonymous_memory

BACKLOG: Final = 2048
"""Connections that wait for a web process to take them."""
CANNOT_SERVE: Final = 3
"""The exit status of a web process that found nothing it could serve; it has said why in the log."""
_LOOK: Final = 0.1  # seconds between two looks at the processes
_PAUSES: Final = (0.0, 0.0, 0.1, 0.5, 2.0)  # seconds before a process is started after so many short lives
_SHORT_LIFE: Final = 5.0  # seconds
_SECONDS_TO_DRAIN: Final = 5.0
_ROOT: Final = Path(__file__).resolve().parents[2]


def serve(graph: str | Path, host: str = "127.0.0.1", port: int = 8000, *, processes: int = 1) -> None:
    """Serves the graph in the directory `graph` until SIGTERM or SIGINT, and finishes what is under way.

    Raises NotFoundError, InputError, ConflictError where it cannot be served.
    """
    directory = Directory(Path(graph).resolve())
    settings = Settings.load(dict(directory.configuration().settings))
    _check(settings, port, processes)
    logs.configure(settings.log_format)
    with _listening(host, port) as listening, metrics_folder.made() as folder:
        environment = {**os.environ, FOLDER: str(folder), "PYTHONPATH": _search_path()}
        command = [
            sys.executable,
            "-P",
            "-m",
            "sage_ld.service.web_process",
            str(directory.path),
            host,
            str(listening.fileno()),
        ]
        Supervisor(command, environment, settings, processes, listening).run()


@dataclass(slots=True)
class _Slot:
    """A place of a web process, whichever process has it now."""

    process: subprocess.Popen[bytes]
    begun: float
    ended: float | None = None
    """When the process was found to have ended, until another one is there."""
    short_lives: int = 0
    retired: bool = False
    """Whether it was told to end, since it takes too much memory or is to be replaced."""


class Supervisor:
    """Keeps a number of web processes running."""

    def __init__(
        self,
        command: list[str],
        environment: dict[str, str],
        settings: Settings,
        processes: int,
        listening: socket.socket,
    ) -> None:
        self._command, self._environment = command, environment
        self._listening = listening
        self._settings = settings
        self._stopping = self._replacing = False
        self._slots = [self._started() for _ in range(processes)]

    def run(self) -> None:
        """Runs until a signal says to stop. Raises SageError where the graph cannot be served at all."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._stop)
        signal.signal(signal.SIGHUP, self._replace_all)
        try:
            while not self._stopping:
                self.watch()
                if self._replacing:
                    self._replacing = False
                    for slot in self._slots:
                        self._retire(slot, "SIGHUP")
                time.sleep(_LOOK)
        finally:
            self.end()

    def watch(self) -> None:
        """Replaces each process that has ended. Raises SageError where the graph cannot be served at all."""
        for slot in self._slots:
            self._look_after(slot)

    def _started(self) -> _Slot:
        return _Slot(self._start(), time.monotonic())

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            env=self._environment,
            pass_fds=[self._listening.fileno()],
        )

    def _look_after(self, slot: _Slot) -> None:
        """Replaces a process that has ended, and ends one that takes too much memory."""
        if slot.ended is not None:
            if time.monotonic() - slot.ended >= _PAUSES[min(slot.short_lives, len(_PAUSES) - 1)]:
                self._replace(slot)
            return
        status = slot.process.poll()
        if status is None:
            most = self._settings.web_memory
            if most and not slot.retired and (size := anonymous_memory(slot.process.pid)) > most:
                self._retire(slot, f"{size:,} bytes of memory, the limit is {most:,} (setting web_memory)")
            return
        lived = time.monotonic() - slot.begun
        if status == CANNOT_SERVE and slot.short_lives == 0 and lived < _SHORT_LIFE * 4:
            raise SageError("a web process cannot serve the graph; the log above says why")
        if not slot.retired:
            logs.SERVICE.error("web process %d ended (%d); another takes its place", slot.process.pid, status)
        metrics_folder.forget(slot.process.pid, self._environment[FOLDER])
        _close_input(slot.process)
        slot.short_lives = slot.short_lives + 1 if lived < _SHORT_LIFE else 1
        slot.ended = time.monotonic()

    def _replace(self, slot: _Slot) -> None:
        with contextlib.suppress(OSError):  # the system starts no process now: the next look tries again
            slot.process, slot.begun, slot.retired, slot.ended = self._start(), time.monotonic(), False, None

    def _retire(self, slot: _Slot, reason: str) -> None:
        logs.SERVICE.warning("web process %d is to be replaced: %s", slot.process.pid, reason)
        slot.retired = True
        slot.process.terminate()

    def end(self) -> None:
        """Tells all processes to finish what is under way, and ends those that take too long."""
        self._listening.close()
        for slot in self._slots:
            slot.process.terminate()
        longest = max(self._settings.sparql_timeout, self._settings.update_timeout)
        deadline = time.monotonic() + longest + _SECONDS_TO_DRAIN
        for slot in self._slots:
            try:
                slot.process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                slot.process.kill()
                slot.process.wait()
            _close_input(slot.process)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _replace_all(self, _number: int, _frame: FrameType | None) -> None:
        self._replacing = True


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        process.stdin.close()


def _search_path() -> str:
    """The PYTHONPATH by which a process finds this package, wherever it lies."""
    return os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def _check(settings: Settings, port: int, processes: int) -> None:
    busy = settings.sparql_workers + settings.sparql_queue + settings.write_queue + 1
    if settings.web_threads <= busy:
        raise InputError(
            f"setting web_threads: {settings.web_threads} is not above {busy}, the requests that may run or "
            "wait (sparql_workers, sparql_queue, write_queue); raise it"
        )
    if processes < 1:
        raise InputError(f"{processes} web processes; give at least 1")
    if not 0 < port < 65536:
        raise InputError(f"port {port} is out of range (1–65535)")


def _listening(host: str, port: int) -> socket.socket:
    """The socket on which all web processes take connections: one that waits there outlives any of them.

    Raises InputError for a host that is not an address, or an address that is taken.
    """
    if not host or any(sign in host for sign in " /@#?"):
        raise InputError(f"host {host!r} is not a name or address; give one such as 127.0.0.1 or 0.0.0.0")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        raise InputError(
            f"{host} port {port} cannot be listened on ({error.strerror}); choose another one, or stop the "
            "program that has it"
        ) from None
    return listening
