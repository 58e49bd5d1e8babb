"""SQL over the tables of a graph, run in killable worker processes."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from types import TracebackType
from typing import IO, Any, Final

from sage_ld.deadline import Check, unchecked
from sage_ld.errors import InputError, LimitError
from sage_ld.extras import TABLES, load
from sage_ld.graph import Snapshot
from sage_ld.settings import Settings
from sage_ld.tables.contents import CHUNK_COLUMN, TableContent, read
from sage_ld.tables.stored_tables import Catalogue, StoredTable, catalogue
from sage_ld.workers.idle_workers import WorkerKind
from sage_ld.workers.pool import Observer, Pool, Unobserved
from sage_ld.workers.task import Gone
from sage_ld.workers.worker_process import IN_MEMORY

WORKER: Final = "sage_ld.tables.query_process"
_LISTED: Final = "`sage-ld tables`, /v1/tables and the tool list_tables list all"
_WORD: Final = re.compile(r"\w+")
_MOST_NAMED: Final = 8  # names of tables in a message
_NO_TABLE: Final = re.compile(r"Catalog Error: Table with name (.{1,200}?) does not exist!")


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The answer to an SQL statement."""

    sql: str
    columns: tuple[tuple[str, str], ...]
    """Name and type (DuckDB's) of each, without `_chunk`."""
    rows: tuple[tuple[Any, ...], ...]
    """Values as JSON has them: dates, times and numbers that are none as text."""
    chunks: tuple[tuple[str, ...], ...]
    """Of each row, the IRIs in its column `_chunk`; empty where the statement does not select it."""
    complete: bool
    """Whether no row was left out."""
    tables: tuple[StoredTable, ...]
    """The tables of the graph that the statement names."""


class TableWorkers:
    """A pool of processes that run SQL over a graph's tables; none is started before the first statement.

    Use it as a context manager, or close it.
    """

    def __init__(self, settings: Settings, observer: Observer | None = None) -> None:
        self._settings = settings
        kind = WorkerKind(
            WORKER,
            (str(settings.table_worker_memory),),
            "table_worker_memory",
            lazy=True,
            gives_way=True,
            time_setting="table_timeout",
            nests=True,
            repeatable=True,
        )
        self._pool = Pool(
            kind,
            settings.table_workers,
            settings.table_queue,
            observer or Unobserved(),
            max_wait=settings.queue_timeout,
        )

    def run(
        self,
        snapshot: Snapshot,
        sql: str,
        *,
        max_rows: int | None = None,
        seconds: float | None = None,
        reading: Callable[[], AbstractContextManager[Check]] = lambda: nullcontext(unchecked),
        gone: Gone | None = None,
        client: Hashable | None = None,
    ) -> TableAnswer:
        """The answer to one SELECT statement over the tables of a revision that it names.

        It has `max_rows` rows at most and takes `seconds`, as far as the settings max_table_rows and
        table_timeout allow. Tables are read inside of `reading`, which gives a check of its time. Raises
        InputError for what is no such statement, LimitError for too many cells or a long text,
        TimeLimitError, ResultLimitError, BusyError, and UnavailableError without DuckDB.
        """
        load("duckdb", TABLES)
        settings = self._settings
        _check_length(sql, settings.max_query_bytes)
        tables = named_tables(catalogue(snapshot), sql)
        with reading() as check:
            contents = _read_all(snapshot, tables, settings.max_table_cells, check)
        most = settings.max_table_rows
        job = {
            "sql": sql,
            "tables": [_described(each) for each in contents],
            "max_rows": most if max_rows is None else min(max_rows, most),
            "max_bytes": settings.max_table_bytes,
        }
        longest = settings.table_timeout
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
            _write(contents, body)
            del contents
            time = longest if seconds is None else min(seconds, longest)
            try:
                with self._pool.run(job, time, body, gone, client=client) as answer:
                    return _answer(sql, json.load(answer), tables)
            except InputError as error:
                raise _with_tables(error, catalogue(snapshot)) from None

    def close(self) -> None:
        """Ends the processes."""
        self._pool.close()

    def __enter__(self) -> TableWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def named_tables(tables: Catalogue, sql: str) -> tuple[StoredTable, ...]:
    """The tables whose names are words of an SQL text, sorted by name.

    The text is not parsed here: only the worker does that. A table whose name is also that of a column may be
    one too many.
    """
    words = {word.casefold() for word in _WORD.findall(sql)}
    return tuple(tables[name] for name in sorted(words & tables.keys()))


def _with_tables(error: InputError, known: Iterable[str]) -> InputError:
    """An error, or in place of one about a table that is not there, one that says which there are."""
    if (found := _NO_TABLE.search(str(error))) is None:
        return error
    names = sorted(known)
    likely = get_close_matches(found[1].casefold(), names, 3) or names[:_MOST_NAMED]
    shown = f"; of {len(names):,} there are {', '.join(likely)}" if likely else ": no document has one"
    return InputError(f"the SQL statement: a table {found[1]} does not exist{shown}; {_LISTED}")


def _check_length(sql: str, most: int) -> None:
    if len(sql) > most or (size := len(sql.encode("utf-8", "replace"))) > most:
        size = max(len(sql), most + 1) if len(sql) > most else size
        raise LimitError.of("the SQL text", size, most, "bytes", "max_query_bytes")


def _read_all(
    snapshot: Snapshot, tables: Iterable[StoredTable], most: int, check: Check
) -> list[TableContent]:
    """The contents of some tables, which have `most` cells together."""
    contents, left = [], most
    for table in tables:
        contents.append(read(snapshot, table, left, check))
        left -= len(contents[-1].columns) * len(contents[-1].chunks)
    return contents


def _described(content: TableContent) -> dict[str, Any]:
    columns = [[column.name, column.type] for column in content.columns]
    return {"name": content.table.name, "columns": [*columns, [CHUNK_COLUMN, "VARCHAR"]]}


def _write(contents: Iterable[TableContent], body: IO[bytes]) -> None:
    """A line of JSON for each column."""
    for content in contents:
        for values in (*content.values, content.chunks):
            body.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
    body.seek(0)


def _answer(sql: str, said: dict[str, Any], tables: tuple[StoredTable, ...]) -> TableAnswer:
    names = [name for name, _ in said["columns"]]
    hidden = names.index(CHUNK_COLUMN) if CHUNK_COLUMN in names else None
    rows = said["rows"]
    return TableAnswer(
        sql,
        tuple((name, kind) for at, (name, kind) in enumerate(said["columns"]) if at != hidden),
        tuple(tuple(value for at, value in enumerate(row) if at != hidden) for row in rows),
        tuple(() if hidden is None else _iris(row[hidden]) for row in rows),
        said["complete"],
        tables,
    )


def _iris(value: Any) -> tuple[str, ...]:
    """What a row has in the column `_chunk`: an IRI, or a list of them."""
    found: Sequence[Any] = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(each for each in found if isinstance(each, str)))
