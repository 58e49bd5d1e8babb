"""SQL, and Python programs, over the tables of a graph, run in killable worker processes."""

from __future__ import annotations

import json
import math
import re
import tempfile
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import TracebackType
from typing import IO, Any, Final, Literal, TypeAlias

from sage_ld.agents.tables import frames
from sage_ld.agents.tables.contents import CHUNK_COLUMN, TableContent, read
from sage_ld.agents.tables.stored_tables import Catalogue, StoredTable, catalogue
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.extras import PYTHON, TABLES
from sage_ld.foundation.extras import check as check_installed
from sage_ld.foundation.processes import messages
from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.processes.pool import Observer, Pool, Unobserved
from sage_ld.foundation.processes.task import Gone
from sage_ld.foundation.processes.worker_process import IN_MEMORY
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot

_LONGEST_NAME: Final = 1_000
"""Characters of the name of a column, or of its type."""
_LARGEST: Final = 2**127


def checked_answer(content: bytes, max_rows: int) -> dict[str, Any]:
    """The answer, with `columns`, `rows`, `complete` and `printed`. Raises InputError for anything else.

    >>> checked_answer(b'{"columns": [["a", "str"]], "complete": true, "printed": "", "rows": [[1, 2]]}', 9)
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: the process of the program has sent something other than an answer
    """
    try:
        answer = json.loads(content)
        if _is_answer(answer, max_rows):
            json.dumps(answer, ensure_ascii=False).encode()  # half a surrogate pair cannot be
            return {name: answer[name] for name in ("columns", "rows", "complete", "printed")}
    except (ValueError, RecursionError):
        pass
    raise InputError("the process of the program has sent something other than an answer")


def _is_answer(answer: Any, max_rows: int) -> bool:
    if not isinstance(answer, dict):
        return False
    columns, rows = answer.get("columns"), answer.get("rows")
    return (
        isinstance(columns, list)
        and all(map(_is_column, columns))
        and isinstance(rows, list)
        and len(rows) <= max_rows
        and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
        and all(_is_value(value) for row in rows for value in row)
        and isinstance(answer.get("complete"), bool)
        and isinstance(answer.get("printed"), str)
    )


def _is_column(column: Any) -> bool:
    """Whether it is a name and a type."""
    return (
        isinstance(column, list)
        and len(column) == 2
        and all(isinstance(each, str) and len(each) <= _LONGEST_NAME for each in column)
    )


def _is_value(value: Any) -> bool:
    return all(map(_is_scalar, value)) if isinstance(value, list) else _is_scalar(value)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < _LARGEST
    return value is None or isinstance(value, str)


WORKER: Final = "sage_ld.agents.tables.query_process"
_LISTED: Final = "`sage-ld tables`, /v1/tables and the tool list_tables list all"
_MOST_NAMED: Final = 8  # names of tables in a message
_NO_TABLE: Final = re.compile(r"Catalog Error: Table with name (.{1,200}?) does not exist!")
PROGRAM_WORKER: Final = "sage_ld.agents.tables.program_process"
CodeLanguage: TypeAlias = Literal["sql", "python"]
"""The language of the code that is run: an SQL statement, or a Python program with pandas."""
_HEAD: Final = 2**16
"""Bytes that the answer of a program's process may have beyond those of the answer."""
_WORD: Final = re.compile(r"\w+")
_LIBRARIES: Final[dict[CodeLanguage, tuple[str, str]]] = {
    "sql": ("duckdb", TABLES),
    "python": ("pandas", PYTHON),
}


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """The answer to an SQL statement, or the result of a Python program."""

    code: str
    """The statement, or the program."""
    columns: tuple[tuple[str, str], ...]
    """Name and type (DuckDB's, or that of pandas) of each, without `_chunk`."""
    rows: tuple[tuple[Any, ...], ...]
    """Values as JSON: dates, times, NaN and infinities as text."""
    chunks: tuple[tuple[str, ...], ...]
    """Of each row, the IRIs in its column `_chunk`; empty where the statement does not select it."""
    complete: bool
    """Whether these are all rows."""
    tables: tuple[StoredTable, ...]
    """The tables of the graph that the statement names."""
    language: CodeLanguage = "sql"
    printed: str = ""
    """What the program has printed, up to 16,000 characters."""


class TableWorkers:
    """Processes that run SQL, and others that run Python programs, over a graph's tables.

    None is started before the first statement, or program, of its kind. Use it as a context manager, or close
    it.
    """

    def __init__(
        self,
        settings: Settings,
        observer: Observer | None = None,
        program_observer: Observer | None = None,
    ) -> None:
        self._settings = settings
        statements = WorkerKind(
            WORKER,
            (str(settings.table_worker_memory),),
            "table_worker_memory",
            lazy=True,
            gives_way=True,
            time_setting="table_timeout",
            nests=True,
            repeatable=True,
        )
        programs = replace(statements, module=PROGRAM_WORKER, max_untrusted=settings.max_table_bytes + _HEAD)
        self._pools: dict[CodeLanguage, Pool] = {
            "sql": self._pool(statements, observer),
            "python": self._pool(programs, program_observer),
        }

    def _pool(self, kind: WorkerKind, observer: Observer | None) -> Pool:
        settings = self._settings
        return Pool(
            kind,
            settings.table_workers,
            settings.table_queue,
            observer or Unobserved(),
            max_wait=settings.queue_timeout,
        )

    def run(
        self,
        snapshot: Snapshot,
        code: str,
        *,
        language: CodeLanguage = "sql",
        max_rows: int | None = None,
        seconds: float | None = None,
        reading: Callable[[], AbstractContextManager[Check]] = lambda: nullcontext(unchecked),
        gone: Gone | None = None,
        client: Hashable | None = None,
    ) -> TableAnswer:
        """The answer to one SELECT statement, or a Python program, over the tables of a revision.

        Only those that it names are read; a program finds each as a DataFrame, and sets `result`. The answer
        has `max_rows` rows at most and takes `seconds`, as far as the settings max_table_rows and
        table_timeout allow. Tables are read inside of `reading`, which gives a check of its time. Raises
        InputError for anything that is not such a statement or fails, LimitError for too many cells or a
        long text, TimeLimitError, ResultLimitError, BusyError, and UnavailableError without DuckDB, or
        without pandas or
        a kernel that locks a program in.
        """
        check_installed(*_LIBRARIES[language])
        settings = self._settings
        _check_length(code, settings.max_query_bytes)
        tables = named_tables(catalogue(snapshot), code)
        with reading() as check:
            contents = _read_all(snapshot, tables, settings.max_table_cells, check)
        most = settings.max_table_rows if max_rows is None else min(max_rows, settings.max_table_rows)
        job = {
            "code": code,
            "tables": [_described(each, language) for each in contents],
            "max_rows": most,
            "max_bytes": settings.max_table_bytes,
        }
        longest = settings.table_timeout
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as body:
            _write(contents, body)
            del contents
            time = longest if seconds is None else min(seconds, longest)
            try:
                output = _AnswerFile(2 * settings.max_table_bytes + IN_MEMORY)
                with output, self._pools[language].run(job, time, body, gone, output, client) as answer:
                    content = answer.read()
            except InputError as error:
                raise _with_tables(error, catalogue(snapshot)) from None
        content_read = _read_answer(content) if language == "sql" else checked_answer(content, most)
        return _answer(code, content_read, tables, language)

    def close(self) -> None:
        """Ends the processes."""
        for pool in self._pools.values():
            pool.close()

    def __enter__(self) -> TableWorkers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def named_tables(tables: Catalogue, code: str) -> tuple[StoredTable, ...]:
    """The tables whose names are words of a text, sorted by name.

    The text is not parsed here: only the worker does that. A table whose name is also that of a column may be
    one too many.
    """
    words = {word.casefold() for word in _WORD.findall(code)}
    return tuple(tables[name] for name in sorted(words & tables.keys()))


def _with_tables(error: InputError, known: Iterable[str]) -> InputError:
    """An error, or in place of one about a table that is not there, one that says which there are."""
    if (match := _NO_TABLE.search(str(error))) is None:
        return error
    names = sorted(known)
    likely = get_close_matches(match[1].casefold(), names, 3) or names[:_MOST_NAMED]
    shown = f"; of {len(names):,} there are {', '.join(likely)}" if likely else ": no document has one"
    return InputError(f"the SQL statement: a table {match[1]} does not exist{shown}; {_LISTED}")


def _check_length(code: str, most: int) -> None:
    if len(code) > most or (size := len(code.encode("utf-8", "replace"))) > most:
        size = max(len(code), most + 1) if len(code) > most else size
        raise LimitError.of("the text", size, most, "bytes", "max_query_bytes")


def _read_all(
    snapshot: Snapshot, tables: Iterable[StoredTable], most: int, check: Check
) -> list[TableContent]:
    """The contents of some tables, which have `most` cells together."""
    contents, left = [], most
    for table in tables:
        contents.append(read(snapshot, table, left, check))
        left -= len(contents[-1].columns) * len(contents[-1].chunks)
    return contents


def _described(content: TableContent, language: CodeLanguage) -> dict[str, Any]:
    """The name of a table, and name and type of its columns."""
    types = column_types(content, language)
    columns = [[column.name, kind] for column, kind in zip(content.columns, types, strict=True)]
    text = "VARCHAR" if language == "sql" else frames.TEXT
    return {"name": content.table.name, "columns": [*columns, [CHUNK_COLUMN, text]]}


def column_types(content: TableContent, language: CodeLanguage) -> tuple[str, ...]:
    """The types of a table's columns, as the language names them."""
    if language == "sql":
        return tuple(column.type for column in content.columns)
    pairs = zip(content.columns, content.values, strict=True)
    return tuple(frames.frame_type(column.type, values) for column, values in pairs)


def _write(contents: Iterable[TableContent], body: IO[bytes]) -> None:
    """A line of JSON for each column."""
    for content in contents:
        for values in (*content.values, content.chunks):
            body.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
    body.seek(0)


class _AnswerFile(tempfile.SpooledTemporaryFile[bytes]):
    """A file for an answer, which holds what a worker may send and no more.

    The worker keeps to its limit, unless a hostile statement has taken it over.
    """

    def __init__(self, most: int) -> None:
        super().__init__(IN_MEMORY)
        self._left = most

    def write(self, data: Any) -> int:
        """Writes bytes. Raises ConnectionClosed for more than it may send; then the worker is ended."""
        self._left -= len(data)
        if self._left < 0:
            raise messages.ConnectionClosed("the answer is longer than a worker may give")
        return super().write(data)


def _read_answer(content: bytes) -> dict[str, Any]:
    """The answer of an SQL worker. Raises UnavailableError for anything that is not an answer."""
    try:
        answer: dict[str, Any] = json.loads(content)
        width = len(answer["columns"])
        is_answer = isinstance(answer["complete"], bool) and all(
            isinstance(row, list) and len(row) == width for row in answer["rows"]
        )
        if is_answer and all(isinstance(each, str) for column in answer["columns"] for each in column):
            return answer
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise UnavailableError("the worker's answer cannot be read; try again, or ask for other columns")


def _answer(
    code: str, answer: dict[str, Any], tables: tuple[StoredTable, ...], language: CodeLanguage
) -> TableAnswer:
    names = [name for name, _ in answer["columns"]]
    hidden = names.index(CHUNK_COLUMN) if CHUNK_COLUMN in names else None
    rows = answer["rows"]
    return TableAnswer(
        code,
        tuple((name, kind) for at, (name, kind) in enumerate(answer["columns"]) if at != hidden),
        tuple(tuple(value for at, value in enumerate(row) if at != hidden) for row in rows),
        tuple(() if hidden is None else _iris(row[hidden]) for row in rows),
        answer["complete"],
        tables,
        language,
        answer.get("printed", ""),
    )


def _iris(value: Any) -> tuple[str, ...]:
    """The value of a row in the column `_chunk`: an IRI, or a list of them."""
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(each for each in values if isinstance(each, str)))
