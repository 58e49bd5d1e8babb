"""Strict reading of JSON text: no duplicate members, no halves of characters, no numbers that overflow.

What is nested too deep to be read is refused as well.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import Any, Final

from sage_ld.foundation.errors import InputError, LimitError

DIGITS: Final = 20
"""Most digits of an integer."""
_SHOWN: Final = 40  # characters of what a client sent in a message
_STEPS: Final = 8  # steps to a place that a message names
_HALF: Final = re.compile("[\ud800-\udfff]")
_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A string, or the rest of the text where its end is missing."""
_MAY_HAVE_HALVES: Final = re.compile(r"\\u[dD]|[\ud800-\udfff]")


def read_json(text: str, name: str = "the body") -> object:
    """The value that `text` stands for. Raises InputError for anything but JSON, or is ambiguous.

    Errors call the text by `name`.

    >>> read_json('{"k": 3}')
    {'k': 3}
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_constant,
        )
        place = _place_of_half(value) if _MAY_HAVE_HALVES.search(text) else None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name} is not JSON: {error.msg} at character {error.pos + 1:,}; send one object"
        ) from None
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to be read; send one flat object") from None
    if place is not None:
        where = "/".join(step[:_SHOWN] for step in place[:_STEPS]) or "the request"
        raise InputError(f"{where}: half of a surrogate pair is not a character; send whole characters")
    return value


def check_json_values(text: str, most: int) -> None:
    """Raises LimitError for JSON with more values than `most` (the setting max_json_values), unread.

    What stands for a value is an opening bracket or a comma, but not inside strings.

    >>> check_json_values('[[], {"a, [b]": 1}]', 5)
    """
    if _marks(text) >= most and (count := 1 + _marks(_STRING.sub("", text))) > most:
        raise LimitError.of("the JSON", count, most, "values", "max_json_values")


def _marks(text: str) -> int:
    return sum(map(text.count, "[{,"))


def _place_of_half(value: object) -> tuple[str, ...] | None:
    """The way to the first half of a character, in a text or the name of a member; None without one.

    A name of which a part is half of a character has the place of its object.
    """
    if isinstance(value, str):
        return () if _HALF.search(value) else None
    inner: Iterable[tuple[str, object]] = ()
    if isinstance(value, dict):
        if any(map(_HALF.search, value)):
            return ()
        inner = value.items()
    elif isinstance(value, list):
        inner = ((str(number), each) for number, each in enumerate(value))
    for step, each in inner:
        if (place := _place_of_half(each)) is not None:
            return (step, *place)
    return None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        [(name, times)] = Counter(name for name, _ in pairs).most_common(1)
        raise InputError(f"{name[:_SHOWN]!r} is given {times} times; give it once")
    return members


def _integer(text: str) -> int:
    if len(text) > DIGITS:
        raise InputError(f"the integer {text[:_SHOWN]}… has {len(text):,} digits; give at most {DIGITS}")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise InputError(f"{text[:_SHOWN]} is too large a number; give a smaller one")
    return value


def _no_constant(name: str) -> None:
    raise InputError(f"{name} is not a JSON number; give another")
