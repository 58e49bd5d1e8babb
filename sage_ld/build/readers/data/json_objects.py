"""JSON, YAML and TOML: objects as records, and what a top-level object lists under a key as a section."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, time
from typing import Any, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.content import file_document, record_name
from sage_ld.build.readers.data.json_values import (
    Json,
    JsonObject,
    Number,
    flatten,
    in_line,
    is_scalar,
    load_toml,
    parse_json,
)
from sage_ld.build.readers.data.yaml_values import parse_yaml
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".json": "application/json", ".geojson": "application/geo+json"}


def read_json(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the top-level object's title or name, else the file's name."""
    data = source.read(settings)
    value = parse_json(decode(data, source.identifier), source.identifier, settings)
    yield document_of(value, source, data, _MEDIA_TYPES[source.suffix], settings)


def document_of(value: Json, source: Source, data: bytes, media_type: str, settings: Settings) -> Document:
    """The document that a value makes, which stands in a file whose bytes are `data`."""
    title = _title(value) or source.stem
    builder = DocumentBuilder(source.identifier, settings)
    if isinstance(value, dict):
        _whole(builder, value, title)
    else:
        add_items(builder, value if isinstance(value, list) else [value], title)
    return file_document(builder, data, title, media_type, v.SCHEMA + "Dataset")


def add_items(builder: DocumentBuilder, items: list[Json], title: str) -> None:
    """Objects as records, named `title` and a number where they state no name; the rest as lines of prose."""
    for number, item in enumerate(items, 1):
        if isinstance(item, dict):
            fields = list(flatten(item))
            builder.record(record_name(fields) or f"{title} {number}", fields)
    builder.prose("\n".join(text for item in items if not isinstance(item, dict) and (text := in_line(item))))


def _whole(builder: DocumentBuilder, value: JsonObject, title: str) -> None:
    lists = {key: inner for key, inner in value.items() if _is_listing(inner)}
    builder.record(title, flatten({key: inner for key, inner in value.items() if key not in lists}))
    for key, inner in lists.items():
        builder.heading(key, 1)
        add_items(builder, inner if isinstance(inner, list) else [inner], f"{title} {key}")


def _is_listing(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def _title(value: Json) -> str:
    if not isinstance(value, dict):
        return ""
    fields = [(key, in_line(inner)) for key, inner in value.items() if is_scalar(inner)]
    return next((text for name in ("title", "name") for key, text in fields if key.lower() == name), "")


JSON = Reader("JSON", _MEDIA_TYPES, read_json, text=True)


_YAML = "application/yaml"  # RFC 9512


def read_yaml(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the top-level object's title or name, else the file's name."""
    data = source.read(settings)
    values = parse_yaml(decode(data, source.identifier), source.identifier, settings)
    value = values[0] if len(values) == 1 else values
    yield document_of(value, source, data, _YAML, settings)


YAML = Reader("YAML", {".yaml": _YAML, ".yml": _YAML}, read_yaml, text=True)


_TOML = "application/toml"


def read_toml(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the top-level table's title or name, else the file's name."""
    data = source.read(settings)
    value = parse_toml(decode(data, source.identifier), source.identifier, settings)
    yield document_of(value, source, data, _TOML, settings)


def parse_toml(text: str, name: str, settings: Settings) -> Json:
    r"""The table that `text` is, dates and times as RFC 3339 writes them.

    Raises InputError that names line and column, LimitError if a key is nested deeper than `max_json_depth`.

    >>> parse_toml("title = 'Heat'\nyear = 1995\nseen = 2024-05-01", "a.toml", Settings())
    {'title': 'Heat', 'year': '1995', 'seen': '2024-05-01'}
    """
    return _value(load_toml(text, name, settings, Number))


def _value(value: Any) -> Json:
    if isinstance(value, dict):
        return {key: _value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return next(write(value) for kind, write in _SCALARS if isinstance(value, kind))


_SCALARS: Final[tuple[tuple[type, Callable[[Any], Json]], ...]] = (
    (bool, bool),
    (str, lambda value: value),
    (int, lambda value: Number(value)),
    (date, lambda value: value.isoformat()),
    (time, lambda value: value.isoformat()),
)
"""The kinds of scalar (TOML 1.0) and how each is written; a number with a point is a `Number` already."""

TOML = Reader("TOML", {".toml": _TOML}, read_toml, text=True)
