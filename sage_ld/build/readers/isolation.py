"""Reading in another process, which takes one file after another and is replaced when one spoils it.

A file that takes too long or too much memory, or makes its reader crash, is an error of that file. Where the
system has no such processes (Windows), files are read in this one.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, Protocol

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.build.readers.files import read_documents
from sage_ld.build.readers.source import LeftOut, Source
from sage_ld.build.readers.wire import decode
from sage_ld.foundation.errors import InputError, LimitError, ResultLimitError, SageError, UnavailableError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from sage_ld.foundation.processes.worker_process import WorkerProcess

_START: Final = 60.0  # seconds for a process to come up, however busy the machine is
_PATIENCE: Final = 1.0  # seconds for one that has closed its end to say why


class FileReader(Protocol):
    """Reads files, one after the other."""

    def read(self, source: Source) -> tuple[Document | LeftOut, ...]:
        """The documents of a file, and the files in it that give none. Raises SageError."""

    def close(self) -> None:
        """Ends what reads them."""


def file_reader(settings: Settings) -> FileReader:
    """A reader of files that is as safe as the platform allows."""
    return IsolatedReader(settings) if os.name == "posix" else DirectReader(settings)


class DirectReader:
    """Reads files in this process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def read(self, source: Source) -> tuple[Document | LeftOut, ...]:
        """The documents of a file. Raises SageError."""
        with suppress(MemoryError):
            return fetching(lambda: tuple(read_documents(source, self._settings)), self._settings)
        raise InputError(f"{source.identifier}: needs more memory than is available; split it")

    def close(self) -> None:
        """Nothing is left to end."""


class IsolatedReader:
    """Reads files in a process, which comes up while the caller does other things."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._worker: WorkerProcess | None = None
        self._used = False
        with suppress(OSError):  # it is tried again for each file
            self._start()

    def read(self, source: Source) -> tuple[Document | LeftOut, ...]:
        """The documents of a file. Raises SageError, also where the file ends the process."""
        return fetching(lambda: self._read_once(source), self._settings)

    def close(self) -> None:
        """Ends the process."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _read_once(self, source: Source) -> tuple[Document | LeftOut, ...]:
        if self._worker is not None and self._used:
            with suppress(_EndedError):  # what the files before have left in memory may be to blame
                return self._read(self._worker, source)
        try:
            return self._read(self._ready(source), source)
        except _EndedError as error:
            raise InputError(f"{source.identifier}: {error}") from None

    def _start(self) -> WorkerProcess:
        from sage_ld.foundation.processes.worker_process import WorkerProcess

        memory = str(self._settings.reader_memory)
        self._worker = WorkerProcess(
            "sage_ld.build.readers.reader_process", [memory], {"OPENBLAS_NUM_THREADS": "1"}
        )
        self._used = False
        return self._worker

    def _ready(self, source: Source) -> WorkerProcess:
        """The process, once it has taken the settings."""
        from sage_ld.foundation.processes.messages import ConnectionClosed

        try:
            worker = self._worker or self._start()
            worker.call({"settings": asdict(self._settings)}, None, _START).close()
        except (OSError, ConnectionClosed) as error:
            self.close()
            raise UnavailableError(
                f"{source.identifier}: the process that reads it does not start ({error}); try again"
            ) from None
        self._used = True
        return worker

    def _read(self, worker: WorkerProcess, source: Source) -> tuple[Document | LeftOut, ...]:
        from sage_ld.foundation.processes.messages import ConnectionClosed
        from sage_ld.foundation.processes.worker_process import status_name

        (seconds, _), memory = time_limit(self._settings), self._settings.reader_memory
        documents = _Documents(memory)
        try:
            worker.call_into(documents, reading_job(source), None, seconds)
            return documents.whole()
        except TimeoutError:
            self.close()
            raise stopped(source.identifier, self._settings) from None
        except ResultLimitError:
            self.close()
            raise _EndedError(
                f"needs more than {memory:,} bytes of memory; split it or raise the setting reader_memory"
            ) from None
        except (ConnectionClosed, ConnectionError):
            self._worker = None
            ended = status_name(worker.status(_PATIENCE))
            worker.kill()
            raise _EndedError(
                f"ended the process that read it ({ended}): it is damaged, nests too deeply or needs "
                "more than the setting reader_memory; leave it out or split it"
            ) from None
        except SageError:
            raise
        except BaseException:  # also _EndedError: the rest of the answer is still on its way
            self.close()
            raise


class _EndedError(Exception):
    """The way in which a file ended the process that read it, or made it useless."""


class _Documents:
    """A sink for the lines of an answer, which become documents as they arrive.

    Raises _EndedError where they are more than `limit` bytes, or no documents.
    """

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit
        self._parts: list[bytes] = []
        self._documents: list[Document | LeftOut] = []

    def write(self, data: bytes, /) -> None:
        """Takes a piece of the answer."""
        self._left -= len(data)
        if self._left < 0:
            raise _EndedError(
                f"expands to more than {self._limit:,} bytes; split it or raise the setting reader_memory"
            )
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._parts.append(line)
            self._documents.append(_decoded(b"".join(self._parts)))
            self._parts = []
        self._parts.append(rest)

    def whole(self) -> tuple[Document | LeftOut, ...]:
        """The documents of the answer, which has ended."""
        return tuple(self._documents)


def _decoded(line: bytes) -> Document | LeftOut:
    try:
        return decode(line)
    except (ValueError, TypeError, LookupError, RecursionError, SyntaxError) as error:
        raise _EndedError(
            f"made its reader send something other than documents ({type(error).__name__})"
        ) from None


def time_limit(settings: Settings) -> tuple[float, str]:
    """The seconds that reading a file may take, and the setting that says so."""
    if settings.ocr:
        return settings.ocr_timeout, "ocr_timeout"
    return settings.reader_timeout, "reader_timeout"


def stopped(name: str, settings: Settings) -> LimitError:
    """The error of a file whose reading was stopped at the time limit."""
    seconds, setting = time_limit(settings)
    return LimitError(
        f"{name}: stopped after {seconds:g} s of reading; split it or raise the setting {setting}"
    )


def reading_job(source: Source) -> dict[str, Any]:
    """The job of reading a file, for the process that reads."""
    folders = {"root": source.root, "beside_root": source.beside_root}
    stated = {name: None if folder is None else str(folder) for name, folder in folders.items()}
    return {"path": str(source.path), "identifier": source.identifier, **stated}
