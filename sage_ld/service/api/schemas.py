"""Parts of the JSON Schemas of requests, which `/openapi.json` publishes and requests are checked by."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, fields
from enum import EnumType
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from jsonschema_rs import Draft202012Validator, RegexOptions, ValidationError

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.settings import Settings

Schema = dict[str, Any]


def record(required: list[str], properties: Schema, **more: Any) -> Schema:
    """The schema of an object."""
    return {"type": "object", "required": required, "properties": properties, **more}


def closed(required: list[str], properties: Schema) -> Schema:
    """The schema of an object in a request: a name that is not listed is a mistake, and refused."""
    return record(required, properties, additionalProperties=False, maxProperties=len(properties))


def list_of(items: Schema, **more: Any) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": items, **more}


def noted(schema: Schema, description: str) -> Schema:
    """A schema with its description."""
    return {**schema, "description": description}


NOTHING: Final = closed([], {})
"""The schema of a request without parameters."""


SETTING: Final = "x-setting"
DEPRECATED_AT: Final = "x-deprecated-at"
"""The time, in seconds since 1970, at which a parameter got another name."""
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


_CURSOR_LENGTH: Final = 200


def limit_schema(
    settings: Settings, description: str, *, name: str = "max_page_items", default: int = 50
) -> dict[str, Any]:
    """The schema of the number of items in an answer; `name` is the setting that no request may exceed."""
    most = getattr(settings, name)
    return {
        "type": "integer",
        "minimum": 1,
        "maximum": most,
        SETTING: name,
        "default": min(default, most),
        "description": description,
    }


def defaults(schema: Schema) -> dict[str, Any]:
    """The values that a record has where none is given."""
    return {name: each["default"] for name, each in schema["properties"].items() if "default" in each}


def cursor_schema(item: str) -> dict[str, Any]:
    """The schema of the cursor at which a page begins, in a list of items of that name."""
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": _CURSOR_LENGTH,
        "description": f"The nextCursor of the page before: this one begins behind its last {item}, whatever "
        "was added or deleted meanwhile.",
    }


_TYPE_NAMES: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


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
            found[given.term] = {"type": _TYPE_NAMES[kind], **_range(given, kind, given.most)}
    return found


def _schema(each: Field[Any], hint: Any, given: Parameter, settings: Settings, more: str) -> Schema:
    kind = _kind(hint)
    schema: Schema = {"type": _TYPE_NAMES.get(kind, "string"), **_limits(given, kind, settings)}
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
