"""The HTTP API described in OpenAPI 3.1, made from the schemas by which requests are checked."""

from __future__ import annotations

from typing import Any, Final

import sage_ld
from sage_ld.api import documents, edges, kept_retrievals, neighbourhoods, retrieval, schemas, snapshots
from sage_ld.exports.streams import FORMATS
from sage_ld.model import Duplicates
from sage_ld.service import request_examples
from sage_ld.service.http.body_limits import MERGE_PATCH
from sage_ld.service.http.negotiation import BOOLEANS, GRAPHS, RESULTS
from sage_ld.service.http.parameters import FORM, MOST
from sage_ld.service.http.problems import MEDIA_TYPE
from sage_ld.settings import Settings

Described = dict[str, Any]

_LD_JSON: Final = "application/ld+json"
_JSON: Final = "application/json"
_QUERY: Final = "application/sparql-query"
_TURTLE: Final = "text/turtle"
_NTRIPLES: Final = "application/n-triples"
_RDF_XML: Final = "application/rdf+xml"
_ABOUT: Final = (
    "Questions to answers that say why each result is there, over a knowledge graph in RDF. Answers are "
    "JSON-LD, or flat JSON for clients that take application/json. Errors are problem documents (RFC 9457). "
    "Updates (/update) and the graph store (/data) follow W3C protocols and are not described here; a GET of "
    "/sparql without parameters describes the endpoint."
)
_ERRORS: Final = {
    "400": "What was sent cannot be read, or does not fit the description.",
    "401": "A token is needed, or the one sent is wrong.",
    "403": "The token's role does not allow it.",
    "404": "It does not exist.",
    "406": "No format that the client takes is offered.",
    "409": "The state of the graph, or of the request before it, does not allow it.",
    "412": "If-Match or If-None-Match does not hold: the document is another by now.",
    "413": "What was asked for is over a limit.",
    "414": "The URL is too long: send the parameters by POST where there is one, or fewer of them.",
    "415": "The body is in a format that is not read here.",
    "421": "The request is for a host that is not this service.",
    "422": "The answer has more rows or bytes, or needs more memory, than the settings allow.",
    "431": "The headers are more, or larger, than the settings allow.",
    "500": "An error in the service.",
    "503": "The service is busy, or its graph is still empty; Retry-After says when to ask again.",
    "504": "Stopped at the time limit.",
    "507": "The disk is full, or cannot be written.",
}


def document(settings: Settings) -> Described:
    """The whole description. Its limits are those of `settings`."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sage-ld",
            "version": sage_ld.__version__,
            "description": _ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.path_prefix or "/"}],
        "security": [{}, *_SECURED],
        "tags": [
            {"name": "retrieval", "description": "Questions and answers."},
            {"name": "provenance", "description": "What was asked, what was found, and whether it helped."},
            {"name": "graph", "description": "What the graph holds."},
            {"name": "documents", "description": "Documents that clients add, change and take out."},
            {"name": "edges", "description": "Typed edges that clients state."},
            {"name": "SPARQL", "description": "The SPARQL 1.1 Protocol."},
            {"name": "data set", "description": "The graph as a whole, and what describes it."},
            {"name": "administration", "description": "Snapshots, and going back to one."},
            {"name": "operation", "description": "What those who run the service ask it."},
        ],
        "paths": _joined(
            _retrieval(settings),
            _administered(),
            _kept(settings),
            _graph(settings),
            _documents(settings),
            _edges(settings),
            _sparql(settings),
            _data_set(settings),
            _operated(),
        ),
        "components": {
            "schemas": _COMPONENTS,
            "responses": {code: _problem(text) for code, text in _ERRORS.items()},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Made by sage-ld token create. Reading needs none by default.",
                },
                "password": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "The same token as the password of any user.",
                },
            },
        },
    }


def _joined(*parts: Described) -> Described:
    """The paths of several parts, of which two may describe methods of one path."""
    paths: Described = {}
    for part in parts:
        for path, methods in part.items():
            paths[path] = {**paths.get(path, {}), **methods}
    return paths


_SECURED: Final[list[Described]] = [{"token": []}, {"password": []}]
_COMPONENTS: Final = {
    "Answer": schemas.ANSWER,
    "Answers": schemas.ANSWERS,
    "PlainAnswer": schemas.PLAIN_ANSWER,
    "PlainAnswers": schemas.PLAIN_ANSWERS,
    "Framed": schemas.FRAMED,
    "Result": schemas.RESULT,
    "Summary": schemas.SUMMARY,
    "KeptRetrieval": kept_retrievals.KEPT_RETRIEVAL,
    "KeptRetrievals": kept_retrievals.KEPT_RETRIEVALS,
    "Feedback": kept_retrievals.FEEDBACK,
    "Analytics": kept_retrievals.ANALYTICS,
    "Removed": kept_retrievals.REMOVED,
    "Snapshot": snapshots.SNAPSHOT,
    "Snapshots": snapshots.SNAPSHOTS,
    "Restored": snapshots.RESTORED,
    "Chunk": schemas.CHUNK,
    "Neighbours": schemas.NEIGHBOURS,
    "Chunks": schemas.CHUNKS,
    "Documents": schemas.DOCUMENTS,
    "Entities": schemas.ENTITIES,
    "Neighbourhood": neighbourhoods.NEIGHBOURHOOD,
    "Stats": schemas.STATS,
    "Stored": documents.STORED,
    "Job": documents.JOB,
    "DescribedDocument": documents.DOCUMENT,
    "SupportedTypes": documents.SUPPORTED_TYPES,
    "CuratedEdge": edges.EDGE,
    "CuratedEdges": edges.EDGES,
    "AddedEdges": edges.ADDED,
    "ChangedEdge": edges.CHANGED,
    "Explanation": schemas.EXPLANATION,
    "Evaluation": schemas.EVALUATION,
    "Problem": schemas.PROBLEM,
}


_EVENT: Final = {
    "type": "object",
    "description": "One event of the stream; its data is JSON in one line.",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["seed", "neighbour", "summary", "problem"]},
        "data": {"type": "string", "contentMediaType": _JSON},
    },
}


def _retrieval(settings: Settings) -> Described:
    parameters, streamed = retrieval.schema(settings), retrieval.stream_schema(settings)
    posted = retrieval.post_schema(settings)
    answered = _response(
        "The answer: results by rank, each with its chunk and the path to it.",
        _answer_content(["Answer"], ["PlainAnswer"]),
    )
    all_answered = _response(
        "The answer, or the answers to several questions in their order.",
        _answer_content(["Answer", "Answers"], ["PlainAnswer", "PlainAnswers"]),
    )
    events = _response(
        "Events `seed`, each a Result at the score of its text, before the graph is asked; `neighbour`, and "
        "`seed` again for what else the answer has, each a Result; then one Summary, `summary`, which has "
        "the ranking and the JSON-LD context of them all. A late error is the event `problem`, a Problem, "
        "after which nothing comes.",
        {
            "text/event-stream": {
                "schema": _EVENT,
                "examples": {"a whole stream": {"value": request_examples.EVENTS}},
            }
        },
    )
    return {
        "/v1/retrieve": {
            "get": _operation(
                "retrieval", "retrieve", "Ask a question", answered,
                "400", "404", "406", "413", "504", parameters=_query(parameters), cached=True,
            ),
            "post": _operation(
                "retrieval", "retrieveByPost", "Ask a question, or several, with parameters as JSON",
                all_answered, "400", "404", "406", "413", "415", "504",
                body=_body(posted, request_examples.QUESTIONS | request_examples.BATCHES),
            ),
        },
        "/v1/retrieve/stream": {
            "post": _operation(
                "retrieval", "retrieveStream", "Ask a question, and take results as they come", events,
                "400", "404", "406", "413", "415", "504", body=_body(streamed, request_examples.QUESTIONS),
            )
        },
        "/v1/explain": {
            "get": _operation(
                "retrieval", "explain", "Say why a chunk is, or is not, in the answer to a question",
                _response("The reason.", {_JSON: _media("Explanation")}),
                "400", "404", "406", "413", "504",
                parameters=_query(retrieval.explain_schema(settings)), cached=True,
            )
        },
        "/v1/evaluate": {
            "post": {
                **_operation(
                    "retrieval", "evaluate", "Measure recall at equal budget on a data set",
                    _response("The measures.", {_JSON: _media("Evaluation")}),
                    "400", "404", "413", "415",
                    body=_body(schemas.evaluate_parameters(settings), request_examples.EVALUATION),
                ),
                "security": _SECURED,
            }
        },
    }  # fmt: skip


def _kept(settings: Settings) -> Described:
    """The routes of kept retrievals, which need a token."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The part of the retrieval's IRI after `retrieval/`.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
    }
    one = {_LD_JSON: _media("KeptRetrieval"), _JSON: _media("KeptRetrieval"), **_TRIPLES}
    pages = _query(kept_retrievals.page_schema(settings))
    figures = _query(kept_retrievals.analytics_schema(settings))
    said = _body(kept_retrievals.feedback_schema(settings), request_examples.FEEDBACK)
    rows: tuple[tuple[str, str, Described], ...] = (
        ("/v1/retrievals", "get", _operation(
            "provenance", "retrievals", "The kept retrievals, the last one first, without their results",
            _json_response("The retrievals.", "KeptRetrievals"), "400", "406", "413", parameters=pages,
        )),
        ("/v1/retrievals", "delete", _operation(
            "provenance", "clearRetrievals", "Delete all kept retrievals, with the feedback on them",
            _response("How many were deleted.", {_JSON: _media("Removed")}), "400",
        )),
        ("/v1/retrievals/{identifier}", "get", _operation(
            "provenance", "keptRetrieval", "One kept retrieval, with its results and the feedback on them",
            _response("The retrieval.", one), "400", "406", parameters=[identifier],
        )),
        ("/v1/retrievals/{identifier}", "delete", _operation(
            "provenance", "deleteRetrieval", "Delete one kept retrieval, with the feedback on it",
            _response("It is deleted.", {}), "400", parameters=[identifier], status="204",
        )),
        ("/v1/retrievals/{identifier}/feedback", "post", _operation(
            "provenance", "feedback", "Say whether a result of a retrieval helped, or change what was said",
            _json_response("The judgement.", "Feedback"), "400", "406", "413", "415",
            parameters=[identifier], body=said,
        )),
        ("/v1/analytics", "get", _operation(
            "provenance", "analytics", "Popular chunks, frequent and poor questions, and the time of answers",
            _response("The figures.", {_JSON: _media("Analytics")}), "400", "406", "413", "504",
            parameters=figures,
        )),
    )  # fmt: skip
    described: Described = {}
    for path, method, operation in rows:
        described.setdefault(path, {})[method] = {**operation, "security": _SECURED}
    return described


def _administered() -> Described:
    """The routes of snapshots, which need a token of role admin."""
    body = _body(snapshots.RESTORE, request_examples.RESTORATION)
    rows: tuple[tuple[str, str, Described], ...] = (
        ("/v1/admin/snapshot", "post", _operation(
            "administration", "takeSnapshot", "Take a snapshot of the newest revision",
            _response("The snapshot.", {_JSON: _media("Snapshot")}), "400", "413", "507", status="201",
        )),
        ("/v1/admin/snapshots", "get", _operation(
            "administration", "snapshots", "The snapshots, the oldest first",
            _response("The snapshots.", {_JSON: _media("Snapshots")}), "400",
        )),
        ("/v1/admin/restore", "post", _operation(
            "administration", "restoreSnapshot", "Publish a snapshot as a new revision",
            _response("The revision.", {_JSON: _media("Restored")}), "400", "413", "415", "507", body=body,
        )),
    )  # fmt: skip
    return {path: {method: {**operation, "security": _SECURED}} for path, method, operation in rows}


def _graph(settings: Settings) -> Described:
    page, part = _query(retrieval.page_schema(settings)), _query(retrieval.list_schema(settings))
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The part of the chunk's IRI after `chunk/`.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
    }
    near = _query(retrieval.neighbour_schema(settings))
    return {
        "/v1/chunks/{identifier}": _get("graph", "chunk", "One chunk", "Chunk", [identifier], "404"),
        "/v1/chunks/{identifier}/neighbours": _get(
            "graph", "neighbours", "What the graph joins to a chunk, strongest first", "Neighbours",
            [identifier, *near], "404", "413",
        ),
        "/v1/chunks": _get(
            "graph", "chunks",
            "The chunks as they stand in their documents, all or those that a filter lets through",
            "Chunks", part, "413", "504",
        ),
        "/v1/documents": _get(
            "graph", "documents",
            "The documents by identifier, all or those with a chunk that a filter lets through",
            "Documents", _query(retrieval.cursor_schema(settings)), "413", "504",
        ),
        "/v1/graph": {
            "get": _operation(
                "graph", "neighbourhood", "The nodes and edges around a resource, for pictures",
                _response("The neighbourhood.", {_JSON: _media("Neighbourhood")}),
                "400", "404", "406", "413", "504",
                parameters=_query(neighbourhoods.schema(settings)), cached=True,
            )
        },
        "/v1/entities": _get("graph", "entities", "The entities, by label", "Entities", page, "413"),
        "/v1/stats": {
            "get": _operation(
                "graph", "stats", "The graph in numbers",
                _response("The numbers.", {_JSON: _media("Stats")}), "400", "406", cached=True,
            )
        },
    }  # fmt: skip


def _documents(settings: Settings) -> Described:
    """The documents that clients write."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The document's identifier, encoded in percents: a slash is %2F.",
        "schema": {"type": "string", "minLength": 1, "maxLength": settings.max_identifier_length},
    }
    stored = _response("What was done with each document.", {_JSON: _media("Stored")})
    found = _response("The document.", {_JSON: _media("DescribedDocument")})
    revision = {"type": "object", "required": ["revision"], "properties": {"revision": {"type": "integer"}}}
    patched = _response("The revision that shows the change.", {_JSON: {"schema": revision}})
    put = _query(documents.write_parameters(settings, duplicates=Duplicates.KEEP))
    posted = _query(documents.write_parameters(settings, duplicates=Duplicates.SKIP))
    patch_body = {
        "required": True,
        "content": {
            MERGE_PATCH: {"schema": documents.patch_schema(settings), "examples": request_examples.PATCHES}
        },
    }
    types = _response("The formats.", {_JSON: _media("SupportedTypes")})
    return {
        "/v1/documents/{identifier}": {
            "get": _operation(
                "documents", "document", "One document with its metadata", found, "400", "404", "406", "413",
                parameters=[identifier], cached=True,
            ),
            "put": _written(
                "putDocument", "Make a document be what is sent", stored, [identifier, *put],
                _document_body(settings, documents.text_schema(settings), request_examples.TEXT), adds=True,
            ),
            "patch": _written(
                "patchDocument", "Change single keys of a document's metadata (RFC 7396)", patched,
                [identifier, *_query(documents.patch_parameters())], patch_body,
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
            "get": _operation(
                "documents", "job", "A job: its state, its progress, and its report at the end",
                _response("The job.", {_JSON: _media("Job")}), "400", "404", "406", parameters=[_JOB],
            ),
            "delete": {
                **_operation(
                    "documents", "cancelJob", "Cancel a job, or delete the record of one that has ended",
                    {"description": "It ends soon, or is gone."}, "400", "404", parameters=[_JOB],
                    status="204",
                ),
                "security": _SECURED,
            },
        },
        "/v1/jobs/{identifier}/events": {
            "get": _operation(
                "documents", "jobEvents", "The progress of a job as server-sent events",
                _response(
                    "Events `progress`, each a Job, and one with the name of the final state: `done`, "
                    "`failed`, `cancelled`, `interrupted`.",
                    {"text/event-stream": {"schema": {"type": "string"}}},
                ),
                "400", "404", "406", parameters=[_JOB],
            ),
        },
        "/v1/ingest/supported-types": {
            "get": _operation(
                "documents", "supportedTypes", "The media types that are read, with their suffixes", types,
                "400", "406",
            )
        },
    }  # fmt: skip


def _edges(settings: Settings) -> Described:
    """The edges that clients state."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The end of the edge's IRI.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 24},
    }
    added = _response("The edges, each as it is in the graph.", {_JSON: _media("AddedEdges")})
    changed = _response("The edge as it is now.", {_JSON: _media("ChangedEdge")})
    found = _response("The edge.", {_JSON: _media("CuratedEdge")})
    page = _response("The edges.", {_JSON: _media("CuratedEdges")})
    one, patch = edges.edge_schema(settings), edges.patch_schema(settings)
    either = {"anyOf": [one, edges.edges_schema(settings)]}
    posted = _written(
        "postEdges", "Add an edge, or several", added, [], _body(either, request_examples.EDGES)
    )
    posted["responses"]["201"] = {**added, "description": "At least one is new; of one, Location has it."}
    body = _body(edges.edge_schema(settings, ("relation",)), request_examples.EDGE)
    patches = {MERGE_PATCH: {"schema": patch, "examples": request_examples.EDGE_PATCHES}}
    described = {
        "/v1/edges": {
            "get": _operation(
                "edges", "edges", "The edges, all or those from a source, to a target, of a type", page,
                "400", "406", "413", parameters=_query(edges.list_schema(settings)), cached=True,
            ),
            "post": posted,
        },
        "/v1/edges/{identifier}": {
            "get": _operation(
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
    content = {_JSON: {"schema": schema, "examples": examples}, "multipart/form-data": {"schema": form}}
    return {"required": True, "content": {**content, "text/markdown": _TEXT}}


def _header(name: str, description: str) -> Described:
    schema = {"type": "string", "minLength": 1, "maxLength": 1000}
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


_JOB: Final = {
    "name": "identifier",
    "in": "path",
    "required": True,
    "description": "The job's id.",
    "schema": {"type": "string", "maxLength": 47, "pattern": "^[0-9a-f]{14}-[0-9a-f]{32}$"},
}
_CONDITIONS: Final = [
    _header("Prefer", "The value respond-async makes the request a job."),
    _header("Idempotency-Key", "Of several requests with the same key, only the first one is carried out."),
    _header("If-Match", "The ETag of the document that is to be changed: 412 where it is another by now."),
    _header("If-None-Match", "The value * stores a document only where there is none: else 412."),
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
    said = _operation("documents", name, summary, answer, *errors, parameters=sent, body=body, status=status)
    if adds:
        said["responses"] |= {
            "201": {**answer, "description": "The one document is new; Location has it."},
            "202": _response("The request has become a job; Location has it.", {_JSON: _media("Job")}),
        }
    return {**said, "security": _SECURED}


def _sparql(settings: Settings) -> Described:
    """The query operation of the SPARQL 1.1 Protocol, as far as OpenAPI has words for it."""
    parameters = _protocol_parameters(settings)
    text = {
        "type": "string",
        "maxLength": settings.max_query_bytes,
        "description": "The query.",
        "examples": ["ASK {}"],
    }
    known = [{**each, "in": "query", "required": False} for each in parameters]
    form = {
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": text,
            **{each["name"]: {**each["schema"], "description": each["description"]} for each in parameters},
        },
        "maxProperties": MOST,
    }
    offers = (*RESULTS, *BOOLEANS, *GRAPHS)
    content = {each.media_type: _RDF.get(each.media_type, {"schema": {}}) for each in offers}
    answered = _response("The answer, in the format that Accept names.", content)
    errors = ("400", "406", "413", "415", "422", "504")
    asked = {"name": "query", "in": "query", "required": False, "schema": text}
    body = {"required": True, "content": {_QUERY: {"schema": text}, FORM: {"schema": form}}}
    return {
        "/sparql": {
            "get": _operation(
                "SPARQL", "sparql", "Ask a query; without one, get the description of the endpoint", answered,
                *errors, parameters=[asked, *known], cached=True,
            ),
            "post": _operation(
                "SPARQL", "sparqlByPost", "Ask a query, in the body or in a form", answered, *errors,
                parameters=known, body=body,
            ),
        }
    }  # fmt: skip


def _protocol_parameters(settings: Settings) -> list[Described]:
    """The parameters of the SPARQL Protocol except the query."""
    iri = {"type": "string", "format": "iri", "maxLength": settings.max_query_bytes}
    graphs = {"type": "array", "items": iri, "maxItems": MOST}
    seconds = {"type": "number", "exclusiveMinimum": 0, "maximum": settings.sparql_timeout}
    return [
        {"name": "default-graph-uri", "description": "Graphs that make the default graph.", "schema": graphs},
        {"name": "named-graph-uri", "description": "Graphs that GRAPH finds.", "schema": graphs},
        {
            "name": "version",
            "description": "Of RDF; 1.2 keeps triple terms.",
            "schema": {"type": "string", "enum": list(_VERSIONS)},
        },
        {"name": "timeout", "description": "Seconds that it may run.", "schema": seconds},
    ]


def _operated() -> Described:
    """The routes of operation, such as `/health`."""
    healthy = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    health = {_JSON: {"schema": healthy}}
    figures = _response("The figures, in Prometheus's text format.", {"text/plain": _TEXT})
    unread = _response("The revision cannot be read.", health)
    return {
        "/health": {
            "get": {
                "tags": ["operation"],
                "operationId": "health",
                "summary": "Whether the service can answer; needs no token",
                "responses": {"200": _response("It can; `revision` is served.", health), "503": unread},
            }
        },
        "/metrics": {"get": _operation("operation", "metrics", "Figures for Prometheus", figures)},
        "/v1/cache": {
            "delete": {
                **_operation(
                    "operation",
                    "clearCache",
                    "Drop the cached answers of all web processes",
                    _response("They are dropped.", {}),
                    "400",
                    status="204",
                ),
                "security": _SECURED,
            }
        },
    }


_VERSIONS: Final = ("1.1", "1.2-basic", "1.2")
_TEXT: Final = {"schema": {"type": "string"}}
_TRIPLES: Final = {_TURTLE: _TEXT, _NTRIPLES: _TEXT}
_RDF: Final = {
    _TURTLE: _TEXT,
    _LD_JSON: {"schema": {"type": "object"}},
    _NTRIPLES: _TEXT,
    _RDF_XML: _TEXT,
}
_PAGE: Final = {"text/html": _TEXT, **_RDF}


def _data_set(settings: Settings) -> Described:
    exported = {each.media_type: _RDF.get(each.media_type, _TEXT) for each in FORMATS.values()}
    version = _choice("rdf", list(_VERSIONS), "1.2 keeps triple terms; JSON-LD has no form for them.")
    iri = {
        "name": "iri",
        "in": "query",
        "required": True,
        "description": "Of any resource of the graph. IRIs below its base answer at their own address, too.",
        "schema": {
            "type": "string",
            "format": "iri",
            "minLength": 1,
            "maxLength": settings.max_request_line,
        },
    }
    names = [each.name for each in GRAPHS]
    page, rdf = _formats("html", *names), _formats(*names)
    return {
        "/export": _whole(
            "export", "The whole graph as a stream", exported, [*_formats(*FORMATS)[:1], version]
        ),
        "/describe": _whole("describe", "A resource, as a page or in RDF", _PAGE, [iri, *page]),
        "/.well-known/void": _whole("void", "The graph in VoID and DCAT", _RDF, rdf),
        "/ontology": _whole("ontology", "The ontology", _PAGE, page),
        "/shapes": _whole("shapes", "The SHACL shapes of the graph", _RDF, rdf),
        "/context.jsonld": _whole("context", "The JSON-LD context", {_LD_JSON: _RDF[_LD_JSON]}, []),
    }


def _whole(name: str, summary: str, content: Described, parameters: list[Described]) -> Described:
    found = _response(summary + ".", content)
    said = _operation("data set", name, summary, found, "400", "406", parameters=parameters, cached=True)
    return {"get": said}


def _formats(*names: str) -> list[Described]:
    """The parameters by which a representation is chosen."""
    return [
        _choice("format", list(names), "Unless given, as Accept says."),
        _choice("version", list(_VERSIONS), "Of RDF; 1.2 keeps triple terms."),
    ]


def _choice(name: str, values: list[str], description: str) -> Described:
    schema = {"type": "string", "enum": values}
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


def _get(
    tag: str, name: str, summary: str, schema: str, parameters: list[Described], *errors: str
) -> Described:
    found = _response(summary + ".", {_LD_JSON: _media(schema), _JSON: _media(schema)})
    said = _operation(tag, name, summary, found, "400", "406", *errors, parameters=parameters, cached=True)
    return {"get": said}


def _operation(
    tag: str,
    name: str,
    summary: str,
    answer: Described,
    *errors: str,
    parameters: list[Described] | None = None,
    body: Described | None = None,
    cached: bool = False,
    status: str = "200",
) -> Described:
    """An operation. Every one may also answer 401, 403, 404 (an empty graph), 414, 421, 431, 500 and 503."""
    codes = sorted({*errors, "401", "403", "404", "414", "421", "431", "500", "503"})
    said: Described = {"tags": [tag], "operationId": name, "summary": summary}
    if parameters:
        said["parameters"] = parameters
    if body is not None:
        said["requestBody"] = body
    not_modified = {"304": {"description": "The client has it already."}} if cached else {}
    said["responses"] = {
        status: answer,
        **not_modified,
        **{code: {"$ref": f"#/components/responses/{code}"} for code in codes},
    }
    return said


def _query(schema: schemas.Schema) -> list[Described]:
    """The properties of a request's schema as parameters of a URL, written as `inputs.query` reads them."""
    return [
        {
            "name": name,
            "in": "query",
            "required": name in schema["required"],
            "description": each["description"],
            "schema": {key: value for key, value in each.items() if key != "description"},
            **_style(each),
        }
        for name, each in schema["properties"].items()
    ]


def _style(schema: schemas.Schema) -> Described:
    if schema["type"] == "object":
        return {"style": "deepObject", "explode": True}
    if schema["type"] == "array":
        return {"style": "form", "explode": "enum" not in schema["items"]}
    return {}


def _body(schema: schemas.Schema, given: Described) -> Described:
    return {"required": True, "content": {_JSON: {"schema": schema, "examples": given}}}


def _media(name: str) -> Described:
    """The media type of a JSON body, with an example."""
    return {"schema": _ref(name), "example": request_examples.OF[name]}


def _response(description: str, content: Described) -> Described:
    return {"description": description, "content": content}


def _json_response(description: str, name: str) -> Described:
    return _response(description, {_LD_JSON: _media(name), _JSON: _media(name)})


def _answer_content(linked: list[str], plain: list[str]) -> Described:
    """The formats of answers; the schemas are given by name, the first has the example."""
    return {
        media_type: {
            "schema": {"anyOf": [_ref(name) for name in (*names, "Framed")]},
            "example": request_examples.OF[names[0]],
        }
        for media_type, names in ((_LD_JSON, linked), (_JSON, plain))
    } | {_TURTLE: _TEXT, _NTRIPLES: _TEXT}


def _problem(text: str) -> Described:
    return _response(text, {MEDIA_TYPE: _media("Problem")})


def _ref(name: str) -> Described:
    return {"$ref": f"#/components/schemas/{name}"}
