"""The routes of the SPARQL 1.1 Protocol, described."""

from __future__ import annotations

from sage_ld.foundation.settings import Settings
from sage_ld.service.http.negotiation import BOOLEANS, GRAPHS, RESULTS
from sage_ld.service.http.parameters import FORM, MOST
from sage_ld.service.openapi.parts import QUERY, RDF, TEXT, VERSIONS, Described, answer_of, operation_of


def sparql_paths(settings: Settings) -> Described:
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
    content = {each.media_type: RDF.get(each.media_type, {"schema": {}}) for each in offers}
    answered = answer_of("The answer, in the format that Accept names.", content)
    shown = answer_of("The same; to a browser, without a query, the editor.", {**content, "text/html": TEXT})
    errors = ("400", "406", "413", "415", "422", "504")
    asked = {"name": "query", "in": "query", "required": False, "schema": text}
    body = {"required": True, "content": {QUERY: {"schema": text}, FORM: {"schema": form}}}
    return {
        "/sparql": {
            "get": operation_of(
                "SPARQL", "sparql", "Ask a query; without one, get the description of the endpoint", shown,
                *errors, parameters=[asked, *known], cached=True,
            ),
            "post": operation_of(
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
        {
            "name": "default-graph-uri",
            "description": "Graphs whose merge is the default graph.",
            "schema": graphs,
        },
        {"name": "named-graph-uri", "description": "Graphs that GRAPH can name.", "schema": graphs},
        {
            "name": "version",
            "description": "Of RDF; 1.2 keeps triple terms.",
            "schema": {"type": "string", "enum": list(VERSIONS)},
        },
        {"name": "timeout", "description": "The time limit, in seconds.", "schema": seconds},
    ]
