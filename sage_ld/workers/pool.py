"""A pool of worker processes: what may hang, crash or eat memory happens in one of them.

pyoxigraph cannot stop a query, and a hostile one can end its process; so a job has a deadline, at which its
process is killed and another takes its place; likewise when the client that asked has hung up. A client that
reads slowly holds no worker: an answer is taken whole, to a file where it is long, before the first byte of
it goes out. Jobs that take long hold a part of the workers at most, so that a short one finds a free one: a
job that turns out to be long when they hold their part is stopped, and begins again when one of them ends.
One client leaves a part of everything to others (`sage_ld.workers.places`).
"""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import threading
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from subprocess import SubprocessError
from typing import IO, Any, Final, Protocol

from sage_ld.errors import (
    AbandonedError,
    BusyError,
    ResultLimitError,
    SageError,
    TimeLimitError,
    UnavailableError,
    WorkerEndedError,
)
from sage_ld.workers import messages
from sage_ld.workers.failures import of_the_system
from sage_ld.workers.places import Places
from sage_ld.workers.priorities import Priority
from sage_ld.workers.task import Effort, Gone, Task
from sage_ld.workers.usage import anonymous_memory
from sage_ld.workers.worker_process import LOOK, WorkerProcess, status_name

_NO_PROCESS: Final = (OSError, MemoryError, SubprocessError)
_log = logging.getLogger("sage_ld.service")
_OWN_FAULT: Final = frozenset({-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT})
_PATIENCE: Final = 2.0  # seconds for a process that has closed its end to be gone


class Observer(Protocol):
    """A receiver of a pool's events, for metrics."""

    def waiting(self, requests: int) -> None:
        """The number of requests that wait for a worker has changed."""

    def working(self, jobs: int) -> None:
        """The number of workers at work has changed."""

    def ended(self, reason: str) -> None:
        """A worker ended: by us (`timeout`, `memory`, `abandoned`, `long`, `storage`), killed, or crashed."""


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
    priority: Priority = Priority.ORDINARY
    """That of a job that does not end at once."""
    time_setting: str = "sparql_timeout"
    """The setting that bounds the time of a job."""
    nests: bool = False
    """Whether a job may be nested so deep that it overflows the stack of its worker."""
    repeatable: bool = False
    """Whether a job can be done a second time without harm, so that it is where its worker was killed."""


class _LongJobError(Exception):
    """A job takes long, and as many long ones as may are at work."""


class Pool:
    """A number of workers of one kind, and a queue of bounded length in front of them.

    At most `max_long` of them work on jobs that take long (`task.LONG`), the others on jobs that have not
    taken long yet; None: there is no such difference. A number is for kinds whose jobs can be repeated. A job
    waits for at most `max_wait` seconds, and for no longer than it may run.
    """

    def __init__(
        self,
        kind: WorkerKind,
        size: int,
        max_waiting: int,
        observer: Observer,
        max_long: int | None = None,
        max_wait: float = math.inf,
    ) -> None:
        self._kind = kind
        self._observer = observer
        self._max_wait = max_wait
        self._guard = threading.Lock()
        self._waiting = 0
        self._working = 0
        long = 0 if max_long is None else min(max_long, size - 1)
        self._short_jobs, self._long_jobs = Places(size - long), Places(long)
        self._queue, self._queue_of_long = Places(max_waiting), Places(max_waiting // 2)
        self._idle: deque[WorkerProcess | None] = deque()
        """Workers without a job, the warmest last; None is one to be started by its first job."""
        for _ in range(size):
            if kind.lazy:
                self._idle.append(None)
            else:
                self._add_worker()

    def run(
        self,
        job: dict[str, Any],
        seconds: float,
        body: IO[bytes] | None = None,
        gone: Gone | None = None,
        output: IO[bytes] | None = None,
        client: Hashable | None = None,
    ) -> IO[bytes]:
        """Does a job of at most `seconds` as soon as a worker is free; the caller closes the answer.

        Waiting, and what it was begun before in vain, take no more than the time that it may wait; so all of
        it ends after that and `seconds`.

        With `gone` the job is given up soon after that turns true. The answer goes to `output`, which holds
        what was answered where the job fails, too; without one, to a file of its own. `client` says with
        whose other jobs it shares.

        Raises BusyError if the queue is full or no worker becomes free in time,
        TimeLimitError and ResultLimitError if the job is too much, AbandonedError, WorkerEndedError if
        somebody else killed the worker, and what the job raises itself.
        """
        task = Task(job, seconds, min(seconds, self._max_wait), body, gone, output, client)
        try:
            with self._place(task, self._short_jobs, self._queue):
                return self._run_again_if_killed(task)
        except _LongJobError:
            task.rewind()
        with self._place(task, self._long_jobs, self._queue_of_long):
            return self._run_again_if_killed(task)

    @contextmanager
    def _place(self, task: Task, places: Places, queue: Places) -> Iterator[None]:
        """Holds a place for a task, for which it may wait; the task may come to hold one of another kind."""
        if not places.take(task.client):
            self._wait(task, places, queue)
        task.place = places
        try:
            yield
        finally:
            task.place.release(task.client)

    def _wait(self, task: Task, places: Places, queue: Places) -> None:
        """Takes a place as soon as there is one for the task. Raises BusyError, AbandonedError."""
        if not queue.take(task.client):
            kind = "long queries" if places is self._long_jobs else "requests"
            raise BusyError(
                f"no more than {queue.count} {kind} may wait, and of one client as many as it leaves free; "
                "ask again later"
            )
        self._count_waiting(1)
        try:
            while not places.take(task.client, min(LOOK, max(0, task.time_to_wait()))):
                task.check_client()
                self._check_time_to_wait(task)
        finally:
            self._count_waiting(-1)
            queue.release(task.client)

    def _run_again_if_killed(self, task: Task) -> IO[bytes]:
        """Runs a job, and once more where somebody else killed its worker."""
        try:
            return self._run_once(task)
        except WorkerEndedError:
            if not self._kind.repeatable:
                raise
        task.rewind()
        return self._run_once(task)

    def _run_once(self, task: Task) -> IO[bytes]:
        worker = self._borrow(task.job.get("folder"))
        self._count_work(1)
        try:
            self._await_start(worker, task)
            return self._run_on(worker, task)
        finally:
            self._count_work(-1)

    def _await_start(self, worker: WorkerProcess, task: Task) -> None:
        """Waits until a worker can take a job; that is a part of waiting, and harms no worker.

        So a job with little time does not end a worker that another one would find ready.
        """
        try:
            while not worker.is_ready(min(LOOK, max(0, task.time_to_wait()))):
                task.check_client()
                self._check_time_to_wait(task)
        except SageError:
            self._give_back(worker)
            raise

    def _check_time_to_wait(self, task: Task) -> None:
        if task.time_to_wait() <= 0:
            raise BusyError(f"no worker was free in {task.max_wait:g} s; ask again later")

    def _run_on(self, worker: WorkerProcess, task: Task) -> IO[bytes]:
        effort = Effort(worker.pid)

        def look() -> None:
            self._look_at(worker)
            task.check_client()
            self._check_length(task, effort)

        try:
            answer = worker.call(task.job, task.body, task.time_to_run(), look, task.output)
        except _LongJobError:
            self._replace(worker, "long")
            raise
        except (AbandonedError, MemoryError, TimeoutError) as error:
            raise self._stopped(worker, error, task.seconds) from None
        except SageError:
            self._give_back(worker)
            raise
        except (messages.Closed, ConnectionError):
            raise self._closed_early(worker, task.seconds) from None
        except OSError as error:  # here, not in the worker: the disk that takes the answer is full
            self._replace(worker, "storage")
            raise of_the_system(error) from None
        except BaseException:
            self._replace(worker, "crash")
            raise
        self._give_back(worker)
        return answer

    def _check_length(self, task: Task, effort: Effort) -> None:
        """Counts a job that takes long as such. Raises _LongJobError where there may not be another."""
        if not self._long_jobs.count or task.place is self._long_jobs or not effort.is_long():
            return
        if not self._long_jobs.take(task.client):
            raise _LongJobError
        task.place.release(task.client)
        task.place = self._long_jobs

    def _count_waiting(self, change: int) -> None:
        with self._guard:
            self._waiting += change
            self._observer.waiting(self._waiting)

    def _count_work(self, change: int) -> None:
        with self._guard:
            self._working += change
            self._observer.working(self._working)

    def _look_at(self, worker: WorkerProcess) -> None:
        """Has a worker that goes on give way to others. Raises MemoryError if it takes too much."""
        worker.slow_down(self._kind.priority)
        if self._kind.memory and anonymous_memory(worker.pid) > self._kind.memory:
            raise MemoryError

    def _stopped(self, worker: WorkerProcess, error: Exception, seconds: float) -> Exception:
        """The error of a job that is stopped from here, with its worker."""
        if isinstance(error, TimeoutError):
            self._replace(worker, "timeout")
            return self._time_limit(seconds)
        if isinstance(error, MemoryError):
            self._replace(worker, "memory")
            setting = self._kind.memory_setting
            return ResultLimitError(f"the job needs more memory than the setting {setting}; simplify it")
        self._replace(worker, "abandoned")
        return error

    def close(self) -> None:
        """Ends all workers that are not at work."""
        while self._idle:
            with contextlib.suppress(IndexError):
                if (worker := self._idle.pop()) is not None:
                    worker.kill()

    def _take_idle(self, folder: str | None) -> WorkerProcess | None:
        """The warmest worker that is ready, rather one whose last job was about that folder: it is open."""
        with self._guard:
            ready = [each for each in tuple(self._idle) if each is not None and each.is_ready()]
            chosen = next((each for each in reversed(ready) if each.folder == folder), None)
            if chosen is None and not ready:
                return self._idle.pop()
            chosen = chosen or ready[-1]
            self._idle.remove(chosen)
            return chosen

    def _give_back(self, worker: WorkerProcess) -> None:
        if worker.usable and not worker.is_ready():
            self._keep_starting(worker)
            return
        if worker.usable and worker.speed_up():
            self._idle.append(worker)
            return
        worker.kill()
        if self._kind.lazy:
            self._idle.append(None)  # the next job starts another
        else:
            self._add_worker()

    def _start(self) -> WorkerProcess:
        return WorkerProcess(self._kind.module, self._kind.arguments)

    def _borrow(self, folder: str | None) -> WorkerProcess:
        """A worker for a task that has a place (there are as many as places), about a folder."""
        worker = self._take_idle(folder)
        if worker is not None and worker.usable and worker.speed_up():
            return worker
        if worker is not None:
            worker.kill()
        try:
            return self._start()
        except BaseException as error:
            self._idle.append(None)
            if isinstance(error, _NO_PROCESS):
                _log.warning("no worker can be started (%s)", str(error))
                raise UnavailableError("no worker can be started; ask again later") from None
            raise

    def _closed_early(self, worker: WorkerProcess, seconds: float) -> SageError:
        """The error of a job whose worker ended before its answer did, as far as the exit status says why."""
        status = worker.status(_PATIENCE)
        name = status_name(status)
        if status == -signal.SIGALRM:
            self._replace(worker, "timeout")
            return self._time_limit(seconds)
        if status is None or status >= 0 or status in _OWN_FAULT:
            self._replace(worker, "crash")
            cause = "nests too deep or needs" if self._kind.nests else "may need"
            return ResultLimitError(
                f"the job ended its worker ({name}): it {cause} more memory than the setting "
                f"{self._kind.memory_setting}; simplify it"
            )
        self._replace(worker, "killed")
        return WorkerEndedError(
            f"the worker was killed from outside ({name}): by its operator, or by the system for want of "
            "memory; ask again later"
        )

    def _replace(self, worker: WorkerProcess, reason: str) -> None:
        """Puts a fresh worker in the place of one that is of no use."""
        self._observer.ended(reason)
        worker.kill()
        self._add_worker()

    def _add_worker(self) -> None:
        """Starts a worker, or leaves that to the next job where the system starts no process now."""
        try:
            worker = self._start()
        except _NO_PROCESS as error:
            _log.warning("no worker can be started (%s); the next job tries again", str(error))
            self._idle.appendleft(None)
        except BaseException:
            self._idle.appendleft(None)
            raise
        else:
            self._keep_starting(worker)

    def _keep_starting(self, worker: WorkerProcess) -> None:
        """Lets a worker start without a job, as the last one to be taken.

        It gives way to others: a flood of jobs that end their workers is not to slow down the rest by what it
        takes to start new ones.
        """
        worker.slow_down(self._kind.priority)
        self._idle.appendleft(worker)

    def _time_limit(self, seconds: float) -> TimeLimitError:
        return TimeLimitError(
            f"stopped after {seconds:g} s; ask for less, or for more time (timeout=, where the request has "
            f"it, up to the setting {self._kind.time_setting})"
        )
