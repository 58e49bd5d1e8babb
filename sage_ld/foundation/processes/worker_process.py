"""A worker process, as the web process sees it: started, given jobs, slowed down, killed."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from sage_ld.foundation.processes import messages
from sage_ld.foundation.processes.failures import raised, raised_untrusted
from sage_ld.foundation.processes.priorities import Priority, can_be_raised, change

IN_MEMORY: Final = 1 << 20
"""Bytes of an answer beyond which it goes to a file."""
LOOK: Final = 0.1
"""Seconds between two looks at a job that goes on."""
_FIRST_LOOK: Final = 0.02  # seconds after its begin: by then a small query has ended
_LONGEST_START: Final = 120.0  # seconds
_SHORTEST_WAIT: Final = 0.001  # seconds; 0 would mean not to wait
_ENVIRONMENT: Final = {
    "MALLOC_ARENA_MAX": "2",
    "RUST_BACKTRACE": "0",  # to print one takes memory: where there is none, the process would wait for ever
}
_NEEDED: Final = ("LD_LIBRARY_PATH", "PYTHONHOME")
"""The variables without which Python or its libraries may not start."""
T = TypeVar("T")
_ROOT: Final = Path(__file__).resolve().parents[3]


class WorkerProcess:
    """One process that does one job after another."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        max_untrusted: int = 0,
    ) -> None:
        """Starts it.

        With `max_untrusted` it will run programs of strangers: it gets nothing of the environment, and what
        it answers is not trusted and its length is limited.
        """
        inherited = {name: os.environ[name] for name in _NEEDED if name in os.environ}
        self._peer, theirs = socket.socketpair()
        with theirs:
            begin = partial(
                subprocess.Popen[bytes],
                [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={
                    **(inherited if max_untrusted else os.environ),
                    **_ENVIRONMENT,
                    "PYTHONPATH": search_path(),
                    **(environment or {}),
                },
            )
            self._process = _starter(os.getpid()).submit(begin).result()
        self._nice = os.getpriority(os.PRIO_PROCESS, self._process.pid)
        self._priority = Priority.ORDINARY
        self._begin = time.monotonic()
        self._started = False
        self._leaving = False
        self._max_untrusted = max_untrusted
        self.folder: str | None = None
        """What its last job was about."""

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it may be given a job: it runs, has not said that it ends itself, and does not hang."""
        return not self._leaving and self._process.poll() is None and not self._hangs()

    def _hangs(self) -> bool:
        """Whether it has not started in all the time that a start takes on any machine."""
        return time.monotonic() - self._begin > _LONGEST_START and not self.is_ready()

    def is_ready(self, seconds: float = 0) -> bool:
        """Whether it has started, so that it can take a job, or ended; it may come to within `seconds`."""
        if self._started:
            return True
        waiting = select.poll()
        waiting.register(self._peer, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def slow_down(self, priority: Priority) -> None:
        """Has the process give way to others.

        Not where the system would refuse to take that back: it would have to be replaced after each long job.
        """
        if self._priority is not priority and can_be_raised():
            with contextlib.suppress(OSError):  # it may have ended
                change(self.pid, priority, self._nice)
                self._priority = priority

    def speed_up(self) -> bool:
        """Undoes `slow_down`; False if the system does not allow it, so another process is needed."""
        if self._priority is not Priority.ORDINARY:
            try:
                change(self.pid, Priority.ORDINARY, self._nice)
            except OSError:
                return False
            self._priority = Priority.ORDINARY
        return True

    def call(
        self,
        job: dict[str, Any],
        body: IO[bytes] | None,
        seconds: float,
        look: Callable[[], None] = lambda: None,
        output: IO[bytes] | None = None,
    ) -> IO[bytes]:
        """Does a job and gives its answer, at its beginning: `output`, or a new file.

        `seconds` is all the time it has. As long as it goes on, `look` is called from time to time; what it
        raises ends the job. Raises TimeoutError, ConnectionClosed, MalformedError and
        ConnectionError, too, after which the worker is of no use, and what the job raised.
        """
        answer = tempfile.SpooledTemporaryFile(IN_MEMORY) if output is None else output  # noqa: SIM115  # the caller closes it
        try:
            self.call_into(answer, job, body, seconds, look)
        except BaseException:
            if output is None:
                answer.close()
            raise
        answer.seek(0)
        return answer

    def call_into(
        self,
        output: messages.Sink,
        job: dict[str, Any],
        body: IO[bytes] | None,
        seconds: float,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Does a job as `call` does; the answer goes to `output` as it comes, and is whole at the end."""
        self.folder = job.get("folder")
        peer = _DeadlineSocket(self._peer, time.monotonic() + seconds, look)
        if not self._started:
            messages.receive_body(peer)
            self._started = True
        messages.send_message(peer, {**job, "seconds": seconds}, body)
        if self._max_untrusted:
            self._leaving = True  # it has run a stranger's program, and is not to see what another one sends
            if told := messages.receive_untrusted(peer, output, self._max_untrusted):
                raise raised_untrusted(told)
            return
        if end := messages.receive_body(peer, output):
            self._leaving = bool(end.get("leaving"))
            raise raised(end)

    def status(self, patience: float) -> int | None:
        """Its exit status, minus the number of a signal; None if it has not ended by itself by then."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(patience)
        return None

    def kill(self) -> None:
        """Ends the process, if it still runs."""
        self.speed_up()  # or it would not end either before nobody else wants the processor
        self._process.kill()
        self._process.wait()
        self._peer.close()


@lru_cache(maxsize=1)
def _starter(_pid: int) -> ThreadPoolExecutor:
    """The one thread of this process that starts workers: as long as it lives, the system lets them live."""
    return ThreadPoolExecutor(1, thread_name_prefix="starter")


def search_path() -> str:
    """The PYTHONPATH by which a process finds this package, wherever it lies."""
    return os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def status_name(status: int | None) -> str:
    """An exit status in words.

    >>> status_name(-9), status_name(1), status_name(None)
    ('SIGKILL', 'exit status 1', 'no exit status yet')
    """
    if status is None:
        return "no exit status yet"
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


class _DeadlineSocket:
    """A socket whose every wait ends at one deadline; raises TimeoutError there. It reads ahead.

    It calls `look` soon, and then every `LOOK` seconds, whether it waits or data flows.
    """

    def __init__(self, peer: socket.socket, deadline: float, look: Callable[[], None]) -> None:
        self._peer, self._deadline, self._look = peer, deadline, look
        self._next_look = time.monotonic() + _FIRST_LOOK
        self._ahead = b""

    def recv(self, count: int, /) -> bytes:
        if not self._ahead:
            self._ahead = self._looking(partial(self._peer.recv, max(count, messages.BLOCK)))
        taken, self._ahead = self._ahead[:count], self._ahead[count:]
        return taken

    def sendall(self, data: bytes, /) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._looking(partial(self._peer.send, rest)) :]

    def _looking(self, operation: Callable[[], T]) -> T:
        """The result of an operation on the socket, once there is one."""
        while True:
            self._peer.settimeout(self._wait())
            with contextlib.suppress(TimeoutError):
                return operation()

    def _wait(self) -> float:
        """Seconds until the deadline or the next look, which it takes where it is time for one."""
        now = time.monotonic()
        if now >= self._deadline:
            raise TimeoutError
        if now >= self._next_look:
            self._look()
            self._next_look = time.monotonic() + LOOK
            now = time.monotonic()
        return max(min(self._deadline, self._next_look) - now, _SHORTEST_WAIT)
