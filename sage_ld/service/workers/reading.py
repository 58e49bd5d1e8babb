"""Reading what clients send, by processes for files, before the process that writes is asked.

A file that takes long keeps no writer waiting, and few other files: the pool leaves places to short ones, and
to other clients. What was read goes to the writer as lines (`sage_ld.build.readers.wire`), which this process
only passes on.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import IO, Any, Final

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.build.readers.isolation import reading_job, stopped, time_limit
from sage_ld.build.readers.source import Source
from sage_ld.build.readers.uploads import ReadUpload, Upload, read_upload, upload_source
from sage_ld.build.readers.wire import decode
from sage_ld.foundation.errors import (
    AbandonedError,
    InputError,
    LimitError,
    ResultLimitError,
    SageError,
    TimeLimitError,
    UnavailableError,
)
from sage_ld.foundation.processes.failures import failure, raised
from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.processes.pool import Observer, Pool
from sage_ld.foundation.processes.task import Gone
from sage_ld.foundation.processes.worker_process import IN_MEMORY
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.temporary_folders import temporary_folder

Job = dict[str, Any]
Told = Callable[[dict[str, Any]], None]
"""Is told how far a job has come."""
_MODULE: Final = "sage_ld.build.readers.reader_process"
_MEMORY: Final = "reader_memory"
_SHORT: Final = 0.1  # seconds of processor time that a file has at the ordinary priority


def reading_pool(settings: Settings, observer: Observer) -> Pool:
    """The processes that read what clients send; each is started by the first file that needs it."""
    kind = WorkerKind(
        _MODULE,
        (str(settings.reader_memory),),
        _MEMORY,
        lazy=True,
        gives_way=True,
        ordinary_seconds=_SHORT,
        time_setting=time_limit(settings)[1],
        nests=True,
        repeatable=True,
    )
    size, longest = settings.reader_workers, settings.long_reader_workers
    return Pool(kind, size, settings.reader_queue, observer, longest, settings.queue_timeout)


@dataclass(frozen=True, slots=True)
class UploadReading:
    """The way to read the uploads of a job: by which processes, for whom, and within which time."""

    pool: Pool
    settings: Settings
    seconds: float
    """All the time that the job has."""
    client: Hashable | None = None
    gone: Gone | None = None
    told: Told = lambda progress: None
    _begin: float = field(default_factory=time.monotonic)

    def time_left(self) -> float:
        """Seconds that the job still has. Raises TimeLimitError where there are none."""
        if (left := self._begin + self.seconds - time.monotonic()) <= 0:
            raise TimeLimitError(
                f"stopped after {self.seconds:g} s of reading; send less at once, or ask for a job (Prefer: "
                "respond-async), whose limit is the setting job_timeout"
            )
        return left

    @contextmanager
    def done(self, job: Job, body: IO[bytes] | None) -> Iterator[tuple[Job, IO[bytes] | None]]:
        """The job with what was read of its uploads, and the body that goes with it; closed at the end.

        An upload that cannot be read has its error in the job: it hinders no other. Raises UnavailableError,
        AbandonedError, and TimeLimitError where the time of the job is over.
        """
        if "uploads" not in job or body is None:
            yield job, body
            return
        parts = job["uploads"]
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as lines:
            read = []
            for number, part in enumerate(parts):
                self.told({"step": "reading", "done": number, "total": len(parts)})
                said = {name: value for name, value in part.items() if name != "size"}
                upload = Upload(body.read(part["size"]), **(said | {"metadata": _metadata(job, part)}))
                read.append({**said, **self._read(upload, lines)})
            lines.seek(0)
            yield {**job, "uploads": read}, lines

    def _read(self, upload: Upload, lines: IO[bytes]) -> Job:
        """Reads an upload to lines: how long they are, or the error."""
        begin, seconds = lines.tell(), min(time_limit(self.settings)[0], self.time_left())
        said = {"content_identifier": upload.own_identifier if upload.minted else ""}
        try:
            with temporary_folder("upload") as folder:
                source = upload_source(upload, folder, self.settings)
                fetching(lambda: self._read_once(source, seconds, lines), self.settings)
        except (UnavailableError, AbandonedError):
            raise
        except SageError as error:
            self.time_left()
            return {**said, "size": 0, "error": failure(self._told(upload, error), _MEMORY)}
        return {**said, "size": lines.tell() - begin}

    def _read_once(self, source: Source, seconds: float, lines: IO[bytes]) -> None:
        with _BoundedAnswer(self.settings.reader_memory) as answer:
            job = {**reading_job(source), "settings": asdict(self.settings)}
            self.pool.run(job, seconds, gone=self.gone, output=answer, client=self.client)
            shutil.copyfileobj(answer, lines)

    def _told(self, upload: Upload, error: SageError) -> SageError:
        """The error of an upload; one of its process says which upload has ended it."""
        name = upload.own_identifier
        if isinstance(error, TimeLimitError):
            return stopped(name, self.settings)
        if isinstance(error, ResultLimitError):
            return LimitError(f"{name}: {error}; leave it out or split it")
        return error


class _BoundedAnswer(tempfile.SpooledTemporaryFile[bytes]):
    """The lines of one upload; MemoryError where they are more than a number of bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(IN_MEMORY)
        self._left = limit

    def write(self, data: Any, /) -> int:
        """Takes a piece of the answer."""
        self._left -= len(data)
        if self._left < 0:
            raise MemoryError
        return super().write(data)


def decoded_reads(job: Job, body: bytes) -> list[ReadUpload]:
    """The uploads of a job, read, for the process that writes: their lines follow each other in the body."""
    reads, begin = [], 0
    for part in job.get("uploads", ()):
        said = {name: value for name, value in part.items() if name not in ("size", "error")}
        upload = Upload(b"", **(said | {"metadata": _metadata(job, part)}))
        lines = body[begin : begin + part["size"]]
        begin += part["size"]
        reads.append(_decoded(upload, lines) if "error" not in part else _failed(upload, part["error"]))
    return reads


def _metadata(job: Job, part: Job) -> Any:
    return job["metadata"][part["metadata"]]


def _failed(upload: Upload, error: Job) -> ReadUpload:
    return ReadUpload(upload, error=raised(error))


def _decoded(upload: Upload, lines: bytes) -> ReadUpload:
    try:
        parts = tuple(map(decode, lines.splitlines()))
    except (ValueError, TypeError, LookupError, RecursionError, SyntaxError) as error:
        name = upload.own_identifier
        told = f"{name}: made its reader send something other than documents ({type(error).__name__})"
        return ReadUpload(upload, error=InputError(f"{told}; leave it out"))
    try:
        return read_upload(upload, parts)
    except InputError as error:
        return ReadUpload(upload, error=error)
