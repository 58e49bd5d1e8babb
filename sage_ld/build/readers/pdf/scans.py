"""Pages that are pictures: their lines as OCR sees them, placed as the words of a page are."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Final

from sage_ld.build.readers.ocr import PIXELS, SeenLine, lines_in
from sage_ld.build.readers.pdf.layout import Page
from sage_ld.build.readers.pdf.lines import LinePiece, Span
from sage_ld.build.readers.pdf.words import Box
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_WIDTH: Final = 595.0
"""The width of a picture in points, as that of a page of A4."""

_LESS: Final = 0.7
"""The least share of the usual height at which a line counts as having it: OCR does not see it exactly."""
_MORE: Final = 1.35
"""The largest such share."""


def scanned_page(pdf: PdfDocument, number: int, settings: Settings) -> Page:
    """A page of a PDF, counted from 0, read by OCR."""
    page = pdf[number]
    try:
        width, height = page.get_size()
        picture = page.render(scale=PIXELS / max(width, height, 1.0)).to_pil()
        return seen_page(lines_in(picture, settings), width, height)
    finally:
        page.close()


def _words(text: str, box: Box) -> tuple[Span, ...]:
    """The words of a line, each where it stands if all signs are as wide."""
    width, out, at = (box.right - box.left) / max(1, len(text)), [], 0
    for word in text.split():
        at = text.index(word, at)
        out.append((word, box.left + at * width, box.left + (at + len(word)) * width))
        at += len(word)
    return tuple(out)


def seen_page(lines: Iterable[SeenLine], wide: float, high: float) -> Page:
    """A page with lines that were seen in a picture; `wide` and `high` are its sides, in any unit."""
    height = _WIDTH * high / max(wide, 1.0)
    seen = list(lines)
    usual = median(line.bottom - line.top for line in seen) if seen else 0.0
    pieces = []
    for number, line in enumerate(seen):
        seen_height = usual if _LESS < (line.bottom - line.top) / usual < _MORE else line.bottom - line.top
        bottom = line.bottom * height
        box = Box(line.left * _WIDTH, bottom - seen_height * height, line.right * _WIDTH, bottom)
        pieces.append(LinePiece(line.text, box, box.bottom, _words(line.text, box), number))
    return Page(pieces, [], [], height, 0, 0, [])
