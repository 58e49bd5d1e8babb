"""Identifiers of tables and columns: DuckDB takes each without quotation marks."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.agents.tables.rows import LONGEST, RESERVED, distinct, identifier, numbered


def test_the_reserved_words_are_those_of_duckdb() -> None:
    rows = duckdb.sql(
        "SELECT DISTINCT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    ).fetchall()
    assert {name for (name,) in rows} == RESERVED


@given(st.text())
def test_an_identifier_needs_no_quotation_marks(name: str) -> None:
    made = identifier(name)
    assert len(made) <= LONGEST + 1
    assert duckdb.sql(f"SELECT 1 AS {made}, 2 AS other").columns[0] == made


@given(st.lists(st.text()))
def test_columns_have_names_of_their_own_whatever_their_case(names: list[str]) -> None:
    made = numbered(names, taken=("_chunk",))
    assert len({each.lower() for each in made} - {"_chunk"}) == len(names)


def test_a_name_depends_on_others_only_where_they_clash() -> None:
    alone = distinct({"a.csv": "data"})
    assert distinct({"a.csv": "data", "b.csv": "films"})["a.csv"] == alone["a.csv"] == "data"
    clashing = distinct({"a.csv": "data", "a.json": "data"})
    assert distinct({"a.json": "data", "a.csv": "data", "c": "x"})["a.json"] == clashing["a.json"]
    assert len(set(clashing.values())) == 2


@pytest.mark.parametrize("name", ["x" * 200, "folder/" * 20 + "data"])
def test_a_long_name_keeps_its_end(name: str) -> None:
    made = identifier(name)
    assert len(made) <= LONGEST
    assert made.endswith(name[-4:])


def test_many_columns_of_one_name_are_numbered_in_one_go() -> None:
    names = numbered(["?"] * 100_000 + ["_ 7"])
    assert (names[1], names[99_999], names[100_000]) == ("__2", "__100000", "_7")
    assert len({*names}) == 100_001
