"""Calls of the language model as rows of the database of retrievals: what was asked, answered and used."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sage_ld.graph.provenance.kept_retrieval import storable

if TYPE_CHECKING:
    from sage_ld.foundation.language_model import Exchange

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS model_call (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    identifier TEXT NOT NULL UNIQUE,
    time REAL NOT NULL,
    seconds REAL NOT NULL,
    task TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt TEXT NOT NULL,
    answer TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    cached INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS model_call_time ON model_call (time)"""


@dataclass(frozen=True, slots=True)
class KeptModelCall:
    """A call of the language model as the log has it."""

    iri: str
    time: float
    """The time of the answer, in seconds since 1970."""
    seconds: float
    """The duration of the answer."""
    task: str
    """The name of what it was asked for: `answer`, `reasoning`."""
    model: str
    prompt: str
    """The messages, as a list in JSON."""
    answer: str
    tokens: int
    """Of prompt and answer; 0 for an answer from the cache."""
    cached: bool


def append(connection: sqlite3.Connection, task: str, exchanges: Iterable[Exchange]) -> None:
    """Adds calls in the current transaction."""
    connection.executemany(
        "INSERT INTO model_call (identifier, time, seconds, task, model, prompt, answer, tokens, cached) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                secrets.token_hex(16),
                each.begin + each.seconds,
                each.seconds,
                task,
                each.model,
                storable(json.dumps(list(each.messages), ensure_ascii=False)),
                storable(each.answer),
                each.tokens,
                each.cached,
            )
            for each in exchanges
        ],
    )


def newest(connection: sqlite3.Connection, base: str, limit: int) -> Iterator[KeptModelCall]:
    """The last `limit` calls, the last one first."""
    for identifier, time, seconds, task, model, prompt, answer, tokens, cached in connection.execute(
        "SELECT identifier, time, seconds, task, model, prompt, answer, tokens, cached "
        "FROM model_call ORDER BY number DESC LIMIT ?",
        (limit,),
    ):
        iri = f"{base}model-call/{identifier}"
        yield KeptModelCall(iri, time, seconds, task, model, prompt, answer, tokens, bool(cached))
