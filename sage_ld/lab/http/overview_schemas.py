"""JSON Schemas of the answers of `/v1/graph/overview` and `/v1/graph/communities`."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Iri, Share, one_of, said
from sage_ld.graph.views.neighbourhood import NODE_KINDS
from sage_ld.lab.inspection.overview import EDGE_KINDS_SHOWN

Schema = dict[str, Any]

IDENTIFIER: Final[Schema] = {
    "type": "string",
    "pattern": r"^(root|[0-9a-f]{12}(\.[0-9a-f]{12})*)$",
    "maxLength": 260,
}
Identifier = Annotated[str, Meta(max_length=260, pattern=IDENTIFIER["pattern"])]


class PartOfGraphJson(TypedDict):
    """A community."""

    id: Annotated[Identifier, said("The identifier with which /v1/graph/communities/{id} opens it.")]
    label: Annotated[str, said("Its strongest document and entities.")]
    size: Annotated[Count, said("The number of its nodes.")]
    documents: Count
    chunks: Count
    entities: Count


class CommunityLinkJson(TypedDict):
    """The edges between two communities."""

    source: Identifier
    target: Identifier
    count: Annotated[Count, said("The number of edges between nodes of the two.")]


class OverviewNodeJson(TypedDict):
    """A node of a community."""

    id: Iri
    kind: Annotated[str, one_of(NODE_KINDS)]
    label: str


class OverviewEdgeJson(TypedDict):
    """An edge within a community."""

    source: Iri
    target: Iri
    kind: Annotated[str, one_of(EDGE_KINDS_SHOWN)]
    weight: Share


class CommunityJson(TypedDict):
    """The contents of a community."""

    revision: Annotated[
        Count,
        said("The revision of these communities; an earlier one until those of the newest are found."),
    ]
    complete: Annotated[bool, said("Whether all edges were looked at.")]
    id: Identifier
    communities: Annotated[list[PartOfGraphJson], said("The communities in it, the larger ones first.")]
    links: Annotated[list[CommunityLinkJson], said("The heaviest edges between these communities.")]
    nodes: Annotated[
        list[OverviewNodeJson],
        said("Its nodes, where it is small enough to be shown whole."),
    ]
    edges: Annotated[list[OverviewEdgeJson], said("The edges among these nodes.")]
