"""Records of answers as linked data and of lists: the types from which their JSON Schemas follow.

`sage_ld.retrieval.answers.records` has those of flat JSON.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Filter, Question
from sage_ld.foundation.recipes import Retrieval
from sage_ld.foundation.records import Count, Iri, Positive, Share, either, said
from sage_ld.retrieval.answers.records import (
    PLACE,
    Abstract,
    ChannelName,
    PlainChunkJson,
    PlainResultJson,
    RoleName,
)
from sage_ld.service.api.schemas import answer_schemas

Schema = dict[str, Any]
Types = Annotated[list[str], Meta(min_length=1)]
Context = Annotated[dict[str, Any], said("The JSON-LD context, inline: nothing is to be fetched.")]
_ONE_CONTEXT: Final[Schema] = {"anyOf": [{"type": "string", "format": "iri"}, {"type": "object"}]}
Address = Annotated[
    Any,
    Meta(
        extra_json_schema={
            "anyOf": [*_ONE_CONTEXT["anyOf"], {"type": "array", "items": _ONE_CONTEXT, "minItems": 1}]
        }
    ),
    said(
        "The address of the JSON-LD context, with further terms where there are some; or the context itself."
    ),
]
_ALWAYS: Final = [
    each.term for kind in (Question, Retrieval) for each in parameters(kind).values() if each.always
]
RETRIEVAL: Final[Schema] = {
    "type": "object",
    "required": ["type", "recipe", "revision", *_ALWAYS],
    "properties": {
        "id": {
            "type": "string",
            "format": "iri",
            "description": "By which the retrieval is cited; present if the service keeps it.",
        },
        "type": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "recipe": {
            "type": "string",
            "description": "The preset whose parameters held, or the graph's own file.",
        },
        **answer_schemas(Question),
        **answer_schemas(Retrieval),
        **answer_schemas(Filter),
        "rankingModel": {
            "type": "string",
            "description": "Of a learned ranking: `default`, or the digest of its own.",
        },
        "revision": {
            "type": "integer",
            "minimum": 0,
            "description": "The revision of the graph that was asked.",
        },
    },
}
"""The node of a retrieval, whose members follow from the fields of a question, a recipe and a filter."""
RetrievalNode = Annotated[dict[str, Any], Meta(extra_json_schema=RETRIEVAL)]


class DocumentNodeJson(TypedDict):
    """A document."""

    id: Iri
    type: Types
    identifier: str
    name: NotRequired[str]
    url: NotRequired[str]
    abstract: NotRequired[Abstract]
    contentHash: NotRequired[
        Annotated[str, said("SHA-256 of the document's content; in the list of documents.")]
    ]


class SectionNodeJson(TypedDict):
    """A section."""

    id: Iri
    type: Types
    name: NotRequired[str]
    abstract: NotRequired[Abstract]


class MentionJson(TypedDict):
    """An entity that a chunk mentions."""

    id: Iri
    prefLabel: str


class _ChunkJson(TypedDict):
    id: Iri
    type: Annotated[Types, said(f"Chunk, and what it is cut from: {', '.join(ChunkKind)}.")]
    name: str
    text: str
    place: NotRequired[Annotated[str, PLACE]]
    isPartOf: Annotated[list[Annotated[Any, either(DocumentNodeJson, SectionNodeJson)]], Meta(min_length=1)]
    mentions: list[MentionJson]


InlineContext = TypedDict("InlineContext", {"@context": Context})
_OptionalContext = TypedDict("_OptionalContext", {"@context": NotRequired[Context]})
AddressedContext = TypedDict("AddressedContext", {"@context": Address})
_MaybeAddressed = TypedDict("_MaybeAddressed", {"@context": NotRequired[Address]})


class ChunkJson(_OptionalContext, _ChunkJson):
    """A chunk, with its document, section and entities."""


class EdgeNodeJson(TypedDict):
    """An edge as the graph has it."""

    id: Iri
    type: Types


class StepJson(TypedDict):
    """A step of a path, from a chunk to a chunk."""

    type: Types
    channel: list[ChannelName]
    relation: Annotated[str, said("What the edge is, within its channel: TableDocument, links to, next …")]
    evidence: Annotated[float, said("The weight of the edge.")]
    seed: Annotated[Iri, said("The chunk that the step starts from.")]
    reaches: Annotated[Iri, said("The chunk that it leads to.")]
    edge: NotRequired[Annotated[EdgeNodeJson, said("The edge as the graph has it.")]]
    via: NotRequired[
        Annotated[
            Iri | list[Iri], said("The shared entity, or the resources that statements or relations join.")
        ]
    ]
    propertyPath: NotRequired[
        Annotated[str, said("The properties from the one chunk to the other, as a SPARQL path.")]
    ]
    readFrom: NotRequired[
        Annotated[str, said("The index that gave the step in place of the channel's query.")]
    ]


class ResultJson(TypedDict):
    """A result: a chunk, its scores, and the way that led to it."""

    type: Types
    rank: Positive
    role: RoleName
    score: float
    bm25Score: NotRequired[float]
    denseScore: NotRequired[float]
    hybridScore: NotRequired[float]
    coverageScore: NotRequired[float]
    likenessScore: NotRequired[float]
    pairCoverageScore: NotRequired[float]
    pairDenseScore: NotRequired[float]
    vectorScore: NotRequired[Share]
    connectivityScore: NotRequired[Share]
    centralityScore: NotRequired[Share]
    relationshipScore: NotRequired[Share]
    sectionScore: NotRequired[Share]
    summaryScore: NotRequired[Share]
    rerankScore: NotRequired[float]
    graphScore: NotRequired[float]
    path: Annotated[list[StepJson], said("The steps that led here from a seed; none for a seed.")]
    item: ChunkJson
    contextBefore: NotRequired[
        Annotated[list[ChunkJson], said("The chunks before it, in order, where there is a window.")]
    ]
    contextAfter: NotRequired[Annotated[list[ChunkJson], said("Those after it.")]]


class ListJson(TypedDict):
    """The members of every list in linked data."""

    id: NotRequired[Iri]
    type: Types
    numberOfItems: Count


class _AnswerJson(ListJson):
    itemListElement: list[ResultJson]
    wasGeneratedBy: RetrievalNode


class AnswerJson(AddressedContext, _AnswerJson):
    """An answer: a list of results, and the retrieval that gave it."""


class _NamelessAnswerJson(_MaybeAddressed, _AnswerJson):
    pass


AnswersJson = TypedDict(
    "AnswersJson",
    {
        "@context": Address,
        "@graph": Annotated[list[_NamelessAnswerJson], said("In the order of the questions.")],
    },
)
"""Several answers."""
FramedJson = TypedDict("FramedJson", {"@context": Address})
"""An answer in the shape of a frame."""


class ItemJson(TypedDict):
    """A chunk that an event before has shown."""

    id: Iri


class RankedJson(TypedDict):
    """A result whose chunk an event before has shown."""

    type: Types
    rank: Positive
    role: RoleName
    score: float
    item: Annotated[ItemJson, said("A chunk that an event before has shown.")]


class SummaryJson(InlineContext, ListJson):
    """The ranking of an answer."""

    itemListElement: list[RankedJson]
    wasGeneratedBy: RetrievalNode


class _PagedJson(TypedDict):
    offset: Count
    limit: Count


class CursorJson(TypedDict):
    """The member by which the next page of a list is asked for."""

    nextCursor: NotRequired[Annotated[str, said("The cursor of the next page; missing on the last one.")]]


class NeighboursJson(InlineContext, ListJson):
    """The neighbours of a chunk."""

    itemListElement: list[ResultJson]


class ChunksJson(InlineContext, ListJson, _PagedJson):
    """A page of the list of chunks."""

    itemListElement: list[ChunkJson]


class DocumentsJson(InlineContext, ListJson, _PagedJson, CursorJson):
    """A page of the list of documents."""

    itemListElement: list[DocumentNodeJson]


class EntityJson(TypedDict):
    """An entity."""

    id: Iri
    type: Types
    prefLabel: str
    chunkFrequency: NotRequired[Annotated[Count, said("The number of chunks that mention it.")]]


class EntitiesJson(InlineContext, ListJson, _PagedJson):
    """A page of the list of entities."""

    itemListElement: list[EntityJson]


class Counted(TypedDict):
    """The members of a list in flat JSON."""

    numberOfItems: Annotated[Count, said("How many there are in all.")]
    limit: Count


class _PlainPagedJson(Counted):
    offset: Count


class PlainNeighboursJson(TypedDict):
    """The neighbours of a chunk in flat JSON."""

    neighbours: list[PlainResultJson]
    numberOfItems: Annotated[Count, said("How many the list has, at most its limit.")]
    limit: Count


class PlainChunksJson(_PlainPagedJson):
    """A page of the list of chunks in flat JSON."""

    chunks: list[PlainChunkJson]


class PlainDocumentJson(TypedDict):
    """A document in flat JSON."""

    id: Iri
    identifier: str
    contentHash: str
    name: NotRequired[str]
    url: NotRequired[str]


class PlainDocumentsJson(_PlainPagedJson, CursorJson):
    """A page of the list of documents in flat JSON."""

    documents: list[PlainDocumentJson]


class PlainEntityJson(TypedDict):
    """An entity in flat JSON."""

    id: Iri
    label: str
    chunkFrequency: NotRequired[Count]


class PlainEntitiesJson(_PlainPagedJson):
    """A page of the list of entities in flat JSON."""

    entities: list[PlainEntityJson]


class StatsJson(TypedDict):
    """The size of a graph."""

    revision: Count
    baseIri: Iri
    encoder: str
    recipe: str
    documents: Count
    sections: Count
    chunks: Count
    entities: Count
    concepts: Count
    edges: Annotated[dict[str, Count], said("Edges by kind.")]
    quads: Count


class ProblemJson(TypedDict):
    """An error, as RFC 9457 has it."""

    type: Iri
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: Annotated[str, said("The value, the limit that it broke, and the remedy.")]
