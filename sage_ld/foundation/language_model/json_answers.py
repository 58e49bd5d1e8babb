"""Answers of a language model that are to be JSON by a JSON Schema."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

from jsonschema_rs import Draft202012Validator

from sage_ld.foundation.errors import UnavailableError

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema (draft 2020-12) of an object."""
_FENCE: Final = re.compile(r"```\w*[ \t\r]*\n(.*?)```", re.S)
_SHOWN: Final = 5
_MOST: Final = 200
_DIGITS: Final = 300  # of a whole number that is one of binary floating point, too


class MalformedAnswerError(UnavailableError):
    """A language model's answer is not what it was asked for, after it was asked to repair it."""


def read_object(text: str, schema: Schema) -> tuple[dict[str, Any], str]:
    """The object that a text holds, and its faults: "" where it is one by the schema.

    Models wrap JSON into a code fence or a sentence; the fence and the sentence are left out.

    >>> read_object('Here it is: {"n": 3}', {"required": ["n"]})
    ({'n': 3}, '')
    >>> read_object('{"n": 1.0}', {"properties": {"n": {"type": "integer"}}})
    ({'n': 1}, '')
    >>> read_object('{"n": "x"}', {"properties": {"n": {"type": "integer"}}})[1]
    '/n: "x" is not of type "integer"'
    """
    for candidate in _candidates(text):
        try:
            value = json.loads(candidate, parse_constant=_no_constant, parse_float=_number, parse_int=_whole)
            json.dumps(value, ensure_ascii=False).encode()
        except (ValueError, RecursionError):  # UnicodeEncodeError, too: halves of characters
            continue
        if isinstance(value, dict):
            return value, "; ".join(_faults(value, schema))
    return {}, "there is no JSON object in it"


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from _FENCE.findall(text)
    yield text[text.find("{") : text.rfind("}") + 1]


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> float | int:
    """A number; an int where it is whole, since JSON Schema takes 1.0 for an integer, and so do models."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:_MOST]} is too large")
    return int(number) if number.is_integer() else number


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"{text[:_MOST]} is too large")
    return int(text)


def _faults(value: dict[str, Any], schema: Schema) -> list[str]:
    try:
        errors = _validator(json.dumps(schema)).iter_errors(value)
        return [
            f"/{'/'.join(map(str, error.instance_path))}: {error.message[:_MOST]}"
            for error, _ in zip(errors, range(_SHOWN), strict=False)
        ]
    except ValueError:  # the validator does not go below some 250 levels
        return ["it is nested too deep"]


@lru_cache(32)
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))
