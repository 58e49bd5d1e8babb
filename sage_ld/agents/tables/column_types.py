"""Types of columns, inferred from all their values; text where a single value leaves a doubt.

A type is taken only if it keeps what is written: `007` and `1,200` stay text, and so does a column of numbers
with one `n/a` in it. A comma is that of decimals only if the column itself says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Final

TEXT: Final = "VARCHAR"
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_WITH_COMMA: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:,[0-9]{1,30})?")
_WITH_THOUSANDS: Final = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})?")
"""Numbers with at most one comma, and those of them that a comma between thousands allows."""
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BOOLEANS: Final = frozenset({"true", "false"})


def _is_day(value: str) -> bool:
    return bool(_DAY.fullmatch(value)) and _holds(date.fromisoformat, value)


def _is_moment(value: str) -> bool:
    return bool(_MOMENT.fullmatch(value)) and _holds(datetime.fromisoformat, value)


def _holds(parse: Callable[[str], object], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


TYPES: Final[dict[str, Callable[[str], bool]]] = {
    "BOOLEAN": lambda value: value.lower() in _BOOLEANS,
    "BIGINT": lambda value: bool(_INTEGER.fullmatch(value)),
    "DOUBLE": lambda value: bool(_DECIMAL.fullmatch(value)),
    "DATE": _is_day,
    "TIMESTAMP": _is_moment,
}
"""DuckDB's types other than text, with what a value has to be; the first that holds for all is taken."""


def column_type(values: Iterable[str | None]) -> str:
    """The type of a column with these values, None where a row has none.

    >>> column_type(["1", None, "-20"]), column_type(["1", "2.5"]), column_type(["1987-02-30"])
    ('BIGINT', 'DOUBLE', 'VARCHAR')
    >>> column_type(["007"]), column_type(["1,200"]), column_type([None])
    ('VARCHAR', 'VARCHAR', 'VARCHAR')
    """
    possible = tuple(TYPES.items())
    empty = True
    for value in values:
        if value is not None:
            empty = False
            possible = tuple(each for each in possible if each[1](value))
            if not possible:
                return TEXT
    return TEXT if empty else possible[0][0]


def with_decimal_points(values: Sequence[str | None]) -> tuple[str | None, ...]:
    """The values of a column, with a point in the place of decimal commas.

    A column has decimal commas if all its values can be read so, and at least one cannot be read otherwise:
    `3,5` is no number of thousands, `1,200` may be one.

    >>> with_decimal_points(["3,5", None, "12", "1,200"]), with_decimal_points(["1,200", "3"])
    (('3.5', None, '12', '1.200'), ('1,200', '3'))
    """
    certain = False
    for value in values:
        if value is not None:
            if not _WITH_COMMA.fullmatch(value):
                return tuple(values)
            certain = certain or ("," in value and not _WITH_THOUSANDS.fullmatch(value))
    return tuple(value and value.replace(",", ".") for value in values) if certain else tuple(values)
