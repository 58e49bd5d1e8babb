"""The queue of jobs, which one of the web processes works off; another one goes on where that has ended."""

from __future__ import annotations

import io
import json
import logging
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from sage_ld.foundation.errors import (
    AbandonedError,
    NotFoundError,
    SageError,
    StorageError,
    UnavailableError,
    WorkerEndedError,
)
from sage_ld.foundation.processes.failures import of_the_system
from sage_ld.foundation.processes.pool import Pool
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.service.background import PersistentLoop
from sage_ld.service.http import problems
from sage_ld.service.jobs.records import JobRecord, JobRecords, JobState, now
from sage_ld.service.workers.announcements import is_there, outcome
from sage_ld.service.workers.reading import UploadReading

JOBS: Final = "jobs"
"""The client for whom the uploads of all jobs are read, one job after the other."""
_ATTEMPTS: Final = 2
"""How often a job is begun whose process ends: a cause from outside does not come twice."""
_PAUSE: Final = 0.5  # seconds between two looks, where another process works off the queue
_IDLE: Final = 5.0  # seconds between two looks at an empty queue, which another process may fill
_OFTEN: Final = 0.2  # seconds at least between two writes of a job's progress
_log = logging.getLogger("sage_ld.service")


class JobRunner:
    """Works off the queue in a thread, and goes on after an error with what is in it."""

    def __init__(
        self, records: JobRecords, pool: Pool, reads: Pool, directory: Directory, settings: Settings
    ) -> None:
        self.records = self._records = records
        self.streams = threading.BoundedSemaphore(settings.max_job_streams)
        """Held by each client that follows a job."""
        self._pool, self._reads = pool, reads
        self._directory = directory
        self._settings = settings
        self.loop = PersistentLoop("jobs", self._turn, _IDLE)
        self._closed = self.loop.closed

    def start(self) -> None:
        """Begins to work: first at what a process before this one has left."""
        self.loop.start()

    def wake(self) -> None:
        """Has the queue looked at now."""
        self.loop.wake()

    def close(self) -> None:
        """Ends the work: a job that is being done is begun again by the next process."""
        self._closed.set()
        self._pool.close()
        self.loop.close(patience=5)

    def _turn(self) -> None:
        """Works off the queue, or waits for the process that does."""
        while not self._closed.is_set() and self._records.unfinished():
            with (self._records.folder / "lock").open("a") as handle:
                if try_lock_exclusive(handle):
                    self._work_off()
                    continue
            self._closed.wait(_PAUSE)

    def _work_off(self) -> None:
        """Does the jobs one after the other; for the process that holds the lock of the queue."""
        while (waiting := self._records.unfinished()) and not self._closed.is_set():
            with suppress(NotFoundError):  # it was deleted meanwhile
                self._do(waiting[0])

    def _do(self, record: JobRecord) -> None:
        """Brings a job to its end, or to its next attempt."""
        if is_there(self._directory, record.publishing):
            self._fail(record, WorkerEndedError("the service ended while it did the job"))
        elif self._records.is_cancelled(record.identifier):
            self._end(record, JobState.CANCELLED)
        elif record.attempts >= _ATTEMPTS:
            self._end(record, JobState.INTERRUPTED)
        else:
            running = replace(record, state=JobState.RUNNING, attempts=record.attempts + 1, publishing=None)
            self._records.write(running)
            self._attempt(_Progress(self._records, running))

    def _attempt(self, told: _Progress) -> None:
        """Does a job, whose record `told` keeps. One that is interrupted from outside stays in the queue."""
        try:
            self._carry_out(told)
        except SageError as error:
            self._fail(told.record, error)
        except OSError as error:
            _log.error("a job met an error of the system", exc_info=error)
            self._fail(told.record, of_the_system(error))
        else:
            self._records.keep_report(told.record.identifier, told.result)
            self._end(told.record, JobState.DONE, problem=None)

    def _carry_out(self, told: _Progress) -> None:
        """Has the process that writes do a job; from when it publishes on, nobody cancels it any more."""
        name = told.record.identifier

        def gone() -> bool:
            stopped = self._closed.is_set() or self._records.is_cancelled(name)
            return stopped and told.record.publishing is None

        seconds = self._settings.job_timeout
        reading = UploadReading(self._reads, self._settings, seconds, JOBS, gone, told.progressed)
        with (
            self._records.body(name).open("rb") as sent,
            reading.done(self._records.work(name), sent) as (job, body),
        ):
            self._pool.run({**job, "tells": True}, reading.time_left(), body, gone=gone, output=told)

    def _fail(self, record: JobRecord, error: SageError) -> None:
        """Ends a job that met an error, or has it wait again where the job may be done without it.

        A job whose revision is there is not done again: its problem names that revision.
        """
        told, is_published = error, is_there(self._directory, record.publishing)
        if record.publishing is not None:
            told = type(error)(f"{error}; {outcome(self._directory, record.publishing)}")
        interrupted = isinstance(error, UnavailableError) and not isinstance(error, StorageError)
        if interrupted and is_published:
            self._end(record, JobState.INTERRUPTED, problem=_problem(told))
        elif interrupted:
            _log.warning("the job %s was interrupted: %s", record.identifier, error)
            self._records.write(replace(record, problem=_problem(told)))
        elif is_published or not isinstance(error, AbandonedError):
            self._end(record, JobState.FAILED, problem=_problem(told))
        elif self._closed.is_set():
            self._records.write(replace(record, state=JobState.QUEUED, attempts=record.attempts - 1))
        else:
            self._end(record, JobState.CANCELLED)

    def _end(self, record: JobRecord, state: JobState, **more: Any) -> None:
        self._records.write(replace(record, state=state, ended=now(), **more))


class _Progress(io.BytesIO):
    """The answer to a job, of which each line about its progress goes into its record."""

    def __init__(self, records: JobRecords, record: JobRecord) -> None:
        super().__init__()
        self.record = record
        self.result: dict[str, Any] = {}
        self._records = records
        self._rest = b""
        self._written = 0.0

    def write(self, data: Any, /) -> int:
        """Takes a piece of the answer."""
        *lines, self._rest = (self._rest + bytes(data)).split(b"\n")
        for line in lines:
            progress = json.loads(line)
            if "progress" in progress:
                self.progressed(progress["progress"])
            elif "publishing" in progress:
                self.record = replace(self.record, publishing=progress["publishing"])
                self._records.write(self.record)
            else:
                self.result = {name: value for name, value in progress.items() if name != "tag"}
        return len(data)

    def progressed(self, progress: dict[str, Any]) -> None:
        """Records how far the job has come."""
        former = self.record.progress
        self.record = replace(self.record, progress=progress)
        if progress.get("step") != former.get("step") or time.monotonic() - self._written > _OFTEN:
            self._written = time.monotonic()
            with suppress(OSError):  # the job goes on where nobody can be told
                self._records.write(self.record)


def _problem(error: SageError) -> dict[str, Any]:
    """The problem document of an error, as a request that waits would get it."""
    problem: dict[str, Any] = json.loads(problems.problem_response(error).get_data())
    return problem
