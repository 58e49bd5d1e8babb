"""Analytics of kept retrievals: what is asked, what is found, what is not, and how long it takes.

All figures are of a window of time. Each takes one pass over the retrievals in it, whose number has a limit.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from math import ceil
from typing import Final

from sage_ld.graph.provenance.kept_retrieval import full

PERCENTILES: Final = (50, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class PopularChunk:
    """A chunk that was a result."""

    chunk: str
    """Its IRI."""
    count: int
    """The number of answers that had it."""
    mean_rank: float
    helped: int
    """The number of clients that said that it helped."""
    not_helped: int


@dataclass(frozen=True, slots=True)
class FrequentQuestion:
    """A question as often as it was asked; case and spaces make no difference."""

    question: str
    """As it was asked last."""
    count: int
    best: float | None
    """The mean score of the best result; None if there never was a result."""
    last: float
    """The time at which it was last asked, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The judgements of clients on a chunk as a result for a question."""

    question: str
    """As it was asked last."""
    chunk: str
    """Its IRI."""
    helped: int
    """The number of judgements that it helped."""
    not_helped: int


@dataclass(frozen=True, slots=True)
class Analytics:
    """The analytics of the kept retrievals in a window of time."""

    since: float
    """The begin of the window, in seconds since 1970."""
    retrievals: int
    judgements: int
    helped: int
    """The number of judgements that the result helped."""
    popular_chunks: tuple[PopularChunk, ...]
    """The most frequent first."""
    frequent_questions: tuple[FrequentQuestion, ...]
    poor_questions: tuple[FrequentQuestion, ...]
    """Questions whose best result never reached the threshold, or that had none; the most frequent first."""
    latency: dict[int, float]
    """Percentile to seconds; empty without a retrieval."""


def analyse(
    connection: sqlite3.Connection, base: str, since: float, limit: int, poor_below: float
) -> Analytics:
    """The figures of the retrievals since a moment; `limit` is the length of each list."""
    connection.create_function("folded", 1, _folded, deterministic=True)
    (count,) = connection.execute("SELECT count(*) FROM retrieval WHERE time >= ?", (since,)).fetchone()
    judged, helped = connection.execute(
        "SELECT count(*), coalesce(sum(helped), 0) FROM judgement JOIN retrieval "
        "ON judgement.retrieval = retrieval.number WHERE retrieval.time >= ?",
        (since,),
    ).fetchone()
    return Analytics(
        since,
        count,
        judged,
        helped,
        _chunks(connection, base, since, limit),
        _questions(connection, since, limit, None),
        _questions(connection, since, limit, poor_below),
        _latency(connection, since, count),
    )


def votes(connection: sqlite3.Connection, base: str) -> tuple[Votes, ...]:
    """The judgements of all kept retrievals, by question and chunk, in the order of the alphabet."""
    connection.create_function("folded", 1, _folded, deterministic=True)
    rows = connection.execute(
        "WITH asked AS (SELECT folded(question) AS folded, question, max(time) FROM retrieval "
        "  WHERE number IN (SELECT retrieval FROM judgement) GROUP BY folded(question)) "
        "SELECT asked.question, chunk, sum(helped), sum(1 - helped) FROM judgement "
        "JOIN retrieval ON judgement.retrieval = retrieval.number "
        "JOIN asked ON asked.folded = folded(retrieval.question) "
        "GROUP BY asked.folded, chunk ORDER BY asked.folded, chunk"
    )
    return tuple(Votes(question, full(chunk, base), yes, no) for question, chunk, yes, no in rows)


def _folded(question: str) -> str:
    return " ".join(question.split()).casefold()


def _chunks(connection: sqlite3.Connection, base: str, since: float, limit: int) -> tuple[PopularChunk, ...]:
    rows = connection.execute(
        "WITH judged AS (SELECT chunk, sum(helped) AS yes, sum(1 - helped) AS no FROM judgement "
        "  JOIN retrieval ON judgement.retrieval = retrieval.number WHERE retrieval.time >= :since "
        "  GROUP BY chunk) "
        "SELECT result.chunk, count(*) AS n, avg(rank) AS mean, coalesce(yes, 0), coalesce(no, 0) "
        "FROM result JOIN retrieval ON result.retrieval = retrieval.number "
        "LEFT JOIN judged ON judged.chunk = result.chunk WHERE retrieval.time >= :since "
        "GROUP BY result.chunk ORDER BY n DESC, mean, result.chunk LIMIT :limit",
        {"since": since, "limit": limit},
    )
    return tuple(PopularChunk(full(chunk, base), *rest) for chunk, *rest in rows)


def _questions(
    connection: sqlite3.Connection, since: float, limit: int, poor_below: float | None
) -> tuple[FrequentQuestion, ...]:
    rows = connection.execute(  # the question is that of the row with the one max()
        "SELECT question, count(*) AS n, avg(best), max(time) AS last FROM retrieval WHERE time >= :since "
        "GROUP BY folded(question) "
        "HAVING :below IS NULL OR coalesce(sum(best >= :below), 0) = 0 "
        "ORDER BY n DESC, last DESC LIMIT :limit",
        {"since": since, "limit": limit, "below": poor_below},
    )
    return tuple(FrequentQuestion(*row) for row in rows)


def _latency(connection: sqlite3.Connection, since: float, count: int) -> dict[int, float]:
    """By the nearest rank: the least time that a percentage of the answers did not exceed."""
    if not count:
        return {}
    places = {percentile: ceil(count * percentile / 100) - 1 for percentile in PERCENTILES}
    rows = connection.execute("SELECT seconds FROM retrieval WHERE time >= ? ORDER BY seconds", (since,))
    times = [seconds for (seconds,) in rows]
    return {percentile: times[min(place, len(times) - 1)] for percentile, place in places.items() if times}
