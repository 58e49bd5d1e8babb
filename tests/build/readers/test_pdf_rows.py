"""Rows of tables in PDFs: each is one, with all lines of its cells; fields of forms are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from build.readers.pdf_pages import drawn, flowing, lines, tables
from build.readers.reading import read
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

INVOICE = [
    ["Pos", "Article", "Qty", "Amount"],
    ["1", "Syringes", "400", "34.00"],
    ["2", "Suture kit\n(sterile)", "12", "94.80"],
    ["3", "Delivery", "1", "12.50"],
]
LONG = [
    ["No", "Work", "Hours"],
    ["A1", "Paint the door", "2"],
    ["B2", "Mend the roof of the\nlarge hall and clean\nits gutters", "31"],
    ["C3", "Plant trees", "7"],
    ["D4", "Sweep the yard\nand the path", "1"],
]
WORDS = [
    ["Room", "Floor", "Used by", "Key"],
    ["Ash", "first", "the choir\nand the band", "with Ann"],
    ["Elm", "second", "nobody", "lost"],
    ["Oak", "ground", "the bakers", "with Bo"],
    ["Yew", "first", "the office\nof the town", "with Cy"],
]
ALL = (0, 0), (-1, -1)
UNDER_ALL = ("LINEBELOW", *ALL, 0.5, colors.black)
UNDER_THE_NAMES = ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)
AROUND = ("BOX", *ALL, 0.5, colors.black)


@pytest.mark.parametrize("rows", [INVOICE, LONG, WORDS])
@pytest.mark.parametrize(
    "style",
    [
        [UNDER_ALL],
        [UNDER_ALL, ("VALIGN", *ALL, "TOP")],
        [UNDER_ALL, ("VALIGN", *ALL, "MIDDLE")],
        [UNDER_ALL, AROUND],
        [UNDER_ALL, ("ALIGN", (2, 1), (-1, -1), "RIGHT")],
    ],
)
def test_a_cell_of_several_lines_is_in_one_row(
    tmp_path: Path, rows: list[list[str]], style: list[tuple[object, ...]]
) -> None:
    (table,) = tables(read(tmp_path, "a.pdf", flowing(Table(rows, style=TableStyle(style)))))
    assert table.columns == tuple(rows[0])
    assert table.rows == tuple(tuple(cell.replace("\n", " ") for cell in row) for row in rows[1:])


@pytest.mark.parametrize("align", ["TOP", "MIDDLE", "BOTTOM"])
def test_a_line_belongs_to_the_row_that_is_closer(tmp_path: Path, align: str) -> None:
    style = TableStyle([UNDER_THE_NAMES, ("VALIGN", *ALL, align)])
    (table,) = tables(read(tmp_path, "a.pdf", flowing(Table(INVOICE, style=style))))
    assert table.rows[1] == ("2", "Suture kit (sterile)", "12", "94.80")
    assert len(table.rows) == 3


BANDS = (
    ("Pos", "Item", "Qty", "Sum"),
    ("1", "Vaccination", "2", "£ 76.00"),
    ("2", "Chip", "1", "£ 17.50"),
    ("3", "Food, 12 kg", "", "free"),
    ("4", "Brush", "5", "£ 40.00"),
    ("", "Total", "", "£ 133.50"),
)


def banded(canvas: Canvas, rows: tuple[tuple[str, ...], ...], every: int) -> None:
    """A table with lines between all rows, and between the cells of every second or third row alone."""
    edges = [60, 120, 260, 320, 420]
    for number, row in enumerate(rows):
        top = 780 - 16 * number
        for x, text in zip(edges, row, strict=False):
            lines(canvas, x + 4, top - 12, text)
        for x in edges if number % every == 0 else (edges[0], edges[-1]):
            canvas.line(x, top, x, top - 16)
        canvas.line(edges[0], top, edges[-1], top)
    canvas.line(edges[0], 780 - 16 * len(rows), edges[-1], 780 - 16 * len(rows))


@pytest.mark.parametrize("every", [1, 2, 3, 4])
def test_a_row_without_lines_between_its_cells_is_a_row(tmp_path: Path, every: int) -> None:
    (table,) = tables(read(tmp_path, "a.pdf", drawn(lambda canvas: banded(canvas, BANDS, every))))
    assert table.columns == BANDS[0]
    assert table.rows == BANDS[1:]


def test_a_row_of_one_cell_heads_those_below_it(tmp_path: Path) -> None:
    rows = [
        ["Item", "Fee", "Time"],
        ["Dogs", "", ""],
        ["Bath", "31", "40"],
        ["Cats", "", ""],
        ["Bath", "24", "35"],
    ]
    style = [("GRID", *ALL, 0.5, colors.black), ("SPAN", (0, 1), (-1, 1)), ("SPAN", (0, 3), (-1, 3))]
    (table,) = tables(read(tmp_path, "a.pdf", flowing(Table(rows, style=TableStyle(style)))))
    assert table.rows == (("Dogs", "Bath", "31", "40"), ("Cats", "Bath", "24", "35"))


FORM = (
    ("Animal", ("Thor",)),
    ("Vaccinated", (True,)),
    ("Aggressive", (False,)),
    ("Sex", (False, "male", True, "female")),
    ("Diet", ("wet",)),
)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
@pytest.mark.parametrize("gap", [16, 30])
def test_the_fields_of_a_form_are_no_table(tmp_path: Path, count: int, gap: int) -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        for number, (label, states) in enumerate(FORM[:count]):
            y = 700 - gap * number
            lines(canvas, 60, y, label)
            for at, state in enumerate(states):
                x = 150 + 30 * at
                if isinstance(state, bool):
                    form.checkbox(name=f"{label}{at}", x=x, y=y - 3, size=12, checked=state)
                elif len(states) == 1:
                    form.textfield(name=label, x=x, y=y - 4, width=150, height=14, value=state)
                else:
                    lines(canvas, x - 10, y, state)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert not tables(document)
    shown = ["Animal Thor", "Vaccinated ☒", "Aggressive ☐", "Sex ☐ male ☒ female", "Diet wet"]
    assert all(each in document.text for each in shown[:count])
