"""JSON Schemas of the answers of `/v1/graph/overview` and `/v1/graph/communities`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.graph.views.neighbourhood import NODE_KINDS
from sage_ld.lab.inspection.overview_edges import EDGE_KINDS_SHOWN

Schema = dict[str, Any]

IDENTIFIER: Final[Schema] = {
    "type": "string",
    "pattern": r"^(root|[0-9a-f]{12}(\.[0-9a-f]{12})*)$",
    "maxLength": 260,
}
_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_PART: Final[Schema] = {
    "type": "object",
    "required": ["id", "label", "size", "documents", "chunks", "entities"],
    "properties": {
        "id": {**IDENTIFIER, "description": "The identifier with which /v1/graph/communities/{id} opens it."},
        "label": {**_TEXT, "description": "Its strongest document and entities."},
        "size": {**_COUNT, "description": "The number of its nodes."},
        "documents": _COUNT,
        "chunks": _COUNT,
        "entities": _COUNT,
    },
}
_LINK: Final[Schema] = {
    "type": "object",
    "required": ["source", "target", "count"],
    "properties": {
        "source": IDENTIFIER,
        "target": IDENTIFIER,
        "count": {**_COUNT, "description": "The number of edges between nodes of the two."},
    },
}
_NODE: Final[Schema] = {
    "type": "object",
    "required": ["id", "kind", "label"],
    "properties": {
        "id": {**_TEXT, "format": "iri"},
        "kind": {**_TEXT, "enum": list(NODE_KINDS)},
        "label": _TEXT,
    },
}
_EDGE: Final[Schema] = {
    "type": "object",
    "required": ["source", "target", "kind", "weight"],
    "properties": {
        "source": {**_TEXT, "format": "iri"},
        "target": {**_TEXT, "format": "iri"},
        "kind": {**_TEXT, "enum": list(EDGE_KINDS_SHOWN)},
        "weight": {"type": "number", "minimum": 0, "maximum": 1},
    },
}
COMMUNITY: Final[Schema] = {
    "type": "object",
    "required": ["revision", "complete", "id", "communities", "links", "nodes", "edges"],
    "properties": {
        "revision": {
            **_COUNT,
            "description": "The revision of these communities; an earlier one until those of the newest are "
            "found.",
        },
        "complete": {"type": "boolean", "description": "Whether all edges were looked at."},
        "id": IDENTIFIER,
        "communities": {
            "type": "array",
            "items": _PART,
            "description": "The communities in it, the larger ones first.",
        },
        "links": {
            "type": "array",
            "items": _LINK,
            "description": "The heaviest edges between these communities.",
        },
        "nodes": {
            "type": "array",
            "items": _NODE,
            "description": "Its nodes, where it is small enough to be shown whole.",
        },
        "edges": {"type": "array", "items": _EDGE, "description": "The edges among these nodes."},
    },
}
REVISION: Final[Schema] = {
    "type": "object",
    "required": ["revision"],
    "properties": {"revision": _COUNT},
}
