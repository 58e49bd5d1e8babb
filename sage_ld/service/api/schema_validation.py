"""Validation of a JSON value by the JSON Schema that `/openapi.json` publishes for it.

The description is the check: no other code says what is allowed, so the two cannot differ. Sizes are checked
before anything else, and the first violation ends the work, which is linear in the size of the value.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final, NamedTuple

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

from sage_ld.foundation.errors import InputError
from sage_ld.service.api.violations import violation

Schema = dict[str, Any]
_SIZES: Final = frozenset({"maxItems", "maxProperties", "maxLength"})
_COMPILED: Final = 32


class _Validators(NamedTuple):
    """A compiled schema: its limits of size alone, and all of it."""

    sizes: Draft202012Validator
    rules: Draft202012Validator


def checked_value(
    value: object, schema: Schema, whole: str = "the request", help_: str = "/docs"
) -> dict[str, Any]:
    """`value`, an object, in which numbers such as 5.0 are integers. Raises InputError, LimitError.

    Errors call it `whole`, and name `help_` as what describes it.
    """
    try:
        for validator in _compiled(json.dumps(schema)):
            validator.validate(value)
    except ValidationError as error:
        raise violation(error, schema, whole, help_) from None
    except UnicodeEncodeError:
        raise InputError("half of a surrogate pair is not a character; send whole characters") from None
    except ValueError:  # the validator does not go below some 250 levels
        raise InputError(f"{whole}: it is nested too deeply; {help_} describes what is accepted") from None
    assert isinstance(value, dict)  # every schema of a request is of an object
    return {name: _plain(each, _inner(schema, name)) for name, each in value.items()}


@lru_cache(_COMPILED)
def _compiled(text: str) -> _Validators:
    schema = json.loads(text)
    patterns = RegexOptions()  # without backtracking
    return _Validators(
        Draft202012Validator(_sizes(schema), pattern_options=patterns),
        Draft202012Validator(schema, pattern_options=patterns),
    )


def _sizes(schema: Schema) -> Schema:
    """The limits of size in a schema, at the places where they stand.

    >>> _sizes({"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 3}})
    {'maxItems': 2, 'items': {'maxLength': 3}}
    """
    kept: Schema = {name: limit for name, limit in schema.items() if name in _SIZES}
    if "properties" in schema:
        kept["properties"] = {name: _sizes(each) for name, each in schema["properties"].items()}
    if "items" in schema:
        kept["items"] = _sizes(schema["items"])
    if isinstance(inner := schema.get("additionalProperties"), dict):
        kept["additionalProperties"] = _sizes(inner)
    return kept


def _plain(value: Any, schema: Schema) -> Any:
    """`value` with integers for the numbers that are some: JSON has one kind of number.

    Where the schema takes a number and nothing else, it stays as it is: it may be large, as 1e300 is.
    """
    if isinstance(value, float) and value.is_integer():
        return value if schema.get("type") == "number" else int(value)
    if isinstance(value, list):
        return [_plain(each, schema.get("items", {})) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each, _inner(schema, name)) for name, each in value.items()}
    return value


def _inner(schema: Schema, name: str) -> Schema:
    """The schema of a member of an object; an empty one if it says nothing of it."""
    inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
    return inner if isinstance(inner, dict) else {}
