"""JSON Schemas of the fields of a question, a filter and a retrieval, from what the fields say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import MISSING, Field, fields
from enum import EnumType
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.settings import Settings
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


def field_schemas(
    record: type[Any], settings: Settings, names: Collection[str] | None = None, more: str = ""
) -> Schema:
    """The schemas of fields, those in `names` or all, by their names in a request.

    `more` is the last sentence of each description.
    """
    hints, given = get_type_hints(record), parameters(record)
    return {
        given[each.name].http: _schema(each, hints[each.name], given[each.name], settings, more)
        for each in fields(record)
        if names is None or each.name in names
    }


def answer_schemas(record: type[Any]) -> Schema:
    """The schemas of the terms by which a JSON-LD answer says the fields of a record."""
    hints = get_type_hints(record)
    found: Schema = {}
    for each in fields(record):
        given = parameters(record)[each.name]
        if not given.told:
            continue
        kind = _kind(hints[each.name])
        found[given.term] = {"type": "string"}
        if get_origin(kind) is tuple:
            least = 0 if given.always else 1
            found[given.term] = {"type": "array", "items": {"type": "string"}, "minItems": least}
        elif kind in (int, float, bool):
            found[given.term] = {"type": _TYPES[kind], **_range(given, kind, given.most)}
    return found


def _schema(each: Field[Any], hint: Any, given: Parameter, settings: Settings, more: str) -> Schema:
    kind = _kind(hint)
    schema: Schema = {"type": _TYPES.get(kind, "string"), **_limits(given, kind, settings)}
    if isinstance(kind, EnumType):
        schema["enum"] = [str(each) for each in list[Any](kind)]
    in_url = ""
    if get_origin(kind) is tuple:
        schema = _list(schema, settings)
        in_url = " In a URL, with commas." if given.choices else ""
    if not more and each.default not in (MISSING, None, (), ""):
        schema["default"] = str(each.default) if isinstance(kind, EnumType) else each.default
    rankings = f" For {', '.join(given.rankings)}." if given.rankings else ""
    return {**schema, "description": given.help + more + rankings + in_url}


def _kind(hint: Any) -> Any:
    """The type of a field, without None."""
    if isinstance(hint, UnionType):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    return hint


def _range(given: Parameter, kind: Any, highest: float | None) -> Schema:
    if kind is bool:
        return {}
    least, most = given.range_of(kind(0))
    return {"minimum": least, "maximum": highest or most} if kind is float else {"minimum": least}


def _limits(given: Parameter, kind: Any, settings: Settings) -> Schema:
    """The limits of a value: its range, its length, and the setting that they come from."""
    if kind in (int, float, bool):
        limit = {"maximum": getattr(settings, given.setting), SETTING: given.setting} if given.setting else {}
        return {**_range(given, kind, given.client_most or given.most), **limit}
    if isinstance(kind, EnumType) or given.choices:
        return {"enum": list(given.choices), **given.schema} if given.choices else {}
    setting = given.setting or "max_filter_length"
    limit = {"maxLength": getattr(settings, setting), SETTING: setting}
    return {**(limit if "maxLength" not in given.schema else {}), **given.schema}


def _list(item: Schema, settings: Settings) -> Schema:
    unique = item.pop("uniqueItems", False)
    items = {"type": "array", "items": item if "enum" in item else {"minLength": 1, **item}, "minItems": 1}
    if unique and "enum" in item:
        return {**items, "maxItems": len(item["enum"]), "uniqueItems": True}
    limit = {"maxItems": settings.max_filter_values, SETTING: "max_filter_values"}
    return {**items, **limit, **({"uniqueItems": True} if unique else {})}
