"""Kept retrievals as rows of the database: written in batches, read as objects."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from sage_ld.foundation.question import Answer
from sage_ld.graph.provenance.kept_retrieval import Judgement, KeptResult, KeptRetrieval, parameters_of

_COLUMNS: Final = "number, identifier, time, seconds, question, revision, parameters"
_MANY: Final = 500
"""Retrievals whose results are read by one statement."""


@dataclass(frozen=True, slots=True)
class PendingRetrieval:
    """An answer that is to be kept; its `identifier` is the IRI that it is kept under."""

    answer: Answer
    time: float
    seconds: float


def append(
    connection: sqlite3.Connection, asked: Iterable[PendingRetrieval], base: str, most_results: int
) -> None:
    """Adds retrievals in the current transaction, each with its first `most_results` results."""
    for each in asked:
        answer = each.answer
        row = (
            answer.identifier.rsplit("/", 1)[-1],
            each.time,
            each.seconds,
            storable(answer.question),
            answer.revision,
            max((_finite(result.score) for result in answer.results), default=None),
            storable(parameters_of(answer)),
        )
        number = connection.execute(
            "INSERT INTO retrieval (identifier, time, seconds, question, revision, best, parameters) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            row,
        ).lastrowid
        connection.executemany(
            "INSERT INTO result VALUES (?, ?, ?, ?, ?)",
            [
                (number, result.rank, _finite(result.score), str(result.role), short(result.view.iri, base))
                for result in answer.results[:most_results]
            ],
        )


def one(connection: sqlite3.Connection, identifier: str, base: str) -> KeptRetrieval | None:
    """The retrieval with an identifier, with its results and judgements; None if there is none."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM retrieval WHERE identifier = ?", (identifier,)
    ).fetchall()
    return next(whole(connection, rows, base), None)


def newest(
    connection: sqlite3.Connection, base: str, limit: int, before: int | None = None
) -> Iterator[KeptRetrieval]:
    """The retrievals, the last one first, each with its results and judgements.

    `before` is the number of a retrieval: only earlier ones.
    """
    left = limit
    while left > 0:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM retrieval WHERE ? IS NULL OR number < ? ORDER BY number DESC LIMIT ?",
            (before, before, min(left, _MANY)),
        ).fetchall()
        if not rows:
            return
        yield from whole(connection, rows, base)
        left, before = left - len(rows), rows[-1][0]


def total(connection: sqlite3.Connection) -> int:
    """The number of retrievals that are kept."""
    (count,) = connection.execute("SELECT count(*) FROM retrieval").fetchone()
    return int(count)


def whole(connection: sqlite3.Connection, rows: Sequence[Any], base: str) -> Iterator[KeptRetrieval]:
    """The retrievals of some rows, with their results and judgements."""
    numbers = [row[0] for row in rows]
    among = f"IN ({','.join('?' * len(numbers))})"
    results: dict[int, list[KeptResult]] = {number: [] for number in numbers}
    for number, rank, score, role, chunk in connection.execute(
        f"SELECT retrieval, rank, score, role, chunk FROM result WHERE retrieval {among} "
        "ORDER BY retrieval, rank",
        numbers,
    ):
        results[number].append(KeptResult(rank, score, role, full(chunk, base)))
    judgements: dict[int, list[Judgement]] = {number: [] for number in numbers}
    for retrieval, number, rank, chunk, helped, comment, time in connection.execute(
        "SELECT judgement.retrieval, number, rank, chunk, helped, comment, time "
        "FROM judgement JOIN result USING (retrieval, chunk) "
        f"WHERE judgement.retrieval {among} ORDER BY judgement.retrieval, number",
        numbers,
    ):
        judgements[retrieval].append(Judgement(number, rank, full(chunk, base), bool(helped), comment, time))
    for number, identifier, time, seconds, question, revision, parameters in rows:
        yield KeptRetrieval(
            f"{base}retrieval/{identifier}",
            number,
            time,
            seconds,
            question,
            revision,
            json.loads(parameters),
            tuple(results[number]),
            tuple(judgements[number]),
        )


def short(iri: str, base: str) -> str:
    """An IRI as it is kept: below the base without it, so that it follows when the graph is rebased.

    >>> short("http://localhost:8000/id/chunk/1", "http://localhost:8000/id/"), short("urn:x", "http://x/")
    ('chunk/1', 'urn:x')
    """
    return iri.removeprefix(base)


def full(kept: str, base: str) -> str:
    """The IRI that is kept so.

    >>> full("chunk/1", "http://localhost:8000/id/")
    'http://localhost:8000/id/chunk/1'
    """
    return kept if ":" in kept else base + kept


def _finite(score: float) -> float:
    """A score as SQLite, JSON and xsd:double take it; anything but a number counts as 0."""
    return float(score) if isfinite(score) else 0.0


def storable(text: str) -> str:
    """`text` without halves of characters, which a program may pass and UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode("utf-8")
