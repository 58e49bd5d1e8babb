"""Validation of a request's body and URL by the JSON Schema that is published for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from flask import request

from sage_ld.foundation.errors import InputError
from sage_ld.service.api.json_text import DIGITS, read_json
from sage_ld.service.api.schema_validation import Schema, checked_value
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.parameters import Parameters, body_text, only, url_parameters

_MEMBER: Final = re.compile(r"(\w{1,40})\[([^\[\]]{1,200})\]", re.ASCII)
_INTEGER: Final = re.compile(rf"-?\d{{1,{DIGITS}}}", re.ASCII)
_NUMBER: Final = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def body(schema: Schema) -> dict[str, Any]:
    """The JSON object in the body. Raises MediaTypeError, and InputError if it breaks the schema."""
    check_json_type()
    return json_object(schema)


def check_json_type() -> None:
    """Raises MediaTypeError for a body that is not sent as JSON."""
    if request.mimetype not in ("application/json", "application/ld+json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: send application/json")


def json_object(schema: Schema) -> dict[str, Any]:
    """The JSON object in a body, whatever its media type. Raises InputError if it breaks the schema."""
    return checked_value(read_json(body_text()), schema)


def query(schema: Schema) -> dict[str, Any]:
    """The parameters in the URL. Raises InputError if they break the schema."""
    return typed(url_parameters(), schema)


def typed(parameters: Parameters, schema: Schema) -> dict[str, Any]:
    """Values of the types that the schema says, from texts. Raises InputError if they break it.

    A list of names comes with commas, a list of texts as one parameter each, an object as `weights[name]`.
    """
    properties = schema["properties"]
    values: dict[str, Any] = {}
    for name, texts in parameters.by_name().items():
        if _is_repeated(properties.get(name, {})):
            values[name] = texts
        elif member := _MEMBER.fullmatch(name):
            _put_member(values, member[1], member[2], only(name, texts), properties)
        else:
            values[name] = _parsed(only(name, texts), properties.get(name, {}))
    return checked_value(values, schema)


def _put_member(values: dict[str, Any], owner: str, name: str, text: str, properties: Schema) -> None:
    """Adds the value of `owner[name]=text`, which OpenAPI calls a deep object."""
    schema = properties.get(owner, {}).get("properties", {}).get(name, {})
    whole = values.setdefault(owner, {})
    if not isinstance(whole, dict):
        raise InputError(f"{owner}= is given as a whole and by its parts; give its parts")
    whole[name] = _parsed(text, schema)


def _is_repeated(schema: Schema) -> bool:
    """Whether a list comes as one parameter an item: any text may have a comma, the names of a choice not."""
    return schema.get("type") == "array" and "enum" not in schema["items"]


def _parsed(text: str, schema: Schema) -> object:
    """The value that `text` stands for; otherwise `text` itself, for the schema to refuse."""
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
