"""JSON Schemas of the requests and answers of `/v1/graph`."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Iri, Share, one_of, said
from sage_ld.foundation.settings import Settings
from sage_ld.graph.views.neighbourhood import KINDS, NODE_KINDS, ORIGINS
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import limit_schema

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters of a neighbourhood."""
    return schemas.closed(
        ["iri"],
        {
            "iri": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_request_line,
                "description": "The resource in the middle: the IRI of a document, chunk, section, entity or "
                "resource of your own, or a document's identifier.",
                "examples": ["films/night-bus.md"],
            },
            "hops": limit_schema(
                settings, "How many edges away a node may be.", name="max_graph_hops", default=1
            ),
            "kinds": {
                "type": "array",
                "items": {"type": "string", "enum": list(KINDS)},
                "uniqueItems": True,
                "minItems": 1,
                "maxItems": len(KINDS),
                "description": "Only edges of these kinds; all unless given. In a URL, with commas.",
            },
            "nodes": limit_schema(
                settings, "Most nodes, the one in the middle included.", name="max_graph_nodes", default=100
            ),
            "fan_out": limit_schema(
                settings,
                "Most edges that are followed from a node, the strongest.",
                name="max_graph_fan_out",
                default=25,
            ),
        },
    )


class GraphNodeJson(TypedDict):
    """A node of a neighbourhood."""

    id: Iri
    kind: Annotated[str, one_of(NODE_KINDS)]
    label: str
    hops: Annotated[Count, said("The number of edges between it and the node in the middle.")]


class GraphEdgeJson(TypedDict):
    """An edge of a neighbourhood."""

    source: Iri
    target: Iri
    kind: Annotated[str, one_of(KINDS)]
    weight: Share
    origin: NotRequired[
        Annotated[
            str,
            one_of(sorted(set(ORIGINS.values()))),
            said("The origin of the edge; absent from statements of files and of your own RDF."),
        ]
    ]
    property: NotRequired[Annotated[Iri, said("The property, of a statement or a part.")]]
    edge: NotRequired[Annotated[Iri, said("The resource that has the edge's evidence.")]]


class NeighbourhoodJson(TypedDict):
    """The nodes and edges around a resource."""

    revision: Count
    start: Annotated[Iri, said("The IRI of the node in the middle.")]
    complete: Annotated[bool, said("Whether no limit left anything out.")]
    nodes: Annotated[list[GraphNodeJson], Meta(min_length=1)]
    edges: list[GraphEdgeJson]
