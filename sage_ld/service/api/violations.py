"""Messages for requests that break their schema: the value, the limit, the remedy.

A schema whose limit is a setting names it as `x-setting`; beyond it is what every other limit is, 413.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final, NamedTuple

from jsonschema_rs import ValidationError

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

SETTING: Final = "x-setting"
_SHOWN: Final = 60  # characters of a value that are quoted
_UNITS: Final = {each.name: each.metadata["unit"] for each in fields(Settings)}
_UPPER: Final = {"maximum": "", "maxLength": "characters", "maxItems": "items"}
_LOWER: Final = {"minimum": "", "minLength": "characters", "minItems": "items", "minProperties": "names"}
_TYPES: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


class BrokenRule(NamedTuple):
    """A rule of a schema, and the value that breaks it."""

    rule: str
    limit: Any
    value: Any
    schema: dict[str, Any]


def violation(error: ValidationError, schema: dict[str, Any], whole: str, help_: str) -> InputError:
    """The error for a value, called `whole`, which breaks `schema` as the validator's `error` says.

    `help_` names the place that describes the schema.
    """
    where = "/".join(map(str, error.instance_path)) or whole
    broken = _broken(error, schema)
    if broken.rule in (*_UPPER, "maxProperties") and SETTING in broken.schema:
        setting = broken.schema[SETTING]
        return LimitError.of(where, _size(broken.value), broken.limit, _UNITS[setting], setting)
    if broken.rule not in _MESSAGES:
        return InputError(f"{where}: it breaks the rule {broken.rule}; {help_} says what is taken")
    return InputError(f"{where}: {_MESSAGES[broken.rule](broken)}; {help_} says what is taken")


def _broken(error: ValidationError, schema: dict[str, Any]) -> BrokenRule:
    """The rule at the place in `schema` that `error` names."""
    *path, rule = error.schema_path
    part: Any = schema
    for step in path:
        part = part[step]
    return BrokenRule(str(rule), part[rule], error.instance, part)


def _bound(broken: BrokenRule) -> str:
    unit = {**_UPPER, **_LOWER}[broken.rule]
    measured = " ".join(filter(None, (f"{_size(broken.value):,}", unit)))
    limit = f"{broken.limit:,}"
    return f"{measured}, at most {limit}" if broken.rule in _UPPER else f"{measured}, at least {limit}"


def _type(broken: BrokenRule) -> str:
    names = broken.limit if isinstance(broken.limit, list) else [broken.limit]
    return f"{_shown(broken.value)} is not {' or '.join(_TYPES[each] for each in names)}; give one"


def _required(broken: BrokenRule) -> str:
    missing = [name for name in broken.limit if name not in broken.value]
    return f"{missing[0]} is missing; give it"


def _unknown(broken: BrokenRule) -> str:
    known = sorted(broken.schema["properties"])
    other = min(name for name in broken.value if name not in broken.schema["properties"])
    return f"there is no {_shown(other)}; give any of {', '.join(known) or 'nothing'}"


def _enum(broken: BrokenRule) -> str:
    return f"{_shown(broken.value)} is not one of its values; choose from {', '.join(broken.limit)}"


def _pattern(broken: BrokenRule) -> str:
    if not broken.value.strip():
        return "it is blank; give some text"
    schema = broken.schema
    meaning = f" ({schema['description'].rstrip('.')})" if "description" in schema else ""
    return f"{_shown(broken.value)} is not of its form{meaning}"


def _one_of(broken: BrokenRule) -> str:
    names = [name for each in broken.limit for name in each["required"]]
    return f"give {' or '.join(names)}"


def _unique(broken: BrokenRule) -> str:
    return "an item is given twice; give each once"


_MESSAGES: Final[dict[str, Callable[[BrokenRule], str]]] = {
    **dict.fromkeys((*_UPPER, *_LOWER), _bound),
    "type": _type,
    "required": _required,
    "additionalProperties": _unknown,
    "maxProperties": _unknown,  # objects with this rule are closed: one name too many is unknown
    "enum": _enum,
    "pattern": _pattern,
    "uniqueItems": _unique,
    "oneOf": _one_of,
}


def _size(value: Any) -> float:
    return len(value) if isinstance(value, str | list | dict) else value


def _shown(value: object) -> str:
    """A value as a client wrote it, or as much of it as a message has room for.

    >>> _shown(None), _shown("a"), _shown([1])
    ('null', "'a'", 'a list')
    """
    if isinstance(value, list):
        return _TYPES["array"]
    if isinstance(value, dict):
        return _TYPES["object"]
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else value[:_SHOWN] + "…")
    return json.dumps(value)
