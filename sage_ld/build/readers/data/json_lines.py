"""JSON Lines: lines with `_id`, `title`, `text` (BEIR's corpus) are documents, other objects records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.content import content_hash, file_document, record_name
from sage_ld.build.readers.data.json_values import Json, JsonObject, flatten, in_line, parse_json
from sage_ld.build.readers.metadata.properties import properties_of
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPE = "application/jsonl"
_PASSAGE = ("_id", "title", "text")


def read_json_lines(source: Source, settings: Settings) -> Iterator[Document]:
    """A document a line where the first object has `_id` and `text`, else one document with a record a line.

    Raises InputError that names the line that is not a JSON object, or whose `_id` is missing or not unique.
    """
    data = source.read(settings)
    lines = _objects(decode(data, source.identifier), source.identifier, settings)
    first = next(lines, None)
    if first is None:
        raise InputError(
            f"{source.identifier}: the file is empty, it has no line; leave it out, or add content"
        )
    if "_id" in first[2] and "text" in first[2]:
        yield _passage(*first, source, settings)
        yield from _passages(first, lines, source, settings)
    else:
        yield _records([first, *lines], data, source, settings)


def _objects(text: str, name: str, settings: Settings) -> Iterator[tuple[int, str, JsonObject]]:
    """Number, text and value of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line, f"{name}: line {number}", settings)
        except LimitError:
            raise
        except InputError as error:
            raise InputError(str(error).replace("(line 1, ", "(")) from None
        if not isinstance(value, dict):
            raise InputError(f"{name}: line {number} is not a JSON object; write one object on each line")
        yield number, line, value


def _passages(
    first: tuple[int, str, JsonObject],
    lines: Iterator[tuple[int, str, JsonObject]],
    source: Source,
    settings: Settings,
) -> Iterator[Document]:
    seen = {_identifier(first[2].get("_id")): first[0]}
    for number, line, value in lines:
        document = _passage(number, line, value, source, settings)
        if (other := seen.setdefault(document.identifier, number)) != number:
            raise InputError(
                f"{source.identifier}: line {number} has the same _id, {document.identifier!r}, as line "
                f"{other}; give each line its own"
            )
        if len(seen) > settings.max_documents_per_file:
            raise LimitError.of(
                source.identifier,
                len(seen),
                settings.max_documents_per_file,
                "documents",
                "max_documents_per_file",
            )
        yield document


def _passage(number: int, line: str, value: JsonObject, source: Source, settings: Settings) -> Document:
    """The document of one line; a passage without text has its title for a text."""
    if (identifier := _identifier(value.get("_id"))) is None:
        raise InputError(
            f"{source.identifier}: line {number} has no _id that is a string or a number; give every line one"
        )
    title, text = in_line(value.get("title")), value.get("text")
    builder = DocumentBuilder(identifier, settings)
    for paragraph in (text if isinstance(text, str) else in_line(text)).replace("\r\n", "\n").split("\n\n"):
        builder.prose(paragraph.strip())
    if builder.empty:
        builder.prose(title)
    builder.prose("\n".join(f"{key}: {text}" for key, text in _further(value)))
    document = builder.build(
        title=title or identifier,
        media_type=_MEDIA_TYPE,
        content_hash=content_hash(line.encode("utf-8", "surrogatepass")),
        url=in_line(value.get("url")) if _is_url(value.get("url")) else None,
    )
    metadata = properties_of(_members(value), f"{source.identifier}: line {number}", settings)
    return replace(document, metadata=metadata) if metadata else document


def _members(value: JsonObject) -> list[Json]:
    """The fields of a line beside the passage; the members of an object `metadata` count as its own."""
    inner = value.get("metadata")
    left_out = {*_PASSAGE, "metadata"} if isinstance(inner, dict) else {*_PASSAGE}
    if _is_url(value.get("url")):
        left_out.add("url")
    members: JsonObject = {key: each for key, each in value.items() if key not in left_out}
    return [members, inner] if isinstance(inner, dict) else [members]


def _further(value: JsonObject) -> Iterator[tuple[str, str]]:
    """The string fields beside those of a passage; numbers and objects are a data set's bookkeeping."""
    for key, inner in value.items():
        if key in _PASSAGE or (key == "url" and _is_url(inner)):
            continue
        strings = inner if isinstance(inner, list) else [inner]
        if all(type(each) is str for each in strings) and (text := in_line(inner)):
            yield one_line(key), text


def _is_url(value: Json) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _identifier(value: Json) -> str | None:
    return str(value) if isinstance(value, str) and value else None


def _records(
    lines: list[tuple[int, str, JsonObject]], data: bytes, source: Source, settings: Settings
) -> Document:
    builder = DocumentBuilder(source.identifier, settings)
    for number, _, value in lines:
        fields = list(flatten(value))
        builder.at(PlaceKind.LINE, number)
        builder.record(record_name(fields) or f"{source.stem} {number}", fields)
    return file_document(builder, data, source.stem, _MEDIA_TYPE, v.SCHEMA + "Dataset")


JSON_LINES = Reader("JSON Lines", {".jsonl": _MEDIA_TYPE, ".ndjson": _MEDIA_TYPE}, read_json_lines, text=True)
