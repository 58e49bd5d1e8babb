"""Worker processes of one kind that have no job: how they start, are taken, come back and are replaced."""

from __future__ import annotations

import logging
import threading
from collections import deque
from dataclasses import dataclass
from subprocess import SubprocessError
from typing import Final

from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.processes.priorities import Priority
from sage_ld.foundation.processes.worker_process import WorkerProcess

_NO_PROCESS: Final = (OSError, MemoryError, SubprocessError)
_log = logging.getLogger("sage_ld.service")


@dataclass(frozen=True, slots=True)
class WorkerKind:
    """The program that the workers of a pool run, and its limits."""

    module: str
    arguments: tuple[str, ...]
    memory_setting: str
    """The setting that bounds the memory of one."""
    memory: int = 0
    """Bytes beyond which one at work is killed, files that it maps not counted; 0: no such limit."""
    lazy: bool = False
    """Whether a worker is started only when it is first needed."""
    gives_way: bool = False
    """Whether a worker has a lower priority while it starts, and for a job that does not end at once."""
    ordinary_seconds: float = 0.0
    """Seconds of processor time that a job has at the ordinary priority even so."""
    time_setting: str = "sparql_timeout"
    """The setting that bounds the time of a job."""
    nests: bool = False
    """Whether a job may be nested so deep that it overflows the stack of its worker."""
    max_untrusted: int = 0
    """Bytes of an answer of a worker that runs programs of strangers and so does one job; 0: it does not."""
    repeatable: bool = False
    """Whether a job can be done a second time without harm, so that it is where its worker was killed."""


class IdleWorkers:
    """The workers of a pool that have no job. The caller that takes one returns it, or has it replaced."""

    def __init__(self, kind: WorkerKind, size: int) -> None:
        self._kind = kind
        self._guard = threading.Lock()
        self._workers: deque[WorkerProcess | None] = deque()
        """The warmest last; None is one to be started by its first job."""
        self._closed = False
        for _ in range(size):
            if kind.lazy:
                self._keep(None, warm=True)
            else:
                self._add()

    def started(self) -> list[WorkerProcess]:
        """The workers that have a process."""
        return [each for each in tuple(self._workers) if each is not None]

    def take(self, folder: str | None) -> WorkerProcess:
        """A worker for a job about a folder: one that has it open, if there is one, and else the warmest.

        Raises UnavailableError where none can be started.
        """
        worker = self._chosen(folder)
        if worker is not None and worker.usable and worker.speed_up():
            return worker
        if worker is not None:
            worker.kill()
        try:
            return self._start()
        except BaseException as error:
            self._keep(None, warm=True)
            if isinstance(error, _NO_PROCESS):
                _log.warning("no worker can be started (%s)", str(error))
                raise UnavailableError("no worker can be started; try again later") from None
            raise

    def give_back(self, worker: WorkerProcess) -> None:
        """Takes a worker back, whatever state it is in."""
        if worker.usable and not worker.is_ready():
            self._keep_starting(worker)
        elif worker.usable and worker.speed_up():
            self._keep(worker, warm=True)
        else:
            worker.kill()
            if self._kind.lazy and not self._kind.max_untrusted:
                self._keep(None, warm=True)  # the next job starts another
            else:
                self._add()

    def replace(self, worker: WorkerProcess) -> WorkerProcess | None:
        """Ends a worker and starts its successor; None where that is left to the next job."""
        worker.kill()
        return self._add()

    def close(self) -> None:
        """Ends all workers: those at work, when they are given back."""
        with self._guard:
            self._closed = True
            workers = self.started()
            self._workers.clear()
        for worker in workers:
            worker.kill()

    def _chosen(self, folder: str | None) -> WorkerProcess | None:
        """The first that is ready of those whose last job was about the folder, then of the others."""
        with self._guard:
            if self._closed:
                raise UnavailableError("the service is shutting down; try again later")
            by_choice = sorted(reversed(self.started()), key=lambda each: each.folder != folder)
            ready = (each for each in by_choice if each.usable and each.is_ready())
            chosen = next(ready, None) or (self._workers[-1] if self._workers else None)
            if self._workers:
                self._workers.remove(chosen)
            return chosen

    def _keep(self, worker: WorkerProcess | None, *, warm: bool) -> None:
        """Keeps a worker without a job; a warm one is the first to be taken."""
        with self._guard:
            if not self._closed:
                (self._workers.append if warm else self._workers.appendleft)(worker)
                return
        if worker is not None:
            worker.kill()

    def _start(self) -> WorkerProcess:
        kind = self._kind
        return WorkerProcess(kind.module, kind.arguments, max_untrusted=kind.max_untrusted)

    def _add(self) -> WorkerProcess | None:
        """Starts a worker, or leaves that to the next job where the system starts no process now."""
        worker = None
        try:
            worker = self._start()
        except _NO_PROCESS as error:
            _log.warning("no worker can be started (%s); the next job tries again", str(error))
        finally:
            if worker is None:
                self._keep(None, warm=False)
            else:
                self._keep_starting(worker)
        return worker

    def _keep_starting(self, worker: WorkerProcess) -> None:
        """Lets a worker start without a job, as the last one to be taken.

        It gives way to others: a flood of jobs that end their workers is not to slow down the rest by what it
        takes to start new ones.
        """
        if self._kind.gives_way:
            worker.slow_down(Priority.LOW)
        self._keep(worker, warm=False)
