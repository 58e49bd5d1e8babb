"""The lines of a page, cut where a wide gap stands between two words, and the order in which they are read.

A page of columns is read column by column. Where no gap runs down the page between two texts, the order of
the file is kept, since programs write what they set in the order in which it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median
from typing import Final, TypeAlias

import numpy as np

from sage_ld.build.readers.inline import Anchor
from sage_ld.build.readers.pdf.words import Box, PlacedWord, line_text
from sage_ld.build.readers.positions import Position

_GAP: Final = 1.0
"""The gap that ends a piece of a line, in heights of the line: wider than a blank of a justified line."""
_NUMBER_GAP: Final = 0.4
"""The gap before a number that ends a piece: a typewriter sets those of a table no further apart."""
_NUMBER: Final = re.compile(r"[(+\-−]?[$€£]?[0-9][0-9.,'’]*(?:[eE][+-]?[0-9]+)?%?\)?|NA|–|—|-")
_LEAST_BLANK: Final = 0.1
"""The gap between the number of a note and its text, at least; that of an isotope stands closer."""
_SIZE_SHARE: Final = 0.25
"""The share of the signs of a line that are not larger than the line is, at least."""
_SAME_LINE: Final = 0.35
"""How far two words of one line may stand above one another, in heights of the line."""
_COLUMN_WORDS: Final = 3.5
"""Words in a line of a column of prose, on average, at least: cells of tables have fewer."""
_LEAST_LINES: Final = 4
"""Lines that a column has on each side of the gap, at least."""
_CROSSING: Final = 0.15
"""The share of lines that may cross a gap between columns: titles, and pictures with what is in them."""
_GUTTER: Final = 6.0
"""Points between two columns, at least."""
_STEPS: Final = 400
"""Places across the page at which a gap is looked for."""


Span: TypeAlias = tuple[str, float, float]
"""A word with its left and its right edge."""


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A line, or a part of it between two wide gaps."""

    text: str
    box: Box
    base: float
    words: tuple[Span, ...]
    """Its words, each with the place at which it stands."""
    first: int
    """The number of its first sign."""
    upright: bool = True
    """Whether it is written from left to right, not up or down the page."""
    sign: int = 0
    """The number of a sign that looks as most of it does."""
    font_size: float = 0.0
    """The size of that sign's font; 0 where nothing says it."""
    is_bold: bool = False
    anchors: tuple[Anchor, ...] = ()
    """Its links."""
    cells: tuple[int, ...] = ()
    """The numbers of the words with which another object of the page begins, maybe that of another cell."""
    is_field: bool = False
    """Whether it is the state of a field of a form."""

    @property
    def size(self) -> float:
        """The height of its line, in points."""
        box = self.box
        return box.bottom - box.top if self.upright else box.right - box.left


def pieces(words: Iterable[PlacedWord]) -> Iterator[LinePiece]:
    """The pieces of lines that words in the order of the file make."""
    for line in _lines(words):
        yield piece(line)


def piece(line: Sequence[PlacedWord]) -> LinePiece:
    """The piece of a line that words make which stand side by side."""
    usual = _usual(line)
    box = Box.around(word.box for word in line)
    if not usual.is_turned:
        box = box._replace(top=usual.box.top, bottom=usual.box.bottom)
    spans = tuple((word.text, word.box.left, word.box.right) for word in line)
    text, upright = line_text(list(line)), not line[0].is_turned
    cells: tuple[int, ...] = ()
    if line[0].object != line[-1].object:
        cells = tuple(n for n, (one, other) in enumerate(pairwise(line), 1) if one.object != other.object)
    return LinePiece(text, box, usual.base, spans, line[0].first, upright, usual.first, cells=cells)


def _usual(line: Sequence[PlacedWord]) -> PlacedWord:
    """A word of the size of a line: not a large bullet, the sign of a sum, or an address in another font."""
    if len(line) == 1:
        return line[0]
    whole = [word for word in line if word.position is None] or line
    some = _SIZE_SHARE * sum(len(word.text) for word in whole)
    by_size = sorted(whole, key=lambda word: word.size)
    seen = accumulate(len(word.text) for word in by_size)
    return next(word for word, signs in zip(by_size, seen, strict=True) if signs >= some)


def _lines(words: Iterable[PlacedWord]) -> Iterator[list[PlacedWord]]:
    line: list[PlacedWord] = []
    for each in words:
        word = _beside(line[-1], each) if line else each
        if len(line) == 1 and _is_mark_of(line[0], word):
            line[0] = line[0]._replace(base=word.base, text=f"[{line[0].text}]")
        if line and not _goes_on(line[-1], word):
            yield line
            line = []
        line.append(word)
    if line:
        yield line


def _is_mark_of(mark: PlacedWord, word: PlacedWord) -> bool:
    """Whether a word is the text of a note, behind its raised number."""
    if not mark.text.isdecimal() or mark.is_turned or word.is_turned or mark.size >= 0.85 * word.size:
        return False
    close = _LEAST_BLANK * word.size <= word.box.left - mark.box.right <= word.size
    return close and 0.15 * word.size < word.base - mark.base < 0.7 * word.size


def _beside(before: PlacedWord, word: PlacedWord) -> PlacedWord:
    """The word, with its position where it is a small one close behind a number."""
    shift = before.base - word.base
    if not shift or not word.text[:1].isdigit() or not before.text[-1:].isalnum():
        return word
    close = -1 <= word.box.left - before.box.right <= 0.2 * before.size
    if (
        not close
        or word.size >= 0.85 * before.size
        or not 0.15 * before.size < abs(shift) < 0.7 * before.size
    ):
        return word
    return word._replace(base=before.base, position=Position.RAISED if shift > 0 else Position.LOWERED)


def _goes_on(before: PlacedWord, word: PlacedWord) -> bool:
    if before.is_turned or word.is_turned:
        return before.is_turned and word.is_turned and abs(word.box.left - before.box.left) < 1
    smaller, larger = sorted((before.size, word.size))
    if abs(word.base - before.base) > _SAME_LINE * larger:
        return False
    gap = word.box.left - before.box.right
    if gap <= _NUMBER_GAP * smaller:
        return gap > -larger
    return gap <= _GAP * smaller and not _NUMBER.fullmatch(word.text)


def is_wide(before: LinePiece, after: LinePiece) -> bool:
    """Whether the gap between two pieces of a line is wider than the blanks of a justified line."""
    return after.box.left - before.box.right > _GAP * min(before.size, after.size)


def distance(above: Sequence[LinePiece], below: Sequence[LinePiece]) -> float:
    """The distance of two lines, in heights of the smaller one."""
    return (below[0].base - above[0].base) / max(1.0, min(above[0].size, below[0].size))


def rows(some: Iterable[LinePiece]) -> list[list[LinePiece]]:
    """The pieces line by line from the top, each line from left to right."""
    out: list[list[LinePiece]] = []
    for each in sorted(some, key=lambda one: one.base):
        if out and abs(each.base - out[-1][0].base) <= _SAME_LINE * min(each.size, out[-1][0].size):
            out[-1].append(each)
        else:
            out.append([each])
    for row in out:
        row.sort(key=lambda one: one.box.left)
    return out


def in_order(some: list[LinePiece]) -> list[list[LinePiece]]:
    """The columns of a page, or of a part of it, in the order in which they are read.

    What crosses the gap between two columns (a title, a wide picture) ends what is above it.
    """
    gutter = _gutter(some)
    if gutter is None:
        return [_straight(some)] if some else []
    out: list[list[LinePiece]] = []
    left: list[LinePiece] = []
    right: list[LinePiece] = []
    for each in sorted(some, key=lambda one: one.box.top):
        if each.box.right <= gutter:
            left.append(each)
        elif each.box.left >= gutter:
            right.append(each)
        else:
            out += [*in_order(left), *in_order(right)]
            left, right = [], []
            _add_wide(out, each, gutter)
    return [*out, *in_order(left), *in_order(right)]


def _add_wide(out: list[list[LinePiece]], each: LinePiece, gutter: float) -> None:
    if out and out[-1][-1].box.left < gutter < out[-1][-1].box.right:
        out[-1].append(each)
    else:
        out.append([each])


def _straight(some: list[LinePiece]) -> list[LinePiece]:
    """The pieces of one column: in the order of the file, unless it goes up the page again and again."""
    stated = sorted(some, key=lambda one: one.first)
    upward = sum(after.box.bottom < before.box.top for before, after in pairwise(stated))
    if upward * 4 <= len(stated):
        return stated
    return [each for row in rows(stated) for each in row]


def _gutter(some: list[LinePiece]) -> float | None:
    """The middle of the widest gap that runs down between two columns of prose; None where there is none."""
    if len(some) < 2 * _LEAST_LINES:
        return None
    lefts, rights = sorted(one.box.left for one in some), sorted(one.box.right for one in some)
    first, last = lefts[0], rights[-1]
    step = (last - first) / _STEPS
    best, begin = (0.0, 0.0), None
    places = first + np.arange(_STEPS + 1) * step
    after = len(some) - np.searchsorted(lefts, places, side="right")
    before = np.searchsorted(rights, places, side="right")
    free = (np.minimum(after, before) >= _LEAST_LINES) & (len(some) - after - before <= _CROSSING * len(some))
    if not free.any():
        return None
    for x, is_free in zip(places.tolist(), free.tolist(), strict=True):
        if is_free:
            begin = x if begin is None else begin
        elif begin is not None:
            best = max(best, (x - begin, (x + begin) / 2))
            begin = None
    if best[0] + step < _GUTTER or not _parts_prose(some, best[1]):
        return None
    return best[1]


def _parts_prose(some: list[LinePiece], x: float) -> bool:
    """Whether what stands on both sides are lines of prose."""
    for side in ([one for one in some if one.box.right <= x], [one for one in some if one.box.left >= x]):
        if not side or sum(len(one.words) for one in side) < _COLUMN_WORDS * len(side):
            return False
        width = max(one.box.right for one in side) - min(one.box.left for one in side)
        if median(one.box.right - one.box.left for one in side) < 0.4 * width:
            return False
    return True
