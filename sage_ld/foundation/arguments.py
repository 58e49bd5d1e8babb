"""Checks of what a program passes to the public functions: an error names the type that was given.

Python would take a string for a sequence of its letters and `True` for 1, and fail far away, or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from operator import index
from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import InputError

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_HALF: Final = re.compile("[\ud800-\udfff]")
_SHOWN: Final = 40  # characters of a value in a message


def text(value: object, name: str) -> str:
    """`value`, if it is a string. Raises InputError.

    >>> text(b"Who sang it?", "question")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: question: b'Who sang it?' is of type bytes; give one string
    """
    if not isinstance(value, str):
        raise _wrong(value, name, "one string")
    return value


def has_half_of_a_pair(text: str) -> bool:
    """Whether a text has half of a surrogate pair, as a name that is not UTF-8: no store has one."""
    return not text.isascii() and _HALF.search(text) is not None


def encoded(value: object, name: str) -> bytes:
    r"""The string `value` in UTF-8. Raises InputError, also for half of a surrogate pair.

    >>> encoded("caf\u00e9", "content")
    b'caf\xc3\xa9'
    """
    try:
        return text(value, name).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{name}: half of a surrogate pair is not a character; give whole characters"
        ) from None


def optional_text(value: object, name: str) -> str:
    """`value`, if it is a string; an empty one for None. Raises InputError."""
    return "" if value is None else text(value, name)


def whole_number(value: object, name: str) -> int:
    """`value` as an `int`, if it is a whole number, one of NumPy's included. Raises InputError.

    >>> whole_number(True, "k")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: k: True is of type bool; give a whole number such as 5
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise _wrong(value, name, "a whole number such as 5")
    return index(value)


def texts(value: object, name: str) -> tuple[str, ...]:
    """The strings in `value`, which is a list or another collection of them. Raises InputError.

    >>> texts("link", "channels")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: channels: 'link' is of type str; give a list of strings
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise _wrong(value, name, "a list of strings")
    return tuple(text(each, f"{name}: each") for each in value)


def mapping(value: object, name: str) -> Mapping[str, object]:
    """`value`, if it is a dictionary or another mapping whose keys are strings. Raises InputError.

    >>> mapping(["team"], "metadata")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: metadata: ['team'] is of type list; give a dictionary such as \
{'team': 'red'}
    """
    if not isinstance(value, Mapping):
        raise _wrong(value, name, "a dictionary such as {'team': 'red'}")
    return {text(key, f"{name}: each key"): inner for key, inner in value.items()}


def path(value: object, name: str) -> Path:
    """`value` as a path, if it is a string or a path. Raises InputError."""
    if not isinstance(value, str | os.PathLike) or not isinstance(spelled := os.fspath(value), str):
        raise _wrong(value, name, "a path, as a string or a pathlib.Path")
    if not spelled:
        raise InputError(f"{name}: an empty string is not a path; '.' is the working directory")
    return Path(spelled)


def paths(value: object, name: str) -> list[Path]:
    """The paths in `value`, which is one path or a collection of them. Raises InputError.

    >>> [each.as_posix() for each in paths("examples/films", "paths")]
    ['examples/films']
    """
    if isinstance(value, str | os.PathLike):
        return [path(value, name)]
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise _wrong(value, name, "a path, or a list of paths")
    return [path(each, f"{name}: each") for each in value]


def day(value: object, name: str) -> str | None:
    """A day of the calendar as ISO 8601 writes it, from such a text or a `datetime.date`; None for None.

    Raises InputError.

    >>> day("2024-05-17", "as_of"), day(date(2024, 5, 17), "as_of"), day(None, "as_of")
    ('2024-05-17', '2024-05-17', None)
    """
    if value is None:
        return None
    if type(value) is date:
        return value.isoformat()
    if isinstance(value, str) and _DAY.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value).isoformat()
    shown = str(value)[:_SHOWN]
    raise InputError(f"{name}: {shown!r} is not a day of the calendar; give one such as 2024-05-17")


def _wrong(value: object, name: str, remedy: str) -> InputError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    return InputError(f"{name}: {shown} is of type {type(value).__name__}; give {remedy}")
