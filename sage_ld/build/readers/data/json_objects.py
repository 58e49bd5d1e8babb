"""JSON: objects as records; what a top-level object lists under a key is a section of its own."""

from __future__ import annotations

from collections.abc import Iterator

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.content import content_hash, finished, record_name
from sage_ld.build.readers.data.json_values import Json, JsonObject, flatten, in_line, is_scalar, parse_json
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
    return finished(
        builder.build(
            title=title,
            media_type=media_type,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "Dataset",),
        )
    )


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


JSON = Reader("JSON", _MEDIA_TYPES, read_json)
