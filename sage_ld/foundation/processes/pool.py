"""A pool of worker processes: what may hang, crash or eat memory happens in one of them.

pyoxigraph cannot stop a query, and a hostile one can end its process; so a job has a deadline, at which its
process is killed and another takes its place; likewise when the client that asked has disconnected. A
client that reads slowly holds no worker: an answer is taken whole, to a file where it is long, before the
first byte of
it goes out. Jobs that take long hold a part of the workers at most, so that a short one finds a free one: a
job that turns out to be long when they hold their part is stopped, and begins again when one of them ends.
One client leaves a part of everything to others (`sage_ld.foundation.processes.places`).
"""

from __future__ import annotations

import contextlib
import math
import signal
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Final, Protocol

from sage_ld.foundation.errors import (
    AbandonedError,
    BusyError,
    InputError,
    ResultLimitError,
    SageError,
    TimeLimitError,
    WorkerEndedError,
)
from sage_ld.foundation.processes import messages
from sage_ld.foundation.processes.failures import of_the_system
from sage_ld.foundation.processes.idle_workers import IdleWorkers, WorkerKind
from sage_ld.foundation.processes.places import Places
from sage_ld.foundation.processes.priorities import Priority
from sage_ld.foundation.processes.task import Effort, Gone, Task
from sage_ld.foundation.processes.usage import anonymous_memory
from sage_ld.foundation.processes.worker_process import LOOK, WorkerProcess, status_name

_OWN_FAULT: Final = frozenset({-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT})
_PATIENCE: Final = 2.0  # seconds for a process that has closed its end to be gone


class Observer(Protocol):
    """A receiver of a pool's events, for metrics."""

    def waiting(self, requests: int) -> None:
        """The number of requests that wait for a worker has changed."""

    def working(self, jobs: int) -> None:
        """The number of workers at work has changed."""

    def ended(self, reason: str) -> None:
        """A worker ended: killed or crashed, or ended by us.

        Then for `timeout`, `memory`, `abandoned`, `long`, `storage` or `malformed`.
        """


class Unobserved:
    """An observer of a pool that nobody watches."""

    def waiting(self, requests: int) -> None:
        """Nothing is told."""

    def working(self, jobs: int) -> None:
        """Nothing is told."""

    def ended(self, reason: str) -> None:
        """Nothing is told."""


class _LongJobError(Exception):
    """A job takes long, and as many long ones as may are at work."""


class Pool:
    """A number of workers of one kind, and a queue of bounded length in front of them.

    At most `max_long` of them work on jobs that take long (`task.LONG`), the others on jobs that have not
    taken long yet. With None, or as many as there are workers, the two are not told apart. Give a number only
    if jobs can be repeated. A job waits for at most `max_wait` seconds, and for no longer than it may run;
    where workers are started only when they are needed, one with little time waits for that all the same.
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
        self._working = 0
        long = max_long if max_long is not None and max_long < size else 0
        self._short_jobs, self._long_jobs = Places(size - long), Places(long)
        self._queue = Places(max_waiting)
        self._queue_of_long = Places(max_waiting // 2)
        """The part of the queue that jobs may take who wait to go on as long ones."""
        self._idle = IdleWorkers(kind, size)

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

        Waiting, and attempts that were stopped, take no more than the time that it may wait; so all of it
        ends after that and `seconds`.

        With `gone` the job is given up soon after that turns true. The answer goes to `output`, which holds
        what was answered where the job fails, too; without one, to a file of its own. `client` says with
        whose other jobs it shares.

        Raises BusyError if the queue is full or no worker becomes free in time,
        TimeLimitError and ResultLimitError if the job is too much, AbandonedError, WorkerEndedError if
        somebody else killed the worker, and what the job raises itself.
        """
        task = Task(job, seconds, self._longest_wait(seconds), body, gone, output, client)
        try:
            with self._place(task, self._short_jobs):
                return self._run_again_if_killed(task)
        except _LongJobError:
            task.rewind()
        with self._place(task, self._long_jobs):
            return self._run_again_if_killed(task)

    def _longest_wait(self, seconds: float) -> float:
        """The seconds for which a job that may run `seconds` may wait."""
        starts_first = self._kind.lazy and math.isfinite(self._max_wait)
        return self._max_wait if starts_first else min(seconds, self._max_wait)

    @contextmanager
    def _place(self, task: Task, places: Places) -> Iterator[None]:
        """Holds a place for a task, for which it may wait; the task may come to hold one of another kind.

        The place is free again when a worker is: where the task has ended its own, once another has started.
        """
        if not places.take(task.client):
            self._wait(task, places)
        task.place = places
        try:
            yield
        finally:
            _release(task.place, task.client, task.successor)
            task.successor = None

    def _wait(self, task: Task, places: Places) -> None:
        """Takes a place as soon as there is one for the task. Raises BusyError, AbandonedError."""

        def wait() -> float:
            task.check_client()
            return min(LOOK, self._time_to_wait(task))

        with contextlib.ExitStack() as stack:
            if places is self._long_jobs:
                stack.enter_context(self._queued(task, self._queue_of_long, "long queries"))
            stack.enter_context(self._queued(task, self._queue, "requests"))
            places.take(task.client, wait)

    @contextmanager
    def _queued(self, task: Task, queue: Places, kind: str) -> Iterator[None]:
        """Holds a place in a queue. Raises BusyError where there is none."""
        if not queue.take(task.client):
            raise BusyError(
                f"too many {kind} are waiting (the limit is {queue.count}, and one client has to leave room "
                "for others); try again later"
            )
        try:
            self._observe_waiting()
            yield
        finally:
            queue.release(task.client)
            self._observe_waiting()

    def _observe_waiting(self) -> None:
        with self._guard:
            self._observer.waiting(self._queue.taken)

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
        self._count_work(1)
        try:
            worker = self._idle.take(task.job.get("folder"))
            self._await_start(worker, task)
            return self._run_on(worker, task)
        finally:
            self._count_work(-1)

    def _await_start(self, worker: WorkerProcess, task: Task) -> None:
        """Waits until a worker can take a job; that is a part of waiting, and harms no worker.

        So a job with little time does not end a worker that another one would find ready.
        """
        try:
            while not worker.is_ready():
                worker.is_ready(min(LOOK, self._time_to_wait(task)))
                task.check_client()
        except BaseException:
            self._idle.give_back(worker)
            raise

    def _time_to_wait(self, task: Task) -> float:
        """Seconds for which a task may wait on. Raises BusyError where there are none."""
        if (left := task.time_to_wait()) <= 0:
            raise BusyError(f"no worker became free within {task.max_wait:g} s; try again later")
        return left

    def _run_on(self, worker: WorkerProcess, task: Task) -> IO[bytes]:
        effort = Effort(worker.pid)

        def look() -> None:
            task.check_client()
            self._check_length(task, effort)
            self._look_at(worker, task, effort)

        try:
            answer = worker.call(task.job, task.body, task.time_to_run(), look, task.output)
        except _LongJobError:
            self._replace(worker, task, "long")
            raise
        except (AbandonedError, MemoryError, TimeoutError, messages.MalformedError) as error:
            raise self._stopped(worker, error, task) from None
        except SageError:
            self._idle.give_back(worker)
            raise
        except (messages.ConnectionClosed, ConnectionError):
            raise self._closed_early(worker, task) from None
        except OSError as error:  # here, not in the worker: the disk that takes the answer is full
            self._replace(worker, task, "storage")
            raise of_the_system(error) from None
        except BaseException:
            self._replace(worker, task, "crash")
            raise
        self._idle.give_back(worker)
        return answer

    def _check_length(self, task: Task, effort: Effort) -> None:
        """Counts a job that takes long as such. Raises _LongJobError where there may not be another."""
        if not self._long_jobs.count or task.place is self._long_jobs or not effort.is_long():
            return
        if not self._long_jobs.take(task.client):
            raise _LongJobError
        task.place.release(task.client)
        task.place = self._long_jobs

    def _count_work(self, change: int) -> None:
        with self._guard:
            self._working += change
            self._observer.working(self._working)

    def _look_at(self, worker: WorkerProcess, task: Task, effort: Effort) -> None:
        """Has a worker that goes on give way to others. Raises MemoryError if it takes too much."""
        if self._kind.gives_way and effort.has_taken(self._kind.ordinary_seconds):
            worker.slow_down(Priority.IDLE if task.place is self._long_jobs else Priority.LOW)
        if self._kind.memory and anonymous_memory(worker.pid) > self._kind.memory:
            raise MemoryError

    def _stopped(self, worker: WorkerProcess, error: Exception, task: Task) -> Exception:
        """The error of a job that is stopped from here, with its worker."""
        if isinstance(error, TimeoutError):
            self._replace(worker, task, "timeout")
            return self._time_limit(task.seconds)
        if isinstance(error, MemoryError):
            self._replace(worker, task, "memory")
            setting = self._kind.memory_setting
            return ResultLimitError(f"the job needs more memory than the setting {setting}; simplify it")
        if isinstance(error, messages.MalformedError):
            self._replace(worker, task, "malformed")
            return InputError(f"the process of the job has sent something other than an answer: {error}")
        self._replace(worker, task, "abandoned")
        return error

    def close(self) -> None:
        """Ends all workers: those at work, when they have done their jobs."""
        self._idle.close()

    def _closed_early(self, worker: WorkerProcess, task: Task) -> SageError:
        """The error of a job whose worker ended before its answer did, as far as the exit status says why."""
        status = worker.status(_PATIENCE)
        name = status_name(status)
        if status == -signal.SIGALRM:
            self._replace(worker, task, "timeout")
            return self._time_limit(task.seconds)
        if status is None or status >= 0 or status in _OWN_FAULT:
            self._replace(worker, task, "crash")
            cause = "nests too deep or needs" if self._kind.nests else "may need"
            return ResultLimitError(
                f"the job ended its worker ({name}): it {cause} more memory than the setting "
                f"{self._kind.memory_setting}; simplify it"
            )
        self._replace(worker, task, "killed")
        return WorkerEndedError(
            f"the worker was killed from outside ({name}): by its operator, or by the system for want of "
            "memory; try again later"
        )

    def _replace(self, worker: WorkerProcess, task: Task, reason: str) -> None:
        """Puts a fresh worker in the place of one that is of no use."""
        self._observer.ended(reason)
        task.successor = self._idle.replace(worker)

    def _time_limit(self, seconds: float) -> TimeLimitError:
        return TimeLimitError(
            f"stopped after {seconds:g} s; ask for less, or for more time (timeout=, where the request has "
            f"it, up to the setting {self._kind.time_setting})"
        )


def _release(places: Places, client: Hashable | None, successor: WorkerProcess | None) -> None:
    """Gives back a place of a client: at once, or when the worker that its job has cost has a successor."""
    if successor is not None and _is_starting(successor):
        with contextlib.suppress(RuntimeError):  # no more threads
            arguments = (places, client, successor)
            threading.Thread(target=_release_when_ready, args=arguments, daemon=True).start()
            return
    places.release(client)


def _release_when_ready(places: Places, client: Hashable | None, successor: WorkerProcess) -> None:
    """Gives back a place once a worker has started, or ended."""
    try:
        while _is_starting(successor, LOOK):
            pass
    finally:
        places.release(client)


def _is_starting(worker: WorkerProcess, seconds: float = 0) -> bool:
    """Whether a worker has neither started nor ended, nor does within `seconds`."""
    try:
        return worker.usable and not worker.is_ready(seconds)
    except ValueError:  # it has been closed
        return False
