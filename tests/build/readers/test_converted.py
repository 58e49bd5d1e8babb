"""What pandoc and LibreOffice make of one text and one table is read as the text and the table.

`converted/films.md` and `converted/cells.csv` are what was converted: by pandoc 2.17 and LibreOffice 7.4.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from build.readers.reading import check

from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.readers import Source, read_file
from sage_ld.foundation.model import Document, Table
from sage_ld.foundation.settings import Settings

FOLDER = Path(__file__).with_name("converted")
TEXTS = [
    "pandoc/films.docx",
    "pandoc/films.odt",
    "pandoc/films.epub",
    "libreoffice/films.docx",
    "libreoffice/films.odt",
]
SLIDES = ["pandoc/films.pptx", "libreoffice/films.pptx", "libreoffice/films.odp"]
ROWS = (("1949", "The Third Man", "Lime"), ("1941", "Citizen Kane", "Kane"))
LINK = ("https://example.org/third", "The Third Man")


def _read(name: str) -> Document:
    [document] = read_file(Source(FOLDER / name, name), Settings())
    check(document)
    return document


def _table(document: Document) -> Table:
    return next(each for each in document.blocks if isinstance(each, Table))


@pytest.mark.parametrize("name", TEXTS)
def test_a_converted_text_has_the_same_sections_blocks_and_links(name: str) -> None:
    document, original = _read(name), _read("films.md")
    blocks = [document.text[each.begin : each.end] for each in document.blocks]
    assert [each for each in blocks if each != "Ann"] == [
        original.text[each.begin : each.end] for each in original.blocks
    ]
    assert [each.name for each in document.sections if each.name != "The films"] == ["Noir", "Cast", "Later"]
    assert document.title == original.title == "The films"
    assert [(each.target, each.text, each.row) for each in document.links] == [(*LINK, None), (*LINK, 0)]
    assert "Ann" in [each.value for each in document.metadata]


@pytest.mark.parametrize("name", SLIDES)
def test_converted_slides_have_the_same_table_and_name_their_slides(name: str) -> None:
    document = _read(name)
    table = _table(document)
    assert (table.columns, table.rows) == (("Year", "Title", "Role"), ROWS)
    assert PlaceFinder(document).of(table.begin, table.end) == "slide 2"
    assert [each.name for each in document.sections] == ["The films", "Noir", "Later"]
    assert [(each.target, each.text) for each in document.links] == [LINK, LINK]


@pytest.mark.parametrize("name", ["libreoffice/cells.xlsx", "libreoffice/cells.ods"])
def test_a_converted_sheet_has_the_same_table_and_names_its_cells(name: str) -> None:
    document = _read(name)
    table, original = _table(document), _table(_read("cells.csv"))
    assert (table.columns, table.rows) == (original.columns, original.rows)
    assert PlaceFinder(document).of(*table.row_spans[1]) == "cells!A3:C3"
