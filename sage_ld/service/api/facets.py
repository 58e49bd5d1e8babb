"""JSON Schemas of the requests and answers of `/v1/facets`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.filtering.facets import Facets
from sage_ld.service.api import paging, retrieval, schemas

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters: a filter, and how many values each facet shows."""
    listed = retrieval.list_schema(settings)["properties"]
    limit = paging.limit_schema(settings, "How many values of each facet.", default=10)
    left_out = retrieval.page_schema(settings)["properties"]
    only = {name: each for name, each in listed.items() if name not in left_out}
    return schemas.closed([], {"limit": limit, **only})


_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
FACETS: Final[Schema] = {
    "type": "object",
    "required": ["revision", "chunks", "complete", "facets"],
    "properties": {
        "revision": _COUNT,
        "chunks": {**_COUNT, "description": "The number of chunks that pass the filter."},
        "complete": {
            "type": "boolean",
            "description": "Whether all statements about documents were read (max_facet_statements).",
        },
        "facets": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "metadata", "values", "more"],
                "properties": {
                    "name": {
                        **_TEXT,
                        "description": "kind, format, language, year or class; or a key of metadata.",
                    },
                    "metadata": {"type": "boolean", "description": "Whether it is a key of metadata."},
                    "values": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["value", "chunks", "filter"],
                            "properties": {
                                "value": _TEXT,
                                "chunks": {**_COUNT, "description": "The number of chunks with it."},
                                "filter": {
                                    "type": "object",
                                    "description": "The parameters that select these chunks alone.",
                                },
                            },
                        },
                    },
                    "more": {**_COUNT, "description": "The number of further values."},
                },
            },
        },
    },
}


def facets_json(found: Facets, revision: int) -> dict[str, object]:
    """The facets of a revision as JSON."""
    return {
        "revision": revision,
        "chunks": found.chunks,
        "complete": found.complete,
        "facets": [
            {
                "name": facet.name,
                "metadata": facet.is_metadata,
                "values": [
                    {"value": each.value, "chunks": each.chunks, "filter": dict(each.filter)}
                    for each in facet.values
                ],
                "more": facet.more,
            }
            for facet in found.facets
        ],
    }
