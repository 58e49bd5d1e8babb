"""SQL that tries to get out of its worker, or to hold it: refused or ended, while others are answered."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from sage_ld.agents.tables import TableWorkers
from sage_ld.agents.tables.query_process import opened
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot

READERS = (
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_text(['{file}'])",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT * FROM query_table('{file}')",
    "COPY (SELECT 1) TO '{file}'",
    "COPY towns TO '{file}'",
    "COPY towns FROM '{file}'",
    "EXPORT DATABASE '{file}'",
    "IMPORT DATABASE '{file}'",
    "ATTACH '{file}'",
    "LOAD '{file}'",
    "INSTALL '{file}'",
    "SELECT * FROM query('COPY (SELECT 1) TO ''{file}''')",
    "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '{file}')",
)
REFUSED = (
    "SELECT * FROM read_csv('http://127.0.0.1:9/')",
    "SELECT * FROM read_text('s3://bucket/key')",
    "INSTALL httpfs",
    "LOAD httpfs",
    "INSTALL httpfs FROM community",
    "LOAD spatial",
    "SELECT * FROM sqlite_scan('a', 'b')",
    "PRAGMA database_list",
    "PRAGMA enable_external_access = true",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET memory_limit = '100GB'",
    "RESET memory_limit",
    "SET VARIABLE a = 1",
    "CALL pragma_version()",
    "SELECT getenv('HOME')",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE MACRO mine(x) AS x",
    "CREATE FUNCTION mine(x) AS TABLE SELECT x",
    "CREATE SECRET (TYPE s3)",
    "INSERT INTO towns VALUES ('x', 1, 'y')",
    "UPDATE towns SET people = 0",
    "DELETE FROM towns",
    "DROP TABLE towns",
    "SELECT 1; DROP TABLE towns",
    "BEGIN",
    "VACUUM",
    "PREPARE mine AS SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT * FROM query('SELECT 1; SELECT 2')",
    "SELECT * FROM os",
    "SELECT * FROM database",
    "SELECT * FROM __main__",
    "SELECT repeat('x', 10000000000)",
    "SELECT list_sum(range(10000000000))",
    f"SELECT {'not ' * 10_000}true",
    f"SELECT {'+'.join(['1'] * 20_000)}",
    f"SELECT {'(' * 30_000}1{')' * 30_000}",
    f"SELECT {'[' * 900}1{']' * 900}",
    f"SELECT * FROM {'(SELECT * FROM ' * 3_000}(SELECT 1){')' * 3_000}",
    f"SELECT '{'x' * 70_000}'",
)
ENDLESS = (
    "SELECT count(*) FROM range(1000000000000) a, range(1000000) b",
    "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t) SELECT count(*) FROM t",
    "SELECT max(md5(i::VARCHAR)) FROM range(1000000000000) t(i)",
)
GREEDY = (
    "SELECT list(repeat('x', 1000000) || i) FROM range(100000000) t(i)",
    "SELECT count(*) FROM (SELECT DISTINCT i, md5(i::VARCHAR) FROM range(100000000000) t(i))",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000000)",
)


@pytest.mark.parametrize("statement", READERS)
@pytest.mark.parametrize("place", ["/etc/passwd", "/proc/self/environ", "of the graph", "a new one"])
def test_no_file_is_reached(
    workers: TableWorkers,
    knowledge: KnowledgeGraph,
    snapshot: Snapshot,
    tmp_path: Path,
    statement: str,
    place: str,
) -> None:
    file = {"of the graph": knowledge.directory.path / "sage-ld.toml", "a new one": tmp_path / "new"}
    path = Path(file.get(place, place))
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(InputError) as caught:
        workers.run(snapshot, statement.format(file=path))
    assert "root:" not in str(caught.value)
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize("statement", READERS)
def test_no_file_is_reached_where_the_parse_tree_was_not_looked_at(tmp_path: Path, statement: str) -> None:
    """The second lock: the configuration of the database."""
    file = tmp_path / "file"
    file.write_text("a secret")
    with opened(1 << 30) as database:
        database.execute("CREATE TABLE towns AS SELECT 1 AS people")
        with pytest.raises(duckdb.Error):
            database.execute(statement.format(file=file))
    assert file.read_text() == "a secret"


@pytest.mark.parametrize("statement", REFUSED, ids=lambda statement: statement[:40])
def test_what_does_more_than_read_is_refused(
    workers: TableWorkers, snapshot: Snapshot, statement: str
) -> None:
    with pytest.raises((InputError, LimitError)):
        workers.run(snapshot, statement)
    assert workers.run(snapshot, "SELECT sum(people) FROM towns").rows == ((15400,),)


@pytest.mark.parametrize("statement", [*ENDLESS, *GREEDY])
def test_what_does_not_end_is_ended_and_others_are_answered(snapshot: Snapshot, statement: str) -> None:
    caught: list[SageError] = []

    def hold() -> None:
        with pytest.raises(LimitError) as refused:
            both.run(snapshot, statement, client="greedy")
        caught.append(refused.value)

    limited = replace(
        Settings(), table_timeout=4.0, table_worker_memory=2**29, queue_timeout=120.0, max_table_bytes=1000
    )
    with TableWorkers(limited) as both:
        both.run(snapshot, "SELECT 1", seconds=4)
        thread = threading.Thread(target=hold)
        thread.start()
        while thread.is_alive():
            assert both.run(snapshot, "SELECT sum(people) FROM towns", client="other").rows == ((15400,),)
        thread.join()
    (error,) = caught
    assert any(each in str(error) for each in ("table_timeout", "table_worker_memory", "max_table_bytes"))


def test_settings_stay_as_they_are(workers: TableWorkers, snapshot: Snapshot) -> None:
    names = ("enable_external_access", "lock_configuration")
    values = workers.run(snapshot, "SELECT " + ", ".join(f"current_setting('{each}')" for each in names)).rows
    assert values == ((False, True),)


def test_what_one_statement_leaves_another_does_not_see(workers: TableWorkers, snapshot: Snapshot) -> None:
    workers.run(snapshot, "SELECT setseed(0.5) FROM towns")
    for _ in range(3):
        workers.run(snapshot, "SELECT write_log('of a client')")
        assert workers.run(snapshot, "SELECT table_name FROM information_schema.tables").rows == ()
