"""Spreadsheets: tables with the places of their cells, links, formulas, dates, merged cells, limits."""

from __future__ import annotations

from datetime import datetime

import pytest
from build.readers.office_files import odf, workbook, workbook_rows
from build.readers.reading import read
from openpyxl.comments import Comment
from openpyxl.packaging.custom import IntProperty

from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Property, Table
from sage_ld.foundation.settings import Settings


def _fill(book):
    sheet = book.active
    sheet.title = "Budget 2024"
    sheet["A1"] = "Budget by region"
    sheet.merge_cells("A1:D1")
    for row in (
        ["Region", 2023, 2024, "Growth"],
        ["North", 10, 12.5, 0.25],
        ["South", 7, 0.1 + 0.2, datetime(2024, 5, 1, 12, 30)],
        [],
        ["East", 1, 2, True],
    ):
        sheet.append(row)
    sheet["D3"].number_format = "0.0%"
    sheet["A3"].hyperlink = "https://e.org/north"
    sheet["B4"].comment = Comment("estimated", "Ann")
    other = book.create_sheet("Hidden")
    other.sheet_state = "hidden"
    other.append(["only", "one", "row"])
    book.properties.title = "The budget"
    book.custom_doc_props.append(IntProperty(name="level", value=3))


def test_a_workbook_has_tables_that_name_their_cells(tmp_path):
    document = read(tmp_path, "a.xlsx", workbook(_fill))
    assert document.text.split("\n\n", 2)[:2] == ["Budget 2024", "Budget by region"]
    table = next(each for each in document.blocks if isinstance(each, Table))
    assert document.text[table.begin : table.end].split("\n") == [
        "Region: North; 2023: 10; 2024: 12.5; Growth: 25.0%",
        "Region: South; 2023: 7; 2024: 0.3; Growth: 2024-05-01 12:30:00",
        "",
        "Region: East; 2023: 1; 2024: 2; Growth: TRUE",
    ]
    places = PlaceFinder(document)
    assert places.of(table.begin, table.end) == "'Budget 2024'!A3:D6"
    assert places.of(*table.row_spans[1]) == "'Budget 2024'!A4:D4"
    assert table.caption == "Budget by region"
    assert "estimated" in document.text
    assert [(each.target, each.text, each.row) for each in document.links] == [
        ("https://e.org/north", "North", 0)
    ]
    assert [each.name for each in document.sections] == ["Budget 2024", "Hidden (hidden)"]
    assert document.text.endswith("A: only; B: one; C: row")
    assert document.title == "The budget"
    assert Property("level", "3", "integer") in document.metadata


def test_a_formula_without_its_value_is_no_other_number(tmp_path):
    def fill(book):
        for row in (["Item", "Sum"], ["a", 1], ["b", 2], ["both", "=B2+B3"]):
            book.active.append(row)

    assert read(tmp_path, "a.xlsx", workbook(fill)).text.endswith("Item: both; Sum: =B2+B3")
    shared = '<row r="1"><c r="A1"><f t="shared" si="0"/></c><c r="B1"><f>A1</f><v>7</v></c></row>'
    assert read(tmp_path, "a.xlsx", workbook_rows(shared)).text == "S\n\nA: =(shared formula); B: 7"


def test_two_rows_of_header_are_joined_and_tables_are_told_apart(tmp_path):
    def fill(book):
        sheet = book.active
        for row in ([None, "Sales", None], ["Town", "May", "June"], ["Ulm", 1, 2], ["Jena", 3, 4]):
            sheet.append(row)
        sheet.merge_cells("B1:C1")
        for row in ([], [], ["Name", "Age"], ["Ann", 7]):
            sheet.append(row)

    document = read(tmp_path, "a.xlsx", workbook(fill))
    columns = [each.columns for each in document.blocks if isinstance(each, Table)]
    assert columns[-1] == ("Name", "Age")
    assert "Town: Jena; Sales May: 3; Sales June: 4" in document.text


def test_cells_merged_down_stand_in_each_row(tmp_path):
    def fill(book):
        for row in (["Year", "Film"], [1949, "a"], [None, "b"]):
            book.active.append(row)
        book.active.merge_cells("A2:A3")

    assert read(tmp_path, "a.xlsx", workbook(fill)).text.endswith("Year: 1949; Film: a\nYear: 1949; Film: b")


SHEET = (
    '<office:spreadsheet><table:table table:name="Films"><table:table-row>'
    + "".join(
        f'<table:table-cell office:value-type="string"><text:p>{name}</text:p></table:table-cell>'
        for name in ("Title", "Year", "Sum")
    )
    + '</table:table-row><table:table-row table:number-rows-repeated="2">'
    '<table:table-cell office:value-type="string">'
    '<text:p><text:a xlink:href="https://e.org/x">The Third Man</text:a></text:p></table:table-cell>'
    '<table:table-cell office:value-type="float" office:value="1949"><text:p>1,949</text:p>'
    "</table:table-cell>"
    '<table:table-cell table:formula="of:=[.B2]+1"/></table:table-row>'
    '<table:table-row table:number-rows-repeated="1048573">'
    '<table:table-cell table:number-columns-repeated="16384"/>'
    "</table:table-row></table:table></office:spreadsheet>"
)


def test_an_opendocument_spreadsheet_is_read_likewise(tmp_path):
    document = read(tmp_path, "a.ods", odf(SHEET))
    line = "Title: The Third Man; Year: 1,949; Sum: =[.B2]+1"
    assert document.text == f"Films\n\n{line}\n{line}"
    table = document.blocks[0]
    assert PlaceFinder(document).of(table.begin, table.end) == "Films!A2:C3"
    assert [(each.target, each.row) for each in document.links] == [
        ("https://e.org/x", 0),
        ("https://e.org/x", 1),
    ]


ROW = '<row><c t="str"><v>a</v></c><c><v>1</v></c></row>'


def test_a_sheet_of_very_many_rows_is_over_a_limit_that_is_named(tmp_path):
    rows = ROW * 200_000
    with pytest.raises(LimitError, match=r"a\.xlsx: its sheets: 80,002 cells, .*max_sheet_cells"):
        read(tmp_path, "a.xlsx", workbook_rows(rows), Settings(max_sheet_cells=80_001))


def test_cells_that_repeat_without_end_are_over_a_limit(tmp_path):
    cell = (
        '<table:table-cell office:value-type="string" table:number-columns-repeated="9999">'
        "<text:p>x</text:p></table:table-cell>"
    )
    rows = f'<table:table-row table:number-rows-repeated="1000000">{cell}</table:table-row>'
    content = odf(
        f'<office:spreadsheet><table:table table:name="x">{rows}</table:table></office:spreadsheet>'
    )
    with pytest.raises(LimitError, match="max_sheet_cells"):
        read(tmp_path, "a.ods", content)


def test_cells_far_apart_take_no_more_room_than_they_fill(tmp_path):
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    document = read(tmp_path, "a.xlsx", workbook_rows(rows))
    places = PlaceFinder(document)
    assert [places.of(each.begin, each.end) for each in document.blocks] == ["S!A1", "S!XFD1048576"]


def test_links_and_merged_cells_over_the_whole_sheet_are_clipped_or_refused(tmp_path):
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="3"><c r="A3"><v>2</v></c></row>'
    after = '<mergeCells><mergeCell ref="A1:A1048576"/></mergeCells>'
    assert read(tmp_path, "a.xlsx", workbook_rows(rows, after)).text == "S\n\n1\n\n1\n\n1"
    with pytest.raises(LimitError, match="max_sheet_cells"):
        read(tmp_path, "a.xlsx", workbook_rows(ROW * 1000, after * 20_000), Settings(max_sheet_cells=9_999))
