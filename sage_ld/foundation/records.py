"""Records: the JSON of answers as typed dictionaries, from which their JSON Schemas follow.

A class names members as the JSON does; one that may be missing is `NotRequired`, and `said` describes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

Schema = dict[str, Any]

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Iri = Annotated[str, Meta(extra_json_schema={"format": "iri"})]
Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Day = Annotated[str, Meta(extra_json_schema={"format": "date"})]


def said(description: str) -> Meta:
    """The meaning of a member."""
    return Meta(description=description)


def one_of(values: Iterable[str]) -> Meta:
    """The texts that a member may be, where a table says them."""
    return Meta(extra_json_schema={"enum": [str(each) for each in values]})


def either(*records: Any) -> Meta:
    """The records that a member may be."""
    return Meta(extra_json_schema={"anyOf": [record_schema(each) for each in records]})


def members(names: Iterable[str], schema: Schema) -> Meta:
    """The members of an object, all of one kind, where a table says their names."""
    found = list(names)
    return Meta(extra_json_schema={"required": found, "properties": dict.fromkeys(found, schema)})


@cache
def record_schema(record: Any) -> Schema:
    """The JSON Schema of a record, whole: with what other records say of its members.

    >>> from typing import TypedDict
    >>> record_schema(TypedDict("Removed", {"removed": Count}))["properties"]
    {'removed': {'type': 'integer', 'minimum': 0}}
    """
    parts = record_parts([record])
    return _whole(parts[record.__name__], parts)


def record_parts(records: Iterable[Any]) -> dict[str, Schema]:
    """The JSON Schemas of records and of those that they consist of, by the names of their classes."""
    return msgspec.json.schema_components(records, ref_template="{name}")[1]


def _whole(schema: Schema, parts: dict[str, Schema]) -> Schema:
    """A schema in which other records stand in the place of references, without the names of classes."""
    if (name := schema.get("$ref")) is not None:
        more = {key: each for key, each in schema.items() if key != "$ref"}
        return {
            **{key: each for key, each in _whole(parts[name], parts).items() if key != "description"},
            **more,
        }
    return {key: _part(key, each, parts) for key, each in schema.items() if key != "title"}


def _part(key: str, value: Any, parts: dict[str, Schema]) -> Any:
    if key in ("properties", "additionalProperties", "items") and isinstance(value, dict):
        if key == "properties":
            return {name: _whole(each, parts) for name, each in value.items()}
        return _whole(value, parts)
    return [_whole(each, parts) for each in value] if key == "anyOf" else value
