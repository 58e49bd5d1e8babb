"""`RetrievalLog`: the kept retrievals of a graph, as `KnowledgeGraph.retrievals` returns them.

Retention says how long retrievals and calls of a model are kept, how many, and in how many bytes.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Answer
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import database, judgements, kept_retrieval, model_calls
from sage_ld.graph.provenance.analytics import Analytics, Votes, analyse, votes
from sage_ld.graph.provenance.approvals import remove_finished
from sage_ld.graph.provenance.database import shrink, size, transaction
from sage_ld.graph.provenance.judgements import Feedback
from sage_ld.graph.provenance.kept_retrieval import Judgement, KeptRetrieval, PendingRetrieval
from sage_ld.graph.provenance.model_calls import KeptModelCall
from sage_ld.graph.store.iris import Iris

if TYPE_CHECKING:
    from sage_ld.foundation.language_model import Exchange


_AT_ONCE: Final = 500
"""Rows that one transaction deletes: other processes write between two."""
_TABLES: Final = ("retrieval", "model_call")


def prune(connection: sqlite3.Connection, settings: Settings) -> int:
    """Deletes what is older than the settings allow, or beyond number and bytes; returns how many rows.

    The oldest go first, approvals beyond their part before retrievals, and the file shrinks.
    """
    gone = remove_before(connection, time.time() - settings.retrievals_days * _DAY)
    if is_too_large(connection, settings):
        with transaction(connection):
            gone += remove_finished(connection, settings)
    for table in _TABLES:
        gone += _remove_oldest(connection, table, _total(connection, table) - settings.max_retrievals)
    while (counts := [_total(connection, table) for table in _TABLES]) != [0, 0]:
        if not is_too_large(connection, settings):
            break
        for table, count in zip(_TABLES, counts, strict=True):
            gone += _remove_oldest(connection, table, -(-count // 20))
    if gone:
        shrink(connection)
    return gone


def is_too_large(connection: sqlite3.Connection, settings: Settings) -> bool:
    """Whether all that is kept takes more bytes than the settings allow; costs no look at the rows."""
    return size(connection) > settings.max_retrievals_bytes


def remove_before(connection: sqlite3.Connection, moment: float) -> int:
    """Deletes what was answered before a moment, in seconds since 1970; returns how many rows."""
    gone = 0
    for table in _TABLES:
        (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE time < ?", (moment,)).fetchone()
        gone += _remove(connection, table, "time < ? ORDER BY time", moment, count)
    return gone


def _total(connection: sqlite3.Connection, table: str) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def _remove_oldest(connection: sqlite3.Connection, table: str, count: int) -> int:
    return _remove(connection, table, "number > ? ORDER BY number", 0, count)


def _remove(connection: sqlite3.Connection, table: str, which: str, value: float, count: int) -> int:
    removed = 0
    while removed < count:
        with transaction(connection):
            gone = connection.execute(
                f"DELETE FROM {table} WHERE number IN (SELECT number FROM {table} WHERE {which} LIMIT ?)",
                (value, min(count - removed, _AT_ONCE)),
            ).rowcount
        if not gone:
            break
        removed += gone
    return removed


_DAY: Final = 86_400
_MOST: Final = 2**62
"""Above every number of a retrieval, and what SQLite takes for a number."""
_STEPS: Final = 20_000
"""Steps of SQLite between two looks at the time."""


class RetrievalLog:
    """The kept retrievals of the graph in a directory; several processes may append and read at once.

    It is no part of a revision: nothing that is written here changes the graph.

    >>> import tempfile
    >>> from sage_ld.foundation.question import Question
    >>> log = RetrievalLog(Path(tempfile.mkdtemp()), "http://localhost:8000/id/", Settings())
    >>> iri = log.keep(Answer(Question.of("Who?", channels=["link"]), "default", 3, ()))
    >>> log.get(iri).question, log.remove(iri), len(log.newest())
    ('Who?', True, 0)
    """

    def __init__(self, graph: Path, base: str, settings: Settings) -> None:
        self.file = graph / database.FILE
        self.base = base
        self.settings = settings

    # --- keeping ---

    def new_iri(self) -> str:
        """An IRI for one retrieval, which nobody can guess."""
        return Iris(self.base).retrieval(secrets.token_hex(16))

    def keep(self, answer: Answer, seconds: float = 0.0) -> str:
        """Keeps an answer, whatever the setting keep_retrievals says, and returns its IRI.

        `seconds` is how long the answer took. Raises StorageError, UnavailableError if it cannot be written,
        InputError for anything that is not an answer.
        """
        if not isinstance(answer, Answer):
            raise InputError(f"answer: a value of type {type(answer).__name__}; give what retrieve returns")
        named = answer if answer.identifier else replace(answer, identifier=self.new_iri())
        with database.writing(self.file) as connection:
            kept_retrieval.append(
                connection,
                [PendingRetrieval(named, time.time(), seconds)],
                self.base,
                self.settings.max_kept_results,
            )
        return named.identifier

    def append(self, connection: sqlite3.Connection, asked: Sequence[PendingRetrieval]) -> None:
        """Keeps a batch over an open connection. Raises what SQLite raises."""
        with database.transaction(connection):
            kept_retrieval.append(connection, asked, self.base, self.settings.max_kept_results)

    def keep_model_calls(self, task: str, exchanges: Sequence[Exchange]) -> None:
        """Keeps calls of the language model for a task, whatever the setting keep_model_calls says.

        Raises StorageError, UnavailableError if they cannot be written.
        """
        if exchanges:
            with database.writing(self.file) as connection:
                model_calls.append(connection, task, exchanges)

    def judge(
        self,
        retrieval: str,
        helped: bool,
        *,
        chunk: str | None = None,
        rank: int | None = None,
        comment: str = "",
        client: str = "",
    ) -> Judgement:
        """Keeps whether a result helped.

        The result is named by the IRI of its chunk, or by its rank. What the same client said of the same
        chunk before is replaced. Raises NotFoundError, InputError, LimitError.
        """
        feedback = Feedback(helped, chunk, rank, comment)
        identifier = self._identifier(retrieval)
        if not self.file.exists():
            raise judgements.not_kept(identifier)
        with database.writing(self.file) as connection:
            return judgements.judge(connection, identifier, feedback, client, self.base, self.settings)

    # --- reading ---

    def get(self, retrieval: str) -> KeptRetrieval:
        """The retrieval with an IRI, or its part after `retrieval/`. Raises NotFoundError."""
        if (kept := self.find(retrieval)) is None:
            raise judgements.not_kept(self._identifier(retrieval))
        return kept

    def find(self, retrieval: str) -> KeptRetrieval | None:
        """The retrieval with an IRI, or its part after `retrieval/`; None if it is not kept."""
        identifier = self._identifier(retrieval)
        with database.reading(self.file) as connection:
            return None if connection is None else kept_retrieval.one(connection, identifier, self.base)

    def newest(self, limit: int = 50, before: int | None = None) -> tuple[KeptRetrieval, ...]:
        """The last `limit` retrievals, the last one first; with `before`, those with a lower number."""
        return tuple(self.iterate(limit, before))

    def count(self) -> int:
        """The number of retrievals that are kept."""
        with database.reading(self.file) as connection:
            return 0 if connection is None else kept_retrieval.total(connection)

    def iterate(self, limit: int, before: int | None = None) -> Iterator[KeptRetrieval]:
        """The same one by one, for many."""
        highest = None if before is None else min(max(before, 0), _MOST)
        with database.reading(self.file) as connection:
            if connection is not None:
                yield from kept_retrieval.newest(connection, self.base, limit, highest)

    def model_calls(self, limit: int = 50) -> tuple[KeptModelCall, ...]:
        """The last `limit` calls of the language model, the last one first."""
        with database.reading(self.file) as connection:
            if connection is None or not database.has_tools(connection):
                return ()
            return tuple(model_calls.newest(connection, self.base, min(limit, _MOST)))

    def analyse(
        self,
        days: float = 30.0,
        limit: int = 20,
        poor_below: float = 0.5,
        check: Check = unchecked,
    ) -> Analytics:
        """The analytics of the last `days`; a question is poor if no score reaches `poor_below`.

        `check` ends the work by raising an error.
        """
        if arguments.whole_number(limit, "limit") < 1:
            raise InputError(f"limit is {limit}; it must be at least 1")
        since = time.time() - days * _DAY
        with database.reading(self.file) as connection:
            if connection is None:
                return Analytics(since, 0, 0, 0, (), (), (), {})
            with _checked(connection, check) as checked:
                return analyse(checked, self.base, since, min(limit, _MOST), poor_below)

    def votes(self) -> tuple[Votes, ...]:
        """The judgements of all kept retrievals, by question and chunk."""
        with database.reading(self.file) as connection:
            return () if connection is None else votes(connection, self.base)

    def state(self) -> tuple[tuple[int, int, int], ...]:
        """A value that changes with whatever is written."""
        files = self.file, self.file.with_name(f"{self.file.name}-wal")
        return tuple(_mark(each) for each in files)

    # --- removing ---

    def remove(self, retrieval: str) -> bool:
        """Deletes one retrieval with its judgements; whether it was there."""
        identifier = self._identifier(retrieval)
        if not self.file.exists():
            return False
        delete = "DELETE FROM retrieval WHERE identifier = ?"
        with database.errors(self.file), closing(database.open_for_appending(self.file)) as connection:
            gone = connection.execute(delete, (identifier,)).rowcount
            database.forget(connection)
        return gone > 0

    def clear(self, older_than: float | None = None) -> int:
        """Deletes all that is kept, or what is older than a number of days; returns how many records.

        A record is a retrieval with its judgements, or a call of the language model.
        """
        if not self.file.exists():
            return 0
        moment = float("inf") if older_than is None else time.time() - older_than * _DAY
        with database.errors(self.file), closing(database.open_for_appending(self.file)) as connection:
            gone = remove_before(connection, moment)
            database.forget(connection)
        return gone

    def prune(self) -> int:
        """Deletes what the settings do not keep any longer, and returns how many."""
        if not self.file.exists():
            return 0
        with database.errors(self.file), closing(database.open_for_appending(self.file)) as connection:
            return prune(connection, self.settings)

    def _identifier(self, retrieval: str) -> str:
        name = arguments.text(retrieval, "retrieval").removeprefix(f"{self.base}retrieval/")
        if not name or len(name) > 100 or "/" in name or not name.isprintable():
            raise InputError(f"{retrieval[:100]!r} is not the IRI of a retrieval of this graph; give its IRI")
        return name


def _mark(file: Path) -> tuple[int, int, int]:
    try:
        status = file.stat()
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _checked(connection: sqlite3.Connection, check: Check) -> Iterator[sqlite3.Connection]:
    """The connection, whose statements end with the error that `check` raises."""
    raised: list[Exception] = []

    def look() -> int:
        try:
            check()
        except Exception as error:
            raised.append(error)
        return len(raised)

    connection.set_progress_handler(look, _STEPS)
    try:
        yield connection
    except sqlite3.OperationalError:
        if raised:
            raise raised[0] from None
        raise
    finally:
        connection.set_progress_handler(None, 0)
