"""A table's row as one line of text, and the cells found again in that line.

`row_text` and `cells` are inverse to each other for columns that `column_names` gave and values that
`cell_text` gave: a value never holds what would read as the next column's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sage_ld.build.readers.characters import one_line, printable

_PUNCTUATION = re.compile(r"(?<![:;])[:;]++(?=\s|$)")  # tried once a run, so linear


def column_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names to tell columns apart by: on one line, unique, none empty, none with `: ` or `; ` in it.

    >>> column_names(["Name:", "", "Name", "Time: UTC"])
    ('Name', 'column 2', 'Name 2', 'Time UTC')
    """
    taken: set[str] = set()
    out = []
    for number, name in enumerate(names, 1):
        plain = field_name(name) or f"column {number}"
        unique, count = plain, 1
        while unique in taken:
            count += 1
            unique = f"{plain} {count}"
        taken.add(unique)
        out.append(unique)
    return tuple(out)


def field_name(name: str) -> str:
    """The name of a column or a record's field, as it stands before a colon."""
    return one_line(_PUNCTUATION.sub(" ", printable(name)))


def cell_text(columns: tuple[str, ...], value: str) -> str:
    """A cell's value on one line, in which `; NAME: ` for a column NAME has become `, NAME: `.

    The length changes only with runs of blanks, so offsets into a value that has none stay right.

    >>> cell_text(("Year", "Role"), "1999; Role: none")
    '1999, Role: none'
    """
    text = one_line(value)
    if "; " not in text:
        return text
    names = _names(columns)
    first, *rest = text.split("; ")
    return first + "".join((", " if _leading(names, each) else "; ") + each for each in rest)


def row_text(columns: tuple[str, ...], row: Sequence[str]) -> str:
    """One row as `column: value; column: value`, empty cells left out; an empty row is an empty line.

    >>> row_text(("Year", "Title", "Role"), ("2001", "Blow", ""))
    'Year: 2001; Title: Blow'
    """
    return "; ".join(f"{column}: {value}" for column, value in zip(columns, row, strict=True) if value)


def cells(columns: tuple[str, ...], line: str) -> list[tuple[str, int, int]]:
    """The cells of a row's line that are not empty: column, begin and end of the value in `line`.

    >>> cells(("Year", "Title", "Role"), "Year: 2001; Title: Blow")
    [('Year', 6, 10), ('Title', 19, 23)]
    """
    names = _names(columns)
    out: list[tuple[str, int, int]] = []
    position = 0
    for piece in line.split("; ") if line else ():
        if not out or _leading(names, piece):  # another cell; else the last one goes on
            name = piece.partition(": ")[0]
            out.append((name, position + len(name) + 2, 0))
        position += len(piece) + 2
        out[-1] = (*out[-1][:2], position - 2)
    return out


def _leading(names: frozenset[str], text: str) -> bool:
    """Whether `text` begins with one of the names and a colon."""
    name, colon, _ = text.partition(": ")
    return bool(colon) and name in names


@lru_cache(maxsize=64)
def _names(columns: tuple[str, ...]) -> frozenset[str]:
    return frozenset(columns)
