"""Metadata of a document as properties: nested values as dotted keys, lists as several values, types kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from typing import Final

from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.data.json_values import Number, PlainText
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Property
from sage_ld.foundation.settings import Settings

_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,37})", re.ASCII)
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,37})\.[0-9]{1,38}", re.ASCII)
_DOUBLE: Final = re.compile(r"[-+]?[0-9]{1,38}(?:\.[0-9]{1,38})?[eE][-+]?[0-9]{1,3}", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MOMENT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?)"
    r" ?([Zz]|[-+][0-9]{2}:[0-9]{2})?",
    re.ASCII,
)
_CONTAINERS: Final = (Mapping, list, tuple, set, frozenset)
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": "true", "True": "true", "TRUE": "true"} | dict.fromkeys(
    ("false", "False", "FALSE"), "false"
)
_SPECIAL: Final = {"Infinity": "INF", "-Infinity": "-INF", "NaN": "NaN"}


def property_of(key: str, text: str) -> Property | None:
    """The property with the type that its value looks like; None where it is empty, or says `null`.

    >>> property_of("year", "2024")
    Property(key='year', value='2024', datatype='integer', language=None)
    >>> property_of("code", "007").datatype, property_of("due", "2024-05-01").datatype
    ('string', 'date')
    """
    if (text := text.strip()) in _NULLS:
        return None
    if boolean := _BOOLEANS.get(text):
        return Property(key, boolean, "boolean")
    for datatype, pattern in (("integer", _INTEGER), ("decimal", _DECIMAL), ("double", _DOUBLE)):
        if pattern.fullmatch(text):
            return Property(key, text.removeprefix("+"), datatype)
    return dated(key, text) or text_property(key, text)


def text_property(key: str, text: str, language: str | None = None) -> Property | None:
    """The property with a string; None for an empty one."""
    text = printable(text).strip()
    return Property(key, text, language=language) if text else None


def dated(key: str, text: str) -> Property | None:
    """The property where its value is a day or a moment of the calendar, as ISO 8601 writes them, else None.

    >>> dated("date", "2024-05-01 10:30:00 +02:00").value, dated("date", "2024-02-30")
    ('2024-05-01T10:30:00+02:00', None)
    """
    try:
        if _DATE.fullmatch(text):
            return Property(key, date.fromisoformat(text).isoformat(), "date")
        if moment := _MOMENT.fullmatch(text):
            value = f"{moment[1]}T{moment[2]}{(moment[3] or '').upper()}"
            datetime.fromisoformat(value)
            return Property(key, value, "dateTime")
    except ValueError:
        pass
    return None


def properties_of(values: object, name: str, settings: Settings) -> tuple[Property, ...]:
    """The properties that a map, or a list of maps, states: what JSON, TOML or a program gives.

    Raises InputError for a value of another type, LimitError above `max_metadata_values`, empty values
    included, or `max_metadata_length`; both begin with `name`.

    >>> found = properties_of({"team": "red", "made": {"year": 1995}}, "a.md", Settings())
    >>> [(each.key, each.value, each.datatype) for each in found]
    [('team', 'red', 'string'), ('made.year', '1995', 'integer')]
    """
    return limited(_flattened(values, "", name, settings), name, settings)


def limited(properties: Iterable[Property | None], name: str, settings: Settings) -> tuple[Property, ...]:
    """The properties, taken one by one up to the limits of the settings; None stands for an empty value.

    Raises LimitError.
    """
    taken: list[Property] = []
    length = 0
    for count, each in enumerate(properties, 1):
        check_values(count, name, settings)
        if each is not None:
            taken.append(each)
            length += len(each.key) + len(each.value)
            check_length(length, name, settings)
    return tuple(taken)


def check_values(count: int, name: str, settings: Settings) -> None:
    """Raises LimitError above `max_metadata_values`."""
    if count > (most := settings.max_metadata_values):
        raise LimitError.of(f"{name}: its metadata", count, most, "values", "max_metadata_values")


def check_length(length: int, name: str, settings: Settings) -> None:
    """Raises LimitError above `max_metadata_length`."""
    if length > (most := settings.max_metadata_length):
        raise LimitError.of(f"{name}: its metadata", length, most, "characters", "max_metadata_length")


def _flattened(
    value: object, key: str, name: str, settings: Settings, depth: int = 0
) -> Iterator[Property | None]:
    if depth > (most := settings.max_json_depth):
        raise LimitError(
            f"{name}: its metadata is nested deeper than {most:,} levels; flatten it or raise the setting "
            "max_json_depth"
        )
    if value is None or (isinstance(value, _CONTAINERS) and not value):
        yield None
    elif isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _flattened(each, joined(key, str(inner)), name, settings, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in sorted(value) if isinstance(value, set | frozenset) else value:
            yield from _flattened(each, key, name, settings, depth + 1)
    elif isinstance(value, Property):
        yield replace(value, key=key)
    else:
        yield _scalar(key, value, name)


def joined(key: str, inner: str) -> str:
    """The dotted key of what stands under `inner` in the map `key`."""
    inner = one_line(inner)
    return f"{key}.{inner}" if key and inner else key or inner


def _scalar(key: str, value: object, name: str) -> Property | None:
    if isinstance(value, Number):
        number = _SPECIAL.get(str(value))
        return Property(key, number, "double") if number else property_of(key, str(value))
    if isinstance(value, str):
        return property_of(key, value) if isinstance(value, PlainText) else text_property(key, value)
    if isinstance(value, bool):
        return Property(key, str(value).lower(), "boolean")
    if isinstance(value, int | float):
        return property_of(key, repr(value))
    if isinstance(value, datetime):
        return Property(key, value.isoformat(), "dateTime")
    if isinstance(value, date):
        return Property(key, value.isoformat(), "date")
    if isinstance(value, time):
        return Property(key, value.isoformat(), "time")
    raise InputError(
        f"{name}: the value of {key!r} is of type {type(value).__name__}; give a string, a number, a boolean "
        "or a date"
    )
