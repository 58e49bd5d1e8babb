"""The supervisor of the web processes: it starts, watches and replaces them.

The HTTP server is granian, one in each web process. Its own supervisor ends the whole service when a process
dies twice within seconds; this one replaces any process, however it ended.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.processes.usage import anonymous_memory
from sage_ld.foundation.settings import Settings
from sage_ld.service.http import logs, metrics_folder
from sage_ld.service.http.metrics_folder import FOLDER

CANNOT_SERVE: Final = 3
"""The exit status of a web process that found nothing it could serve; it has said why in the log."""
READY: Final = b"+"
"""The byte that a web process writes to its standard input, a socket, when it begins to take connections."""
_LOOK: Final = 0.1  # seconds between two looks at the processes
_PAUSES: Final = (0.0, 0.0, 0.1, 0.5, 2.0)  # seconds before a process is started after so many short lives
_SHORT_LIFE: Final = 5.0  # seconds
_FIRST_ATTEMPTS: Final = 5  # processes in a row that end before the first one of the service is ready
_SECONDS_TO_END: Final = 5.0


def seconds_to_drain(settings: Settings) -> float:
    """The time in which a web process that is to end has to finish the requests under way."""
    return settings.queue_timeout + max(
        settings.sparql_timeout, settings.update_timeout, settings.retrieve_timeout, settings.write_timeout
    )


@dataclass(slots=True)
class _WebProcess:
    """A web process, with the supervisor's end of the socket that is its standard input."""

    process: subprocess.Popen[bytes]
    link: socket.socket
    """Ends with the supervisor, by which the process knows to end as well."""
    begun: float = field(default_factory=time.monotonic)
    ready: bool = False
    deadline: float | None = None
    """When it is killed; None unless it was told to finish what is under way."""

    def look(self) -> int | None:
        """Its exit status; None while it runs. Notes whether it serves."""
        if not self.ready:
            with contextlib.suppress(OSError):
                self.ready = self.link.recv(1) == READY
        return self.process.poll()

    def drain(self, seconds: float) -> None:
        """Tells it to finish what is under way."""
        self.deadline = time.monotonic() + seconds
        self.process.terminate()

    def close(self, folder: str) -> None:
        """Lets go of what a process that has ended leaves behind."""
        metrics_folder.forget(self.process.pid, folder)
        self.link.close()


@dataclass(slots=True)
class _Slot:
    """A place of a web process, whichever process has it now."""

    current: _WebProcess
    ended: float | None = None
    """When the process was found to have ended, until another one is there."""
    short_lives: int = 0
    predecessor: _WebProcess | None = None
    """Serves until `current` is ready, and then finishes what is under way."""

    @property
    def changing(self) -> bool:
        """Whether the predecessor still has to serve."""
        return self.predecessor is not None and self.predecessor.deadline is None


class Supervisor:
    """Keeps a number of web processes running."""

    def __init__(
        self,
        command: list[str],
        environment: dict[str, str],
        settings: Settings,
        processes: int,
        listening: socket.socket,
        made: Callable[[], object],
    ) -> None:
        """`made` returns another value once the processes no longer fit the graph, and are to be replaced."""
        self._command, self._environment = command, environment
        self._made, self._fits = made, made()
        self._listening = listening
        self._settings = settings
        self._seconds = seconds_to_drain(settings) + _SECONDS_TO_END
        self._stopping = self._replacing = self._served = False
        self._slots = [_Slot(self._start()) for _ in range(processes)]
        self._to_replace: list[_Slot] = []

    def run(self) -> None:
        """Runs until a signal says to stop. Raises SageError if the graph cannot be served at all."""
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._stop)
        signal.signal(signal.SIGHUP, self._replace_all)
        try:
            while not self._stopping:
                self.watch()
                self._replacing = self._replacing or self._has_moved()
                if self._replacing:
                    self._replacing = False
                    self.replace_all()
                time.sleep(_LOOK)
        finally:
            self.end()

    def _has_moved(self) -> bool:
        """Whether the graph has another base IRI or encoder than at the last look."""
        with contextlib.suppress(SageError):  # damaged, for which the web processes have an answer
            made, self._fits = self._fits, self._made()
            return made != self._fits
        return False

    def replace_all(self) -> None:
        """Has all processes replaced, one slot after the other."""
        self._to_replace = list(self._slots)

    def watch(self) -> None:
        """Replaces each process that has ended or is to be replaced.

        Raises SageError if the graph cannot be served at all.
        """
        for slot in self._slots:
            self._look_after_predecessor(slot)
            self._look_after(slot)
        if self._to_replace and self._retire(self._to_replace[0], "SIGHUP, or a new base IRI or encoder"):
            self._to_replace.pop(0)

    def _start(self) -> _WebProcess:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                process = subprocess.Popen(
                    self._command,
                    stdin=theirs.fileno(),
                    env=self._environment,
                    pass_fds=[self._listening.fileno()],
                )
        except OSError:
            ours.close()
            raise
        ours.setblocking(False)
        return _WebProcess(process, ours)

    def _look_after(self, slot: _Slot) -> None:
        """Replaces a process that has ended, or that takes too much memory."""
        if slot.ended is not None:
            if time.monotonic() - slot.ended >= _PAUSES[min(slot.short_lives, len(_PAUSES) - 1)]:
                self._replace(slot)
            return
        status = slot.current.look()
        self._served = self._served or slot.current.ready
        if status is not None:
            self._bury(slot, status)
            return
        most = self._settings.web_memory
        if most and (size := anonymous_memory(slot.current.process.pid)) > most:
            self._retire(slot, f"{size:,} bytes of memory, the limit is {most:,} (setting web_memory)")

    def _look_after_predecessor(self, slot: _Slot) -> None:
        """Ends it once its successor serves, and forgets it once it has ended."""
        old = slot.predecessor
        if old is None:
            return
        if old.look() is not None:
            old.close(self._environment[FOLDER])
            slot.predecessor = None
        elif old.deadline is None:
            if slot.ended is None and slot.current.ready:
                old.drain(self._seconds)
        elif time.monotonic() > old.deadline:
            logs.SERVICE.warning("web process %d is killed: its requests take too long", old.process.pid)
            old.process.kill()

    def _bury(self, slot: _Slot, status: int) -> None:
        """Notes that the process of a slot has ended. Raises SageError if another would do no better."""
        ended = slot.current
        lived = time.monotonic() - ended.begun
        slot.short_lives = slot.short_lives + 1 if lived < _SHORT_LIFE or not ended.ready else 1
        slot.ended = time.monotonic()
        ended.close(self._environment[FOLDER])
        if not self._served and status == CANNOT_SERVE:
            raise SageError("a web process cannot serve the graph; the log above says why")
        if not self._served and slot.short_lives >= _FIRST_ATTEMPTS:
            raise SageError(
                f"{slot.short_lives} web processes ended before one could serve (the last with {status}); "
                "the log above may say why"
            )
        logs.SERVICE.error("web process %d ended (%d); another takes its place", ended.process.pid, status)

    def _replace(self, slot: _Slot) -> None:
        with contextlib.suppress(OSError):  # the system starts no process now: the next look tries again
            slot.current, slot.ended = self._start(), None

    def _retire(self, slot: _Slot, reason: str) -> bool:
        """Starts a successor beside the process of a slot, unless some slot is being changed already.

        A slot has two processes at most: while the one before still finishes its requests, nothing is done.
        """
        if slot.ended is not None or slot.predecessor is not None or any(e.changing for e in self._slots):
            return False
        try:
            successor = self._start()
        except OSError:  # as in `_replace`
            return False
        logs.SERVICE.warning("web process %d is being replaced: %s", slot.current.process.pid, reason)
        slot.predecessor, slot.current = slot.current, successor
        return True

    def end(self) -> None:
        """Tells all processes to finish what is under way, and ends those that take too long."""
        self._listening.close()
        left = [slot.current for slot in self._slots]
        left += [slot.predecessor for slot in self._slots if slot.predecessor is not None]
        for each in left:
            each.process.terminate()
        deadline = time.monotonic() + self._seconds
        for each in left:
            try:
                each.process.wait(max(deadline - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                each.process.kill()
                each.process.wait()
            each.link.close()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _replace_all(self, _number: int, _frame: FrameType | None) -> None:
        self._replacing = True
