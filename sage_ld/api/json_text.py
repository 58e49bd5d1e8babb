"""Strict reading of JSON text: no duplicate members, no numbers that overflow, nothing nested too deep."""

from __future__ import annotations

import json
from collections import Counter
from math import isfinite
from typing import Any, Final

from sage_ld.errors import InputError

DIGITS: Final = 20
"""Most digits of an integer."""
_SHOWN: Final = 40  # characters of what a client sent in a message


def read_json(text: str) -> object:
    """The value that `text` stands for. Raises InputError for what is not JSON, or is ambiguous.

    >>> read_json('{"k": 3}')
    {'k': 3}
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"the body is not JSON: {error.msg} at character {error.pos + 1:,}; send one object"
        ) from None
    except RecursionError:
        raise InputError("the body is nested too deep to be read; send one flat object") from None


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
