"""Words in the colour of the paper, or in no colour, which nobody sees."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from sage_ld.build.readers.pdf.words import Box, PageText, PageView, PlacedWord

_WHITE: Final = 250
"""Of 255, in red, green and blue."""
_MOST_OBJECTS: Final = 20_000
"""Objects of a page that are looked at; of a page with more, white words count as seen."""


def unseen_words(page: PdfPage, view: PageView, text: PageText, words: Sequence[PlacedWord]) -> set[int]:
    """The first signs of the words that are white on nothing but white, or wholly transparent."""
    white: list[PlacedWord] = []
    clear: set[int] = set()
    for word in words:
        red, green, blue, alpha = text.colour(word.first)
        if alpha == 0:
            clear.add(word.first)
        elif red >= _WHITE and green >= _WHITE and blue >= _WHITE:
            white.append(word)
    if not white:
        return clear
    if pdfium.FPDFPage_CountObjects(page) > _MOST_OBJECTS:
        return clear
    grounds = list(_grounds(page, view))
    return clear | {word.first for word in white if not any(_is_on(word.box, each) for each in grounds)}


def _is_on(word: Box, ground: Box) -> bool:
    x, y = (word.left + word.right) / 2, (word.top + word.bottom) / 2
    return ground.left <= x <= ground.right and ground.top <= y <= ground.bottom


def _grounds(page: PdfPage, view: PageView) -> Iterator[Box]:
    """The places of all that white text may stand out from: areas of another colour, pictures, forms."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for number in range(pdfium.FPDFPage_CountObjects(page)):
        each = pdfium.FPDFPage_GetObject(page, number)
        kind = pdfium.FPDFPageObj_GetType(each)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT or (kind == pdfium.FPDF_PAGEOBJ_PATH and _is_paper(each)):
            continue
        if pdfium.FPDFPageObj_GetBounds(each, left, bottom, right, top):
            yield view.box(left.value, bottom.value, right.value, top.value)


def _is_paper(path: Any) -> bool:
    """Whether a path fills nothing, or fills it white; a pattern has no colour and counts as another."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    parts = tuple(ctypes.c_uint() for _ in range(4))
    pdfium.FPDFPath_GetDrawMode(path, mode, stroke)
    if not mode.value:
        return True
    return bool(pdfium.FPDFPageObj_GetFillColor(path, *parts)) and min(p.value for p in parts[:3]) >= _WHITE
