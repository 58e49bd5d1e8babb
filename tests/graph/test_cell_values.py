"""Cells whose text is not what they store: both are kept, search finds the one and SQL counts the other."""

from __future__ import annotations

import io
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlwt
from build.readers.office_files import odf
from pyoxigraph import Literal, NamedNode

from sage_ld.agents.tables import TableWorkers, list_tables
from sage_ld.build.readers.wire import decode, encode
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import CellValue, Document, Table
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.iris import DEFAULT_BASE_IRI
from sage_ld.retrieval import Retriever

ELSEWHERE = "https://data.example.org/stock/"
NAMES = ("Item", "Weight", "Count", "Tested", "Share", "Part", "Code", "Sold")
FORMATS = ("General", '0.0" kg"', "#,##0", "dd.mm.yyyy", "0.0%", "# ?/?", "00000", "General")
STORED: tuple[tuple[Any, ...], ...] = (
    ("Pump", 83.25, 1234567, date(2024, 5, 1), 0.125, 0.75, 501, True),
    ("Valve", 11, 950, date(2023, 12, 31), 0.5, 2.5, 7, False),
)
SHOWN = (
    ("Pump", "83.3 kg", "1,234,567", "01.05.2024", "12.5%", "3/4", "00501", "TRUE"),
    ("Valve", "11.0 kg", "950", "31.12.2023", "50.0%", "2 1/2", "00007", "FALSE"),
)
TYPES = ("string", "decimal", "integer", "date", "decimal", "decimal", "integer", "boolean")


def xlsx() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(NAMES)
    for row in STORED:
        book.active.append(row)
    for row in book.active.iter_rows(min_row=2):
        for cell, code in zip(row, FORMATS, strict=True):
            cell.number_format = code
    return saved(book)


def xls() -> bytes:
    book = xlwt.Workbook()
    sheet = book.add_sheet("S")
    for column, name in enumerate(NAMES):
        sheet.write(0, column, name)
    for number, row in enumerate(STORED, 1):
        for column, (value, code) in enumerate(zip(row, FORMATS, strict=True)):
            sheet.write(number, column, value, xlwt.easyxf(num_format_str=code))
    return saved(book)


def saved(book: Any) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def attributes(value: object, code: str) -> str:
    if isinstance(value, bool):
        return f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    if isinstance(value, date):
        return f'office:value-type="date" office:date-value="{value.isoformat()}"'
    if isinstance(value, int | float):
        kind = "percentage" if "%" in code else "float"
        return f'office:value-type="{kind}" office:value="{value}"'
    return 'office:value-type="string"'


def odf_table() -> str:
    heads = "".join(f"<table:table-cell><text:p>{name}</text:p></table:table-cell>" for name in NAMES)
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell {attributes(value, code)}><text:p>{text}</text:p></table:table-cell>"
            for value, text, code in zip(stored, shown, FORMATS, strict=True)
        )
        + "</table:table-row>"
        for stored, shown in zip(STORED, SHOWN, strict=True)
    )
    return f'<table:table table:name="S"><table:table-row>{heads}</table:table-row>{rows}</table:table>'


def html_cell(value: object, text: str) -> str:
    if isinstance(value, date):
        return f'<td><time datetime="{value.isoformat()}">{text}</time></td>'
    if isinstance(value, bool | str):
        return f"<td>{text}</td>"
    return f'<td><data value="{value}">{text}</data></td>'


def html() -> str:
    heads = "".join(f"<th>{name}</th>" for name in NAMES)
    rows = "".join(
        f"<tr>{''.join(map(html_cell, stored, shown))}</tr>"
        for stored, shown in zip(STORED, SHOWN, strict=True)
    )
    return f"<html><head><title>Stock</title></head><body><table><tr>{heads}</tr>{rows}</table></body></html>"


FILES = {
    "stock.xlsx": xlsx(),
    "stock.xls": xls(),
    "stock.ods": odf(f"<office:spreadsheet>{odf_table()}</office:spreadsheet>"),
    "stock.odt": odf(f"<office:text>{odf_table()}</office:text>"),
    "stock.html": html().encode(),
}


def ingested(tmp_path: Path, name: str, content: bytes) -> closing[KnowledgeGraph]:
    (tmp_path / name).write_bytes(content)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / name])
    return closing(graph)


def answer(graph: KnowledgeGraph, sql: str) -> tuple[Any, ...]:
    with TableWorkers(graph.settings) as workers:
        return workers.run(graph.snapshot(), sql).rows[0]


def stored(graph: KnowledgeGraph) -> dict[tuple[int, str], Literal]:
    rows = graph.snapshot().store.query(
        f"PREFIX sage: <{v.SAGE}> PREFIX csvw: <{v.CSVW}> PREFIX rdf: <{v.RDF}> "
        "SELECT ?row ?column ?value { ?chunk sage:cell ?cell . "
        "?cell a csvw:Cell ; sage:row ?row ; sage:columnName ?column ; rdf:value ?value }",
        use_default_graph_as_union=True,
    )
    return {(int(row["row"].value), row["column"].value): row["value"] for row in rows}  # type: ignore[union-attr,index]


@pytest.mark.parametrize("name", FILES)
def test_a_cell_has_its_text_and_its_value(tmp_path: Path, name: str) -> None:
    with ingested(tmp_path, name, FILES[name]) as graph:
        found = stored(graph)
        shown = {(row, NAMES[at]): text for row, each in enumerate(SHOWN) for at, text in enumerate(each)}
        texts = {result.view.text for result in Retriever(graph).retrieve("Pump").results}
        lines = {line for text in texts for line in text.split("\n")}
        for row in range(2):
            assert "; ".join(f"{name}: {shown[row, name]}" for name in NAMES) in lines
        wanted = {
            (row, NAMES[at]): (str(value), TYPES[at] if value not in (11, 950) else "integer")
            for row, each in enumerate(STORED)
            for at, value in enumerate(each)
            if not isinstance(value, bool | str)
        }
        del wanted[1, "Count"]  # the text says the value
        read = {key: (each.value, each.datatype.value.removeprefix(v.XSD)) for key, each in found.items()}
        assert read == wanted


@pytest.mark.parametrize("name", FILES)
def test_sql_counts_what_cells_store(tmp_path: Path, name: str) -> None:
    with ingested(tmp_path, name, FILES[name]) as graph:
        [table] = list_tables(graph.snapshot())
        types = [column.type for column in table.columns]
        assert types == ["VARCHAR", "DOUBLE", "BIGINT", "DATE", "DOUBLE", "DOUBLE", "BIGINT", "BOOLEAN"]
        row = answer(
            graph,
            "SELECT sum(weight), sum(count), max(tested), sum(share), sum(part), sum(code), "
            "count(*) FILTER (sold) FROM stock",
        )
        assert row == (94.25, 1235517, "2024-05-01", 0.625, 3.25, 508, 1)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("text", ["83.3 kg", "01.05.2024", "12.5%", "00501", "1,234,567"])
def test_search_finds_what_a_cell_shows(tmp_path: Path, name: str, text: str) -> None:
    with ingested(tmp_path, name, FILES[name]) as graph:
        (tmp_path / "other.txt").write_text("Nothing of the kind stands here.", encoding="utf-8")
        graph.ingest([tmp_path / "other.txt"])
        assert text in Retriever(graph).retrieve(text).results[0].view.text


@pytest.mark.parametrize("name", FILES)
def test_values_go_with_their_document(tmp_path: Path, name: str) -> None:
    with ingested(tmp_path, name, FILES[name]) as graph:
        assert stored(graph)
        graph.delete([name])
        assert not stored(graph)
        left = {quad.predicate.value for quad in graph.snapshot().store}
        assert not left & {v.CELL, v.CELL_VALUE, v.ROW}


def test_the_same_file_makes_the_same_statements(tmp_path: Path) -> None:
    made = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        with ingested(tmp_path / folder, "stock.xlsx", FILES["stock.xlsx"]) as graph:
            cells = graph.snapshot().store.quads_for_pattern(None, None, None, None)
            made.append(sorted(str(quad) for quad in cells if "/cell/" in str(quad)))
    assert made[0]
    assert made[0] == made[1]


DELIMITED = (
    ("Item", "Weight", "Count", "Tested", "Share", "Sold"),
    ("Pump", "83.3 kg", "1,234,567", "01.05.2024", "12.5%", "true"),
    ("Valve", "11.0 kg", "950", "31.12.2023", "50.0%", "false"),
)


@pytest.mark.parametrize(("name", "sign"), [("stock.csv", ";"), ("stock.tsv", "\t"), ("stock.md", "|")])
def test_texts_of_a_column_have_the_values_that_they_mean(tmp_path: Path, name: str, sign: str) -> None:
    lines = [sign.join(row) for row in DELIMITED]
    if sign == "|":
        lines.insert(1, "|".join("---" for _ in DELIMITED[0]))
    with ingested(tmp_path, name, "\n".join(lines).encode()) as graph:
        values = {key: value.value for key, value in stored(graph).items()}
        assert values == {
            (0, "Weight"): "83.3", (1, "Weight"): "11", (0, "Count"): "1234567", (0, "Share"): "0.125",
            (1, "Share"): "0.5", (0, "Tested"): "2024-05-01", (1, "Tested"): "2023-12-31",
        }  # fmt: skip
        sql = "SELECT sum(weight), sum(count), max(tested), sum(share), count(*) FILTER (sold) FROM stock"
        assert answer(graph, sql) == (94.3, 1235517, "2024-05-01", 0.625, 1)
        assert "01.05.2024" in Retriever(graph).retrieve("01.05.2024").results[0].view.text


DESCRIBED = b"item,sold,tested\nPump,ja,5/1/2024\nValve,nein,2/1/2024\n"


def test_described_columns_have_the_values_of_their_datatypes(tmp_path: Path) -> None:
    (tmp_path / "stock.csv-metadata.json").write_text(
        '{"@context": "http://www.w3.org/ns/csvw", "url": "stock.csv", "tableSchema": {"columns": ['
        '{"name": "item"}, {"name": "sold", "datatype": {"base": "boolean", "format": "ja|nein"}}, '
        '{"name": "tested", "datatype": {"base": "date", "format": "M/d/yyyy"}}]}}',
        encoding="utf-8",
    )
    with ingested(tmp_path, "stock.csv", DESCRIBED) as graph:
        found = {key: value.value for key, value in stored(graph).items()}
        assert found == {
            (0, "sold"): "true", (1, "sold"): "false",
            (0, "tested"): "2024-05-01", (1, "tested"): "2024-02-01",
        }  # fmt: skip
        assert answer(graph, "SELECT min(tested), count(*) FILTER (sold) FROM stock") == ("2024-02-01", 1)


def test_a_cell_whose_text_says_its_value_is_not_stated(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Day", "Time", "Number", "Yes"])
    book.active.append([date(2024, 5, 1), datetime(2024, 5, 1, 10, 30), 2.5, True])
    book.active["A2"].number_format = "yyyy-mm-dd"
    book.active["B2"].number_format = "yyyy-mm-dd hh:mm:ss"
    book.active["C2"].number_format = "0.00"
    with ingested(tmp_path, "days.xlsx", saved(book)) as graph:
        assert stored(graph) == {}
        assert [each.type for each in list_tables(graph.snapshot())[0].columns] == [
            "DATE", "TIMESTAMP", "DOUBLE", "BOOLEAN",
        ]  # fmt: skip


def test_a_long_row_states_its_values_once(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(2_000))
    rows = f"Text\tWeight\n{long}\t83 kg\n{long}\t105 kg\n"
    with ingested(tmp_path, "long.tsv", rows.encode()) as graph:
        cells = list(graph.snapshot().store.quads_for_pattern(None, NamedNode(v.CELL), None, None))
        assert len(cells) == 3  # one is cut, and two chunks show it
        assert answer(graph, "SELECT sum(weight), count(*) FROM long") == (188, 2)
        values = {key: each.value for key, each in stored(graph).items()}
        assert values == {(0, "Weight"): "83", (1, "Weight"): "105"}


def test_cells_follow_to_another_base(tmp_path: Path) -> None:
    made = []
    for folder, base in (("moved", DEFAULT_BASE_IRI), ("fresh", ELSEWHERE)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "stock.xlsx").write_bytes(FILES["stock.xlsx"])
        graph = KnowledgeGraph.create(tmp_path / folder / "graph", encoder="jaccard", base_iri=base)
        graph.ingest([tmp_path / folder / "stock.xlsx"])
        if base != ELSEWHERE:
            graph.rebase(ELSEWHERE)
        made.append(sorted(str(quad) for quad in graph.snapshot().store if "/cell/" in str(quad)))
        assert validate(graph.snapshot().store).conforms
        graph.close()
    assert made[0] == made[1] != []


def test_a_reader_cannot_send_a_datatype_of_its_own() -> None:
    values = (CellValue(0, "A", "1", "integer"),)
    table = Table(0, 4, ("A",), (("01",),), ((0, 4),), values=values)
    document = Document("a.csv", "A", "A: 01", (table,), "text/csv", "0" * 64)
    line = encode(document)
    assert decode(line) == document
    with pytest.raises(ValueError, match="unknown datatype 'x> <urn:y'; choose from boolean, date,"):
        decode(line.replace(b'"integer"', b'"x> <urn:y"'))
