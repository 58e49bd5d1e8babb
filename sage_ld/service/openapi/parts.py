"""Parts of the description that several groups of routes share: formats, operations, answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import schemas
from sage_ld.service.http.negotiation import Offer
from sage_ld.service.http.uploads import MERGE_PATCH
from sage_ld.service.route import RouteReply

Described = dict[str, Any]

LD_JSON: Final = "application/ld+json"
JSON: Final = "application/json"
QUERY: Final = "application/sparql-query"
_TURTLE: Final = "text/turtle"
_NTRIPLES: Final = "application/n-triples"
_RDF_XML: Final = "application/rdf+xml"
SECURED: Final[list[Described]] = [{"token": []}, {"password": []}]


def in_header(name: str, description: str) -> Described:
    """A header that a client may send."""
    schema = {"type": "string", "minLength": 1, "maxLength": 1000}
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def in_url(name: str, description: str, schema: schemas.Schema) -> Described:
    """A parameter that the URL may have."""
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


VERSIONS: Final = ("1.1", "1.2-basic", "1.2")
TEXT: Final = {"schema": {"type": "string"}}
TRIPLES: Final = {_TURTLE: TEXT, _NTRIPLES: TEXT}
RDF: Final = {
    _TURTLE: TEXT,
    LD_JSON: {"schema": {"type": "object"}},
    _NTRIPLES: TEXT,
    _RDF_XML: TEXT,
}


UPDATE: Final = "application/sparql-update"
DRY_RUN: Final = in_url(
    "dry-run",
    "Whether the change is only tried: it is checked and counted, and nothing is published.",
    {"type": "boolean", "default": False},
)
IF_REVISION: Final = in_header(
    "If-Match",
    "The Sage-Revision of an answer, with its quotes: 412 where there has been another revision since.",
)


def formats(*names: str) -> list[Described]:
    """The parameters by which a representation is chosen."""
    return [
        choice("format", list(names), "Unless given, as Accept says."),
        choice("version", list(VERSIONS), "Of RDF; 1.2 keeps triple terms."),
    ]


def choice(name: str, values: list[str], description: str) -> Described:
    """A parameter of the URL with one of some values."""
    return in_url(name, description, {"type": "string", "enum": values})


def in_query(schema: schemas.Schema) -> list[Described]:
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


def json_body(schema: schemas.Schema, given: Described) -> Described:
    """A body of JSON, with examples."""
    return {"required": True, "content": {JSON: {"schema": schema, "examples": given}}}


def events_of(*names: str, example: str | None = None) -> Described:
    """A stream of server-sent events with these names, as content of an answer."""
    schema = {
        "type": "object",
        "description": "One event of the stream; its data is JSON in one line.",
        "required": ["event", "data"],
        "properties": {
            "event": {"type": "string", "enum": list(names)},
            "data": {"type": "string", "contentMediaType": JSON},
        },
    }
    examples = {} if example is None else {"examples": {"a whole stream": {"value": example}}}
    return {"text/event-stream": {"schema": schema, **examples}}


def linked(text: str, name: str) -> RouteReply:
    """An answer in JSON-LD or, under the name `Plain…`, in flat JSON."""
    return RouteReply(text, {LD_JSON: name, JSON: f"Plain{name}"})


def described(offers: Sequence[Offer], other: Described = TEXT) -> Described:
    """The content of an answer in one of some formats, RDF or `other`."""
    return {each.media_type: RDF.get(each.media_type, other) for each in offers}


def in_path(name: str, description: str, schema: schemas.Schema) -> Described:
    """A part of the path."""
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def patch_body(schema: schemas.Schema, examples: Described) -> Described:
    """A JSON merge patch, with examples."""
    return {"required": True, "content": {MERGE_PATCH: {"schema": schema, "examples": examples}}}


def documents_body(settings: Settings, schema: schemas.Schema, examples: Described) -> Described:
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


CONDITIONS: Final = (
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
)
"""The headers by which a write is made once, later, or only where it still fits."""
