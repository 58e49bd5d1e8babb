"""Words that nobody can see: in the colour of what is below them, covered, cut away, or without colour.

What a page draws below and above each word says for most that they are seen. Where it does not, the page is
drawn with these words and without: those that change nothing are not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage

from sage_ld.build.readers.pdf.shapes import Colour, DrawnText, PageObjects, Shape
from sage_ld.build.readers.pdf.words import Box, PageText, PageView, PlacedWord

_Doubtful: TypeAlias = tuple[PlacedWord, DrawnText, bool]
"""A word with its look, and whether it is below a picture."""
_Pixels: TypeAlias = npt.NDArray[np.uint8]
_WHITE: Final = 255
_CLEAR: Final = 48
"""The difference of two colours that everybody sees, of 255, in one of their parts."""
_VISIBLE: Final = 12
"""The difference that is seen at all: of two colours, and of a pixel with a word and without it."""
_INK: Final = 0.06
"""The share of the pixels of a word that it changes, at least."""
_CELL: Final = 4.0
"""Points: the places at which it is looked up what a word stands on."""
_MOST_CELLS: Final = 500
"""Such places across a page, and down it."""
_THIN: Final = 2.0
"""Points: what is not wider neither covers a word nor has one on it."""
_SCALE: Final = 2.0
"""Pixels for a point."""
_MOST_PIXELS: Final = 16_000_000


def unseen_words(
    page: PdfPage,
    view: PageView,
    objects: PageObjects,
    words: Sequence[PlacedWord],
    covers: Sequence[Box],
    text: PageText,
) -> set[int]:
    """The first signs of the words that cannot be seen; `covers` are annotations that lie over the page."""
    areas = [each for each in objects.shapes if _is_area(each)]
    areas += [Shape(box, math.inf, None, -1) for box in covers]
    stands = _standing(view, objects, words, areas)
    hidden: set[int] = set()
    doubtful: list[_Doubtful] = []
    known: dict[tuple[int, int, int], bool] = {}
    for word, (below, above) in zip(words, stands, strict=True):
        if known.get(key := (word.object, below, above)):
            continue
        look = objects.texts.get(word.object)
        ground, cover = (areas[each] if each >= 0 else None for each in (below, above))
        if look is None:
            continue
        has_picture = any(each is not None and each.is_picture for each in (ground, cover))
        if look.mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:  # the text of a scan
            if not has_picture:
                hidden.add(word.first)
        elif below == above and _is_clear(word, look, ground):
            known[key] = look.clip is None
        else:
            doubtful.append((word, look, has_picture and below != above))
    signs = {text.object(sign) for word, _, _ in doubtful for sign in range(word.first, word.end)}
    drawn = [objects.texts[each] for each in signs if each in objects.texts]
    return hidden | _without_trace(page, view, doubtful, drawn)


def _is_clear(word: PlacedWord, look: DrawnText, ground: Shape | None) -> bool:
    """Whether a word is seen on what is below it for certain."""
    if look.colour is None or look.mode != pdfium.FPDF_TEXTRENDERMODE_FILL:
        return False
    if look.clip is not None and not _contains(look.clip, word.box):
        return False
    if ground is None:
        return min(look.colour[:3]) <= _WHITE - _CLEAR
    colour = _plain_colour(ground)
    return colour is not None and _difference(look.colour, colour) >= _CLEAR


def _plain_colour(shape: Shape) -> Colour | None:
    return shape.colour() if shape.fills_its_box() else None


def _difference(one: Colour, other: Colour) -> int:
    return max(abs(a - b) for a, b in zip(one[:3], other[:3], strict=True))


def _contains(box: Box, inner: Box) -> bool:
    x, y = (inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2
    return box.left <= x <= box.right and box.top <= y <= box.bottom


def _standing(
    view: PageView, objects: PageObjects, words: Sequence[PlacedWord], areas: Sequence[Shape]
) -> Iterable[tuple[int, int]]:
    """The numbers of the areas that each word stands on, and that are there when all is drawn; -1 for none.

    The work is that of drawing all areas once.
    """
    if not areas:
        return repeat((-1, -1), len(words))
    cell = max(_CELL, view.width / _MOST_CELLS, view.height / _MOST_CELLS)
    drawn = np.full((int(view.height / cell) + 2, int(view.width / cell) + 2), -1, dtype=np.int32)
    places = [_place(word.box, cell, drawn) for word in words]
    texts = objects.texts
    orders = [texts[word.object].order if word.object in texts else 0 for word in words]
    below: list[int] = [-1] * len(words)
    waiting = sorted(range(len(words)), key=orders.__getitem__, reverse=True)
    for number, area in enumerate(areas):
        while waiting and orders[waiting[-1]] < area.order:
            at = waiting.pop()
            below[at] = int(drawn[places[at]])
        drawn[_cells(area.box, cell)] = number
    for each in waiting:
        below[each] = int(drawn[places[each]])
    return [(one, int(drawn[place])) for one, place in zip(below, places, strict=True)]


def _is_area(shape: Shape) -> bool:
    """Whether a shape may have a word on it, or cover one."""
    box = shape.box
    if min(box.right - box.left, box.bottom - box.top) <= _THIN:
        return False
    return not shape.segments or shape.is_filled or shape.line_width() > _THIN


def _place(box: Box, cell: float, drawn: npt.NDArray[np.int32]) -> tuple[int, int]:
    row, column = (box.top + box.bottom) / 2 / cell, (box.left + box.right) / 2 / cell
    return min(max(int(row), 0), drawn.shape[0] - 1), min(max(int(column), 0), drawn.shape[1] - 1)


def _cells(box: Box, cell: float) -> tuple[slice, slice]:
    top, left = max(0, math.floor(box.top / cell)), max(0, math.floor(box.left / cell))
    return slice(top, max(0, math.ceil(box.bottom / cell))), slice(left, max(0, math.ceil(box.right / cell)))


def _without_trace(
    page: PdfPage, view: PageView, doubtful: Sequence[_Doubtful], drawn: Sequence[DrawnText]
) -> set[int]:
    """The first signs of the words that change nothing on the page; `drawn` are the texts that they are in.

    A word below a picture is seen if the picture shows something there: some scans have their text below.
    """
    if not doubtful:
        return set()
    scale = min(_SCALE, math.sqrt(_MOST_PIXELS / max(1.0, view.width * view.height)))
    whole = _rendered(page, scale)
    texts = {look.order: look.raw for look in drawn}
    for each in texts.values():
        pdfium.FPDFPageObj_SetIsActive(each, False)
    try:
        without = _rendered(page, scale)
    finally:
        for each in texts.values():
            pdfium.FPDFPageObj_SetIsActive(each, True)
    out = set()
    for word, _, is_below_picture in doubtful:
        place = _pixels(word.box, scale)
        shown, rest = whole[place], without[place]
        if not _has_trace(word, shown, rest) and not (is_below_picture and _shows_something(shown)):
            out.add(word.first)
    return out


def _rendered(page: PdfPage, scale: float) -> _Pixels:
    bitmap = page.render(scale=scale, may_draw_forms=False)
    try:
        return np.array(bitmap.to_numpy()[:, :, :3])
    finally:
        bitmap.close()


def _pixels(box: Box, scale: float) -> tuple[slice, slice]:
    top, left = max(0, math.floor(box.top * scale)), max(0, math.floor(box.left * scale))
    return slice(top, max(0, math.ceil(box.bottom * scale))), slice(
        left, max(0, math.ceil(box.right * scale))
    )


def _has_trace(word: PlacedWord, shown: _Pixels, rest: _Pixels) -> bool:
    if not shown.size:
        return False
    changed = np.abs(shown.astype(np.int16) - rest).max(axis=2) >= _VISIBLE
    has_letters = any(map(str.isalnum, word.text))
    return bool(changed.mean() >= _INK if has_letters else changed.any())


def _shows_something(shown: _Pixels) -> bool:
    if not shown.size:
        return False
    flat = shown.reshape(-1, 3)
    return int((flat.max(axis=0) - flat.min(axis=0)).max()) >= _CLEAR
