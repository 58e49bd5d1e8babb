"""The rows of a table that head those below them, as `North` stands above its costs, in any format.

Such a row has a cell as wide as the table, or its first cell alone. The latter is also what a row looks like
of which nothing else is known, so it counts only with evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final, TypeVar, cast

from sage_ld.build.readers.heads import CellLook, look_of
from sage_ld.build.readers.inline import Inline, joined

_Cell = TypeVar("_Cell", bound=str | Inline)

SECTION: Final = "Section"
"""The column with the text of the rows that head those below them."""
_BETWEEN: Final = " — "
"""Between the texts of such rows that follow each other."""


def section_rows(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """The numbers of the rows that head others, counted from 0, by the texts of their cells.

    There are several, the first row is one of them, and each has rows below it. In a table of two columns
    the rows below them have the same labels more than once, or the heads end with colons.

    >>> costs = [("North", ""), ("Rent", "4"), ("Tax", "1"), ("South", ""), ("Rent", "6"), ("Tax", "2")]
    >>> sorted(section_rows(costs))
    [0, 3]
    >>> section_rows([("Ann", ""), ("Bob", "555-1"), ("Carl", ""), ("Dora", "555-2")])
    frozenset()
    """
    if not rows or len(rows[0]) < 2 or any(rows[0][1:]):
        return frozenset()
    alone = [number for number, row in enumerate(rows) if row[0] and not any(row[1:])]
    labels = [rows[number][0].strip() for number in alone]
    if len(alone) < 2 or alone[0] != 0 or alone[-1] == len(rows) - 1 or len(set(labels)) < len(labels):
        return frozenset()
    if any(after == before + 1 for before, after in pairwise(alone)):
        return frozenset()
    if any(look_of(label) is not CellLook.TEXT for label in labels):
        return frozenset()
    is_sure = len(rows[0]) > 2 or all(label.endswith(":") for label in labels) or _repeat(rows, alone)
    return frozenset(alone) if is_sure else frozenset()


def _repeat(rows: Sequence[Sequence[str]], heads: Collection[int]) -> bool:
    """Whether labels of the rows below one head stand below others, too."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    section = 0
    for number, row in enumerate(rows):
        if number in heads:
            section += 1
        elif row[0]:
            places[row[0]].add(section)
    return any(len(sections) > 1 for sections in places.values())


def sectioned(
    names: Sequence[str], rows: Sequence[Sequence[_Cell]], heads: Collection[int], empty: _Cell
) -> tuple[list[str], list[list[_Cell]]]:
    """The names and rows with the first cells of the heads as a column of the rows below them.

    The heads become empty rows, so that each row keeps its number. Those that follow each other head the rows
    below them together.

    >>> sectioned(["Item", "Cost"], [["North", ""], ["Rent", "4"]], {0}, "")
    (['Section', 'Item', 'Cost'], [['', '', ''], ['North', 'Rent', '4']])
    """
    if not heads:
        return list(names), [list(row) for row in rows]
    column = SECTION if SECTION not in names else f"{SECTION} of the table"
    section, made = empty, []
    for number, row in enumerate(rows):
        if number in heads:
            section = cast("_Cell", _both(section, row[0])) if number - 1 in heads else row[0]
            made.append([empty] * (len(names) + 1))
        else:
            made.append([section, *row])
    return [column, *names], made


def _both(first: str | Inline, second: str | Inline) -> str | Inline:
    """The texts of two heads, the one above the other."""
    if isinstance(first, str) and isinstance(second, str):
        return _BETWEEN.join(filter(None, (first, second)))
    cells = (each if isinstance(each, Inline) else Inline(each) for each in (first, second))
    return joined((_BETWEEN, each) for each in cells if each.text)
