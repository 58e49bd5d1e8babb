"""The records of jobs: a folder each beside the graph, with the state in a small file.

What is to be done, the body and the report may be large. They have files of their own, written once; the
first two go with the end of the job. So a look for what is to be done reads a few small files.

Only the process that works off the queue changes a record. A client that cancels a job leaves a mark.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sage_ld.foundation.errors import BusyError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.durable_files import replace_file, sync_folder

FOLDER: Final = "jobs"
_RECORD: Final = "job.json"
_WORK: Final = "work.json"
_BODY: Final = "body"
_REPORT: Final = "report.json"
_CANCEL: Final = "cancel"
_DRAFT: Final = ".tmp"
_ABANDONED: Final = 3600.0  # seconds after which nobody writes a draft any more
_IDENTIFIER: Final = re.compile("[0-9a-f]{14}-[0-9a-f]{32}")


class JobState(StrEnum):
    """The states of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """The process that did it ended, more than once or while it published; nothing of it is half there."""

    @property
    def is_final(self) -> bool:
        """Whether the job has come to its end."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job, and how far it has come."""

    identifier: str
    state: JobState = JobState.QUEUED
    created: str = ""
    ended: str = ""
    attempts: int = 0
    publishing: int | None = None
    """The revision that its process was about to publish when it was last heard of."""
    progress: dict[str, Any] = field(default_factory=dict)
    problem: dict[str, Any] | None = None


class JobRecords:
    """The records of a graph's jobs."""

    def __init__(self, graph: Path, settings: Settings) -> None:
        self.folder = graph / FOLDER
        self._settings = settings

    def add(self, work: dict[str, Any], body: bytes) -> JobRecord:
        """A new job, which waits for its turn. Raises BusyError if as many wait as may."""
        self.folder.mkdir(exist_ok=True)
        names = self._names()  # before the states: a job that another process adds now has not ended
        waiting = self.unfinished()
        if len(waiting) >= (most := self._settings.max_waiting_jobs):
            raise BusyError(
                f"{len(waiting):,} jobs are waiting (setting max_waiting_jobs: {most:,}); try again later"
            )
        unfinished = {each.identifier for each in waiting}
        self._forget_oldest([each for each in names if each not in unfinished])
        identifier = f"{time.time_ns() // 1000:014x}-{secrets.token_hex(16)}"  # sorted, they stand in order
        record = JobRecord(identifier, created=now())
        draft = self.folder / f"{identifier}{_DRAFT}"
        draft.mkdir()
        try:
            with (draft / _BODY).open("wb") as handle:
                handle.write(body)
                handle.flush()
                os.fsync(handle.fileno())
            replace_file(draft / _WORK, json.dumps(work))
            replace_file(draft / _RECORD, json.dumps(asdict(record)))
            draft.rename(self.folder / identifier)
        except OSError:  # a full disk
            shutil.rmtree(draft, ignore_errors=True)
            raise
        sync_folder(self.folder)
        return record

    def read(self, identifier: str) -> JobRecord:
        """A job. Raises NotFoundError."""
        file = self._path(identifier) / _RECORD
        try:
            state = json.loads(file.read_text("utf-8"))
            return JobRecord(**{**state, "state": JobState(state["state"])})
        except (OSError, ValueError, TypeError, KeyError):
            raise NotFoundError(f"no job {identifier[:60]!r}; it may have been deleted") from None

    def write(self, record: JobRecord) -> None:
        """Replaces the record of a job; what was sent is deleted with its end."""
        folder = self._path(record.identifier)
        replace_file(folder / _RECORD, json.dumps(asdict(record)))
        if record.state.is_final:
            for name in (_WORK, _BODY):
                (folder / name).unlink(missing_ok=True)

    def keep_report(self, identifier: str, report: dict[str, Any]) -> None:
        """Keeps what a job has done, of each list as much as the setting max_report_entries allows."""
        shortened = _shortened(report, self._settings.max_report_entries)
        replace_file(self._path(identifier) / _REPORT, json.dumps(shortened))

    def report(self, identifier: str) -> dict[str, Any] | None:
        """The report of a job; None before it is done."""
        with suppress(OSError, ValueError):
            kept: dict[str, Any] = json.loads((self._path(identifier) / _REPORT).read_text("utf-8"))
            return kept
        return None

    def work(self, identifier: str) -> dict[str, Any]:
        """The job for the process that writes; of one that has not come to its end. Raises NotFoundError."""
        try:
            work: dict[str, Any] = json.loads((self._path(identifier) / _WORK).read_text("utf-8"))
        except (OSError, ValueError):
            raise NotFoundError(f"the job {identifier!r} has lost its task; send it again") from None
        return work

    def body(self, identifier: str) -> Path:
        """The file with the body of a job that has not come to its end."""
        return self._path(identifier) / _BODY

    def unfinished(self) -> list[JobRecord]:
        """The jobs that wait or are being done, in the order in which they came."""
        waiting = []
        for name in self._names():
            if (self.folder / name / _BODY).exists():  # which goes with the end
                with suppress(NotFoundError):  # deleted meanwhile, or damaged
                    waiting.append(self.read(name))
        return [each for each in waiting if not each.state.is_final]

    def newest(self, limit: int, before: str | None = None) -> list[JobRecord]:
        """The last jobs, the newest first; with `before`, an identifier, those that came before it."""
        names = (each for each in reversed(self._names()) if before is None or each < before)
        records: list[JobRecord] = []
        for name in names:
            if len(records) == limit:
                break
            with suppress(NotFoundError):  # deleted meanwhile, or damaged
                records.append(self.shown(name))
        return records

    def cancel(self, identifier: str) -> JobRecord:
        """Has a job end soon; deletes the record of one that has ended. Raises NotFoundError."""
        record = self.read(identifier)
        if record.state.is_final:
            shutil.rmtree(self._path(identifier), ignore_errors=True)
        else:
            (self._path(identifier) / _CANCEL).touch()
        return record

    def is_cancelled(self, identifier: str) -> bool:
        """Whether a client has cancelled a job."""
        return (self._path(identifier) / _CANCEL).exists()

    def shown(self, identifier: str) -> JobRecord:
        """A job as clients see it: one that was cancelled before its turn is so at once."""
        record = self.read(identifier)
        if record.state is JobState.QUEUED and self.is_cancelled(identifier):
            return replace(record, state=JobState.CANCELLED)
        return record

    def _path(self, identifier: str) -> Path:
        if not _IDENTIFIER.fullmatch(identifier):
            raise NotFoundError(f"no job {identifier[:60]!r}; the answer that began it names it")
        return self.folder / identifier

    def _names(self) -> list[str]:
        """The identifiers of all jobs, the oldest first."""
        names = os.listdir(self.folder) if self.folder.is_dir() else []
        return sorted(filter(_IDENTIFIER.fullmatch, names))

    def _forget_oldest(self, ended: Sequence[str]) -> None:
        """Deletes the oldest jobs that have ended, where there are more than are kept, and old drafts."""
        for each in ended[: max(0, len(ended) - self._settings.max_kept_jobs)]:
            shutil.rmtree(self._path(each), ignore_errors=True)
        for draft in self.folder.glob(f"*{_DRAFT}"):
            with suppress(OSError):
                if time.time() - draft.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(draft)


def _shortened(report: dict[str, Any], most: int) -> dict[str, Any]:
    """A report with the first entries of each list; `omitted` says of each how many more there were."""
    lists = {name: each for name, each in report.items() if isinstance(each, list) and len(each) > most}
    if not lists:
        return report
    first = {name: each[:most] for name, each in lists.items()}
    return {**report, **first, "omitted": {name: len(each) - most for name, each in lists.items()}}


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
