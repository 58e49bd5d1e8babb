"""The routes of what the graph holds, and of the data set as a whole, described."""

from __future__ import annotations

from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.streams import FORMATS
from sage_ld.service.api import facets, neighbourhoods, retrieval
from sage_ld.service.http.negotiation import GRAPHS
from sage_ld.service.openapi.parts import (
    JSON,
    LD_JSON,
    PAGE,
    RDF,
    TEXT,
    VERSIONS,
    Described,
    answer_of,
    choice,
    events_of,
    formats,
    in_query,
    listing,
    media,
    operation_of,
)


def graph_paths(settings: Settings) -> Described:
    """The routes of what the graph holds."""
    page, part = (
        in_query(retrieval.page_schema(settings)),
        in_query(retrieval.list_schema(settings)),
    )
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "The part of the chunk's IRI after `chunk/`.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
    }
    near = in_query(retrieval.neighbour_schema(settings))
    return {
        "/v1/chunks/{identifier}": listing("graph", "chunk", "One chunk", "Chunk", [identifier], "404"),
        "/v1/chunks/{identifier}/neighbours": listing(
            "graph", "neighbours", "What the graph joins to a chunk, strongest first", "Neighbours",
            [identifier, *near], "404", "413",
        ),
        "/v1/chunks": listing(
            "graph", "chunks",
            "The chunks as they stand in their documents, all or those that a filter lets through",
            "Chunks", part, "413", "504",
        ),
        "/v1/documents": listing(
            "graph", "documents",
            "The documents by identifier, all or those with a chunk that a filter lets through",
            "Documents", in_query(retrieval.document_schema(settings)), "413", "504",
        ),
        "/v1/graph": {
            "get": operation_of(
                "graph", "neighbourhood", "The nodes and edges around a resource, for pictures",
                answer_of("The neighbourhood.", {JSON: media("Neighbourhood")}),
                "400", "404", "406", "413", "504",
                parameters=in_query(neighbourhoods.schema(settings)), cached=True,
            )
        },
        "/v1/events": {
            "get": operation_of(
                "graph", "events", "New revisions as server-sent events",
                answer_of(
                    "Events `revision`, each with the number of the newest revision: the first at once, "
                    "others as they are published.",
                    events_of("revision"),
                ),
                "400", "406",
            )
        },
        "/v1/facets": {
            "get": operation_of(
                "graph", "facets", "How many chunks a filter leaves of each kind, language, year and so on",
                answer_of("The facets.", {JSON: media("Facets")}), "400", "406", "413", "504",
                parameters=in_query(facets.schema(settings)), cached=True,
            )
        },
        "/v1/entities": listing("graph", "entities", "The entities, by label", "Entities", page, "413"),
        "/v1/stats": {
            "get": operation_of(
                "graph", "stats", "The graph in numbers",
                answer_of("The numbers.", {JSON: media("Stats")}), "400", "406", cached=True,
            )
        },
    }  # fmt: skip


def data_set_paths(settings: Settings) -> Described:
    """The routes of the graph as a whole, and of what describes it."""
    exported = {each.media_type: RDF.get(each.media_type, TEXT) for each in FORMATS.values()}
    version = choice("rdf", list(VERSIONS), "1.2 keeps triple terms; JSON-LD has no form for them.")
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
    page, rdf = formats("html", *names), formats(*names)
    return {
        "/export": _whole(
            "export", "The whole graph as a stream", exported, [*formats(*FORMATS)[:1], version]
        ),
        "/describe": _whole("describe", "A resource, as a page or in RDF", PAGE, [iri, *page]),
        "/.well-known/void": _whole("void", "The graph in VoID and DCAT", RDF, rdf),
        "/ontology": _whole("ontology", "The ontology", PAGE, page),
        "/shapes": _whole("shapes", "The SHACL shapes of the graph", RDF, rdf),
        "/context.jsonld": _whole("context", "The JSON-LD context", {LD_JSON: RDF[LD_JSON]}, []),
    }


def _whole(name: str, summary: str, content: Described, parameters: list[Described]) -> Described:
    found = answer_of(summary + ".", content)
    said = operation_of("data set", name, summary, found, "400", "406", parameters=parameters, cached=True)
    return {"get": said}
