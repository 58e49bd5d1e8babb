"""The cells of a table chunk and the fields of a record, with their places, and which of them hold names."""

from __future__ import annotations

import re
from typing import NamedTuple

from sage_ld.build.annotators.words import EMPTY_CELLS, NO_NAMES
from sage_ld.build.readers.tables import cells
from sage_ld.foundation.model import Chunk, ChunkKind

_WORD = re.compile(r"[^\W\d_]+")
_NOT_TELLING = EMPTY_CELLS | NO_NAMES
_MAX_NAME_WORDS = 8
_MAX_NAME_CHARACTERS = 80


class TextCell(NamedTuple):
    """A cell that is not empty; its offsets are into the document's text."""

    row: int | None
    """Counted from 0 over the whole table; None in a record."""
    column: str
    text: str
    begin: int
    end: int


def cells_of(chunk: Chunk) -> list[TextCell]:
    """The cells of a table chunk, the fields of a record, in reading order; of prose, none."""
    text_cells: list[TextCell] = []
    begin = chunk.begin
    for number, line in enumerate(chunk.text.split("\n")):
        row = chunk.table.first_row + number if chunk.table else None
        for column, first, last in _cells(chunk, line):
            text_cells.append(TextCell(row, column, line[first:last], begin + first, begin + last))
        begin += len(line) + 1
    return text_cells


def _cells(chunk: Chunk, line: str) -> list[tuple[str, int, int]]:
    """Column, begin and end of a line's values; a line without a name, cut from a long value, is one."""
    name, mark, _ = line.partition(": ")
    if chunk.kind is ChunkKind.TEXT or not line:
        return []
    if chunk.table and mark and name in chunk.table.columns:
        return cells(chunk.table.columns, line)
    begin = len(name) + len(mark) if chunk.kind is ChunkKind.RECORD and mark else 0
    return [(name if begin else "", begin, len(line))]


def holds_name(text: str) -> bool:
    """Whether a cell or field is written as a name: short, capitalised, no number, date or bare verdict.

    >>> [holds_name(text) for text in ("Ann Arbor , MI", "October 1", "W 66-0", "12,500", "Buffalo")]
    [True, False, False, False, True]
    """
    words = _WORD.findall(text)
    if not words or len(words) > _MAX_NAME_WORDS or len(text) > _MAX_NAME_CHARACTERS:
        return False
    telling = [word for word in words if word.casefold() not in _NOT_TELLING]
    capitals = sum(word[0].isupper() for word in telling)
    return any(len(word) > 1 for word in telling) and 2 * capitals > len(telling)
