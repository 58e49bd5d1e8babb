"""The words of a page with their places, as PDFium finds them.

A place is in points (1/72 inch) from the top left of the page as a person sees it. PDFium is asked about the
first and the last character of a word alone; only words with digits are looked at sign by sign, since a
raised one among them is a power or the mark of a note.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium
from pypdfium2 import PdfPage, PdfTextPage

from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.positions import Position

_CUT: Final = "\x02\ufffe"
"""The signs that PDFium writes for a hyphen at the end of a line, whose end it leaves out."""
_WORD: Final = re.compile(rf"[^\s{_CUT}]+[{_CUT}]?")
_MAY_BE_RAISED: Final = re.compile(r"[0-9].*\S|\S.*[0-9†‡*§]")
_MAY_BE_TWO: Final = re.compile(r"[^\W\d_A-Z][A-Z0-9]|[0-9].*\S|[%€$£)].|.[(€$£]")
"""A text of two cells that stand so close that no blank is seen between them, maybe."""
_SIGNS_OF_TEX: Final = dict(zip("\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14", "ﬀﬁﬃﬄ“”„«»", strict=True)) | dict(
    zip("\x15\x16\x1b\x1c\x1d\x1e\x1f\x88", "–—ﬀﬁﬂﬃﬄ•", strict=True)
)
"""Signs of fonts of TeX that say no Unicode, by their numbers in its encodings OT1 (below 16), T1 and TS1."""
_OF_TEX: Final = re.compile("[\x0b\x0c\x0e-\x16\x1b-\x1f\x88]")
_LONGEST_NAME: Final = 128
"""Bytes of the name of a font that are looked at."""
_BOLD: Final = re.compile(r"bold|black|heavy|demi|^(?:\w{6}\+)?(?:cmbx|cmb|sfbx|ecbx)", re.IGNORECASE)
_NOT_BOLD: Final = re.compile(r"regular|italic|oblique|light|book", re.IGNORECASE)
_LIGATURES: Final = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})
_SMALL: Final = 0.85
"""The height of a raised or lowered sign, in heights of the line's signs, at most."""
_SHIFT: Final = 0.1
"""How far a raised or lowered sign stands off the line, in heights of the line's signs, at least."""
_BLANK: Final = 0.1
"""The width of a blank behind a raised or lowered sign, in heights of the line, at least."""
_LEAST_SIZE: Final = 1.0
"""Points; smaller text is not seen."""


class Box(NamedTuple):
    """A rectangle: left, top, right and bottom, in points from the page's top left."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """The smallest rectangle that has all of some in it."""
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return cls(min(lefts), min(tops), max(rights), max(bottoms))


class PlacedWord(NamedTuple):
    """A run of signs without a blank."""

    text: str
    box: Box
    base: float
    """The line that it stands on, in points from the top."""
    first: int
    """The number of its first sign among those of the page."""
    position: Position | None = None
    """Whether it is small and stands above or below the line of the word before it."""
    is_turned: bool = False
    """Whether it is written up or down the page."""
    end: int = -1
    """The number of the sign behind its last one."""
    object: int = 0
    """The address of the object of the page that it is in."""

    @property
    def size(self) -> float:
        """The height of its line."""
        box = self.box
        return box.right - box.left if self.is_turned else box.bottom - box.top


class PageView:
    """A page as it is shown: its box, and the way from its coordinates to those of `Box`."""

    def __init__(self, page: PdfPage) -> None:
        self._left, self._bottom, self._right, self.top = page.get_cropbox()
        self.rotation = page.get_rotation()
        wide, high = self._right - self._left, self.top - self._bottom
        self.width, self.height = (high, wide) if self.rotation in (90, 270) else (wide, high)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """The place at which a point of the page is shown (ISO 32000-2, §14.11.2)."""
        if self.rotation == 90:
            return y - self._bottom, x - self._left
        if self.rotation == 180:
            return self._right - x, y - self._bottom
        if self.rotation == 270:
            return self.top - y, self._right - x
        return x - self._left, self.top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """The place at which a rectangle of the page is shown."""
        if not self.rotation:  # this is called for each word
            x, y = self._left, self.top
            return Box(left - x, y - top, right - x, y - bottom)
        (a, b), (c, d) = self.point(left, bottom), self.point(right, top)
        return Box(min(a, c), min(b, d), max(a, c), max(b, d))


class PageText:
    """The signs of a page."""

    def __init__(self, page: PdfPage, view: PageView) -> None:
        self._text_page: PdfTextPage = page.get_textpage()
        self._raw = self._text_page.raw
        self._view = view
        self._rectangle, self._other = pdfium.FS_RECTF(), pdfium.FS_RECTF()
        self._matrix = pdfium.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_LONGEST_NAME)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self.count = pdfium.FPDFText_CountChars(self._raw)
        self.text = self._whole_text()

    def close(self) -> None:
        """Frees what PDFium holds of it."""
        self._text_page.close()

    def words(self) -> Iterator[PlacedWord]:
        """Its words in the order of the file, parts of words that stand on another line apart."""
        for word in self._all_words():
            if _may_be_turned(word) and self._is_turned(word.first):
                yield word._replace(is_turned=True, position=None)
            else:
                yield word

    def _all_words(self) -> Iterator[PlacedWord]:
        for match in _WORD.finditer(self.text):
            first, text = match.start(), match.group()
            if len(text) > 1 and _MAY_BE_RAISED.search(text):
                yield from self._parts(first, text)
            elif _MAY_BE_TWO.search(text):
                yield from self._words_of_objects(first, text)
            else:
                yield self._word(first, text)

    def _words_of_objects(self, first: int, text: str) -> Iterator[PlacedWord]:
        """A word, cut where another object of the page begins, maybe another cell that stands close to it."""
        if self.object(first) == self.object(first + len(text) - 1):
            yield self._word(first, text)
            return
        begin = 0
        for end in range(1, len(text)):
            if self.object(first + end - 1) != self.object(first + end):
                yield self._word(first + begin, text[begin:end])
                begin = end
        yield self._word(first + begin, text[begin:])

    def object(self, number: int) -> int:
        """The address of the object of the page that has a sign; no two cells share one."""
        return ctypes.c_void_p.from_buffer(pdfium.FPDFText_GetTextObject(self._raw, number)).value or 0

    def font_size(self, number: int) -> float:
        """The size of a sign's font on the page, in points; 0 where PDFium does not say it."""
        size = pdfium.FPDFText_GetFontSize(self._raw, number)
        if size <= 0 or not pdfium.FPDFText_GetMatrix(self._raw, number, self._matrix):
            return 0.0
        return float(size) * math.hypot(self._matrix.c, self._matrix.d)

    def is_bold(self, number: int) -> bool:
        """Whether a sign's font is bold: its name says so, else its weight, which is 400 for normal text.

        PDFium guesses the weight from the width of the stems, and is wrong about upright fonts of TeX.
        """
        length = pdfium.FPDFText_GetFontInfo(self._raw, number, self._name, _LONGEST_NAME, None)
        name = self._name.raw[: max(0, min(length, _LONGEST_NAME) - 1)].decode("latin-1")
        if _BOLD.search(name):
            return True
        return bool(pdfium.FPDFText_GetFontWeight(self._raw, number) >= 600 and not _NOT_BOLD.search(name))

    def _whole_text(self) -> str:
        """One character for each sign, so that places in the text are numbers of signs."""
        if not self.count:
            return ""
        text: str = self._text_page.get_text_range()
        if len(text) != self.count:
            codes = (pdfium.FPDFText_GetUnicode(self._raw, number) for number in range(self.count))
            text = "".join(map(chr, codes))
        return self._with_signs_of_tex(text)

    def _with_signs_of_tex(self, text: str) -> str:
        """The text with ligatures, dashes and quotes of fonts without a name, as TeX draws them."""
        if text.isprintable() or not _OF_TEX.search(text):
            return text
        return _OF_TEX.sub(lambda match: self._sign_of_tex(match[0], match.start()), text)

    def _sign_of_tex(self, sign: str, number: int) -> str:
        has_name = pdfium.FPDFText_GetFontInfo(self._raw, number, None, 0, None) > 1
        return sign if has_name else _SIGNS_OF_TEX[sign]

    def _word(self, first: int, text: str) -> PlacedWord:
        end = first + len(text)
        box = self._box(first, end - 1)
        return PlacedWord(_written(text), box, self._base(first), first, None, False, end, self.object(first))

    def _parts(self, first: int, text: str) -> Iterator[PlacedWord]:
        """A word cut where its signs leave the line."""
        boxes = [self._box(first + n, first + n) for n in range(len(text))]
        size = max(box.bottom - box.top for box in boxes)
        if all(box.bottom - box.top > _SMALL * size for box in boxes):
            yield from self._words_of_objects(first, text)
            return
        bases = [self._base(first + n) for n in range(len(text))]
        whole = [n for n, box in enumerate(boxes) if box.bottom - box.top > _SMALL * size]
        line = bases[whole[0]]
        positions = [_position(box, base, size, line) for box, base in zip(boxes, bases, strict=True)]
        begin = 0
        for end in range(1, len(text) + 1):
            if end == len(text) or positions[end] != positions[begin]:
                word = self._word(first + begin, text[begin:end])
                place = positions[begin] if begin else None
                yield word._replace(position=place, base=line if place is not None else word.base)
                begin = end

    def _is_turned(self, number: int) -> bool:
        """Whether a sign stands across the lines of the page as it is shown."""
        angle = math.degrees(pdfium.FPDFText_GetCharAngle(self._raw, number)) + self._view.rotation
        return bool(45 < angle % 180 < 135)

    def _box(self, first: int, last: int) -> Box:
        """The box around two signs; this is called for each word, hence its form."""
        one, other = self._rectangle, self._other
        pdfium.FPDFText_GetLooseCharBox(self._raw, first, one)
        left, bottom, right, top = one.left, one.bottom, one.right, one.top
        if last != first:
            pdfium.FPDFText_GetLooseCharBox(self._raw, last, other)
            left = other.left if other.left < left else left
            bottom = other.bottom if other.bottom < bottom else bottom
            right = other.right if other.right > right else right
            top = other.top if other.top > top else top
        return self._view.box(left, bottom, right, top)

    def _base(self, number: int) -> float:
        pdfium.FPDFText_GetCharOrigin(self._raw, number, self._x, self._y)
        view = self._view
        return view.point(self._x.value, self._y.value)[1] if view.rotation else view.top - self._y.value


def _may_be_turned(word: PlacedWord) -> bool:
    """Whether a word is higher than words of its length are."""
    box = word.box
    return box.bottom - box.top > (box.right - box.left) * (1.2 if len(word.text) > 2 else 0.8)


def _written(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    whole = f"{text[:-1]}-" if text[-1] in _CUT or text[-1] == "\xad" else text
    return printable(whole).translate(_LIGATURES)


def _position(box: Box, base: float, size: float, line: float) -> Position | None:
    if box.bottom - box.top > _SMALL * size or abs(base - line) < _SHIFT * size:
        return None
    return Position.RAISED if base < line else Position.LOWERED


class Centres:
    """The middles of words, to find those in a rectangle."""

    def __init__(self, words: Sequence[PlacedWord]) -> None:
        sides = chain.from_iterable(word.box for word in words)
        boxes = np.fromiter(sides, np.float64, 4 * len(words)).reshape(-1, 4)
        self._x, self._y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2

    def inside(self, box: Box) -> list[int]:
        """The numbers of the words whose middle is in a rectangle."""
        across = (box.left <= self._x) & (self._x <= box.right)
        return np.flatnonzero(across & (box.top <= self._y) & (self._y <= box.bottom)).tolist()


def is_on_page(word: PlacedWord, view: PageView) -> bool:
    """Whether a word is on the page, and not too small to be seen."""
    left, top, right, bottom = word.box
    is_inside = 0 <= left + right <= 2 * view.width and 0 <= top + bottom <= 2 * view.height
    return is_inside and word.size >= _LEAST_SIZE


def line_text(words: list[PlacedWord]) -> str:
    """The words of a line as text; what is raised or lowered is written so that no other number results."""
    if all(word.position is None for word in words):
        gaps = ("" if _touches(before, word) else " " for before, word in pairwise(words))
        return one_line("".join(f"{gap}{word.text}" for gap, word in zip(("", *gaps), words, strict=True)))
    line = InlineBuilder(single_line=True)
    for number, word in enumerate(words):
        if word.position is not None and number:
            with line.placed(word.position):
                line.write(word.text)
        else:
            if number and not _touches(words[number - 1], word):
                line.write(" ")
            line.write(word.text)
    return line.finish().text


def _touches(before: PlacedWord, word: PlacedWord) -> bool:
    """Whether a word goes on after a raised or lowered part of it."""
    if before.position is not None and word.box.left - before.box.right < _BLANK * word.size:
        return True
    return word.first == before.end
