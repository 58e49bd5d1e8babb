"""What a request gives, held against the JSON Schema that `/openapi.json` publishes for it.

The description is the check: no other code says what is allowed, so the two cannot differ.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from flask import request
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from sage_ld.api.violations import violation
from sage_ld.errors import InputError
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.parameters import body_text, url_parameters

Schema = dict[str, Any]
_MEMBER: Final = re.compile(r"(\w{1,40})\[(\w{1,40})\]", re.ASCII)
_DIGITS: Final = 20
_INTEGER: Final = re.compile(rf"-?\d{{1,{_DIGITS}}}", re.ASCII)
_NUMBER: Final = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SHOWN: Final = 40  # characters of what a client sent in a message


def body(schema: Schema) -> dict[str, Any]:
    """The JSON object in the body. Raises MediaTypeError, and InputError where it breaks the schema."""
    if request.mimetype not in ("application/json", "application/ld+json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: send application/json")
    return _checked(_json(body_text()), schema)


def _json(text: str) -> object:
    """Raises InputError for what is no JSON, or means different things to different readers."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_members,
            parse_int=_json_integer,
            parse_float=_json_number,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"the body is no JSON: {error.msg} at character {error.pos + 1:,}; send one object"
        ) from None
    except RecursionError:
        raise InputError("the body is nested too deep to be read; send one flat object") from None


def query(schema: Schema) -> dict[str, Any]:
    """The parameters in the URL. Raises InputError where they break the schema.

    A list of names comes with commas, a list of texts as one parameter each, an object as `weights[name]`.
    """
    given = url_parameters()
    properties = schema["properties"]
    values: dict[str, Any] = {}
    for name in dict.fromkeys(name for name, _ in given.pairs):
        if member := _MEMBER.fullmatch(name):
            _put_member(values, member[1], member[2], given.one(name) or "", properties)
        elif _is_repeated(properties.get(name, {})):
            values[name] = given.all(name)
        else:
            values[name] = _parsed(given.one(name) or "", properties.get(name, {}))
    return _checked(values, schema)


def _put_member(values: dict[str, Any], owner: str, name: str, text: str, properties: Schema) -> None:
    """Of `owner[name]=text`, which OpenAPI calls a deep object."""
    schema = properties.get(owner, {}).get("properties", {}).get(name, {})
    whole = values.setdefault(owner, {})
    if not isinstance(whole, dict):
        raise InputError(f"{owner}= is given as a whole and by its parts; give its parts")
    whole[name] = _parsed(text, schema)


def _is_repeated(schema: Schema) -> bool:
    """Whether a list comes as one parameter an item: any text may have a comma, the names of a choice not."""
    return schema.get("type") == "array" and "enum" not in schema["items"]


def _parsed(text: str, schema: Schema) -> object:
    """The value that `text` stands for; `text` itself where it stands for none, for the schema to refuse."""
    read = _READERS.get(schema.get("type", "string"))
    if read is None:
        return text
    try:
        return read(text)
    except ValueError:
        return text


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_READERS: Final[dict[str, Callable[[str], object]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": lambda text: text.split(","),
}


def _checked(value: object, schema: Schema) -> dict[str, Any]:
    error = best_match(Draft202012Validator(schema).iter_errors(value))
    if error is not None:
        raise violation(error)
    assert isinstance(value, dict)  # every schema here is of an object
    return {name: _plain(each) for name, each in value.items()}


def _plain(value: Any) -> Any:
    """JSON has one kind of number, so 5.0 is an integer to a schema; and text that is no Unicode is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        _refuse_surrogates(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError("half of a surrogate pair is no character; send whole ones") from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        [(twice, times)] = Counter(name for name, _ in pairs).most_common(1)
        raise InputError(f"{twice[:_SHOWN]!r} is given {times} times; give it once")
    return members


def _json_integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise InputError(f"the integer {text[:_SHOWN]}… has {len(text):,} digits; give at most {_DIGITS}")
    return int(text)


def _json_number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise InputError(f"{text[:_SHOWN]} is too large a number; give a smaller one")
    return value


def _no_constant(name: str) -> None:
    raise InputError(f"{name} is no JSON number; give another")
