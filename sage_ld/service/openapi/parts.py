"""Parts of the description that several groups of routes share: formats, operations, answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sage_ld.service import request_examples
from sage_ld.service.api import schemas

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


VERSIONS: Final = ("1.1", "1.2-basic", "1.2")
TEXT: Final = {"schema": {"type": "string"}}
TRIPLES: Final = {_TURTLE: TEXT, _NTRIPLES: TEXT}
RDF: Final = {
    _TURTLE: TEXT,
    LD_JSON: {"schema": {"type": "object"}},
    _NTRIPLES: TEXT,
    _RDF_XML: TEXT,
}

PAGE: Final = {"text/html": TEXT, **RDF}


def formats(*names: str) -> list[Described]:
    """The parameters by which a representation is chosen."""
    return [
        choice("format", list(names), "Unless given, as Accept says."),
        choice("version", list(VERSIONS), "Of RDF; 1.2 keeps triple terms."),
    ]


def choice(name: str, values: list[str], description: str) -> Described:
    """A parameter of the URL with one of some values."""
    schema = {"type": "string", "enum": values}
    return {"name": name, "in": "query", "required": False, "description": description, "schema": schema}


def listing(
    tag: str, name: str, summary: str, schema: str, parameters: list[Described], *errors: str
) -> Described:
    """A route that is read, and answers with a list or a thing of the graph; in flat JSON as `Plain…`."""
    found = json_response(summary + ".", schema)
    said = operation_of(tag, name, summary, found, "400", "406", *errors, parameters=parameters, cached=True)
    return {"get": said}


def operation_of(
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


def media(name: str, examples: Mapping[str, Described] = request_examples.OF) -> Described:
    """The media type of a JSON body, with its example among `examples`."""
    return {"schema": _ref(name), "example": examples[name]}


def answer_of(description: str, content: Described) -> Described:
    """An answer, by media type."""
    return {"description": description, "content": content}


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


def json_response(description: str, name: str) -> Described:
    """An answer in JSON-LD or, under the name `Plain…`, in flat JSON."""
    return answer_of(description, {LD_JSON: media(name), JSON: media(f"Plain{name}")})


def answer_content(linked: list[str], plain: list[str]) -> Described:
    """The formats of answers; the schemas are given by name, the first has the example."""
    return {
        media_type: {
            "schema": {"anyOf": [_ref(name) for name in (*names, "Framed")]},
            "example": request_examples.OF[names[0]],
        }
        for media_type, names in ((LD_JSON, linked), (JSON, plain))
    } | {_TURTLE: TEXT, _NTRIPLES: TEXT}


def _ref(name: str) -> Described:
    return {"$ref": f"#/components/schemas/{name}"}
