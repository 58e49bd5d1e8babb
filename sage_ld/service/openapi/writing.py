"""The routes of documents, jobs and edges that clients write, described."""

from __future__ import annotations

from typing import Final

from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.settings import Settings
from sage_ld.service import request_examples
from sage_ld.service.api import documents, edges
from sage_ld.service.http.uploads import MERGE_PATCH
from sage_ld.service.openapi.parts import (
    JSON,
    SECURED,
    TEXT,
    Described,
    answer_of,
    events_of,
    in_header,
    in_query,
    json_body,
    media,
    operation_of,
)


def document_paths(settings: Settings) -> Described:
    """The documents that clients write."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The document's identifier, percent-encoded: a slash is %2F.",
        "schema": {"type": "string", "minLength": 1, "maxLength": settings.max_identifier_length},
    }
    stored = answer_of(
        "What was done with each document. 201 if one text or file was sent, and is one new document; 200 "
        "for several, also where some failed.",
        {JSON: media("Stored")},
    )
    found = answer_of(
        "The document, or as text/plain its text, of which its chunks are slices: each blank between two "
        "chunks is a line break.",
        {JSON: media("DescribedDocument"), "text/plain": TEXT},
    )
    patched = answer_of("The revision that shows the change.", {JSON: media("ChangedDocument")})
    lost = answer_of("It is gone, and edges of users with it.", {JSON: media("ChangedDocument")})
    put = in_query(documents.write_parameters(settings, duplicates=Duplicates.KEEP))
    posted = in_query(documents.write_parameters(settings, duplicates=Duplicates.SKIP))
    patch_body = {
        "required": True,
        "content": {
            MERGE_PATCH: {"schema": documents.patch_schema(settings), "examples": request_examples.PATCHES}
        },
    }
    types = answer_of("The formats.", {JSON: media("SupportedTypes")})
    described = {
        "/v1/documents/{identifier}": {
            "get": operation_of(
                "documents", "document", "One document with its metadata, or its text", found,
                "400", "404", "406", "413", "504", parameters=[identifier], cached=True,
            ),
            "put": _written(
                "putDocument", "Make a document be what is sent", stored, [identifier, *put],
                _document_body(settings, documents.text_schema(settings), request_examples.TEXT), adds=True,
            ),
            "patch": _written(
                "patchDocument", "Change single keys of a document's metadata (RFC 7396)", patched,
                [identifier, *in_query(documents.patch_parameters())], patch_body,
            ),
            "delete": _written(
                "deleteDocument", "Take a document out", {"description": "It is gone."}, [identifier], None,
                status="204",
            ),
        },
        "/v1/documents": {
            "post": _written(
                "postDocuments", "Add a text, a file, or several of them", stored, posted,
                _document_body(settings, _one_or_several(settings), request_examples.TEXTS), adds=True,
            ),
        },
        "/v1/jobs/{identifier}": {
            "get": operation_of(
                "documents", "job", "A job: its state, its progress, and its report at the end",
                answer_of("The job.", {JSON: media("Job")}), "400", "404", "406", parameters=[_JOB],
            ),
            "delete": {
                **operation_of(
                    "documents", "cancelJob", "Cancel a job, or delete the record of one that has ended",
                    {"description": "It ends soon, or is gone."}, "400", "404", parameters=[_JOB],
                    status="204",
                ),
                "security": SECURED,
            },
        },
        "/v1/jobs/{identifier}/events": {
            "get": operation_of(
                "documents", "jobEvents", "The progress of a job as server-sent events",
                answer_of(
                    "Events `progress`, each a Job, and one with the name of the final state: `done`, "
                    "`failed`, `cancelled`, `interrupted`.",
                    events_of("progress", "done", "failed", "cancelled", "interrupted"),
                ),
                "400", "404", "406", parameters=[_JOB],
            ),
        },
        "/v1/jobs": {
            "get": {
                **operation_of(
                    "documents", "jobs", "The jobs, the newest first, without their reports",
                    answer_of("The jobs.", {JSON: media("Jobs")}), "400", "406", "413",
                    parameters=in_query(documents.jobs_schema(settings)),
                ),
                "security": SECURED,
            },
        },
        "/v1/ingest/supported-types": {
            "get": operation_of(
                "documents", "supportedTypes", "The media types that are read, with their suffixes", types,
                "400", "406",
            )
        },
    }  # fmt: skip
    described["/v1/documents/{identifier}"]["delete"]["responses"]["200"] = lost
    return described


def edge_paths(settings: Settings) -> Described:
    """The edges that clients state."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The end of the edge's IRI.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 24},
    }
    added = answer_of("The edges, each as it is in the graph.", {JSON: media("AddedEdges")})
    changed = answer_of("The edge as it is now.", {JSON: media("ChangedEdge")})
    found = answer_of("The edge.", {JSON: media("CuratedEdge")})
    page = answer_of("The edges.", {JSON: media("CuratedEdges")})
    types = answer_of("The table of types.", {JSON: media("RelationTypes")})
    one, patch = edges.edge_schema(settings), edges.patch_schema(settings)
    either = {"anyOf": [one, edges.edges_schema(settings)]}
    posted = _written(
        "postEdges", "Add an edge, or several", added, [], json_body(either, request_examples.EDGES)
    )
    posted["responses"]["201"] = {**added, "description": "At least one is new; of one, Location has it."}
    body = json_body(edges.edge_schema(settings, ("relation",)), request_examples.EDGE)
    patches = {MERGE_PATCH: {"schema": patch, "examples": request_examples.EDGE_PATCHES}}
    described = {
        "/v1/edges": {
            "get": operation_of(
                "edges", "edges", "The edges, all or those from a source, to a target, of a type", page,
                "400", "406", "413", parameters=in_query(edges.list_schema(settings)), cached=True,
            ),
            "post": posted,
        },
        "/v1/relation-types": {
            "get": operation_of(
                "edges", "relationTypes", "The types of relation, those of the graph's own included", types,
                "400", "406", cached=True,
            ),
        },
        "/v1/edges/{identifier}": {
            "get": operation_of(
                "edges", "edge", "One edge", found, "400", "404", "406", parameters=[identifier], cached=True,
            ),
            "put": _written(
                "putEdge", "Give an edge another type, weight and the rest", changed, [identifier], body
            ),
            "patch": _written(
                "patchEdge", "Change single members of an edge (RFC 7396)", changed, [identifier],
                {"required": True, "content": patches},
            ),
            "delete": _written(
                "deleteEdge", "Remove an edge", {"description": "It is gone."}, [identifier], None, "204",
            ),
        },
    }  # fmt: skip
    for path in described.values():
        for operation in path.values():
            operation["tags"] = ["edges"]
    return described


def _one_or_several(settings: Settings) -> Described:
    one, several = documents.text_schema(settings), documents.texts_schema(settings)
    return {
        "type": "object",
        "properties": {**one["properties"], **several["properties"]},
        "oneOf": [one, several],
    }


def _document_body(settings: Settings, schema: Described, examples: Described) -> Described:
    """A body with documents: JSON, a form with files, or one file as it is."""
    metadata = {"type": "string", "description": "Of all files: metadata, as a JSON object."}
    file = {"type": "string", "contentMediaType": "application/octet-stream"}
    form = {
        "type": "object",
        "properties": {
            "file": {"type": "array", "items": file, "maxItems": settings.max_batch_documents},
            "metadata": metadata,
            "identifier": {"type": "string", "description": "Of the one file."},
            "name": {"type": "string", "description": "The title of the one file."},
        },
    }
    content = {JSON: {"schema": schema, "examples": examples}, "multipart/form-data": {"schema": form}}
    return {"required": True, "content": {**content, "text/markdown": TEXT}}


_JOB: Final = {
    "name": "identifier",
    "in": "path",
    "required": True,
    "description": "The job's id.",
    "schema": {"type": "string", "maxLength": 47, "pattern": "^[0-9a-f]{14}-[0-9a-f]{32}$"},
}

_CONDITIONS: Final = [
    in_header("Prefer", "The value respond-async makes the request a job."),
    in_header(
        "Idempotency-Key",
        "Of several requests with the same key, only the first one is carried out. An empty key is refused.",
    ),
    in_header(
        "If-Match",
        "The ETag of the document that is to be changed, with its quotes: 412 where it is another by now, "
        "400 where the value is neither * nor a list of entity tags.",
    ),
    in_header("If-None-Match", "The value * stores a document only where there is none: else 412."),
]


def _written(
    name: str,
    summary: str,
    answer: Described,
    parameters: list[Described],
    body: Described | None,
    status: str = "200",
    *,
    adds: bool = False,
) -> Described:
    """An operation that writes documents, and needs a token."""
    errors = ("400", "404", "409", "412", "413", "415", "422", "504")
    sent = [*parameters, *_CONDITIONS]
    said = operation_of(
        "documents", name, summary, answer, *errors, parameters=sent, body=body, status=status
    )
    if adds:
        said["responses"] |= {
            "201": {**answer, "description": "The one document is new; Location has it."},
            "202": answer_of("The request has become a job; Location has it.", {JSON: media("Job")}),
        }
    return {**said, "security": SECURED}
