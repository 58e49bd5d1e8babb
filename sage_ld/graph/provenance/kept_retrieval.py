"""A kept retrieval: the question, how it was answered, which chunks were the answer; also as database rows.

Rows are written in batches, and read as objects.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final

from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Answer, Filter, Question, with_new_names
from sage_ld.foundation.recipes import named_model

_LEFT_OUT: Final = "left_out"
"""The parameter that has the digests of those that were too long to be kept, by name."""
_MOST_BYTES: Final = 16 * 2**10
"""Most bytes of the kept parameters of one retrieval."""
_SHORT: Final = 512
"""Bytes of a parameter that is kept also where all are too long together."""
_NAMES: Final = {"only": "filter"}
"""Fields of a question that are kept by another name."""
_ASKED: Final = {_NAMES.get(name, name): name for name in parameters(Question) if name != "text"}
"""The name that a field of a question is kept by -> its own."""


@dataclass(frozen=True, slots=True)
class KeptResult:
    """One result of a kept retrieval."""

    rank: int
    """Counted from 1."""
    score: float
    role: str
    """`seed` or `neighbour`."""
    chunk: str
    """The IRI of the chunk."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one client on one result: whether it helped."""

    number: int
    """Counted from 1 among the judgements of its retrieval."""
    rank: int
    chunk: str
    """The IRI of the chunk."""
    helped: bool
    comment: str
    """Empty where there is none."""
    time: float
    """The time at which it was given or last changed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class KeptRetrieval:
    """A retrieval as the log has it."""

    iri: str
    number: int
    """Its place in the log: a later retrieval has a higher number."""
    time: float
    """The time of the answer, in seconds since 1970."""
    seconds: float
    """The duration of the answer."""
    question: str
    revision: int
    """The revision of the graph that was asked."""
    parameters: Mapping[str, Any]
    """The fields of the question and `recipe` and `parameters` of the answer, by name; `left_out` has the
    digests of those that were too long."""
    results: tuple[KeptResult, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    @property
    def identifier(self) -> str:
        """The part of its IRI after `retrieval/`."""
        return self.iri.rsplit("/", 1)[-1]

    def answer(self) -> Answer:
        """The answer without its results: the question, and everything that shaped the ranking.

        What another version of sage-ld kept and this one does not know is left out.
        """
        names = {each.name for each in fields(Filter)}
        only = {name: each for name, each in self.parameters.get("filter", {}).items() if name in names}
        known = {"k": self.parameters.get("seeds"), "neighbours": self.parameters.get("neighbours")}
        known |= {_ASKED[name]: value for name, value in self.parameters.items() if name in _ASKED}
        given = with_new_names({name: value for name, value in known.items() if value not in (None, [])})
        asked = Question(self.question, **{**given, "only": Filter(**only)})
        recipe, parameters = self.parameters.get("recipe", "own"), self.parameters.get("parameters", {})
        return Answer(asked, recipe, self.revision, (), parameters, self.iri)


def parameters_of(answer: Answer) -> str:
    """The parameters that shaped the ranking of an answer, as JSON, without question and results.

    Where they are longer than 16 KiB together, a long one is left out: `left_out` names it, with the SHA-256
    of its JSON.

    >>> parameters_of(Answer(Question.of("Who?", channels=["link"]), "default", 3, ()))[:27]
    '{"recipe":"default","k":10,'
    """
    values: dict[str, Any] = {"recipe": answer.recipe}
    values |= {kept: getattr(answer.asked, name) for kept, name in _ASKED.items()}
    only = {each.name: getattr(answer.filter, each.name) for each in fields(answer.filter)}
    values["filter"] = {name: value for name, value in only.items() if value}
    values["parameters"] = dict(answer.parameters)
    if "model" in answer.parameters:
        values["parameters"]["model"] = named_model(str(answer.parameters["model"]))
    texts = {name: _json(value) for name, value in values.items()}
    if sum(map(_bytes, texts.values())) > _MOST_BYTES:
        long = {name: text for name, text in texts.items() if _bytes(text) > _SHORT}
        values = {name: value for name, value in values.items() if name not in long}
        values[_LEFT_OUT] = {name: _digest(text) for name, text in long.items()}
    return _json(values)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


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
    for number, identifier, time, seconds, question, revision, asked in rows:
        yield KeptRetrieval(
            f"{base}retrieval/{identifier}",
            number,
            time,
            seconds,
            question,
            revision,
            json.loads(asked),
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
