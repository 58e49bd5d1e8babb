"""Text in PDFs that people see is read, whatever its colour; what nobody sees is left out and counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pypdfium2.raw as pdfium
import pytest
from build.readers.pdf_pages import annotated, drawn, lines
from build.readers.reading import read
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

SEEN, OTHER = "Seen by all.", "Two words"
Drawing = Callable[[Canvas], None]


def other(canvas: Canvas, mode: int = 0) -> None:
    """The text that is in question, in the colours that are set."""
    canvas.setFont("Helvetica", 16)
    canvas.drawString(72, 600, OTHER, mode=mode)


def box(canvas: Canvas, grey: float) -> None:
    canvas.setFillGray(grey)
    canvas.rect(60, 590, 300, 30, stroke=0, fill=1)


def picture(canvas: Canvas, grey: int, *, striped: bool = False) -> None:
    from PIL import Image

    made = Image.new("L", (64, 8), grey)
    for x in range(0, 64, 4) if striped else ():
        made.paste(255 - grey, (x, 0, x + 2, 8))
    canvas.drawImage(ImageReader(made), 60, 590, 300, 30)


def outlined(canvas: Canvas) -> None:
    canvas.setFillGray(1)
    canvas.setStrokeGray(0)
    other(canvas, mode=1)


def filled_and_outlined(canvas: Canvas) -> None:
    canvas.setFillGray(1)
    canvas.setStrokeColorRGB(0.8, 0, 0)
    other(canvas, mode=2)


def clear_with_an_outline(canvas: Canvas) -> None:
    canvas.setFillAlpha(0)
    other(canvas, mode=2)


def white_on_a_thick_line(canvas: Canvas) -> None:
    canvas.setLineWidth(40)
    canvas.line(60, 605, 400, 605)
    canvas.setFillGray(1)
    other(canvas)


def white_on_a_box(canvas: Canvas) -> None:
    box(canvas, 0.1)
    canvas.setFillGray(1)
    other(canvas)


def white_on_a_picture(canvas: Canvas) -> None:
    picture(canvas, 40)
    canvas.setFillGray(1)
    other(canvas)


def white_on_a_circle(canvas: Canvas) -> None:
    canvas.circle(110, 605, 80, stroke=0, fill=1)
    canvas.setFillGray(1)
    other(canvas)


def white_in_a_form(canvas: Canvas) -> None:
    canvas.beginForm("banner")
    white_on_a_box(canvas)
    canvas.endForm()
    canvas.doForm("banner")


def black_on_a_pale_box(canvas: Canvas) -> None:
    box(canvas, 0.93)
    canvas.setFillGray(0)
    other(canvas)


def grey(canvas: Canvas) -> None:
    canvas.setFillGray(0.75)
    other(canvas)


def half_clear(canvas: Canvas) -> None:
    canvas.setFillAlpha(0.4)
    other(canvas)


def below_a_clear_box(canvas: Canvas) -> None:
    other(canvas)
    canvas.setFillAlpha(0.3)
    box(canvas, 0.9)


def cut_but_not_away(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(60, 590, 300, 14)
    canvas.clipPath(path, stroke=0)
    other(canvas)


def text_of_a_scan(canvas: Canvas) -> None:
    picture(canvas, 0, striped=True)
    other(canvas, mode=3)


def text_below_a_scan(canvas: Canvas) -> None:
    other(canvas)
    picture(canvas, 0, striped=True)


def of_two_texts_in_a_frame(canvas: Canvas) -> None:
    canvas.setLineWidth(3)
    canvas.rect(60, 590, 300, 30)
    canvas.setFont("Helvetica", 16)
    canvas.drawString(72, 600, "Two w")
    canvas.drawString(72 + canvas.stringWidth("Two w", "Helvetica", 16), 600, "ords-and-others")


VISIBLE = [
    of_two_texts_in_a_frame,
    outlined,
    filled_and_outlined,
    clear_with_an_outline,
    white_on_a_thick_line,
    white_on_a_box,
    white_on_a_picture,
    white_on_a_circle,
    white_in_a_form,
    black_on_a_pale_box,
    grey,
    half_clear,
    below_a_clear_box,
    cut_but_not_away,
    text_of_a_scan,
    text_below_a_scan,
]


@pytest.mark.parametrize("drawing", VISIBLE)
def test_text_that_is_seen_is_read(tmp_path: Path, drawing: Drawing) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, SEEN)
        drawing(canvas)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert OTHER in document.text
    assert not document.passed_over


def below_a_black_box(canvas: Canvas) -> None:
    other(canvas)
    box(canvas, 0)


def below_a_white_box(canvas: Canvas) -> None:
    other(canvas)
    box(canvas, 1)


def below_a_picture(canvas: Canvas) -> None:
    other(canvas)
    picture(canvas, 90)


def below_a_thick_line(canvas: Canvas) -> None:
    other(canvas)
    canvas.setLineWidth(40)
    canvas.line(60, 605, 400, 605)


def below_a_box_in_a_form(canvas: Canvas) -> None:
    other(canvas)
    canvas.beginForm("bar")
    box(canvas, 0.2)
    canvas.endForm()
    canvas.doForm("bar")


def black_on_black(canvas: Canvas) -> None:
    box(canvas, 0)
    other(canvas)


def blue_on_blue(canvas: Canvas) -> None:
    canvas.setFillColorRGB(0, 0, 0.5)
    canvas.rect(60, 590, 300, 30, stroke=0, fill=1)
    canvas.setFillColorRGB(0, 0.02, 0.52)
    other(canvas)


def nearly_white(canvas: Canvas) -> None:
    canvas.setFillGray(0.975)
    other(canvas)


def nearly_clear(canvas: Canvas) -> None:
    canvas.setFillAlpha(0.01)
    other(canvas)


def white_in_a_frame(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(20, 20, 550, 800)
    path.rect(22, 22, 546, 796)
    canvas.setFillColorRGB(0, 0, 1)
    canvas.drawPath(path, stroke=0, fill=1, fillMode=0)
    canvas.setFillGray(1)
    other(canvas)


def white_on_a_white_picture(canvas: Canvas) -> None:
    picture(canvas, 255)
    canvas.setFillGray(1)
    other(canvas)


def cut_away(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(0, 0, 20, 20)
    canvas.clipPath(path, stroke=0)
    other(canvas)


def white_on_a_box_that_is_cut_away(canvas: Canvas) -> None:
    canvas.saveState()
    path = canvas.beginPath()
    path.rect(0, 0, 20, 20)
    canvas.clipPath(path, stroke=0)
    box(canvas, 0)
    canvas.restoreState()
    canvas.setFillGray(1)
    other(canvas)


def in_no_mode(canvas: Canvas) -> None:
    other(canvas, mode=3)


def white_among_many_dots(canvas: Canvas) -> None:
    for number in range(25_000):
        canvas.rect(number % 500, 10, 0.1, 0.1, stroke=0, fill=1)
    canvas.setFillGray(1)
    other(canvas)


HIDDEN = [
    below_a_black_box,
    below_a_white_box,
    below_a_picture,
    below_a_thick_line,
    below_a_box_in_a_form,
    black_on_black,
    blue_on_blue,
    nearly_white,
    nearly_clear,
    white_in_a_frame,
    white_on_a_white_picture,
    cut_away,
    white_on_a_box_that_is_cut_away,
    in_no_mode,
    white_among_many_dots,
]


@pytest.mark.parametrize("drawing", HIDDEN)
def test_text_that_nobody_sees_is_left_out_and_counted(tmp_path: Path, drawing: Drawing) -> None:
    def draw(canvas: Canvas) -> None:
        lines(canvas, 72, 700, SEEN)
        drawing(canvas)

    document = read(tmp_path, "a.pdf", drawn(draw))
    assert document.text == f"Page 1\n\n{SEEN}"
    assert dict(document.passed_over) == {"hidden text": len(OTHER.split())}


def test_text_below_an_annotation_without_ground_is_read(tmp_path: Path) -> None:
    data = drawn(lambda canvas: lines(canvas, 72, 600, SEEN))
    noted = annotated(data, pdfium.FPDF_ANNOT_SQUARE, (70, 590, 200, 615))
    assert SEEN in read(tmp_path, "a.pdf", noted).text


def test_white_words_take_time_in_proportion_to_them_and_to_the_shapes(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        def draw(canvas: Canvas) -> None:
            for number in range(count):
                canvas.rect(number % 500, 10 + number // 500, 0.5, 0.5, stroke=0, fill=1)
            canvas.setFillGray(1)
            for number in range(count):
                canvas.drawString(20 + number % 50 * 10, 800 - number // 50 * 5, "w")

        data = drawn(draw)
        begin = time.process_time()
        with pytest.raises(Exception, match="no text"):
            read(tmp_path, "a.pdf", data)
        return time.process_time() - begin

    few, many = seconds(1_500), seconds(6_000)
    assert many < 10 * few + 0.5
