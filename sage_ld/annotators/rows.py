"""The cells of a table chunk, with their places, and which of them hold names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sage_ld.annotators.words import EMPTY_CELLS, MONTHS_AND_DAYS, STOP_WORDS
from sage_ld.model import Chunk

_WORD = re.compile(r"[^\W\d_]+")
_MAX_NAME_WORDS = 8
_MAX_NAME_CHARACTERS = 80


class Cell(NamedTuple):
    """A cell that is not empty; its offsets are into the document's text."""

    row: int
    """Counted from 0 over the whole table."""
    column: str
    text: str
    begin: int
    end: int


def cells_of(chunk: Chunk) -> list[Cell]:
    """The cells of a table chunk in reading order; of another chunk, none."""
    if chunk.table is None:
        return []
    found: list[Cell] = []
    begin = chunk.begin
    for row, line in enumerate(chunk.text.split("\n"), chunk.table.first_row):
        found.extend(
            Cell(row, column, line[first:last], begin + first, begin + last)
            for column, first, last in _cells(chunk.table.columns, line)
        )
        begin += len(line) + 1
    return found


def _cells(columns: tuple[str, ...], line: str) -> Iterator[tuple[str, int, int]]:
    """Column, begin and end of the cells in a row's line `column: value; column: value`.

    Columns come in the table's order, so a value may itself hold `; ` or `: `.
    """
    starts: list[tuple[str, int, int]] = []
    at = 0
    for column in columns:
        mark = f"{column}: "
        place = at if line.startswith(mark, at) and not starts else line.find(f"; {mark}", at)
        if place < 0 or (not starts and place):
            continue
        value = place + len(mark) + (2 if starts else 0)
        starts.append((column, place, value))
        at = value
    for number, (column, _, value) in enumerate(starts):
        end = starts[number + 1][1] if number + 1 < len(starts) else len(line)
        yield column, value, end


def holds_name(text: str) -> bool:
    """Whether a cell or field is written as a name: short, capitalised, no number, date or bare verdict.

    >>> [holds_name(text) for text in ("Ann Arbor , MI", "October 1", "W 66-0", "12,500", "Buffalo")]
    [True, False, False, False, True]
    """
    words = _WORD.findall(text)
    if not words or len(words) > _MAX_NAME_WORDS or len(text) > _MAX_NAME_CHARACTERS:
        return False
    telling = [word for word in words if word.casefold() not in EMPTY_CELLS | MONTHS_AND_DAYS | STOP_WORDS]
    capitals = sum(word[0].isupper() for word in telling)
    return any(len(word) > 1 for word in telling) and 2 * capitals > len(telling)
