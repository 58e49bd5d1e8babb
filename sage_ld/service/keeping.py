"""Keeping retrievals behind the answers: a thread appends them in batches, and no search waits for it.

What cannot be kept is counted and logged, and hinders no answer.
"""

from __future__ import annotations

import logging
import os
import queue
import random
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.errors import InputError, SageError
from sage_ld.model import Answer
from sage_ld.provenance import RetrievalLog
from sage_ld.provenance.database import open_for_appending
from sage_ld.provenance.retention import prune
from sage_ld.provenance.rows import PendingRetrieval
from sage_ld.service.http import metrics

_CHOICES: Final = ("off", "sampled", "on")
_WAITING: Final = 1_000
"""Most retrievals that wait to be written; a further one is lost."""
_BATCH: Final = 100
_PRUNED: Final = 600.0  # seconds between two looks at what is too old or too much
_LOGGED: Final = 60.0  # seconds between two lines of the log about what was lost
_FLUSH: Final = 2.0  # seconds for which the end of the service waits for the last batch
_log = logging.getLogger("sage_ld.service")


class Keeper:
    """Keeps the share of the answers that the settings say; safe for several threads."""

    def __init__(self, log: RetrievalLog) -> None:
        self._log = log
        self._share = _share(log)
        self._waiting: queue.Queue[PendingRetrieval | threading.Event] = queue.Queue(_WAITING)
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._writer = _Writer(log)

    @property
    def is_keeping(self) -> bool:
        """Whether any answer may be kept."""
        return self._share > 0

    def kept(self, answer: Answer, seconds: float) -> Answer:
        """The answer, with the IRI under which it is kept; as it is where it is not.

        `seconds` is how long the answer took.
        """
        if self._share <= 0 or (self._share < 1 and random.random() >= self._share):
            return answer
        named = replace(answer, identifier=self._log.new_iri())
        try:
            self._waiting.put_nowait(PendingRetrieval(named, time.time(), seconds))
        except queue.Full:
            self._writer.lost(1, "too many wait to be written")
            return answer
        self._start()
        return named

    def flush(self, patience: float = _FLUSH) -> None:
        """Waits until what has been kept by now is written, or until its time is over."""
        if self._thread is None:
            return
        written = threading.Event()
        with suppress(queue.Full):
            self._waiting.put(written, timeout=patience)
            written.wait(patience)

    def close(self) -> None:
        """Writes what waits."""
        self.flush()

    def _start(self) -> None:
        if self._thread is None:
            with self._guard:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="keeping", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            batch: list[PendingRetrieval] = []
            flushed: list[threading.Event] = []
            waiting: PendingRetrieval | threading.Event | None = self._waiting.get()
            while waiting is not None:
                if isinstance(waiting, PendingRetrieval):
                    batch.append(waiting)
                else:
                    flushed.append(waiting)
                waiting = self._next() if len(batch) < _BATCH else None
            if batch:
                self._writer.write(batch)
            for each in flushed:
                each.set()

    def _next(self) -> PendingRetrieval | threading.Event | None:
        with suppress(queue.Empty):
            return self._waiting.get_nowait()
        return None


@dataclass(slots=True)
class _OpenLog:
    """An open database, and by which file it is known whether another one lies in its place."""

    connection: sqlite3.Connection
    file: tuple[int, int]


class _Writer:
    """Appends batches over a connection that stays open; for one thread."""

    def __init__(self, log: RetrievalLog) -> None:
        self._log = log
        self._open: _OpenLog | None = None
        self._pruned = float("-inf")
        self._logged = float("-inf")

    def write(self, batch: list[PendingRetrieval]) -> None:
        """Appends a batch, and deletes now and then what is not to be kept any longer."""
        try:
            self._log.append(self._connection(), batch)
            metrics.KEPT.inc(len(batch))
            if time.monotonic() - self._pruned > _PRUNED:
                self._pruned = time.monotonic()
                prune(self._connection(), self._log.settings)
        except (sqlite3.Error, OSError, SageError, ValueError) as error:
            self._close()
            self.lost(len(batch), str(error))

    def lost(self, count: int, why: str) -> None:
        """Counts retrievals that are not kept; once a minute the log says why."""
        metrics.LOST.inc(count)
        if time.monotonic() - self._logged > _LOGGED:
            self._logged = time.monotonic()
            _log.error("retrievals are not kept (%s): %s", self._log.file.name, why)

    def _connection(self) -> sqlite3.Connection:
        """The connection; opened again where the file has been moved away or replaced."""
        with suppress(FileNotFoundError):
            if self._open is not None and self._open.file == self._mark():
                return self._open.connection
        self._close()
        connection = open_for_appending(self._log.file)
        self._open = _OpenLog(connection, self._mark())
        return connection

    def _mark(self) -> tuple[int, int]:
        status = os.stat(self._log.file)
        return status.st_dev, status.st_ino

    def _close(self) -> None:
        if self._open is not None:
            with suppress(sqlite3.Error):
                self._open.connection.close()
            self._open = None


def _share(log: RetrievalLog) -> float:
    """The share of the answers that is kept. Raises InputError for an unknown choice."""
    choice = log.settings.keep_retrievals
    if choice not in _CHOICES:
        raise InputError(f"setting keep_retrievals: {choice[:40]!r}; give one of {', '.join(_CHOICES)}")
    return {"off": 0.0, "sampled": log.settings.retrievals_share, "on": 1.0}[choice]
