"""Judgements of users: whether a result helped. One of each client and chunk, which may change."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from dataclasses import dataclass

from sage_ld.foundation import arguments
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.database import secret_of
from sage_ld.graph.provenance.kept_retrieval import Judgement, full, short, storable

_SHOWN = 100  # characters of an IRI in a message
_HIGHEST = 2**31  # above every rank


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback on one result, named by its chunk or by its rank."""

    helped: bool
    chunk: str | None = None
    """The IRI of the chunk."""
    rank: int | None = None
    comment: str = ""

    def __post_init__(self) -> None:
        if (self.chunk is None) == (self.rank is None):
            raise InputError("name one result, by its chunk or by its rank, not both")
        if not isinstance(self.helped, bool):
            raise InputError(
                f"helped: {str(self.helped)[:20]!r} is neither true nor false; give true or false"
            )
        arguments.text(self.comment, "comment")
        if self.chunk is not None:
            arguments.text(self.chunk, "chunk")
        if self.rank is not None:
            arguments.whole_number(self.rank, "rank")


def judge(
    connection: sqlite3.Connection,
    identifier: str,
    feedback: Feedback,
    client: str,
    base: str,
    settings: Settings,
) -> Judgement:
    """Keeps what a client says, in the current transaction, in place of what it said of that chunk before.

    Raises NotFoundError for a retrieval that is not kept, or a chunk or rank that is not among its results;
    LimitError for a comment, or a number of judgements, beyond the settings.
    """
    if (length := len(feedback.comment)) > (most := settings.max_comment_length):
        raise LimitError.of("comment", length, most, "characters", "max_comment_length")
    retrieval = _number(connection, identifier)
    chunk, rank = _result(connection, retrieval, feedback, base)
    who, now, comment = client_name(connection, client), time.time(), storable(feedback.comment)
    number = _place(connection, retrieval, chunk, who, settings)
    row = (retrieval, chunk, who, number, feedback.helped, comment, now)
    connection.execute("INSERT OR REPLACE INTO judgement VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    return Judgement(number, rank, full(chunk, base), feedback.helped, comment, now)


def not_kept(identifier: str) -> NotFoundError:
    """The error for a retrieval that is not in the log."""
    return NotFoundError(
        f"retrieval {identifier[:60]!r} is not kept; it has been removed or is too old, or the setting "
        "keep_retrievals was off"
    )


def _number(connection: sqlite3.Connection, identifier: str) -> int:
    row = connection.execute("SELECT number FROM retrieval WHERE identifier = ?", (identifier,)).fetchone()
    if row is None:
        raise not_kept(identifier)
    return int(row[0])


def _place(connection: sqlite3.Connection, retrieval: int, chunk: str, who: str, settings: Settings) -> int:
    """The number of the client's judgement of a chunk; that of a new one follows all others."""
    own = connection.execute(
        "SELECT number FROM judgement WHERE retrieval = ? AND chunk = ? AND client = ?",
        (retrieval, chunk, who),
    ).fetchone()
    if own is not None:
        return int(own[0])
    given, latest = connection.execute(
        "SELECT count(*), coalesce(max(number), 0) FROM judgement WHERE retrieval = ?", (retrieval,)
    ).fetchone()
    if given >= settings.max_feedback:
        raise LimitError.of("feedback", given + 1, settings.max_feedback, "judgements", "max_feedback")
    return int(latest) + 1


def _result(connection: sqlite3.Connection, retrieval: int, feedback: Feedback, base: str) -> tuple[str, int]:
    """The chunk that is judged, as it is kept, and its rank. Raises NotFoundError if it is no result."""
    if feedback.chunk is None:
        name, value = f"rank {str(feedback.rank)[:_SHOWN]}", min(max(feedback.rank or 0, 0), _HIGHEST)
        query = "SELECT chunk, rank FROM result WHERE retrieval = ? AND rank = ?"
        row = connection.execute(query, (retrieval, value)).fetchone()
    else:
        name, kept = f"<{feedback.chunk[:_SHOWN]}>", storable(short(feedback.chunk, base))
        query = "SELECT chunk, rank FROM result WHERE retrieval = ? AND chunk = ?"
        row = connection.execute(query, (retrieval, kept)).fetchone()
    if row is None:
        raise NotFoundError(f"{name} is not among the kept results of this retrieval; give one that is")
    return str(row[0]), int(row[1])


def client_name(connection: sqlite3.Connection, client: str) -> str:
    """A name under which the client is known in this log alone, and which says nothing of it."""
    key = secret_of(connection)
    return hashlib.blake2b(storable(client).encode(), key=key, digest_size=12).hexdigest()
