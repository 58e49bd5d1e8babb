"""The headings of a document: the lines that its outline names, else those that are larger than its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.pdf.lines import LinePiece
from sage_ld.build.readers.pdf.paragraphs import DOTS

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_LARGER: Final = 1.15
"""How much larger than the text of the document a heading is, at least."""
_SAME: Final = 0.95
"""Sizes of which the smaller is this share of the larger, or more, are one."""
_LONGEST: Final = 160
"""Characters of a heading, at most."""
_MOST_LEVELS: Final = 6
_FEW_PAGES: Final = 4
_LEAST_KEY: Final = 8
"""Characters of a line that is a part of a title, at least."""
_MOST_SHARE: Final = 0.25
"""The share of a document's lines that may be headings: else its sizes say nothing."""
_MOST_ENTRIES: Final = 20_000
"""Entries of an outline that are looked at."""
_NUMBERED: Final = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{1,3})*\.?|[A-Z]\.[0-9.]*|[IVX]{1,5}\.)\s+\S")
_NUMBER_AHEAD: Final = re.compile(
    r"(?:[^\W\d_]{3,12}\s)?(?:[0-9]{1,3}|[A-Z]|[IVX]{1,5})(?:\.[0-9]{1,3})*[.:)]?\s+(?=\S)"
)
"""The number before a title, with a word such as Chapter."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_LETTERS: Final = re.compile(r"[^\W\d_²³¹⁰-ₜ]{3,}")
_SHORT_WRITING: Final = re.compile(r"[\u0e00-\ua4cf\uac00-\ud7a3]")
"""A sign of a writing in which one or two signs are a word."""
_KEY: Final = re.compile(r"[\W_]+")


Outline: TypeAlias = Mapping[int, Mapping[str, int]]
"""The levels of the titles of an outline's entries, by the page that they lead to, counted from 0."""


@dataclass(frozen=True, slots=True)
class Headings:
    """The marks of a heading: its entry in the outline, else its size."""

    outline: Outline
    sizes: Mapping[int, int]
    """The level of text that is larger than the document's, by its size."""
    body: int
    """The size of the document's text."""

    def level(self, text: str, piece: LinePiece, page: int) -> int | None:
        """The level of a line as a heading, from 1; None for other lines."""
        if not text or len(text) > _LONGEST or not _LETTER.search(text) or DOTS in text:
            return None
        if self.outline:
            return self._stated_level(text, piece, page)
        if not _has_word(text):
            return None
        level = self.sizes.get(_size(piece))
        if level is not None and not text.endswith((",", ";")):
            return level
        if piece.is_bold and _NUMBERED.match(text) and _size(piece) >= self.body and text[-1] not in ".,;:":
            return min(max(self.sizes.values(), default=0) + 1, _MOST_LEVELS)
        return None

    def _stated_level(self, text: str, piece: LinePiece, page: int) -> int | None:
        """The level of an entry of the outline, whose title may be on more than one line."""
        titles = self.outline.get(page, {})
        for key in _keys(text):
            if key in titles:
                return titles[key]
        key = _key(text)
        if len(key) < _LEAST_KEY or not (piece.is_bold or _size(piece) > self.body):
            return None
        return next((level for title, level in titles.items() if key in title), None)


def _has_word(text: str) -> bool:
    """Whether a text has a word; the large signs of formulas have not."""
    if _SHORT_WRITING.search(text):
        return True
    return any(word[1:].islower() or word[1:].upper() == word[1:] for word in _LETTERS.findall(text))


def headings(pages: Sequence[Sequence[LinePiece]], outline: Outline) -> Headings:
    """The headings of a document, from its outline and from the sizes of its lines."""
    lines = [line for page in pages for line in page if line.upright]
    amount: Counter[int] = Counter()
    count: Counter[int] = Counter()
    for line in lines:
        amount[_size(line)] += len(line.text)
        count[_size(line)] += 1
    body = max(amount, key=lambda size: (amount[size], size), default=0)
    larger = sorted((size for size in count if size >= _LARGER * body), reverse=True)
    pages_with = Counter(size for page in pages for size in {_size(line) for line in page if line.upright})
    if sum(count[size] for size in larger) > _MOST_SHARE * sum(count.values()):
        larger = []
    least = 2 if len(pages) > _FEW_PAGES else 1  # the sizes of a title page are no levels of their own
    levels: dict[int, int] = {}
    largest = 0
    for size in larger:  # those that differ by little have one level
        if not levels or (size < _SAME * largest and pages_with[size] >= least):
            largest, level = size, min(len(set(levels.values())) + 1, _MOST_LEVELS)
        levels[size] = level
    seen = sum(
        any(key in outline.get(number, {}) for key in _keys(line.text))
        for number, page in enumerate(pages)
        for line in page
    )
    return Headings(outline if seen * 2 >= sum(map(len, outline.values())) else {}, levels, body)


def _size(piece: LinePiece) -> int:
    """The size of a line in half points, so that sizes that are meant to be equal are."""
    return round((piece.font_size or piece.size) * 2)


def outline_of(pdf: PdfDocument) -> Outline:
    """The outline of a PDF (ISO 32000-2, §12.3.3)."""
    out: dict[int, dict[str, int]] = {}
    for number, mark in enumerate(pdf.get_toc(max_depth=_MOST_LEVELS)):
        if number >= _MOST_ENTRIES:
            break
        destination = mark.get_dest()
        page = destination.get_index() if destination is not None else None
        if page is not None and (key := _key(one_line(mark.get_title()))):
            out.setdefault(page, {}).setdefault(key, mark.level + 1)
    return out


def _keys(text: str) -> Iterator[str]:
    """The keys of a title, with the number before it and without: LaTeX leaves it out of the outline."""
    yield _key(text)
    if (number := _NUMBER_AHEAD.match(text)) is not None:
        yield _key(text[number.end() :])


def _key(text: str) -> str:
    """A title without what programs write differently in the outline and on the page."""
    return _KEY.sub("", text).casefold()
