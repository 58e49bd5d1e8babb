"""TOML: its tables as records, like the objects of JSON."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from datetime import date, time
from typing import Any, Final

from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.data.json_objects import document_of
from sage_ld.build.readers.data.json_values import Json, Number
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE = "application/toml"


def read_toml(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the top-level table's title or name, else the file's name."""
    data = source.read(settings)
    value = parse_toml(decode(data, source.identifier), source.identifier)
    yield document_of(value, source, data, MEDIA_TYPE, settings)


def parse_toml(text: str, name: str) -> Json:
    r"""The table that `text` is, dates and times as RFC 3339 writes them.

    Raises InputError that names line and column.

    >>> parse_toml("title = 'Heat'\nyear = 1995\nseen = 2024-05-01", "a.toml")
    {'title': 'Heat', 'year': '1995', 'seen': '2024-05-01'}
    """
    try:
        return _value(tomllib.loads(text, parse_float=Number))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not valid TOML: {error}; correct it there") from None


def _value(value: Any) -> Json:
    if isinstance(value, dict):
        return {key: _value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return next(write(value) for kind, write in _SCALARS if isinstance(value, kind))


_SCALARS: Final[tuple[tuple[type, Callable[[Any], Json]], ...]] = (
    (bool, bool),
    (str, lambda value: value),
    (int, lambda value: Number(value)),
    (date, lambda value: value.isoformat()),
    (time, lambda value: value.isoformat()),
)
"""The kinds of scalar (TOML 1.0) and how each is written; a number with a point is a `Number` already."""

TOML = Reader("TOML", {".toml": MEDIA_TYPE}, read_toml)
