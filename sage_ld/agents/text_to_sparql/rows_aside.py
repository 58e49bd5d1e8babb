"""Rows of a table that are no instances of what it lists: totals, and what the list itself is said to be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isclose
from typing import Final

from sage_ld.agents.tables.contents import TableContent

_TOTALS: Final = re.compile(
    r"(?:grand |sub-?|over-?all |running )?(?:totals?|sum|average|mean|median)(?: of .*)?:?|"
    r"(?:zwischen|gesamt)?summe:?|(?:ins)?gesamt:?|mittelwert|durchschnitt|total g[eé]n[eé]ral|totale|somme",
    re.IGNORECASE,
)
"""Names of rows that sum up others."""
_BALANCES: Final = re.compile(
    r"(?:net )?(?:result|balance|profit|loss|saldo|ergebnis|all)(?: .*)?:?", re.IGNORECASE
)
"""Names of rows that do so where their numbers are the sums of others."""
_NUMBERS: Final = frozenset({"BIGINT", "DOUBLE"})
_MOST: Final = 8
"""Rows that are left out by name; a table with more of them has them for its subject."""


def rows_aside(content: TableContent) -> tuple[tuple[str, str], ...]:
    """The columns and texts by which such rows are known."""
    found = dict.fromkeys((*_totals(content), *_containers(content)))
    return tuple(found) if len(found) <= _MOST else ()


def _totals(content: TableContent) -> Iterator[tuple[str, str]]:
    numbers = [
        values
        for column, values in zip(content.columns, content.values, strict=True)
        if column.type in _NUMBERS
    ]
    for row in range(len(content.chunks)) if numbers else ():
        column, text = _label(content, row)
        name = text.strip()
        if _TOTALS.fullmatch(name) or (_BALANCES.fullmatch(name) and _is_sum(numbers, row)):
            yield column, text


def _label(content: TableContent, row: int) -> tuple[str, str]:
    """The column and the text of a row's name: the first that is a name of totals, or the first text."""
    texts = [
        (column.name, value)
        for column, values in zip(content.columns, content.values, strict=True)
        if column.type not in _NUMBERS and (value := values[row]) is not None
    ]
    named = [
        each for each in texts if _TOTALS.fullmatch(each[1].strip()) or _BALANCES.fullmatch(each[1].strip())
    ]
    return (named or texts or [("", "")])[0]


def _is_sum(numbers: Sequence[Sequence[str | None]], row: int) -> bool:
    """Whether a row has in some column the sum of all others before it, and in none something else."""
    are_sums = []
    for values in numbers:
        before = [float(value) for value in values[:row] if value is not None]
        if (value := values[row]) is not None and len(before) > 1:
            are_sums.append(isclose(sum(before), float(value), rel_tol=1e-3, abs_tol=0.51))
    return bool(are_sums) and all(are_sums)


def _containers(content: TableContent) -> Iterator[tuple[str, str]]:
    """Of records, one that has no field of the others: the object around a list of them."""
    if content.table.number is not None or len(content.chunks) < 3:
        return
    filled = [
        frozenset(number for number, values in enumerate(content.values) if values[row] is not None)
        for row in range(len(content.chunks))
    ]
    counts = [sum(number in each for each in filled) for number in range(len(content.columns))]
    for row, own in enumerate(filled):
        texts = [n for n in own if content.columns[n].type not in _NUMBERS]
        if texts and all(counts[number] == 1 for number in own):
            yield content.columns[texts[0]].name, content.values[texts[0]][row] or ""
