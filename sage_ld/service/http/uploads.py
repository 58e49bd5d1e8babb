"""Texts and files in the body of a request: JSON, a form with files, or one file as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, Final

from flask import request
from werkzeug.datastructures import FileStorage, MultiDict

from sage_ld.build.readers.uploads import Upload, of_unicode
from sage_ld.foundation import arguments
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import documents
from sage_ld.service.api.json_text import check_json_values, read_json
from sage_ld.service.api.schemas import Schema, checked_value
from sage_ld.service.http.request_values import body_text

JSON: Final = "application/json"
FORM: Final = "multipart/form-data"
MERGE_PATCH: Final = "application/merge-patch+json"
_SHOWN: Final = 100  # characters of what a parser says
_FIELDS: Final = ("identifier", "name", "metadata")


def uploads_in_body(settings: Settings, identifier: str = "", name: str = "") -> list[Upload]:
    """The texts and files in the body of the current request.

    `identifier` and `name` are those of the one document, where the URL has them. Raises InputError for a
    body with none, LimitError for one with too many, MediaTypeError.
    """
    if request.mimetype == JSON:
        uploads = list(_texts(settings))
    elif request.mimetype == FORM:
        uploads = list(_files(settings))
    else:
        content = request.get_data(cache=False)
        uploads = [Upload(content, media_type=request.mimetype or "text/plain")]
    if not identifier and not name:
        return uploads
    if len(uploads) != 1:
        raise InputError(f"{len(uploads):,} documents for one identifier or name; send one, or leave it out")
    [one] = uploads
    if identifier and one.identifier not in ("", identifier):
        raise InputError(
            f"identifier {one.identifier[:80]!r} is not that of the URL, {identifier[:80]!r}; leave it out"
        )
    return [replace(one, identifier=identifier or one.identifier, name=name or one.name)]


def _texts(settings: Settings) -> Iterator[Upload]:
    value = _read(body_text(), settings)
    if isinstance(value, list):
        value = {"documents": value}
    if isinstance(value, dict) and "documents" in value:
        texts = checked_value(value, documents.texts_schema(settings))["documents"]
    else:
        texts = [checked_value(value, documents.text_schema(settings))]
    for each in texts:
        yield Upload(
            arguments.encoded(each["text"], "text"),
            each.get("identifier", ""),
            media_type=each.get("mediaType", "text/plain"),
            name=each.get("name", ""),
            metadata=of_unicode(each.get("metadata", {})),
        )


def _files(settings: Settings) -> Iterator[Upload]:
    """The files of a form; its fields are said of each of them."""
    fields, parts = form_parts()
    files = [each for _, each in parts.items(multi=True)]
    if not files:
        raise InputError("the form has no file; send each as a part with a file name and its media type")
    if len(files) > (most := settings.max_batch_documents):
        raise LimitError.of("the form", len(files), most, "files", "max_batch_documents")
    fields_sent = _fields(fields, settings)
    if len(files) > 1 and (single := {"identifier", "name"} & fields_sent.keys()):
        raise InputError(f"{sorted(single)[0]} is given for {len(files):,} files; send them one by one")
    for each in files:
        yield Upload(
            each.stream.read(),
            fields_sent.get("identifier", ""),
            each.filename or "",
            each.mimetype,
            fields_sent.get("name", ""),
            fields_sent.get("metadata", {}),
        )


def form_parts() -> tuple[MultiDict[str, str], MultiDict[str, FileStorage]]:
    """The fields and the files of a form.

    Raises InputError for one that cannot be read; `request.files` would be empty.
    """
    parser = request.make_form_data_parser()
    parser.silent = False
    parser.stream_factory = lambda *_, **__: BytesIO()  # a form that breaks off leaves no open files
    try:
        _, fields, files = parser.parse(
            request.stream, request.mimetype, request.content_length, request.mimetype_params
        )
    except ValueError as error:
        raise InputError(
            f"the form cannot be read: {str(error)[:_SHOWN]}; send it whole, with a boundary, and with file "
            "names in UTF-8"
        ) from None
    return fields, files


def _fields(form: MultiDict[str, str], settings: Settings) -> dict[str, Any]:
    """The fields of a form beside its files: an identifier, a name, and metadata as JSON."""
    values: dict[str, Any] = {}
    for name, text in form.items(multi=True):
        if name not in _FIELDS or name in values:
            raise InputError(f"the field {name[:40]!r} is unknown, or given twice; send {', '.join(_FIELDS)}")
        values[name] = text
    if "metadata" in values:
        values["metadata"] = _read(values["metadata"], settings)
    properties = documents.text_schema(settings)["properties"]
    schema: Schema = {"type": "object", "properties": {name: properties[name] for name in _FIELDS}}
    return checked_value(values, schema)


def _read(text: str, settings: Settings) -> object:
    """The value of JSON that a client sent: in memory, it takes space for each of its values."""
    check_json_values(text, settings.max_json_values)
    return read_json(text)
