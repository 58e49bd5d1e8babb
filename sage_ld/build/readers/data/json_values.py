"""JSON and TOML to Python within limits, and a JSON value as text that a person would write."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import BETWEEN_VALUES
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

JsonObject: TypeAlias = dict[str, "Json"]
Json: TypeAlias = "JsonObject | list[Json] | str | bool | None"


class Number(str):
    """A number as the file writes it: `1.10` stays `1.10`, and no number is too large."""

    __slots__ = ()


class PlainText(str):
    """A string that YAML writes without quotes: it may be a date."""

    __slots__ = ()


_PART: Final = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_TOML_KEY: Final = rf"(?:^|[\[{{,])[ \t]*(?:{_PART}[ \t]*\.[ \t]*){{%d}}"
"""The beginning of a dotted key of TOML, after so many parts."""
_DECODER: Final = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)


def parse_json(text: str, name: str, settings: Settings) -> Json:
    """The value that `text` is, its numbers as `Number`.

    Raises InputError that names line and column, LimitError if it is nested deeper than `max_json_depth`.

    >>> parse_json('{"price": 1.10}', "shop.json", Settings())
    {'price': '1.10'}
    """
    limit = settings.max_json_depth
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name}: not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}); correct it "
            "there"
        ) from None
    except RecursionError:
        raise _too_deep(name, limit) from None
    if _deeper_than(value, limit):
        raise _too_deep(name, limit)
    return value


def load_toml(
    text: str, name: str, settings: Settings, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """The table that `text` is.

    Raises InputError that names line and column, LimitError for a key of more than `max_json_depth` parts,
    for which the parser takes the square of their number.
    """
    limit = settings.max_json_depth
    if re.search(_TOML_KEY % limit, text, re.MULTILINE):
        raise _too_deep(name, limit)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not valid TOML: {one_line(str(error))}; correct it there") from None
    except ValueError:
        most = sys.get_int_max_str_digits()
        raise LimitError(
            f"{name}: an integer of more than {most:,} digits; write it in quotation marks"
        ) from None
    except RecursionError:
        raise _too_deep(name, limit) from None


def _too_deep(name: str, limit: int) -> LimitError:
    return LimitError(
        f"{name}: nested deeper than {limit:,} levels; flatten it or raise the setting max_json_depth"
    )


def _deeper_than(value: Json, limit: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        level = [child for parent in level for child in _children(parent) if isinstance(child, dict | list)]
        if not level:
            return False
    return True


def _children(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def is_scalar(value: Json) -> bool:
    """Whether `value` is neither an object nor an array."""
    return not isinstance(value, dict | list)


def flatten(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    """The fields of an object: nested ones by their path, lists of scalars and inner objects on a line each.

    >>> list(flatten({"name": "Heat", "made": {"year": "1995"}, "cast": ["Pacino", "De Niro"]}))
    [('name', 'Heat'), ('made.year', '1995'), ('cast', 'Pacino; De Niro')]
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for each in value:
            yield path, in_line(each)
    elif isinstance(value, list) and any(isinstance(each, str) for each in value):
        yield path, BETWEEN_VALUES.join(text for each in value if (text := in_line(each)))
    else:
        yield path, in_line(value)


def in_line(value: Json) -> str:
    """`value` on one line.

    >>> in_line({"name": "year", "tags": ["a", "b"]})
    'name: year, tags: a, b'
    """
    if isinstance(value, dict):
        shown = ((key, in_line(inner)) for key, inner in value.items())
        return ", ".join(f"{key}: {text}" for key, text in shown if text)
    if isinstance(value, list):
        separator = ", " if all(is_scalar(each) for each in value) else "; "
        return separator.join(text for each in value if (text := in_line(each)))
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(value or "")
