"""JSON Schemas of the requests and answers of `/v1/facets`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from sage_ld.foundation.records import Count, said
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.filtering.facets import Facets
from sage_ld.service.api import retrieval, schemas

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters: a filter, and how many values each facet shows."""
    listed = retrieval.list_schema(settings)["properties"]
    limit = schemas.limit_schema(settings, "How many values of each facet.", default=10)
    left_out = retrieval.page_schema(settings)["properties"]
    only = {name: each for name, each in listed.items() if name not in left_out}
    return schemas.closed([], {"limit": limit, **only})


class FacetValueJson(TypedDict):
    """A value of a facet."""

    value: str
    chunks: Annotated[Count, said("The number of chunks with it.")]
    filter: Annotated[dict[str, Any], said("The parameters that select these chunks alone.")]


class FacetJson(TypedDict):
    """A facet."""

    name: Annotated[str, said("kind, format, language, year or class; or a key of metadata.")]
    metadata: Annotated[bool, said("Whether it is a key of metadata.")]
    values: list[FacetValueJson]
    more: Annotated[Count, said("The number of further values.")]


class FacetsJson(TypedDict):
    """The facets of the chunks that a filter lets through."""

    revision: Count
    chunks: Annotated[Count, said("The number of chunks that pass the filter.")]
    complete: Annotated[
        bool, said("Whether all statements about documents were read (max_facet_statements).")
    ]
    facets: list[FacetJson]


def facets_json(found: Facets, revision: int) -> FacetsJson:
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
