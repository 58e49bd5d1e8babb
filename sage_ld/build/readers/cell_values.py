"""The value of a cell beside its text: what a program stores of it, typed as XML Schema types it.

A cell's text is what a person sees; search and citations have it. Its value is what is counted: it is kept
where the text does not say it already.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, NamedTuple

from sage_ld.build.readers.written_values import plain_values

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})")
_DOUBLE: Final = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")
_PLAIN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_LONGEST: Final = 64  # characters of a value that is read
_DIGITS: Final = 15  # significant ones of a stored number; the rest is what is left of binary fractions


DATATYPES: Final = frozenset({"integer", "decimal", "double", "boolean", "date", "dateTime", "time"})
"""The local names of the datatypes that values have."""


class TypedValue(NamedTuple):
    """A value as XML Schema writes it, and the name of its datatype, one of `DATATYPES`."""

    value: str
    datatype: str


def number_value(number: float | str) -> TypedValue | None:
    """The value of a number; None where it is no finite one.

    >>> number_value(83.0), number_value("0.10"), number_value(1e-20)
    (TypedValue(value='83', datatype='integer'), TypedValue(value='0.1', datatype='decimal'), \
TypedValue(value='1E-20', datatype='double'))
    >>> number_value("nan")
    """
    text = number.strip() if isinstance(number, str) else f"{number:.{_DIGITS}g}"
    if len(text) > _LONGEST or not _DOUBLE.fullmatch(text) or not math.isfinite(float(text)):
        return None
    exact = Decimal(text).normalize() + 0  # no negative zero
    plain = f"{exact:f}" if -_DIGITS <= exact.adjusted() <= _LONGEST else str(exact)
    if _INTEGER.fullmatch(plain):
        return TypedValue(plain, "integer")
    return TypedValue(plain, "decimal") if _DECIMAL.fullmatch(plain) else TypedValue(str(exact), "double")


def boolean_value(value: bool) -> TypedValue:
    """The value of yes or no."""
    return TypedValue("true" if value else "false", "boolean")


def moment_value(moment: datetime | date | time) -> TypedValue:
    """The value of a day, of a time of day, or of both."""
    kind = "dateTime" if isinstance(moment, datetime) else "date" if isinstance(moment, date) else "time"
    return TypedValue(moment.isoformat(), kind)


def stated_value(text: str) -> TypedValue | None:
    """The value that a file states as text, as far as it is a number, a day, a time, or yes or no.

    >>> stated_value("2024-05-01T10:00"), stated_value("true"), stated_value("UPC:0123")
    (TypedValue(value='2024-05-01T10:00:00', datatype='dateTime'), \
TypedValue(value='true', datatype='boolean'), None)
    """
    text = text.strip()
    if text in ("true", "false"):
        return boolean_value(text == "true")
    return number_value(text) or (_moment(text) if len(text) <= _LONGEST else None)


_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?")
_ZONE: Final = r"(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_DAY_AND_TIME: Final = re.compile(rf"{_DAY.pattern}[T ]{_TIME.pattern}{_ZONE}")


def _moment(text: str) -> TypedValue | None:
    try:
        if _DAY.fullmatch(text):
            return moment_value(date.fromisoformat(text))
        if _DAY_AND_TIME.fullmatch(text):
            return moment_value(datetime.fromisoformat(text))
        return moment_value(time.fromisoformat(text)) if _TIME.fullmatch(text) else None
    except ValueError:
        return None


def is_said(text: str, value: TypedValue) -> bool:
    """Whether a cell's text says its value, so that nobody needs the value beside it.

    >>> is_said("2.50", TypedValue("2.5", "decimal")), is_said("00501", TypedValue("501", "integer"))
    (True, False)
    >>> is_said("TRUE", TypedValue("true", "boolean")), is_said("1.5.2024", TypedValue("2024-05-01", "date"))
    (True, False)
    """
    if value.datatype in ("integer", "decimal", "double"):
        plain = len(text) <= _LONGEST and _PLAIN.fullmatch(text)
        return bool(plain) and Decimal(text) == Decimal(value.value)
    if value.datatype == "boolean":
        return text.casefold() == value.value
    return text == value.value or (value.datatype == "dateTime" and _moment(text) == value)


def column_values(
    texts: Sequence[str], stored: Sequence[TypedValue | None], *, decimal_comma: bool = False
) -> list[tuple[int, TypedValue]]:
    """The values of a column that its texts do not say, each with its row.

    `stored` has what the program keeps of each cell. Of other cells, it is what the texts of the whole column
    mean, if all of them are numbers or days as people write them; `decimal_comma` says that other columns of
    the table have one.

    >>> column_values(["9,500", "105,000"], [None, None])
    [(0, TypedValue(value='9500', datatype='integer')), (1, TypedValue(value='105000', datatype='integer'))]
    """
    meant = plain_values([text or None for text in texts], decimal_comma=decimal_comma)
    values = []
    for row, (text, value, plain) in enumerate(zip(texts, stored, meant, strict=True)):
        if text and value is None and plain != text and plain is not None:
            value = stated_value(plain)
        if text and value is not None and not is_said(text, value):
            values.append((row, value))
    return values
