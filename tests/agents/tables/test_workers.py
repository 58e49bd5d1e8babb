"""SQL in worker processes: answers with the chunks of their rows, and refusals that say what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sage_ld.agents.tables import TableWorkers, catalogue
from sage_ld.foundation.errors import (
    InputError,
    LimitError,
    ResultLimitError,
    TimeLimitError,
    UnavailableError,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from tests.agents.tables import forging_process


def test_rows_come_with_the_chunks_that_they_were_read_from(
    workers: TableWorkers, snapshot: Snapshot
) -> None:
    answer = workers.run(snapshot, "SELECT * FROM data_films WHERE year > 1986 ORDER BY year")
    assert [name for name, _ in answer.columns] == ["film", "year", "rating", "shown", "restored", "code"]
    assert answer.rows == (
        ("Night Bus to Hask", 1987, 8.0, "1987-10-12", False, "12"),
        ("The Lamplighter", 1988, None, "1988-01-30", None, "1"),
    )
    assert answer.chunks == (catalogue(snapshot)["data_films"].chunks,) * 2
    assert answer.complete
    assert [table.name for table in answer.tables] == ["data_films"]


def test_an_aggregate_cites_what_it_lists(workers: TableWorkers, snapshot: Snapshot) -> None:
    sql = "SELECT sum(people), list(_chunk) AS _chunk FROM towns"
    answer = workers.run(snapshot, sql)
    assert answer.rows == ((15400,),)
    assert answer.chunks == (catalogue(snapshot)["towns"].chunks,)
    assert workers.run(snapshot, "SELECT sum(people) FROM towns").chunks == ((),)


def test_tables_are_joined(workers: TableWorkers, snapshot: Snapshot) -> None:
    sql = "SELECT t.people FROM data_films f JOIN towns t ON f.film LIKE '%' || t.name || '%' ORDER BY 1"
    assert workers.run(snapshot, sql).rows == ((3400,), (12000,))


def test_a_statement_sees_only_the_tables_that_it_names(workers: TableWorkers, snapshot: Snapshot) -> None:
    workers.run(snapshot, "SELECT 1 FROM towns")
    listed = workers.run(snapshot, "SELECT table_name FROM information_schema.tables")
    assert listed.rows == ()
    with pytest.raises(InputError, match="nowhere does not exist"):
        workers.run(snapshot, "SELECT * FROM nowhere, towns")


def test_a_name_that_no_table_has_is_answered_with_those_that_are_there(
    workers: TableWorkers, snapshot: Snapshot
) -> None:
    with pytest.raises(InputError, match=r"a table town does not exist; of .* there are towns.* list_tables"):
        workers.run(snapshot, "SELECT * FROM town")


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT 1.25::DECIMAL(9, 2)", 1.25),
        ("SELECT 1e400::VARCHAR::DOUBLE", "inf"),
        ("SELECT 'nan'::DOUBLE", "nan"),
        ("SELECT 'a'::BLOB", "61"),
        ("SELECT INTERVAL 1 DAY", "1 day, 0:00:00"),
        ("SELECT {'a': [DATE '2001-02-03']}", {"a": ["2001-02-03"]}),
        ("SELECT MAP {1: 'b'}", {"1": "b"}),
        ("SELECT sum(x) FROM range(10) t(x)", 45),
        ("WITH a AS (SELECT 'é' AS x) FROM a", "é"),
        ("SELECT today() > DATE '2001-01-01'", True),
    ],
)
def test_values_are_those_of_json(workers: TableWorkers, snapshot: Snapshot, sql: str, value: Any) -> None:
    assert workers.run(snapshot, sql).rows == ((value,),)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("", "no statement; give one SELECT"),
        ("SELECT 1; SELECT 2", "SELECT, SELECT; give one SELECT"),
        ("WITH x AS (INSERT INTO data_towns VALUES ('a') RETURNING *) FROM x", "INSERT within the statement"),
        ("FROM (WITH x AS (DELETE FROM data_towns RETURNING *) FROM x)", "DELETE within the statement"),
        ("WITH x AS MATERIALIZED (UPDATE data_towns SET a = 1 RETURNING *) FROM x", "UPDATE within"),
        ("WITH x AS (PRAGMA database_list) FROM x", "Parser Error"),
        ("WITH x AS (FROM pragma_database_list) FROM x", "pragma_database_list, which is of DuckDB"),
        ("WITH x AS (FROM duckdb_settings()) FROM x", "the function duckdb_settings"),
        ("COPY data_towns TO '/tmp/towns'", "COPY; give one SELECT"),
        ("ATTACH ':memory:' AS other", "ATTACH; give one SELECT"),
        ("FROM query('SELECT 1')", "the function query"),
        ("FROM checkpoint()", "the function checkpoint"),
        ("SELEKT 1", "syntax error"),
        ("SELECT name FROM data_films", 'column "name" not found'),
        ("SELECT 'x'::INTEGER", "Could not convert string 'x'"),
        ("SELECT now()", r'has a time zone; cast it: "now\(\)"::TIMESTAMP'),
    ],
)
def test_a_refusal_says_why(workers: TableWorkers, snapshot: Snapshot, sql: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        workers.run(snapshot, sql)
    assert workers.run(snapshot, "SELECT 1").rows == ((1,),)


def test_rows_beyond_the_number_asked_for_are_left_out(workers: TableWorkers, snapshot: Snapshot) -> None:
    answer = workers.run(snapshot, "SELECT * FROM range(10)", max_rows=3)
    assert answer.rows == ((0,), (1,), (2,))
    assert not answer.complete
    assert len(workers.run(snapshot, "SELECT * FROM range(5000)").rows) == Settings().max_table_rows


def test_limits_name_their_settings(snapshot: Snapshot) -> None:
    small = replace(
        Settings(),
        max_query_bytes=40,
        max_table_bytes=1000,
        max_table_cells=10,
        queue_timeout=120.0,
        table_workers=1,
    )
    with TableWorkers(small) as limited:
        for sql, error, setting in (
            (f"SELECT '{'é' * 20}'", LimitError, "max_query_bytes"),
            ("SELECT repeat('x', 1000)", ResultLimitError, "max_table_bytes"),
            ("FROM data_films", LimitError, "max_table_cells"),
            ("FROM towns, songs, page, page_2", LimitError, "max_table_cells"),
        ):
            with pytest.raises(error, match=setting):
                limited.run(snapshot, sql)


def test_a_worker_that_takes_too_long_or_too_much_is_replaced(snapshot: Snapshot) -> None:
    small = replace(
        Settings(), table_timeout=2.0, table_worker_memory=2**28, queue_timeout=120.0, table_workers=1
    )
    with TableWorkers(small) as limited:
        with pytest.raises(TimeLimitError, match="table_timeout"):
            limited.run(snapshot, "SELECT count(*) FROM range(1000000000000) a, range(1000) b")
        with pytest.raises(LimitError, match="table_worker_memory"):
            limited.run(
                snapshot, "SELECT list(repeat('x', 1000000) || i) FROM range(1000000) t(i)", seconds=60
            )
        assert limited.run(snapshot, "SELECT 1").rows == ((1,),)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT INTERVAL 100000000 MONTH", "the SQL statement: Python int too large"),
        ("SELECT [now()] AS moments", "the column 'moments' has a time zone"),
        ("SELECT {'at': now()} AS moment", "the column 'moment' has a time zone"),
    ],
)
def test_a_value_that_python_has_no_form_for_is_the_fault_of_the_statement(
    workers: TableWorkers, snapshot: Snapshot, sql: str, message: str
) -> None:
    """It neither ends the worker nor tells of files of the machine."""
    with pytest.raises(InputError, match=message):
        workers.run(snapshot, sql)


def test_a_worker_that_was_taken_over_harms_nobody_else(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_ld.agents.tables.workers.WORKER", "tests.agents.tables.forging_process")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    settings = Settings(table_timeout=300.0, queue_timeout=120.0, table_workers=1, max_table_bytes=2**20)
    with TableWorkers(settings) as forging:
        for sql in (*forging_process.SENT, "much"):
            with pytest.raises(
                (ResultLimitError, InputError), match=r"ended its worker|other than an answer"
            ):
                forging.run(snapshot, sql)
        for sql in forging_process.ANSWERS:
            with pytest.raises(UnavailableError, match="worker's answer cannot be read"):
                forging.run(snapshot, sql)
