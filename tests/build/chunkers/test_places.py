"""PlaceFinder: where in its file a chunk stands."""

from __future__ import annotations

from pathlib import Path

from sage_ld.build.chunkers import Chunking, chunk
from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.encoders import load_encoder
from sage_ld.build.readers import Source, read_file
from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.foundation.model import Document, Place, PlaceKind
from sage_ld.foundation.settings import Settings

MARKDOWN = """---
title: Notes
---
# Notes

First line
second line.

- one

- two

```
a
b
```

| Year | Title |
|---|---|
| 1949 | The Third Man |
| 1950 | Gone to Earth |
"""


def _places(folder: Path, name: str, content: str) -> dict[str, str]:
    path = folder / name
    path.write_text(content)
    [document] = read_file(Source(path, name), Settings())
    places = PlaceFinder(document)
    return {
        document.text[block.begin : block.end]: places.of(block.begin, block.end) for block in document.blocks
    }


def test_blocks_of_markdown_name_their_lines(tmp_path: Path) -> None:
    found = _places(tmp_path, "notes.md", MARKDOWN)
    lines = MARKDOWN.split("\n")
    assert found["First line second line."] == "lines 6–7"
    assert found["a\nb"] == f"lines {lines.index('a') + 1}–{lines.index('b') + 1}"
    rows = lines.index("| 1949 | The Third Man |") + 1
    assert (
        found["Year: 1949; Title: The Third Man\nYear: 1950; Title: Gone to Earth"]
        == f"lines {rows}–{rows + 1}"
    )


def test_paragraphs_of_plain_text_name_their_lines(tmp_path: Path) -> None:
    found = _places(tmp_path, "build.log", "\n\nfirst\nsecond\n  \n\nthird\n")
    assert found == {"first\nsecond": "lines 3–4", "third": "line 7"}


def test_a_part_of_a_table_names_its_own_rows() -> None:
    builder = DocumentBuilder("a.csv", Settings())
    builder.at(PlaceKind.ROW, 1, 40)
    builder.table(["Name", "Note"], [[f"name {n}", "a note of several words"] for n in range(40)])
    document = builder.build(title="a", media_type="text/csv", content_hash="")
    chunks = chunk(document, Chunking(), load_encoder("jaccard"))
    assert len(chunks) > 1
    for each in chunks:
        assert each.table is not None
        first, last = each.table.first_row + 1, each.table.last_row + 1
        assert each.place == (f"row {first}" if first == last else f"rows {first}–{last}")


def test_cells_are_named_as_formulas_name_them() -> None:
    text = "a\nb\nc"
    document = Document("a", "", text, (), "", "", places=(_cells(0, len(text), "My 'sheet'"),))
    assert PlaceFinder(document).of(2, 5) == "'My ''sheet'''!B4:D5"
    assert PlaceFinder(document).of(0, 1) == "'My ''sheet'''!B3:D3"


def test_a_slice_over_several_pages_names_the_first_and_the_last() -> None:
    pages = tuple(Place(n, n + 1, PlaceKind.PAGE, n + 1, n + 1) for n in range(9))
    document = Document("a", "", "x" * 10, (), "", "", places=pages)
    finder = PlaceFinder(document)
    assert [finder.of(*each) for each in ((0, 1), (2, 5), (9, 10))] == ["page 1", "pages 3–5", ""]


def _cells(begin: int, end: int, sheet: str) -> Place:
    return Place(begin, end, PlaceKind.CELLS, 3, 5, sheet, ("B", "D"))
