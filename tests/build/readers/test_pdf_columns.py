"""Tables in PDFs without lines around their cells: each value stands under the name of its column."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from build.readers.pdf_pages import drawn, tables
from build.readers.reading import read
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

FONT = "Helvetica"
Sheet = Sequence[Sequence[str]]


def is_number(text: str) -> bool:
    return text.strip("%()£ -")[:1].isdigit()


def sheet(rows: Sheet, *, padding: float = 1, width: float = 0, head: str = "left") -> bytes:
    """A spreadsheet as it is printed without lines: texts to the left, numbers to the right.

    Columns are as wide as what is in them, or at least `width`; `head` is where the names stand.
    """
    size = 10
    columns = list(zip(*rows, strict=True))
    wide = [max(stringWidth(each, FONT, size) for each in column) for column in columns]
    widths = [max(each + 2 * padding, width) for each in wide]
    right = [any(map(is_number, column[1:])) for column in columns]

    def draw(canvas: Canvas) -> None:
        for number, row in enumerate(rows):
            y, x = 780 - 1.4 * size * number, 55.0
            canvas.setFont(FONT, size)
            for text, space, to_the_right in zip(row, widths, right, strict=True):
                place = ("right" if to_the_right else "left") if number else head
                if place == "right":
                    canvas.drawRightString(x + space - padding, y, text)
                elif place == "centre":
                    canvas.drawCentredString(x + space / 2, y, text)
                else:
                    canvas.drawString(x + padding, y, text)
                x += space

    return drawn(draw)


ANIMALS = (
    ("Month", "Dogs", "Cats", "Birds", "Total"),
    ("January", "112", "87", "4", "203"),
    ("February", "98", "91", "", "189"),
    ("March", "130", "104", "7", "241"),
    ("April", "", "99", "12", "111"),
)
YEARS = (("Cost", "2023", "2024", "2025"), ("Wages", "301", "322", "351"), ("Rent", "60", "60", "66"))
STOCK = (
    ("Article", "Code", "Price in £", "In stock", "Delivery"),
    ("Gauze", "G-1", "12.40", "200", "01/03/2026"),
    ("Swabs", "S-2", "3.15", "", "09/03/2026"),
    ("Collar, large", "C-9", "", "14", ""),
    ("Muzzle", "M-4", "21.00", "3", "02/04/2026"),
)
PAYMENTS = (
    ("Day", "Amount", "Paid by", "Fee", "Remark"),
    ("02.01.2026", "1,250.00", "Otto Wren", "0.35", "in cash"),
    ("05.01.2026", "80.50", "Ida Lund of Hask", "12.00", ""),
    ("09.01.2026", "(169.56)", "Harbour", "", "by card"),
    ("12.01.2026", "5,500.00", "Ida Lund", "3.10", "late"),
)
SPARSE = (
    ("Room", "Rent", "Discount", "Left"),
    ("North hall", "1,200", "", "300"),
    ("South hall", "950", "50", "0"),
    ("Attic", "400", "", "400"),
    ("Cellar", "80", "", "80"),
)
ALONE = (("Kennel", "Guests"), ("Large", "14"), ("Small", ""), ("Outside", "6"), ("Cattery", "21"))


@pytest.mark.parametrize("rows", [ANIMALS, YEARS, STOCK, PAYMENTS, SPARSE, ALONE])
@pytest.mark.parametrize(
    ("padding", "width", "head"),
    [
        (1, 0, "left"),
        (2.5, 0, "left"),
        (1, 64, "left"),
        (5.4, 110, "left"),
        (2, 70, "right"),
        (2, 0, "centre"),
    ],
)
def test_values_stand_under_the_names_of_their_columns(
    tmp_path: Path, rows: Sheet, padding: float, width: float, head: str
) -> None:
    (table,) = tables(read(tmp_path, "a.pdf", sheet(rows, padding=padding, width=width, head=head)))
    assert table.columns == rows[0]
    assert table.rows == tuple(rows[1:])


@pytest.mark.parametrize("names", ["Dogs and cats of", "All animals of the year", "a b c d e f"])
def test_names_over_columns_that_nothing_decides_name_none(tmp_path: Path, names: str) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(FONT, 10)
        canvas.drawString(55, 780, "Month")
        canvas.drawString(127, 780, names)
        for number, row in enumerate(ANIMALS[1:4], 1):
            for column, text in enumerate(row):
                canvas.drawRightString(110 + 40 * column, 780 - 14 * number, text)

    document = read(tmp_path, "a.pdf", drawn(draw))
    (table,) = tables(document)
    assert table.rows == ANIMALS[1:4]
    assert all(name.startswith("column ") for name in table.columns)
    assert f"Month {names}" in (table.caption, document.text)


def test_a_name_over_no_values_keeps_its_column(tmp_path: Path) -> None:
    rows = [
        ("Name", "Fee", "Notes", "Total"),
        ("Ann", "12", "", "1"),
        ("Bo", "7", "", "22"),
        ("Cy", "", "", "3"),
    ]
    (table,) = tables(read(tmp_path, "a.pdf", sheet(rows, width=70)))
    row = dict(zip(table.columns, table.rows[1], strict=True))
    assert row == {"Name": "Bo", "Fee": "7", "Notes": "", "Total": "22"}
