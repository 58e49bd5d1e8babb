"""Queries run within bounds, in worker processes that can be killed."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType
from typing import Any, Final

from sage_ld.agents.text_to_sparql.answers import RowCell
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.processes.pool import Pool, Unobserved
from sage_ld.foundation.processes.task import Gone
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store.directory import Directory
from sage_ld.service.workers.query_jobs import query_job, query_output, query_worker
from sage_ld.service.workers.text_limits import TextLimits, Token, checked_query, query_form

_NUMBERS: Final = ("integer", "decimal", "double", "float", "int", "long")


@dataclass(frozen=True, slots=True)
class RdfRows:
    """The answer to a SPARQL query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[RowCell, ...], ...]


class RdfQueries:
    """Runs SPARQL over a graph's revisions in worker processes: those of a pool, or one of its own.

    The process of its own starts with the first query. Use it as a context manager, or close it.
    """

    def __init__(self, directory: Directory, settings: Settings, pool: Pool | None = None) -> None:
        self._settings = settings
        self._is_own = pool is None
        kind = query_worker(directory, settings, lazy=True)
        self._pool = pool or Pool(kind, 1, settings.sparql_queue, Unobserved())

    def run(
        self,
        snapshot: Snapshot,
        query: str,
        most: int,
        gone: Gone | None = None,
        client: Hashable | None = None,
    ) -> RdfRows:
        """The rows of a SELECT, `most` of them at most, or of an ASK one with its truth value.

        Raises InputError for another form, a SERVICE or what does not parse, LimitError for a text beyond
        the limits, TimeLimitError, ResultLimitError, BusyError, AbandonedError.
        """
        settings = self._settings
        job = query_job(
            settings,
            snapshot.directory.revision(snapshot.number).resolve(),
            limited(query, most, settings),
            snapshot.configuration.base_iri,
            query_output(settings, "json"),
        )
        with self._pool.run(job, settings.sparql_timeout, gone=gone, client=client) as answer:
            return _rows(json.load(answer))

    def close(self) -> None:
        """Ends the process of its own."""
        if self._is_own:
            self._pool.close()

    def __enter__(self) -> RdfQueries:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def limited(query: str, most: int, settings: Settings) -> str:
    r"""A SELECT or ASK that gives at most `most` rows, whatever LIMIT it has.

    Raises InputError for another form, LimitError for a text beyond the limits of queries.

    >>> limited("SELECT * { ?s ?p ?o }", 10, Settings())
    'SELECT * { ?s ?p ?o }\nLIMIT 10'
    >>> limited("SELECT * { ?s ?p ?o } LIMIT 5 OFFSET 2", 10, Settings())
    'SELECT * { ?s ?p ?o } LIMIT 5 OFFSET 2'
    """
    limits = TextLimits(settings.max_query_bytes, settings.max_query_depth, settings.max_query_patterns)
    tokens = checked_query(query, limits)
    form = query_form(tokens)
    if form == "ASK":
        return query
    if form != "SELECT":
        raise InputError(f"the query is a {form or 'text that is not a query'}; give a SELECT or an ASK")
    limit = _limit(tokens)
    if limit is None:
        return f"{query}\nLIMIT {most}"
    if not limit.text.isdecimal() or len(limit.text) > len(str(most)) + 1 or int(limit.text) > most:
        return f"{query[: limit.begin]}{most}{query[limit.end :]}"
    return query


def _limit(tokens: list[Token]) -> Token | None:
    """The number after the LIMIT that stands outside of all brackets."""
    depth = 0
    for token, following in pairwise(tokens):
        depth += (token.text in ("{", "(")) - (token.text in ("}", ")")) if token.kind == "sign" else 0
        if depth == 0 and token.keyword == "LIMIT":
            return following
    return None


def _rows(answer: dict[str, Any]) -> RdfRows:
    if "boolean" in answer:
        return RdfRows(("answer",), ((RowCell(answer["boolean"]),),))
    columns = tuple(answer["head"]["vars"])
    rows = answer["results"]["bindings"]
    return RdfRows(columns, tuple(tuple(_cell(row.get(name)) for name in columns) for row in rows if row))


def _cell(term: dict[str, Any] | None) -> RowCell:
    if term is None:
        return RowCell(None)
    if term["type"] == "uri":
        return RowCell(term["value"], term["value"])
    if str(term.get("datatype", "")).endswith(_NUMBERS):
        return RowCell(_number(term["value"]))
    return RowCell(term["value"])


def _number(text: str) -> int | float | str:
    """A number as JSON has it; a text where it has none."""
    try:
        return int(text) if len(text) < 19 and "." not in text and "e" not in text.lower() else float(text)
    except ValueError:
        return text
