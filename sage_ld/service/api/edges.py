"""JSON Schemas of the requests and answers about curated edges."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from sage_ld.foundation.records import Count, Iri, Share, said
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import SETTING, Schema, closed

_DAY: Final[Schema] = {"type": "string", "maxLength": 10, "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}


def edge_schema(settings: Settings, required: tuple[str, ...] = ("source", "relation", "target")) -> Schema:
    """An edge as a client states it; `required` are the members that it must have."""
    name = {
        "type": "string",
        "minLength": 1,
        "maxLength": settings.max_identifier_length,
        SETTING: "max_identifier_length",
    }
    ends = "the identifier of a document, or the IRI of a document, a chunk, an entity or another resource."
    properties: dict[str, Schema] = {
        "source": {**name, "description": f"The source of the edge: {ends}"},
        "relation": {**name, "description": "The name or the IRI of a type of relation."},
        "target": {**name, "description": f"The target of the edge: {ends}"},
        "weight": {**_SHARE, "default": 1, "description": "The weight of the edge."},
        "validFrom": {**_DAY, "description": "The first day on which it holds."},
        "validThrough": {**_DAY, "description": "The last day on which it holds."},
        "comment": {
            "type": "string",
            "maxLength": settings.max_metadata_length,
            SETTING: "max_metadata_length",
            "description": "A comment.",
        },
        "metadata": metadata_schema(settings),
    }
    return closed(list(required), properties)


def edges_schema(settings: Settings) -> Schema:
    """Several edges, which are added together or not at all."""
    edges = {
        "type": "array",
        "items": edge_schema(settings),
        "minItems": 1,
        "maxItems": settings.max_edges_per_write,
        SETTING: "max_edges_per_write",
        "description": "The edges.",
    }
    return closed(["edges"], {"edges": edges})


def patch_schema(settings: Settings) -> Schema:
    """A JSON merge patch of an edge: a member that is null is removed."""
    properties = edge_schema(settings)["properties"]
    fixed = {"source", "target"}
    members = {
        name: _nullable(each) if name not in ("relation", "metadata") else each
        for name, each in properties.items()
        if name not in fixed
    }
    return {**closed([], members), "minProperties": 1}


def list_schema(settings: Settings) -> Schema:
    """The parameters of a list of edges."""
    properties = edge_schema(settings)["properties"]
    chosen = {name: properties[name] for name in ("source", "relation", "target")}
    limit = schemas.limit_schema(settings, "How many edges.")
    return closed([], {**chosen, "limit": limit, "cursor": schemas.cursor_schema("edge")})


def metadata_schema(settings: Settings) -> Schema:
    """Metadata by key."""
    return {
        "type": "object",
        "maxProperties": settings.max_metadata_values,
        SETTING: "max_metadata_values",
        "description": "Keys of metadata with their values: texts, numbers, booleans, lists of these, and "
        "objects, whose keys are joined with dots.",
    }


def _nullable(schema: Schema) -> Schema:
    without = {name: value for name, value in schema.items() if name != "default"}
    return {**without, "type": [schema["type"], "null"]}


# --- answers ------------------------------------------------------------------------------------------


class CuratedEdgeJson(TypedDict):
    """An edge that a client stated."""

    id: Iri
    identifier: Annotated[str, said("The end of its IRI, by which /v1/edges/{identifier} names it.")]
    source: Iri
    relation: Annotated[str, said("The name of its type; its IRI where that has none.")]
    relationType: Iri
    target: Iri
    weight: Share
    validFrom: NotRequired[str]
    validThrough: NotRequired[str]
    comment: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]


class CuratedEdgesJson(TypedDict):
    """A page of the list of edges."""

    edges: list[CuratedEdgeJson]
    numberOfItems: Count
    limit: Count
    nextCursor: NotRequired[Annotated[str, said("The cursor of the next page, if there may be more edges.")]]


class RelationTypeJson(TypedDict):
    """A type of relation."""

    id: Iri
    name: Annotated[str, said("The first of its names; its IRI where it has none.")]
    names: list[str]
    label: NotRequired[str]
    comment: NotRequired[str]
    weight: Annotated[Share, said("The weight of an edge of the type.")]
    inverse: NotRequired[Annotated[Iri, said("The inverse type, from target to source.")]]
    matches: Annotated[list[Iri], said("Properties of other vocabularies that count as this type.")]


class RelationTypesJson(TypedDict):
    """The types of relation."""

    relationTypes: list[RelationTypeJson]


class AddedEdgesJson(TypedDict):
    """The report of edges that were added."""

    edges: list[CuratedEdgeJson]
    added: Annotated[Count, said("The number of new edges; the others already existed.")]
    revision: Count


class ChangedEdgeJson(TypedDict):
    """The report of an edge that was changed."""

    edge: CuratedEdgeJson
    revision: Count
