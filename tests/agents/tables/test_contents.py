"""The tables of a graph: names, columns with types, rows put together again, and the chunk of each."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.agents.tables import TableWorkers, catalogue, list_tables
from sage_ld.agents.tables.contents import TYPES, column_type, read
from sage_ld.agents.tables.rows import TableText, records, table_rows
from sage_ld.build.readers.written_values import plain_numbers
from sage_ld.foundation.errors import LimitError, TimeLimitError
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from tests.agents.tables.corpus import FILES


def test_each_table_and_the_records_of_each_file_are_a_table(snapshot: Snapshot) -> None:
    rows = {name: (table.source, table.rows) for name, table in catalogue(snapshot).items()}
    assert rows == {
        "data_films": ("data/films.csv", 3),
        "long": ("long.csv", 3),
        "page": ("page.md", 1),
        "page_2": ("page.md", 1),
        "songs": ("songs.jsonl", 2),
        "towns": ("towns.json", 2),
    }


def test_columns_have_names_and_types(snapshot: Snapshot) -> None:
    (films,) = list_tables(snapshot, matching="FILMS")
    assert [(each.name, each.type) for each in films.columns] == [
        ("film", "VARCHAR"),
        ("year", "BIGINT"),
        ("rating", "DOUBLE"),
        ("shown", "DATE"),
        ("restored", "BOOLEAN"),
        ("code", "VARCHAR"),
    ]
    assert films.columns[1].examples == ("1986", "1987", "1988")
    assert [each.name for each in list_tables(snapshot, matching="page")[0].columns] == ["order_", "group_"]


def test_records_have_a_column_for_each_field(snapshot: Snapshot) -> None:
    content = read(snapshot, catalogue(snapshot)["towns"], 100)
    assert [each.title for each in content.columns] == ["name", "people", "river"]
    assert content.values == (("Sennet", "Hask"), ("12000", "3400"), (None, "Lirr"))


def test_rows_that_were_cut_are_whole_again(snapshot: Snapshot) -> None:
    table = catalogue(snapshot)["long"]
    assert len(table.chunks) > table.rows, "the rows have to be too long for one chunk"
    content = read(snapshot, table, 100)
    assert [list(row) for row in zip(*content.values, strict=True)] == list(
        csv.reader(FILES["long.csv"].splitlines()[1:])
    )


def test_each_row_names_the_chunk_that_it_begins_in(snapshot: Snapshot) -> None:
    for table in catalogue(snapshot).values():
        content = read(snapshot, table, 1000)
        texts = {each.iri: each.chunk.text for each in reading.chunks(snapshot.store, content.chunks)}
        for row, chunk in enumerate(content.chunks):
            first = next(values[row] for values in content.values if values[row] is not None)
            assert first in texts[chunk]


def test_a_table_beyond_the_limit_is_named_with_it(snapshot: Snapshot) -> None:
    with pytest.raises(LimitError, match=r"data_films: 18 cells or more, the limit is 17.*max_table_cells"):
        read(snapshot, catalogue(snapshot)["data_films"], 17)
    assert list_tables(snapshot, matching="songs", most_cells=1)[0].columns == ()


def test_a_graph_without_tables_has_none(prizes: KnowledgeGraph) -> None:
    assert catalogue(prizes.snapshot()) == {}
    assert list_tables(prizes.snapshot()) == ()


def test_a_name_stays_when_other_documents_come(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    names = []
    for file in ("b/data.csv", "a/data.csv", "c.csv"):
        path = tmp_path / "corpus" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("A,B\n1,2\n", encoding="utf-8")
        graph.ingest([tmp_path / "corpus"])
        names.append(set(catalogue(graph.snapshot())))
    assert names == [{"b_data"}, {"a_data", "b_data"}, {"a_data", "b_data", "c"}]
    graph.close()


@pytest.mark.parametrize("kind", TYPES)
def test_one_doubtful_value_makes_a_column_text(kind: str) -> None:
    value = {"BOOLEAN": "true", "BIGINT": "1", "DOUBLE": "1.5", "DATE": "2001-02-03"}.get(
        kind, "2001-02-03T04:05"
    )
    assert column_type([value, None]) == kind
    assert column_type([value, "n/a"]) == "VARCHAR"


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["3,5", None, "-12", "1,200"], ["3.5", None, "-12", "1.200"]),
        (["0,125"], ["0.125"]),
        (["1234,567"], ["1234.567"]),
        (["1,200"], None),
        (["1,200", "15", "2,345"], None),
        (["3,5", "1.5"], None),
        (["3,5", "1,200,300"], None),
        (["3,5", "n/a"], None),
        (["3,5", "1.200,50"], ["3.5", "1200.50"]),
        (["9,500", "71,000", "105,000"], ["9500", "71000", "105000"]),
        (["1 234", "12\u00a0500"], ["1234", "12500"]),
        (["1'250.50", "900"], ["1250.50", "900"]),
        (["€ 950", "€ 1,200.00"], ["950", "1200.00"]),
        (["12%", "7.5%"], ["0.12", "0.075"]),
        (["−3,5 °C", "12 °C"], ["-3.5", "12"]),
        (["83 kg", "105 kg", None], ["83", "105", None]),
        (["83 kg", "11 kW"], None),
        (["1,799 €", "1,819 €"], None),
        (["KQ-5521", "12"], None),
        (["007", "12 kg"], None),
        (["12", None], ["12", None]),
    ],
)
def test_decimal_commas_are_read_where_the_column_says_so(
    values: list[str | None], numbers: list[str | None] | None
) -> None:
    found = plain_numbers(values)
    assert list(found) == (values if numbers is None else numbers)
    assert (column_type(found) == "VARCHAR") == (numbers is None)


def test_sql_sums_a_column_with_decimal_commas(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("item;price\nbed;3,5\nlamp;1,200\nchair;12\n", encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "prices.csv"])
    [table] = list_tables(graph.snapshot())
    assert table.columns[1] == ("price", "price", "DOUBLE", ("3.5", "1.2", "12"))
    with TableWorkers(graph.settings) as workers:
        assert workers.run(graph.snapshot(), "SELECT sum(price) FROM prices").rows == ((16.7,),)
    graph.close()


@given(
    st.lists(
        st.lists(st.sampled_from(["", "x", "a b c", "long " * 5 + "end"]), min_size=2, max_size=2), min_size=1
    )
)
def test_a_table_cut_at_any_blank_is_read_again(rows: list[list[str]]) -> None:
    lines = [
        "; ".join(f"{name}: {value}" for name, value in zip("AB", row, strict=True) if value) for row in rows
    ]
    parts, begin, row = [], 0, 0
    for number, piece in enumerate(" ".join("\n".join(lines).split(" ")).split(" ")):
        if piece:
            parts.append(TableText(str(number), begin, begin + len(piece), row, piece))
        begin += len(piece) + 1
        row += piece.count("\n")
    found = [[each.cells.get(name, "") for name in "AB"] for each in table_rows(("A", "B"), parts)]
    assert found == [row for row in rows if any(row)]


def test_a_field_of_several_values_joins_them() -> None:
    parts = [TableText("urn:a", 0, 26, 0, "name: Ruth\nfilm: A\nfilm: B")]
    assert [row.cells for row in records(parts)] == [{"name": "Ruth", "film": "A; B"}]


@pytest.mark.parametrize("look", range(8))
def test_reading_a_table_can_be_ended_between_any_two_columns(snapshot: Snapshot, look: int) -> None:
    """At the columns' names, at the rows, and at each of the six columns."""
    looks = itertools.count()

    def check() -> None:
        if next(looks) == look:
            raise TimeLimitError("it takes too long")

    with pytest.raises(TimeLimitError):
        read(snapshot, catalogue(snapshot)["data_films"], 100, check)
