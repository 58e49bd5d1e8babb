"""A table's row as one line of text, and the cells found again in that line.

`row_text` and `cells` are inverse to each other for columns that `column_names` gave and values that
`cell_text` gave: a value never holds what would read as the next column's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sage_ld.readers.characters import one_line

_PUNCTUATION = re.compile(r"[:;]+(?=\s|$)")


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
    return one_line(_PUNCTUATION.sub(" ", name))


def cell_text(columns: tuple[str, ...], value: str) -> str:
    """A cell's value on one line, in which `; NAME: ` for a column NAME has become `, NAME: `.

    The length changes only with runs of blanks, so offsets into a value that has none stay right.

    >>> cell_text(("Year", "Role"), "1999; Role: none")
    '1999, Role: none'
    """
    text = one_line(value)
    pattern = _separator(columns)
    while "; " in text and pattern.search(text):
        text = pattern.sub(lambda found: "," + found[0][1:], text)
    return text


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
    out = []
    position = 0
    while position < len(line):
        name_end = line.index(": ", position)
        begin = name_end + 2
        following = _separator(columns).search(line, begin)
        end = following.start() if following else len(line)
        out.append((line[position:name_end], begin, end))
        position = end + 2
    return out


@lru_cache(maxsize=64)
def _separator(columns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("; (?:" + "|".join(re.escape(each) for each in columns) + "): ")
