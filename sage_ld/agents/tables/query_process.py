"""The process in which SQL runs: `python -m sage_ld.agents.tables.query_process SOCKET MEMORY`.

It reads one job after another from the socket it was started with, and answers each
(`sage_ld.foundation.processes.messages`). A job brings the tables that its statement names; they live in a
database in memory and are dropped when the job is done. DuckDB may not reach outside of it: no files, no
extensions, no Python objects, and no statement changes these settings. Below that the kernel refuses the
process every new file, process and socket, where it can (`sage_ld.foundation.processes.sandbox`). So the
database is opened before. The process may be killed at any moment.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from sage_ld.agents.tables.json_values import json_value
from sage_ld.foundation.errors import InputError, ResultLimitError, SageError
from sage_ld.foundation.processes import messages, sandbox
from sage_ld.foundation.processes.failures import failure, one_line
from sage_ld.foundation.processes.parent import connection_to_parent, deadline

if TYPE_CHECKING:
    import duckdb

Job = dict[str, Any]
_SHARE: Final = 4
"""The part of the address space that DuckDB's buffers may take, as 1/n: a query needs others beside them."""
_MESSAGE: Final = 600  # characters of an error of DuckDB's that are passed on
_ZONED: Final = "TIMESTAMP WITH TIME ZONE"  # reading it takes the time zones of a library, from files
_AT_ONCE: Final = 200  # rows
_READING: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""The nodes of DuckDB's parse tree that only read."""
_COMPUTING: Final = frozenset(
    {"range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"}
)
"""The functions in the place of a table that only compute."""
_INTERNAL: Final = ("pragma_", "duckdb_", "sqlite_")
"""The beginnings of the names of DuckDB's own views."""
_WARM: Final = (
    "SELECT 1::DECIMAL(9, 2), 1.5, DATE '2000-01-01', TIMESTAMP '2000-01-01', TIME '01:02:03', "
    "INTERVAL 1 DAY, uuid(), [1], {'a': 1}, MAP {'a': 1}, 'x'::BLOB, "
    "regexp_replace('a', 'a', 'b'), strftime(DATE '2000-01-01', '%Y'), 1::HUGEINT, '1'::BIT"
)
"""Values of each type, so that what reads them is loaded before files are shut."""


def configuration(memory: int) -> dict[str, str | bool | int | float | list[str]]:
    """The settings of DuckDB in a process with `memory` bytes of address space.

    https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
    """
    return {
        "threads": "1",
        "memory_limit": f"{memory // _SHARE // 2**20}MiB",
        "temp_directory": "",
        "max_temp_directory_size": "0B",
        "secret_directory": "",
        "allow_persistent_secrets": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "python_scan_all_frames": "false",
        "enable_external_access": "false",
        "lock_configuration": "true",
    }


def opened(memory: int) -> duckdb.DuckDBPyConnection:
    """An empty database for a process with `memory` bytes of address space."""
    import duckdb

    return duckdb.connect(":memory:", config=configuration(memory))


def run(database: duckdb.DuckDBPyConnection, job: Job, body: io.BytesIO) -> bytes:
    """The answer to `job["code"]` over the tables of the job, as JSON; the tables are dropped then.

    `body` has a line of JSON for each column of each table: its values, in order. Raises InputError for
    anything but one SELECT statement and for what DuckDB refuses, ResultLimitError.
    """
    import duckdb

    try:
        for table in job["tables"]:
            _load(database, table, body)
        with database.cursor() as connection:
            return _answered(connection, _statement(connection, job["code"]), job)
    except (duckdb.FatalException, duckdb.InternalException):
        raise  # the database is of no use any more, and the process ends with it
    except (duckdb.OutOfMemoryException, MemoryError):
        raise ResultLimitError(
            "the statement needs more memory than the setting table_worker_memory gives it; simplify it"
        ) from None
    except (duckdb.Error, RuntimeError, ValueError, TypeError, ArithmeticError) as error:  # and of Python
        raise InputError(f"the SQL statement: {_told(error)}") from None
    finally:
        for table in job["tables"]:
            database.execute(f"DROP TABLE IF EXISTS {_quoted(table['name'])}")


def _told(error: Exception) -> str:
    message = one_line(str(error))
    return message if len(message) <= _MESSAGE else message[:_MESSAGE] + "…"


def _load(database: duckdb.DuckDBPyConnection, table: dict[str, Any], body: io.BytesIO) -> None:
    """Makes a table. Its columns are a list of name and type; each takes a line of the body."""
    columns = table["columns"]
    values = [json.loads(body.readline()) for _ in columns]
    selected = ", ".join(
        f"CAST(unnest(${number}::VARCHAR[]) AS {kind}) AS {_quoted(name)}"
        for number, (name, kind) in enumerate(columns, 1)
    )
    database.execute(f"CREATE TABLE {_quoted(table['name'])} AS SELECT {selected}", values)


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _statement(database: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The text, if it is one statement that only reads: each part of its parse tree does."""
    import duckdb

    statements = duckdb.extract_statements(sql)
    kinds = [each.type for each in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        given = ", ".join(kind.name for kind in kinds[:5]) or "no statement"
        raise InputError(f"the SQL text has {given}; give one SELECT statement")
    text = statements[0].query
    found = database.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
    tree = json.loads(found[0]) if found else {}
    if tree.get("error", True):
        raise InputError(f"the SQL statement: {tree.get('error_message', 'it cannot be parsed')}")
    for part in _parts(tree):
        _check_reads(part)
    return text


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    """The objects of a tree, however deep it is."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _check_reads(part: dict[str, Any]) -> None:
    """Raises InputError for a part of a parse tree that does more than read tables and compute."""
    kind = str(part.get("type", ""))
    if kind.endswith("_NODE") and kind not in _READING:
        verb = kind.removesuffix("_NODE").removesuffix("_QUERY").replace("_", " ")
        raise InputError(f"the SQL text has {verb} within the statement; give one that only selects")
    if kind == "TABLE_FUNCTION" and (name := _name_of(part)) not in _COMPUTING:
        allowed = ", ".join(sorted(_COMPUTING))
        raise InputError(
            f"the SQL text takes rows from the function {name}; take them from a table, or from {allowed}"
        )
    if kind == "BASE_TABLE" and str(part.get("table_name", "")).lower().startswith(_INTERNAL):
        raise InputError(
            f"the SQL text reads {part['table_name']}, which is of DuckDB; name a table of the graph"
        )


def _name_of(part: dict[str, Any]) -> str:
    function = part.get("function")
    return str(function.get("function_name", "")).lower() if isinstance(function, dict) else ""


def _answered(database: duckdb.DuckDBPyConnection, sql: str, job: Job) -> bytes:
    """Runs a statement. Its rows, up to a number, and whether they are all; raises ResultLimitError."""
    result = database.execute(sql)
    columns = [[name, str(kind)] for name, kind, *_ in result.description or ()]
    if zoned := [name for name, kind in columns if _ZONED in kind]:
        raise InputError(f"the column {zoned[0]!r} has a time zone; cast it: {_quoted(zoned[0])}::TIMESTAMP")
    rows, size = list[str](), 0
    complete = True
    for row in _rows(result):
        if len(rows) == job["max_rows"]:
            complete = False
            break
        rows.append(json.dumps([json_value(value) for value in row], ensure_ascii=False, allow_nan=False))
        size += len(rows[-1].encode())
        if size > job["max_bytes"]:
            raise ResultLimitError(
                f"more than {job['max_bytes']:,} bytes; ask for fewer rows or columns, or raise the setting "
                "max_table_bytes"
            )
    head = f'{{"columns":{json.dumps(columns)},"complete":{json.dumps(complete)},"rows":['
    return (head + ",".join(rows) + "]}").encode()


def _rows(result: duckdb.DuckDBPyConnection) -> Iterator[Sequence[Any]]:
    while batch := result.fetchmany(_AT_ONCE):
        yield from batch


def _shut(database: duckdb.DuckDBPyConnection) -> None:
    """Loads what a job may need, and gives up what it must not have."""
    run(database, {"code": _WARM, "tables": [], "max_rows": 1, "max_bytes": 1 << 20}, io.BytesIO())
    sandbox.no_files()
    sandbox.only_computing()


def main() -> None:
    """Answers jobs until the parent closes its end."""
    memory = int(sys.argv[2])
    with connection_to_parent(sys.argv[1]) as connection:
        peer = messages.BufferedPeer(connection)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a dying library writes no line of a report
        sandbox.limit_memory(memory)
        os.environ.clear()
        os.chdir("/")  # DuckDB tells where it was started
        database = opened(memory)
        _shut(database)
        messages.send_end(peer, {})
        while True:
            body = io.BytesIO()
            job = messages.receive_message(peer, body)
            body.seek(0)
            with deadline(job["seconds"]):
                _answer(database, job, body, peer)


def _answer(database: duckdb.DuckDBPyConnection, job: Job, body: io.BytesIO, peer: messages.Peer) -> None:
    """Does one job, and sends its answer and how it ended."""
    try:
        content = run(database, job, body)
    except (SageError, MemoryError) as error:
        messages.send_end(peer, failure(error, "table_worker_memory"))
        return
    for start in range(0, len(content), messages.BLOCK):
        messages.send_data(peer, content[start : start + messages.BLOCK])
    messages.send_end(peer, {})


if __name__ == "__main__":
    main()
