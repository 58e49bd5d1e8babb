"""Text in PDFs that drawn lines strike out is left out and counted; other lines strike nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from build.readers.pdf_pages import drawn, flowing, lines, text
from build.readers.reading import read
from reportlab.lib import colors
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

OLD, NEW = "The old fee is 80 euros.", "The new fee is 95 euros."


def width(content: str, size: float = 10) -> float:
    return float(stringWidth(content, "Helvetica", size))


def stroked(canvas: Canvas) -> None:
    canvas.line(72, 703.2, 72 + width(OLD), 703.2)


def filled(canvas: Canvas) -> None:
    canvas.rect(72, 702.8, width(OLD), 0.7, stroke=0, fill=1)


def word_by_word(canvas: Canvas) -> None:
    x = 72.0
    for word in OLD.split():
        canvas.line(x, 703, x + width(word), 703)
        x += width(f"{word} ")


def twice(canvas: Canvas) -> None:
    for y in (702.5, 704):
        canvas.line(71, y, 73 + width(OLD), y)


def thick(canvas: Canvas) -> None:
    canvas.setLineWidth(1.6)
    canvas.setStrokeColorRGB(0.9, 0, 0)
    canvas.line(70, 703.5, 75 + width(OLD), 703.5)


def in_a_form(canvas: Canvas) -> None:
    canvas.beginForm("line")
    canvas.line(0, 0, width(OLD) / 2, 0)
    canvas.endForm()
    canvas.saveState()
    canvas.translate(72, 703)
    canvas.scale(2, 1)
    canvas.doForm("line")
    canvas.restoreState()


@pytest.mark.parametrize("strike", [stroked, filled, word_by_word, twice, thick, in_a_form])
def test_a_line_through_letters_strikes_them_out(tmp_path: Path, strike: Callable[[Canvas], None]) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, OLD, NEW)
        strike(canvas)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text == f"Page 1\n\n{NEW}"
    assert dict(document.passed_over) == {"struck-out text": len(OLD.split())}


def test_a_struck_part_of_a_line_leaves_the_rest(tmp_path: Path) -> None:
    document = read(tmp_path, "a.pdf", flowing(text("The cage costs <strike>80 euros</strike> 95 euros.")))
    assert document.text.endswith("The cage costs 95 euros.")
    assert dict(document.passed_over) == {"struck-out text": 2}


def underlined(canvas: Canvas) -> None:
    canvas.line(72, 698.6, 72 + width(OLD), 698.6)


def overlined(canvas: Canvas) -> None:
    canvas.line(72, 709, 72 + width(OLD), 709)


def across_the_page(canvas: Canvas) -> None:
    canvas.line(20, 703, 570, 703)


def white(canvas: Canvas) -> None:
    canvas.setStrokeGray(1)
    canvas.line(72, 694, 72 + width(OLD), 694)


def down(canvas: Canvas) -> None:
    canvas.line(100, 650, 100, 750)


def short(canvas: Canvas) -> None:
    canvas.line(74, 703, 78, 703)


@pytest.mark.parametrize("other", [underlined, overlined, across_the_page, white, down, short])
def test_other_lines_strike_nothing_out(tmp_path: Path, other: Callable[[Canvas], None]) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, OLD, NEW)
        other(canvas)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text == f"Page 1\n\n{OLD} {NEW}"
    assert not document.passed_over


@pytest.mark.parametrize("command", ["GRID", "LINEBELOW", "LINEABOVE", "BOX", "INNERGRID", "LINEAFTER"])
def test_rules_of_tables_strike_nothing_out(tmp_path: Path, command: str) -> None:
    rows = [["Town", "People"], ["Hask", "9,500"], ["Wren", "4,100"], ["Lund", "3,900"]]
    style = TableStyle(
        [(command, (0, 0), (-1, -1), 0.5, colors.black), ("BOTTOMPADDING", (0, 0), (-1, -1), 0)]
    )
    document = read(tmp_path, "a.pdf", flowing(Table(rows, style=style, rowHeights=11)))
    assert not document.passed_over
    assert all(each in document.text for row in rows[1:] for each in row)
