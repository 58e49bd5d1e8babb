"""Spans of a text: (begin, end) offsets, trimmed of blanks, cut at patterns."""

from __future__ import annotations

import re
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

SENTENCE = re.compile(r"(?<=[.?!])\s+")
"""Where a sentence ends, as in the SAGE authors' code."""
SENTENCE_OR_PARAGRAPH = re.compile(r"(?<=[.?!])\s+|\n\s*\n|(?<=[。！？])")
LINE = re.compile(r"\n+")
CELL = re.compile(r"(?<=;)\s+")
"""Where a cell of a table's row ends (or a part of a cell's value, which is as good a place)."""
WORD = re.compile(r"\s+|(?<=[，、；：])")


def trim(text: str, begin: int, end: int) -> Span | None:
    """The span without blanks at its ends; None if nothing else is in it.

    >>> trim("a  bc  d", 1, 6)
    (3, 5)
    """
    content = text[begin:end]
    left = len(content) - len(content.lstrip())
    if left == len(content):
        return None
    return begin + left, begin + len(content.rstrip())


def cut(text: str, span: Span, separator: re.Pattern[str]) -> list[Span]:
    """The span's parts between the matches of `separator`, which match blanks or nothing.

    >>> cut("It ran. It fell.", (0, 16), SENTENCE)
    [(0, 7), (8, 16)]
    """
    begin, end = span
    edges = [begin, *(edge for found in separator.finditer(text, begin, end) for edge in found.span()), end]
    parts = (trim(text, *part) for part in zip(edges[::2], edges[1::2], strict=True))
    return [part for part in parts if part]


def slices(span: Span, width: int) -> list[Span]:
    """The span in pieces of `width` characters, the last one shorter.

    >>> slices((3, 10), 4)
    [(3, 7), (7, 10)]
    """
    begin, end = span
    return [(at, min(at + width, end)) for at in range(begin, end, width)]
