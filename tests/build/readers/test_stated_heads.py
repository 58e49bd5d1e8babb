"""Heads of tables that a person states (by a setting, a sidecar), and what chunks say of heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import docx
import openpyxl
import pytest
from pyoxigraph import NamedNode, Quad

from sage_ld.build.chunkers import Chunking, chunk
from sage_ld.build.encoders import load_encoder
from sage_ld.build.readers import Source, read_file
from sage_ld.build.readers.heads import NO_HEAD, StatedHead, stated_head
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Table
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

ROWS = (("Price list", ""), ("Munich", "2024"), ("Item", "Price"), ("Pump", "12"), ("Valve", "15"))
"""A title, a place with a year that is no head, the head, and two rows."""


def _csv(path: Path, rows: Sequence[Sequence[str]]) -> None:
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def _xlsx(path: Path, rows: Sequence[Sequence[str]]) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Prices"
    for row in rows:
        book.active.append([text or None for text in row])
    book.save(path)


def _html(path: Path, rows: Sequence[Sequence[str]]) -> None:
    lines = ("".join(f"<td>{text}</td>" for text in row) for row in rows)
    path.write_text("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")


def _marked_html(path: Path, rows: Sequence[Sequence[str]]) -> None:
    _html(path, rows)
    path.write_text(path.read_text().replace("<td>Price list</td><td></td>", "<th>Price list</th><th></th>"))


def _docx(path: Path, rows: Sequence[Sequence[str]]) -> None:
    document = docx.Document()
    table = document.add_table(len(rows), len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(path)


WRITERS = {"a.csv": _csv, "b.xlsx": _xlsx, "c.html": _html, "d.html": _marked_html, "e.docx": _docx}


def _texts(graph: KnowledgeGraph) -> Iterator[Quad]:
    return graph.snapshot().store.quads_for_pattern(None, NamedNode(v.TEXT), None, None)


def _table(path: Path, header: str = "auto") -> Table:
    [document] = read_file(Source(path, path.name), Settings(header=header))
    [table] = [each for each in document.blocks if isinstance(each, Table)]
    return table


@pytest.mark.parametrize("name", WRITERS)
def test_a_row_that_is_stated_names_the_columns_in_every_format(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    table = _table(tmp_path / name, "3")
    assert table.columns == ("Item", "Price")
    assert table.rows == (("Pump", "12"), ("Valve", "15"))
    [document] = read_file(Source(tmp_path / name, name), Settings(header="3"))
    kept = document.text + table.caption
    assert "Price list" in kept
    assert "2024" in kept


@pytest.mark.parametrize("name", WRITERS)
def test_two_rows_that_are_stated_name_the_columns_together(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    assert _table(tmp_path / name, "2-3").columns == ("Munich Item", "2024 Price")


@pytest.mark.parametrize("name", WRITERS)
def test_no_row_names_the_columns_where_none_is_stated(tmp_path: Path, name: str) -> None:
    WRITERS[name](tmp_path / name, ROWS[2:])
    table = _table(tmp_path / name, "none")
    assert table.rows == ROWS[2:]
    assert not {"Item", "Price"} & set(table.columns)


@pytest.mark.parametrize("name", ["a.csv", "b.xlsx", "c.html", "e.docx"])
@pytest.mark.parametrize("header", ["5", "5-6", "70"])
def test_rows_that_leave_none_below_or_are_not_there_change_nothing(
    tmp_path: Path, name: str, header: str
) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    source = Source(tmp_path / name, name)
    assert read_file(source, Settings(header=header))[0].text == read_file(source, Settings())[0].text


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a.csv", "rows 1–2; columns named by line 1"),
        ("b.xlsx", "Prices!A2:B3; columns named by row 1"),
        ("c.html", "columns named by row 1"),
        ("e.docx", "columns named by row 1"),
    ],
)
def test_chunks_say_which_row_was_taken_for_the_head(tmp_path: Path, name: str, place: str) -> None:
    WRITERS[name](tmp_path / name, ROWS[2:])
    [document] = read_file(Source(tmp_path / name, name), Settings())
    [found] = chunk(document, Chunking(), load_encoder("jaccard"))
    assert found.place == place


def test_a_head_that_the_file_marks_needs_no_word(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("| Item | Price |\n|---|---|\n| Pump | 12 |\n")
    [document] = read_file(Source(tmp_path / "a.md", "a.md"), Settings())
    [found] = chunk(document, Chunking(), load_encoder("jaccard"))
    assert found.place == "line 3"


def test_texts_that_say_no_rows_are_refused() -> None:
    assert [stated_head(text) for text in ("auto", "none", "3", "3–4")] == [
        None,
        NO_HEAD,
        StatedHead(3, 3),
        StatedHead(3, 4),
    ]
    for text in ("0", "-1", "4-3", "first", "1-11", "1,2"):
        with pytest.raises(InputError, match="says no rows; write the number of the row"):
            stated_head(text)


def test_the_head_of_a_run_is_read_anew_and_taken_back(tmp_path: Path) -> None:
    _csv(tmp_path / "a.csv", ROWS[1:])
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as graph:
        assert graph.ingest(tmp_path / "a.csv").added == 1
        assert graph.ingest(tmp_path / "a.csv", header="2").replaced == 1
        assert graph.ingest(tmp_path / "a.csv", header="2").unchanged == 1
        assert any("Item: Pump; Price: 12" in quad.object.value for quad in _texts(graph))
        assert graph.ingest(tmp_path / "a.csv").replaced == 1
        with pytest.raises(InputError, match="'second' says no rows"):
            graph.ingest(tmp_path / "a.csv", header="second")


def test_a_sidecar_and_the_metadata_of_an_upload_state_the_head_of_one_file(tmp_path: Path) -> None:
    _csv(tmp_path / "a.csv", ROWS[1:])
    (tmp_path / "a.csv.meta.yaml").write_text("header: 2\nteam: red\n")
    source = Source(tmp_path / "a.csv", "a.csv")
    [document] = read_file(source, Settings())
    assert [each.columns for each in document.blocks if isinstance(each, Table)] == [("Item", "Price")]
    assert [(each.key, each.value) for each in document.metadata] == [("team", "red")]
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as graph:
        content = (tmp_path / "a.csv").read_bytes()
        added = graph.add(content, file_name="b.csv", metadata={"header": 2, "team": "red"})
        assert not added.warnings
        assert any("Item: Pump; Price: 12" in quad.object.value for quad in _texts(graph))
        assert not any("header" in str(quad) for quad in graph.snapshot().store)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("header", ["99", "5", "4-9", "1000000", "5-6"])
def test_a_head_that_no_table_has_is_warned_of(tmp_path: Path, name: str, header: str) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    [document] = read_file(Source(tmp_path / name, name), Settings(header=header))
    [warning] = document.warnings
    last = f"{int(header.partition('-')[2] or header):,}"
    assert warning.startswith(
        f"{name}: header: row {last} is in no table with rows below it, the last row is 5;"
    )
    assert warning.endswith("state the row above the data, or auto")


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("header", ["auto", "none", "3", "2-3", "4"])
def test_a_head_that_a_table_has_is_not_warned_of(tmp_path: Path, name: str, header: str) -> None:
    WRITERS[name](tmp_path / name, ROWS)
    assert not read_file(Source(tmp_path / name, name), Settings(header=header))[0].warnings


def test_one_table_that_has_the_head_is_enough(tmp_path: Path) -> None:
    short, long = "<table><tr><td>a<td>b<tr><td>1<td>2</table>", "<tr><td>c<td>d<tr><td>3<td>4<tr><td>5<td>6"
    (tmp_path / "a.html").write_text(f"{short}<table>{long}</table>")
    assert not read_file(Source(tmp_path / "a.html", "a.html"), Settings(header="2"))[0].warnings
    assert read_file(Source(tmp_path / "a.html", "a.html"), Settings(header="3"))[0].warnings
    (tmp_path / "b.html").write_text("<p>No table at all.</p>")
    assert not read_file(Source(tmp_path / "b.html", "b.html"), Settings(header="3"))[0].warnings


@pytest.mark.parametrize(
    ("text", "header", "columns"),
    [
        ('"Item\nname",Price\nPump,12\n', "1", ("Item name", "Price")),
        ('"Item\nname",Price\nPump,12\n', "2", ("Item name", "Price")),
        ('"Item\nname",Price\nPump,12\n', "1-2", ("Item name", "Price")),
        ('List,\n"Item\n\nname",Price\nPump,12\n', "2", ("Item name", "Price")),
        ('List,\n"Item\nname",Price\nEach,"in\n€"\nPump,12\n', "2-5", ("Item name Each", "Price in €")),
        ('\n\nItem,"Price\nin €"\nPump,12\n', "3", ("Item", "Price in €")),
    ],
)
def test_a_row_of_several_lines_is_named_by_each_of_them(
    tmp_path: Path, text: str, header: str, columns: tuple[str, ...]
) -> None:
    (tmp_path / "a.csv").write_text(text)
    [document] = read_file(Source(tmp_path / "a.csv", "a.csv"), Settings(header=header))
    [table] = [each for each in document.blocks if isinstance(each, Table)]
    assert (table.columns, table.rows[-1]) == (columns, ("Pump", "12"))
    assert not document.warnings


@pytest.mark.parametrize("header", ["foo", "0", "3-1", "1-99", "-2"])
def test_a_sidecar_that_says_no_rows_names_its_file(tmp_path: Path, header: str) -> None:
    _csv(tmp_path / "a.csv", ROWS)
    (tmp_path / "a.csv.meta.yaml").write_text(f"header: '{header}'\n")
    with pytest.raises(
        InputError, match=rf"^a\.csv: in its metadata, header: '{header}' says no rows; write"
    ):
        read_file(Source(tmp_path / "a.csv", "a.csv"), Settings())
