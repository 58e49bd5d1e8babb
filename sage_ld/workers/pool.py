"""Worker processes, seen from the web process: what may hang, crash or eat memory happens in one of them.

pyoxigraph cannot stop a query, and a hostile one can end its process; so a job has a deadline, at which its
process is killed and another takes its place; likewise when the client that asked has hung up. A client that
reads slowly holds no worker: an answer is taken whole, to a file where it is long, before the first byte of
it goes out.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, Protocol

from sage_ld.errors import (
    AbandonedError,
    BusyError,
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotAcceptableError,
    NotFoundError,
    PreconditionError,
    ResultLimitError,
    SageError,
    ShapeError,
    TimeLimitError,
    UnavailableError,
)
from sage_ld.workers import messages

IN_MEMORY: Final = 1 << 20
"""Bytes of an answer beyond which it goes to a file."""
Gone = Callable[[], bool]
"""Says whether nobody waits for the answer any more."""
_LOOK = 0.25  # seconds between two looks at a job that goes on
_NICE = 10  # how much a process gives way to others from the first look on
_MESSAGE = 200  # characters of a parser's message that are passed on: it may list the whole alphabet
_ROOT = Path(__file__).resolve().parents[2]


class Observer(Protocol):
    """What is told how a pool fares."""

    def waiting(self, requests: int) -> None:
        """So many requests wait for a worker now."""

    def ended(self, reason: str) -> None:
        """A worker was killed (`timeout`, `abandoned`) or died (`crash`)."""


class Worker:
    """One process that does one job after another."""

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        self._peer, theirs = socket.socketpair()
        search = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(search), "MALLOC_ARENA_MAX": "2"},
            )

        self._priority = os.getpriority(os.PRIO_PROCESS, self._process.pid)
        self._slowed = False

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def slow_down(self) -> None:
        """Has the process give way to others, while it is at work for long."""
        if not self._slowed:
            self._slowed = True
            with contextlib.suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, self._process.pid, min(self._priority + _NICE, 19))

    def speed_up(self) -> bool:
        """Takes that back; False where the system does not allow it, and another process has to be taken."""
        if self._slowed:
            try:
                os.setpriority(os.PRIO_PROCESS, self._process.pid, self._priority)
            except (PermissionError, ProcessLookupError):
                return False
            self._slowed = False
        return True

    def call(
        self,
        job: dict[str, Any],
        body: IO[bytes] | None,
        seconds: float,
        look: Callable[[], None] = lambda: None,
    ) -> IO[bytes]:
        """Does a job and gives its answer, at its beginning. `seconds` is all the time it has.

        As long as it goes on, `look` is called from time to time; what it raises ends the job. Raises
        TimeoutError and messages.Closed, too, after which the worker is of no use, and what the job raised.
        """
        peer = _Hurried(self._peer, time.monotonic() + seconds, look)
        output: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # the caller closes it
        try:
            messages.send_message(peer, {**job, "seconds": seconds}, body)
            if said := messages.receive_body(peer, output):
                raise _failure(said)
        except BaseException:
            output.close()
            raise
        output.seek(0)
        return output

    def kill(self) -> str:
        """Ends the process, if it still runs; gives the name of the signal that ended it."""
        self._process.kill()
        status = self._process.wait()
        self._peer.close()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"


class Pool:
    """A number of workers of one kind, and a queue of bounded length in front of them.

    With `lazy` a worker is started when it is first needed. With `yields` a job that takes long gives way to
    others: the system runs it when it has nothing better to do.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        size: int,
        max_waiting: int,
        observer: Observer,
        *,
        lazy: bool = False,
        yields: bool = False,
    ) -> None:
        self._module, self._arguments = module, tuple(arguments)
        self._idle: queue.LifoQueue[Worker | None] = queue.LifoQueue()  # the last is the warmest
        self._waiting = 0
        self._max_waiting = max_waiting
        self._guard = threading.Lock()
        self._observer = observer
        self._size = size
        self._yields = yields
        for _ in range(size):
            self._idle.put(None if lazy else self._start())

    def run(
        self,
        job: dict[str, Any],
        seconds: float,
        body: IO[bytes] | None = None,
        gone: Gone | None = None,
    ) -> IO[bytes]:
        """Does a job of at most `seconds` as soon as a worker is free; the caller closes the answer.

        With `gone` the job is given up soon after that turns true. Raises BusyError where the queue is full
        or no worker is free in as many seconds again, TimeLimitError and ResultLimitError where the job is
        too much, AbandonedError, and what the job raises itself.
        """
        worker = self._borrow(seconds, gone)

        def look() -> None:
            if self._yields:
                worker.slow_down()
            _check_waiting(gone)

        try:
            answer = worker.call(job, body, seconds, look)
        except AbandonedError:
            self._replace(worker, "abandoned")
            raise
        except SageError:
            self._give_back(worker)
            raise
        except TimeoutError:
            self._replace(worker, "timeout")
            raise TimeLimitError(
                f"stopped after {seconds:g} s; ask for less, or raise timeout= up to the service's limit"
            ) from None
        except (messages.Closed, ConnectionError):
            reason = self._replace(worker, "crash")
            raise ResultLimitError(
                f"the job ended its worker ({reason}): it nests too deep or needs more than the setting "
                "worker_memory; simplify it"
            ) from None
        except BaseException:
            self._replace(worker, "crash")
            raise
        self._give_back(worker)
        return answer

    def close(self) -> None:
        """Ends all workers that are not at work."""
        for _ in range(self._size):
            try:
                worker = self._idle.get_nowait()
            except queue.Empty:
                return
            if worker is not None:
                worker.kill()

    def _give_back(self, worker: Worker) -> None:
        if worker.speed_up():
            self._idle.put(worker)
        else:
            worker.kill()
            self._idle.put(None)  # the next job starts another

    def _start(self) -> Worker:
        return Worker(self._module, self._arguments)

    def _borrow(self, patience: float, gone: Gone | None) -> Worker:
        worker = self._next(patience, gone)
        if worker is not None and worker.alive:
            return worker
        try:
            return self._start()
        except OSError as error:
            self._idle.put(None)
            raise UnavailableError(f"no worker can be started ({error}); ask again later") from None

    def _next(self, patience: float, gone: Gone | None) -> Worker | None:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        deadline = time.monotonic() + patience
        with self._queued():
            while (left := deadline - time.monotonic()) > 0:
                with contextlib.suppress(queue.Empty):
                    return self._idle.get(timeout=min(left, _LOOK))
                _check_waiting(gone)
        raise BusyError(f"no worker was free in {patience:g} s; ask again later")

    @contextmanager
    def _queued(self) -> Iterator[None]:
        with self._guard:
            if self._waiting >= self._max_waiting:
                raise BusyError(f"{self._waiting} requests wait already, as many as may; ask again later")
            self._waiting += 1
            self._observer.waiting(self._waiting)
        try:
            yield
        finally:
            with self._guard:
                self._waiting -= 1
                self._observer.waiting(self._waiting)

    def _replace(self, worker: Worker, reason: str) -> str:
        """Puts a fresh worker in the place of one that is of no use; gives the signal that ended it."""
        self._observer.ended(reason)
        ended = worker.kill()
        try:
            self._idle.put(self._start())
        except OSError:
            self._idle.put(None)  # the system starts no process now: the next job tries again
        return ended


class _Hurried:
    """A socket whose every wait ends at one deadline; raises TimeoutError there. It reads ahead.

    While it waits, it calls `look` every `_LOOK` seconds.
    """

    def __init__(self, peer: socket.socket, deadline: float, look: Callable[[], None]) -> None:
        self._peer, self._deadline, self._look = peer, deadline, look
        self._ahead = b""

    def recv(self, count: int, /) -> bytes:
        if not self._ahead:
            self._ahead = self._receive(max(count, messages.BLOCK))
        taken, self._ahead = self._ahead[:count], self._ahead[count:]
        return taken

    def sendall(self, data: bytes, /) -> None:
        self._peer.settimeout(self._left())
        self._peer.sendall(data)

    def _receive(self, count: int) -> bytes:
        while True:
            self._peer.settimeout(min(self._left(), _LOOK))
            try:
                return self._peer.recv(count)
            except TimeoutError:
                self._look()

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _check_waiting(gone: Gone | None) -> None:
    """Raises AbandonedError where nobody waits for the answer any more."""
    if gone is not None and gone():
        raise AbandonedError("the client has hung up; nobody waits for the answer")


def _failure(said: dict[str, Any]) -> SageError:
    """The error that a worker says its job ended with."""
    kind, message = said["error"], " ".join(said["message"].split())
    if kind == "syntax":
        short = message if len(message) <= _MESSAGE else message[:_MESSAGE] + "…"
        return InputError(f"the text does not parse: {short}; see https://www.w3.org/TR/sparql12-query/")
    if kind == "memory":
        return ResultLimitError("the job needs more than the setting worker_memory; simplify it")
    if kind == "shapes":
        return ShapeError(message, said["report"])
    if kind == "internal":
        return SageError("an error in a worker; the service's log says more")
    return _ERRORS[kind](message)


_ERRORS: dict[str, type[SageError]] = {
    "refused": InputError,
    "limit": LimitError,
    "format": NotAcceptableError,
    "result": ResultLimitError,
    "missing": NotFoundError,
    "forbidden": ForbiddenError,
    "conflict": ConflictError,
    "precondition": PreconditionError,
    "unavailable": UnavailableError,
}
