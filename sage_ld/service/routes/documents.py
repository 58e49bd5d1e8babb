"""`/v1/documents`: documents that clients add, read, change and take out, one by one or several at once."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote

from flask import Response, request
from werkzeug.routing import PathConverter

from sage_ld.build.readers.identifiers import check_identifier
from sage_ld.build.readers.metadata.properties import properties_of
from sage_ld.build.readers.registry import READERS
from sage_ld.build.readers.roots import PROGRAM_ROOT
from sage_ld.build.readers.uploads import Upload
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.stored_documents import document_text
from sage_ld.graph.views.documents import DescribedDocument, described_document
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import documents
from sage_ld.service.api.schemas import Schema
from sage_ld.service.context import service
from sage_ld.service.http import addresses, request_values, responses
from sage_ld.service.http.body_limits import of_a_write, of_json
from sage_ld.service.http.conditional import conditions_in, refuse_conditions
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.http.uploads import MERGE_PATCH, uploads_in_body
from sage_ld.service.idempotency import once
from sage_ld.service.openapi.parts import (
    CONDITIONS,
    JSON,
    TEXT,
    documents_body,
    in_path,
    in_query,
    patch_body,
)
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, SchemaOf, Surface, schema_of
from sage_ld.service.route_table import defaults
from sage_ld.service.routes.jobs import job_json
from sage_ld.service.sparql.writes import write

_PLAIN: Final = responses.JSONS[1:]
_TEXT: Final = Offer("text", "text/plain")
_PATH: Final = "/v1/documents/"
Sent: TypeAlias = tuple[dict[str, Any], bytes]
"""A job for the process that writes, and its body."""

_WRITES: Final[dict[str, Any]] = {
    "role": AccessRole.WRITE,
    "errors": ("409", "412", "413", "415", "422", "504"),
}
_ONE: Final[dict[str, Any]] = {
    "rule": "/v1/documents/<identifier:identifier>",
    "options": {"merge_slashes": False},
}
_STORED: Final = RouteReply(
    "What was done with each document. 201 if one text or file was sent, and is one new document; 200 for "
    "several, also where some failed.",
    {JSON: "Stored"},
)
_ADDED: Final = {
    "201": RouteReply("The one document is new; Location has it.", {JSON: "Stored"}),
    "202": RouteReply("The request has become a job; Location has it.", {JSON: "Job"}),
}

surface = Surface("documents", tag="documents")


def _document(settings: Settings) -> Schema:
    """The identifier of a document in the path."""
    schema = {"type": "string", "minLength": 1, "maxLength": settings.max_identifier_length}
    return in_path("identifier", "The document's identifier, percent-encoded: a slash is %2F.", schema)


def _changing(parameters: SchemaOf | None = None, *, one: bool = True) -> Callable[[Settings], list[Schema]]:
    """The parameters of a change: of the path, the URL and the head."""
    return lambda settings: [
        *([_document(settings)] if one else []),
        *([] if parameters is None else in_query(schema_of(parameters, settings))),
        *CONDITIONS,
    ]


def _texts(settings: Settings) -> Schema:
    """The schema of one text or several."""
    one, several = documents.text_schema(settings), documents.texts_schema(settings)
    both = {**one["properties"], **several["properties"]}
    return {"type": "object", "properties": both, "oneOf": [one, several]}


class IdentifierConverter(PathConverter):
    """The rest of a path, which is an identifier, whatever slashes it has."""

    part_isolating = False
    regex = r"[\s\S]+?"


@surface.get(
    "/v1/documents/{identifier}",
    "document",
    "One document with its metadata, or its text",
    offers=(*_PLAIN, _TEXT),
    parameters=lambda settings: [_document(settings)],
    reply=RouteReply(
        "The document, or as text/plain its text, of which its chunks are slices: each blank between two "
        "chunks is a line break.",
        {JSON: "DescribedDocument", "text/plain": TEXT},
    ),
    errors=("413", "504"),
    cached=True,
    **_ONE,
)
def document(choice: Choice, identifier: str) -> Response:
    """One document with its metadata, or its text; the ETag is that of its content and metadata."""
    with held() as snapshot:
        found = _described(snapshot, _identifier(identifier))
        if choice.offer is _TEXT:
            etag = f"{responses.digest_tag(found.tag)}-{responses.tag(service(), snapshot, _TEXT.name)}"
            return responses.conditional(etag, lambda: _text(snapshot, found))
        return responses.conditional(
            responses.digest_tag(found.tag), lambda: responses.json_text(document_json(found), choice)
        )


@surface.put(
    "/v1/documents/{identifier}",
    "putDocument",
    "Make a document be what is sent",
    limit=of_a_write,
    parameters=_changing(partial(documents.write_parameters, duplicates=Duplicates.KEEP)),
    sent=lambda settings: documents_body(settings, documents.text_schema(settings), request_examples.TEXT),
    reply=_STORED,
    replies=_ADDED,
    **_WRITES,
    **_ONE,
)
def put(identifier: str) -> Response:
    """Makes a document be what the body says; 201 where it is new."""
    name = _identifier(identifier)
    asked = _asked(Duplicates.KEEP)
    uploads = uploads_in_body(service().settings, name, asked.get("name", ""))
    return _add(uploads, _adding(uploads, asked, single=True))


@surface.post(
    "/v1/documents",
    "postDocuments",
    "Add a text, a file, or several of them",
    limit=of_a_write,
    parameters=_changing(partial(documents.write_parameters, duplicates=Duplicates.SKIP), one=False),
    sent=lambda settings: documents_body(settings, _texts(settings), request_examples.TEXTS),
    reply=_STORED,
    replies=_ADDED,
    **_WRITES,
)
def post() -> Response:
    """Adds documents: a text, a file, or several of them; what failed is named, and hinders no other."""
    refuse_conditions(request)
    asked = _asked(Duplicates.SKIP)
    uploads = uploads_in_body(service().settings, "", asked.get("name", ""))
    return _add(uploads, _adding(uploads, asked, single=False))


@surface.patch(
    "/v1/documents/{identifier}",
    "patchDocument",
    "Change single keys of a document's metadata (RFC 7396)",
    limit=of_json,
    parameters=_changing(documents.PATCH_PARAMETERS),
    sent=lambda settings: patch_body(documents.patch_schema(settings), request_examples.PATCHES),
    reply=RouteReply("The revision that shows the change.", {JSON: "ChangedDocument"}),
    **_WRITES,
    **_ONE,
)
def patch(identifier: str) -> Response:
    """Changes single keys of a document's metadata, by a JSON merge patch."""
    asked = request_values.query(documents.PATCH_PARAMETERS)
    if request.mimetype not in (MERGE_PATCH, "application/json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: a patch is {MERGE_PATCH}")
    said = request_values.json_object(documents.patch_schema(service().settings))
    job = {
        "action": "patch",
        "identifier": _identifier(identifier),
        "metadata": said["metadata"],
        "replace": asked.get("replace", False),
    }
    return _once((job, b""), _patched)


@surface.delete(
    "/v1/documents/{identifier}",
    "deleteDocument",
    "Take a document out",
    parameters=_changing(),
    reply=RouteReply("It is gone."),
    replies={"200": RouteReply("It is gone, and edges of users with it.", {JSON: "ChangedDocument"})},
    **_WRITES,
    **_ONE,
)
def remove(identifier: str) -> Response:
    """Takes a document out, with all that is known from it alone."""
    return _once(({"action": "remove", "identifier": _identifier(identifier)}, b""), _removed)


@surface.get(
    "/v1/ingest/supported-types",
    "supportedTypes",
    "The media types that are read, with their suffixes",
    offers=_PLAIN,
    reply=RouteReply("The formats.", {JSON: "SupportedTypes"}),
)
def supported_types(choice: Choice) -> Response:
    """The media types that are read, each with the suffixes of its files."""
    return responses.json_text(types_json(service().settings.max_file_bytes), choice)


def types_json(most: int) -> dict[str, object]:
    """The formats of the registry of readers, in its order, and the size of the largest file."""
    suffixes: dict[tuple[str, str], list[str]] = {}
    for reader in READERS:
        for suffix, media_type in reader.media_types.items():
            suffixes.setdefault((media_type, reader.name), []).append(suffix)
    types = [
        {"mediaType": media_type, "suffixes": each, "reader": name}
        for (media_type, name), each in suffixes.items()
    ]
    return {"types": types, "maxBytes": most}


def document_json(found: DescribedDocument) -> dict[str, object]:
    """A document as plain JSON."""
    stored = found.stored
    said: dict[str, object] = {
        "id": stored.iri,
        "identifier": stored.identifier,
        "mediaType": stored.media_type,
        "contentHash": stored.content_hash,
        "metadata": found.metadata,
        "chunks": found.chunks,
    }
    optional = {"name": stored.name, "url": stored.url, "language": stored.language}
    said |= {name: value for name, value in optional.items() if value}
    if found.patched:
        said["patched"] = list(found.patched)
    if stored.path and stored.root != PROGRAM_ROOT:
        said["file"] = {"root": stored.root, "path": stored.path}
    return said


# --- inside -------------------------------------------------------------------------------------------


def _identifier(decoded: str) -> str:
    """The identifier in the URL, decoded once from what was sent. Raises InputError."""
    path, begin = addresses.sent_path(request.environ), _PATH
    encoded = path.removeprefix(begin) if path.startswith(begin) else quote(decoded, safe="")
    name = unquote(encoded, errors="surrogateescape")
    check_identifier(name, name, service().settings)
    return name


def _described(snapshot: Snapshot, identifier: str) -> DescribedDocument:
    terms, longest = service().directory.metadata_terms(), service().settings.max_text_length
    found = described_document(snapshot, identifier, terms, longest)
    if found is None:
        raise NotFoundError(f"no document {identifier[:200]!r}; GET /v1/documents lists those that are there")
    return found


def _text(snapshot: Snapshot, found: DescribedDocument) -> Response:
    """The text of a document. Raises LimitError for one that is too long to be sent."""
    text = document_text(
        snapshot.stores.named,
        Iris(snapshot.configuration.base_iri),
        found.iri,
        limit=service().settings.max_sent_text,
        setting="max_sent_text",
        check=current_check(),
    )
    return Response(text, content_type="text/plain; charset=utf-8")


def _asked(duplicates: Duplicates) -> dict[str, Any]:
    schema = documents.write_parameters(service().settings, duplicates=duplicates)
    return defaults(schema) | request_values.query(schema)


def _adding(uploads: Sequence[Upload], asked: dict[str, Any], *, single: bool) -> Sent:
    """The job of adding what was sent, and its body."""
    if not any(each.content for each in uploads):
        raise InputError("the body is empty; send a text or a file")
    shared = {id(each.metadata): each.metadata for each in uploads}  # the files of a form share theirs
    places = {identity: place for place, identity in enumerate(shared)}
    parts = [
        {
            "identifier": each.identifier,
            "file_name": each.file_name,
            "media_type": each.media_type,
            "name": each.name,
            "metadata": places[id(each.metadata)],
            "size": len(each.content),
        }
        for each in uploads
    ]
    job = {
        "action": "add",
        "uploads": parts,
        "metadata": [dict(each) for each in shared.values()],
        "single": single,
        "alone": len(uploads) == 1,
        "replace": asked["replace"],
        "duplicates": asked["duplicates"],
    }
    return job, b"".join(each.content for each in uploads)


def _add(uploads: Sequence[Upload], sent: Sent) -> Response:
    """Has documents added: while the client waits, or as a job where that may take long."""
    preferred = "respond-async" in request.headers.get("Prefer", "").lower()
    if preferred or len(sent[1]) > service().settings.max_sync_bytes:
        _check_metadata(uploads)
        return once(sent[0], sent[1], lambda: _accepted(sent, preferred))
    return _once(sent, _stored)


def _check_metadata(uploads: Sequence[Upload]) -> None:
    """Raises LimitError for metadata that is more than a document may have: it would wait for nothing."""
    for each in {id(each.metadata): each for each in uploads}.values():  # the files of a form share theirs
        try:
            properties_of(each.metadata, each.identifier[:80] or each.file_name[:80], service().settings)
        except LimitError:
            raise
        except InputError:  # said of the one document, when its turn comes
            continue


def _accepted(sent: Sent, preferred: bool) -> Response:
    """The answer to a request that has become a job: 202 with the job's address."""
    here = service()
    record = here.jobs.records.add(_job(sent[0]), sent[1])
    here.jobs.wake()
    answer = _json(job_json(record))
    answer.status_code = 202
    answer.headers["Location"] = f"{here.settings.path_prefix}/v1/jobs/{record.identifier}"
    if preferred:
        answer.headers["Preference-Applied"] = "respond-async"
    return answer


def _once(sent: Sent, answer: Callable[[dict[str, Any]], Response]) -> Response:
    """The answer to a job that is done once for each Idempotency-Key."""
    return once(sent[0], sent[1], lambda: answer(_write(sent)))


def _write(sent: Sent) -> dict[str, Any]:
    """The answer of the writing process about a job."""
    return write(_job(sent[0]), io.BytesIO(sent[1]))


def _job(said: dict[str, Any]) -> dict[str, Any]:
    """The job for the process that writes, with what the request asks of a document as it is."""
    conditions = None if said["action"] == "add" and not said["single"] else conditions_in(request)
    return {"op": "documents", **said, "conditions": conditions}


def _stored(done: dict[str, Any]) -> Response:
    """The answer to adding: 201 with the address where the one document that was sent is new, else 200."""
    tag = done.pop("tag", None)
    answer = _json(done)
    if tag is None:
        return answer
    [one] = done["documents"]
    address = _PATH + quote(one["identifier"], safe="")
    if one["status"] == "added":
        answer.status_code = 201
        answer.headers["Location"] = service().settings.path_prefix + address
    elif one["status"] == "duplicate":
        answer.headers["Content-Location"] = service().settings.path_prefix + address
    answer.headers["ETag"] = f'"{responses.digest_tag(tag)}"'
    return answer


def _patched(done: dict[str, Any]) -> Response:
    answer = _json({name: value for name, value in done.items() if name != "tag"})
    answer.headers["ETag"] = f'"{responses.digest_tag(done["tag"])}"'
    return answer


def _removed(done: dict[str, Any]) -> Response:
    """204, or 200 with the edges that went with the document."""
    if "removedEdges" in done:
        return _json(done)
    answer = Response(status=204)
    del answer.headers["Content-Type"]
    return answer


def _json(said: dict[str, Any]) -> Response:
    return Response(json.dumps(said, ensure_ascii=False), content_type="application/json")
