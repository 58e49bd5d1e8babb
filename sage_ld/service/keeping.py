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
from dataclasses import dataclass, field, replace
from typing import Final

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Answer
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.graph.provenance.database import open_for_appending
from sage_ld.graph.provenance.kept_retrieval import PendingRetrieval
from sage_ld.graph.provenance.retrieval_log import is_too_large, prune
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
    """Keeps the share of the answers that the settings say; safe for several threads.

    Its thread also deletes what is not to be kept any longer, from a log of former times too.
    """

    def __init__(self, log: RetrievalLog) -> None:
        self._log = log
        self._share = _share(log)
        self.is_keeping = self._share > 0
        """Whether any answer may be kept."""
        self._waiting: queue.Queue[PendingRetrieval | _Request] = queue.Queue(_WAITING)
        self._writer = _Writer(log)
        self._thread = threading.Thread(target=self._run, name="keeping", daemon=True)
        if self.is_keeping or log.file.exists():
            self._thread.start()

    def kept(self, answer: Answer, seconds: float) -> Answer:
        """The answer, with the IRI under which it is kept; as it is where it is not.

        `seconds` is how long the answer took.
        """
        if random.random() >= self._share:
            return answer
        named = replace(answer, identifier=self._log.new_iri())
        try:
            self._waiting.put_nowait(PendingRetrieval(named, time.time(), seconds))
        except queue.Full:
            self._writer.lost(1, "too many wait to be written")
            return answer
        return named

    def flush(self, patience: float = _FLUSH) -> None:
        """Waits until what has been kept by now is written, or until its time is over."""
        self._ask(_Request(), patience)

    def close(self) -> None:
        """Writes what waits, and ends the thread."""
        self._ask(_Request(ends=True), _FLUSH)

    def _ask(self, request: _Request, patience: float) -> None:
        if self._thread.is_alive():
            with suppress(queue.Full):
                self._waiting.put(request, timeout=patience)
                request.done.wait(patience)

    def _run(self) -> None:
        self._writer.prune()
        ends = False
        while not ends:
            batch, requests = self._next()
            if batch:
                self._writer.write(batch)
            self._writer.prune_now_and_then()
            ends = any(each.ends for each in requests)
            if ends:
                self._writer.close()
            for each in requests:
                each.done.set()

    def _next(self) -> tuple[list[PendingRetrieval], list[_Request]]:
        """The waiting retrievals, at most `_BATCH`; none if none came for some time."""
        batch: list[PendingRetrieval] = []
        requests: list[_Request] = []
        with suppress(queue.Empty):
            waiting = self._waiting.get(timeout=_PRUNED)
            while True:
                if isinstance(waiting, _Request):
                    requests.append(waiting)
                else:
                    batch.append(waiting)
                if len(batch) >= _BATCH:
                    break
                waiting = self._waiting.get_nowait()
        return batch, requests


@dataclass(slots=True)
class _Request:
    """Something asked of the thread: to say when all before it is written, and perhaps to end."""

    ends: bool = False
    done: threading.Event = field(default_factory=threading.Event)


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
        """Appends a batch; deletes the oldest retrievals at once where they take too much space."""
        try:
            connection = self._connection()
            self._log.append(connection, batch)
            metrics.KEPT.inc(len(batch))
        except Exception as error:  # the thread goes on, whatever it is
            self.close()
            self.lost(len(batch), str(error))
            return
        if self._is_too_large(connection):
            self.prune()

    def prune_now_and_then(self) -> None:
        """Deletes what is not to be kept any longer, if that was not done for some time."""
        if time.monotonic() - self._pruned > _PRUNED:
            self.prune()

    def prune(self) -> None:
        """Deletes what is not to be kept any longer."""
        self._pruned = time.monotonic()
        try:
            if self._log.file.exists():
                prune(self._connection(), self._log.settings)
        except Exception as error:  # the thread goes on, whatever it is
            self.close()
            self._complain("old retrievals are not deleted", str(error))

    def _is_too_large(self, connection: sqlite3.Connection) -> bool:
        try:
            return is_too_large(connection, self._log.settings)
        except Exception as error:  # the thread goes on, whatever it is; the batch is written
            self.close()
            self._complain("old retrievals are not deleted", str(error))
            return False

    def lost(self, count: int, why: str) -> None:
        """Counts retrievals that are not kept; once a minute the log says why."""
        metrics.LOST.inc(count)
        self._complain("retrievals are not kept", why)

    def close(self) -> None:
        """Closes the connection."""
        if self._open is not None:
            with suppress(sqlite3.Error):
                self._open.connection.close()
            self._open = None

    def _complain(self, what: str, why: str) -> None:
        if time.monotonic() - self._logged > _LOGGED:
            self._logged = time.monotonic()
            _log.error("%s (%s): %s", what, self._log.file.name, why)

    def _connection(self) -> sqlite3.Connection:
        """The connection; opened again where the file has been moved away or replaced."""
        with suppress(FileNotFoundError):
            if self._open is not None and self._open.file == self._mark():
                return self._open.connection
        self.close()
        connection = open_for_appending(self._log.file)
        self._open = _OpenLog(connection, self._mark())
        return connection

    def _mark(self) -> tuple[int, int]:
        status = os.stat(self._log.file)
        return status.st_dev, status.st_ino


def _share(log: RetrievalLog) -> float:
    """The share of the answers that is kept. Raises InputError for an unknown choice."""
    choice = log.settings.keep_retrievals
    if choice not in _CHOICES:
        raise InputError(f"setting keep_retrievals: {choice[:40]!r}; choose from {', '.join(_CHOICES)}")
    return {"off": 0.0, "sampled": log.settings.retrievals_share, "on": 1.0}[choice]
