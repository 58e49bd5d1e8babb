"""JSON Schemas of the requests and answers of `/v1/graph`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.graph.views.neighbourhood import KINDS, NODE_KINDS, ORIGINS
from sage_ld.service.api import schemas
from sage_ld.service.api.paging import limit_schema

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


_TEXT: Final[Schema] = {"type": "string"}
_NODE: Final[Schema] = {
    "type": "object",
    "required": ["id", "kind", "label", "hops"],
    "properties": {
        "id": {**_TEXT, "format": "iri"},
        "kind": {**_TEXT, "enum": list(NODE_KINDS)},
        "label": _TEXT,
        "hops": {
            "type": "integer",
            "minimum": 0,
            "description": "The number of edges between it and the node in the middle.",
        },
    },
}
_EDGE: Final[Schema] = {
    "type": "object",
    "required": ["source", "target", "kind", "weight"],
    "properties": {
        "source": {**_TEXT, "format": "iri"},
        "target": {**_TEXT, "format": "iri"},
        "kind": {**_TEXT, "enum": list(KINDS)},
        "weight": {"type": "number", "minimum": 0, "maximum": 1},
        "origin": {
            **_TEXT,
            "enum": sorted(set(ORIGINS.values())),
            "description": "The origin of the edge; absent from statements of files and of your own RDF.",
        },
        "property": {**_TEXT, "format": "iri", "description": "The property, of a statement or a part."},
        "edge": {**_TEXT, "format": "iri", "description": "The resource that has the edge's evidence."},
    },
}
NEIGHBOURHOOD: Final[Schema] = {
    "type": "object",
    "required": ["revision", "start", "complete", "nodes", "edges"],
    "properties": {
        "revision": {"type": "integer", "minimum": 0},
        "start": {**_TEXT, "format": "iri", "description": "The IRI of the node in the middle."},
        "complete": {"type": "boolean", "description": "Whether no limit left anything out."},
        "nodes": {"type": "array", "items": _NODE, "minItems": 1},
        "edges": {"type": "array", "items": _EDGE},
    },
}
