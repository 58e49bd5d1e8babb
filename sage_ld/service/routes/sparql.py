"""`/sparql`: the rows of the SPARQL 1.1 Protocol's query operation, which `sparql.endpoint` answers."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api.schemas import Schema
from sage_ld.service.http.body_limits import of_a_query
from sage_ld.service.http.negotiation import BOOLEANS, GRAPHS, RESULTS
from sage_ld.service.http.request_values import FORM, MOST
from sage_ld.service.openapi.parts import QUERY, TEXT, VERSIONS, choice, described, in_url
from sage_ld.service.route import Route, RouteReply, Surface
from sage_ld.service.sparql.endpoint import PATH

_CONTENT: Final = described((*RESULTS, *BOOLEANS, *GRAPHS), {"schema": {}})


def _text(settings: Settings) -> Schema:
    return {
        "type": "string",
        "maxLength": settings.max_query_bytes,
        "description": "The query.",
        "examples": ["ASK {}"],
    }


def _parameters(settings: Settings) -> list[Schema]:
    """The parameters of the SPARQL Protocol except the query."""
    iri = {"type": "string", "format": "iri", "maxLength": settings.max_query_bytes}
    graphs = {"type": "array", "items": iri, "maxItems": MOST}
    seconds = {"type": "number", "exclusiveMinimum": 0, "maximum": settings.sparql_timeout}
    return [
        in_url("default-graph-uri", "Graphs whose merge is the default graph.", graphs),
        in_url("named-graph-uri", "Graphs that GRAPH can name.", graphs),
        choice("version", list(VERSIONS), "Of RDF; 1.2 keeps triple terms."),
        in_url("timeout", "The time limit, in seconds.", seconds),
    ]


def _in_url(settings: Settings) -> list[Schema]:
    query = {"name": "query", "in": "query", "required": False, "schema": _text(settings)}
    return [query, *_parameters(settings)]


def _sent(settings: Settings) -> Schema:
    """The query in the body, or in a form."""
    named = {
        each["name"]: {**each["schema"], "description": each["description"]} for each in _parameters(settings)
    }
    properties = {"query": _text(settings), **named}
    form = {"type": "object", "required": ["query"], "properties": properties, "maxProperties": MOST}
    return {"required": True, "content": {QUERY: {"schema": _text(settings)}, FORM: {"schema": form}}}


_SHARED: Final[dict[str, Any]] = {
    "path": PATH,
    "handler": None,
    "tag": "SPARQL",
    "errors": ("406", "413", "415", "422", "504"),
}

surface = Surface("sparql")
surface.add(
    Route(
        method="GET",
        name="sparql",
        summary="Ask a query; without one, get the description of the endpoint",
        parameters=_in_url,
        reply=RouteReply(
            "The same; to a browser, without a query, the editor.", {**_CONTENT, "text/html": TEXT}
        ),
        cached=True,
        **_SHARED,
    )
)
surface.add(
    Route(
        method="POST",
        name="sparqlByPost",
        summary="Ask a query, in the body or in a form",
        parameters=_parameters,
        sent=_sent,
        limit=of_a_query,
        reply=RouteReply("The answer, in the format that Accept names.", _CONTENT),
        **_SHARED,
    )
)
surface.add(Route(method="QUERY", limit=of_a_query, **_SHARED))
