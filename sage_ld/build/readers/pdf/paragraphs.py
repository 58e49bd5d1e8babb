"""Paragraphs: lines that stand close below each other, in one size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from sage_ld.build.readers.inline import Inline, joined
from sage_ld.build.readers.pdf.lines import LinePiece, distance, is_wide

_SPACING: Final = 1.25
"""How much further than within a paragraph the next one stands below it, at least."""
_CLOSE: Final = 1.9
"""How far apart two lines of a paragraph stand, in heights of a line, at most."""
_INDENT: Final = 0.8
"""How far the first line of a paragraph stands in, in heights of a line, at least."""
_HANGING_WORDS: Final = 4
"""Words of the text beside a term, at least: cells of a table have fewer."""
_ROOM: Final = 1.5
"""The room that is left of a line which was ended on purpose, beside the next word, in heights of a line."""
_PLACE: Final = 20.0
"""Points: lines that begin and end no further apart are in one column."""
_WITHIN: Final = 0.9
"""The share of a column's lines that end before its right edge."""
_ITEM: Final = re.compile(r"(?:[•‣◦▪☐☒✓✗*–—-]|\(?[0-9]{1,3}[.)]|\(?[a-z]\)|\[[0-9]{1,3}\])(?:\s|\Z)")
LEADERS: Final = re.compile(r"(?:\s?[._…]){4,}\s*")
DOTS: Final = " … "
"""The sign that is written for a row of dots, in a table of contents."""
_CUT: Final = re.compile(r"[^\W\d_]-\Z")

Line = list[LinePiece]
"""Pieces that stand side by side."""


def text_of(line: Line) -> Inline:
    """The text of a line, its links in place; a row of dots is one sign."""
    return joined((" ", inline) for piece in line if (inline := _without_dots(piece)).text)


def _without_dots(piece: LinePiece) -> Inline:
    if piece.anchors:
        return Inline(piece.text, piece.anchors)
    return Inline(LEADERS.sub(DOTS, piece.text).strip())


def paragraphs(lines: Sequence[Line]) -> Iterator[Inline]:
    """The paragraphs that lines of one column make."""
    usual, edges = _usual_distance(lines), _Edges(lines)
    paragraph: list[Line] = []
    for line in lines:
        if paragraph and _begins(paragraph, line, usual):
            yield _joined(paragraph, edges.of(paragraph[0]))
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield _joined(paragraph, edges.of(paragraph[0]))


def _usual_distance(lines: Sequence[Line]) -> float:
    """The usual distance of two lines, in heights of a line: the smaller ones are within paragraphs."""
    distances = sorted(apart for above, below in pairwise(lines) if (apart := distance(above, below)) > 0.5)
    return distances[len(distances) // 3] if distances else 1.2


def _begins(paragraph: Sequence[Line], line: Line, usual: float) -> bool:
    """Whether a line begins a paragraph of its own."""
    last = paragraph[-1]
    apart = distance(last, line)
    if apart < -0.5:  # the next column: its first line goes on, or is indented
        return not _goes_on(last, line)
    if apart > min(_SPACING * usual, _CLOSE) or not 0.88 < line[0].size / max(1.0, last[0].size) < 1.14:
        return True
    if _ITEM.match(line[0].text) or _is_cut(line):
        return True
    if _is_cut(last) and not _ITEM.match(last[0].text) and not _hangs(last, line):
        return True
    indent = line[0].box.left - last[0].box.left
    return len(paragraph) > 1 and indent > _INDENT * line[0].size and not _goes_on(last, line)


def _is_cut(line: Line) -> bool:
    """Whether a line has a gap in it that is wider than a blank."""
    return any(is_wide(before, after) for before, after in pairwise(line))


def _hangs(last: Line, line: Line) -> bool:
    """Whether a line goes on below the text that stands beside a term, and not below the term."""
    stands_in = line[0].box.left - last[0].box.left > _INDENT * line[0].size
    return stands_in and last[-1].text[-1:].isalnum() and len(last[-1].words) >= _HANGING_WORDS


def _goes_on(last: Line, line: Line) -> bool:
    """Whether a line begins in the middle of a sentence."""
    end, begin = last[-1].text, line[0].text
    return bool(_CUT.search(end)) or (end[-1:] not in ".!?:;" and begin[:1].islower())


def _ends(line: Line, following: Line, edge: float) -> bool:
    """Whether a line was ended on purpose: the word that follows would have had room on it."""
    first, text = following[0], following[0].text
    width = (first.box.right - first.box.left) * len(text.split(maxsplit=1)[0]) / max(1, len(text))
    return edge - line[-1].box.right > _ROOM * first.size + width


class _Edges:
    """The right edges of the columns that lines stand in: few of their lines go beyond them."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._spans = [(line[0].box.left, line[-1].box.right) for line in lines]
        self._known: dict[tuple[int, int], float] = {}

    def of(self, line: Line) -> float:
        """The right edge of the column of a line."""
        left, right = line[0].box.left, line[-1].box.right
        key = round(left / _PLACE), round(right / _PLACE)
        if key not in self._known:
            rights = sorted(end for begin, end in self._spans if begin < right and left < end)
            self._known[key] = rights[round(_WITHIN * (len(rights) - 1))]
        return self._known[key]


def _joined(lines: Sequence[Line], edge: float) -> Inline:
    """The lines of a paragraph as one text; a line keeps its end where it was cut, or ended on purpose."""
    texts = [text_of(line) for line in lines]
    pairs = zip(pairwise(lines), texts, strict=False)
    kept = [bool(_CUT.search(text.text)) or _ends(*pair, edge) for pair, text in pairs]
    return joined(zip(["", *("\n" if each else " " for each in kept)], texts, strict=True))
