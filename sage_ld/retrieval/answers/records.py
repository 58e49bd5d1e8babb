"""Records of answers in flat JSON: the types of what `plain` makes, from which their JSON Schemas follow."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.model import ChunkKind, Role
from sage_ld.foundation.question import Mode
from sage_ld.foundation.records import Count, Iri, Positive, Share, members, one_of, said
from sage_ld.retrieval.answers.explanation import Verdict
from sage_ld.retrieval.questions.difficulty import DIMENSIONS, FEATURES, Difficulty

Abstract = Annotated[str, said("What it is about, where view is summary and the graph has abstracts.")]
PLACE = said("Where it stands in its file: page 3, lines 10–24, Budget!A3:F20.")
RoleName = Annotated[str, one_of(Role)]
ChannelName = Annotated[str, one_of(CHANNEL_NAMES)]


class PlainStepJson(TypedDict):
    """A step of a path, from a chunk to a chunk."""

    seed: Annotated[Iri, said("The chunk that the step starts from.")]
    chunk: Annotated[Iri, said("The chunk that it leads to.")]
    channel: ChannelName
    kind: Annotated[str, said("What the edge is, within its channel: TableDocument, links to, next …")]
    weight: Annotated[float, said("The weight of the edge.")]
    edge: NotRequired[Annotated[Iri | list[Iri], said("The edge as the graph has it, or the edges.")]]
    entity: NotRequired[
        Annotated[
            Iri | list[Iri], said("The shared entity or concept, or the resources that statements join.")
        ]
    ]
    row: NotRequired[Annotated[Count, said("The row of the table that holds the link, from 0.")]]
    properties: NotRequired[Annotated[str | list[str], said("The properties that lead from node to node.")]]
    readFrom: NotRequired[
        Annotated[str, said("The index that gave the step in place of the channel's query.")]
    ]


class NeighbourTextJson(TypedDict):
    """A chunk before or after a result."""

    chunk: Iri
    name: str
    text: str


class SpanJson(TypedDict):
    """A word that matches: its place in a text."""

    begin: Count
    end: Count
    term: str


Spans = Annotated[
    list[SpanJson],
    said("Offsets in characters, the end exclusive, and the term of the word in the indexes."),
]


class MatchesJson(TypedDict):
    """The words that match."""

    question: Spans
    name: Spans
    text: Spans


class PlainPassageJson(TypedDict):
    """A chunk with its place in its document."""

    document: Annotated[str, said("The identifier of the document.")]
    chunk: Annotated[Iri, said("The IRI of the chunk.")]
    kind: Annotated[str, one_of(ChunkKind)]
    name: str
    title: str
    url: str | None
    place: Annotated[str | None, PLACE]
    begin: Annotated[Count | None, said("Where it begins in its document's text, in characters from 0.")]
    end: Annotated[Count | None, said("Where it ends there, exclusive.")]
    text: str
    documentAbstract: NotRequired[Abstract]
    sectionAbstract: NotRequired[Abstract]


class LabelledJson(TypedDict):
    """An entity with its label."""

    id: Iri
    label: str


class PlainChunkJson(PlainPassageJson):
    """A chunk with the entities that it mentions."""

    entities: Annotated[list[LabelledJson], said("The entities that it mentions.")]


class PlainResultJson(PlainPassageJson):
    """A result: a chunk, its score, and the way that led to it."""

    rank: Positive
    score: float
    role: RoleName
    parts: Annotated[dict[str, float], said("What the score is made of: bm25, dense …")]
    path: Annotated[list[PlainStepJson], said("The steps that led here from a seed; none for a seed.")]
    before: NotRequired[
        Annotated[
            list[NeighbourTextJson],
            said("The chunks before it in its document, as many as window says."),
        ]
    ]
    after: NotRequired[Annotated[list[NeighbourTextJson], said("Those after it.")]]
    matches: NotRequired[Annotated[MatchesJson, said("The words that match, on request (highlight).")]]
    labels: NotRequired[
        Annotated[
            dict[str, str],
            said("The names of the chunks and nodes on its path, by IRI, on request (labels)."),
        ]
    ]


class PlainRankedJson(TypedDict):
    """A result whose chunk an event before has shown."""

    rank: Positive
    role: RoleName
    score: float
    chunk: Iri
    parts: dict[str, float]


class PlainSummaryJson(TypedDict):
    """An answer, but for its results."""

    matched: Annotated[
        bool,
        said(
            "Whether a result has something of the question; false where all have the score 0 by their text."
        ),
    ]
    question: str
    revision: Annotated[Count, said("The revision of the graph that was asked.")]
    retrieval: NotRequired[
        Annotated[Iri, said("Where the retrieval is kept: the name by which the answer can be cited.")]
    ]


class PlainAnswerJson(PlainSummaryJson):
    """An answer."""

    results: Annotated[list[PlainResultJson], said("As sage-ld search --format json prints them.")]


class PlainRankingJson(PlainSummaryJson):
    """The ranking of an answer, of chunks that events before have shown."""

    results: list[PlainRankedJson]


class PlainAnswersJson(TypedDict):
    """Several answers."""

    answers: Annotated[list[PlainAnswerJson], said("In the order of the questions.")]


class FlatPlaceJson(TypedDict):
    """A place in a flat ranking."""

    place: Positive | None
    score: float


class RemedyJson(TypedDict):
    """A parameter with which the chunk would be ranked, or a result."""

    name: Annotated[str, said("The parameter, setting, or key of the recipe; such as `k`.")]
    value: Annotated[Any, said("What it is.")]
    enough: Annotated[Any, said("A value that is enough.")]
    rank: Annotated[Positive | None, said("The rank of the chunk then; null where that was not tried.")]


class ExplanationJson(TypedDict):
    """The reasons why a chunk is, or is not, in an answer."""

    question: str
    revision: Count
    mode: Annotated[str, one_of(Mode)]
    ranking: str
    k: Count
    from_graph: Count
    offset: Count
    chunk: Iri
    document: str
    name: str
    text: str
    verdict: Annotated[str, one_of(Verdict)]
    reason: Annotated[str, said("The verdict with the numbers that decide it, for a person.")]
    rank: Annotated[Positive | None, said("Its rank, in the answer or behind it.")]
    ranked: Annotated[Count, said("How many chunks were ranked, at most max_results.")]
    score: float | None
    scoreMissing: Annotated[float | None, said("What its score lacks to that of the last result.")]
    role: RoleName | None
    parts: dict[str, float]
    flat: Annotated[dict[str, FlatPlaceJson], said("Its place and score by flat ranking.")]
    isStart: Annotated[bool, said("Whether the graph was followed from it.")]
    isReached: Annotated[bool, said("Whether an edge led to it from where that began.")]
    path: Annotated[list[PlainStepJson], said("The best path from a seed to it.")]
    excludedBy: Annotated[list[str], said("The conditions of the filter that it does not meet.")]
    remedies: Annotated[
        list[RemedyJson], said("What would have to be there for it to be ranked, or a result.")
    ]
    matches: MatchesJson


class OutlineSectionJson(TypedDict):
    """A document or section, with its scores for a question."""

    iri: Iri
    name: str
    depth: Annotated[Count, said("How many nodes it stands in; 0 for the document.")]
    chunks: Annotated[Count, said("How many chunks stand in it and in no section below it.")]
    keyword: Annotated[Share, said("How well its keywords fit the question.")]
    heading: Annotated[Share, said("How well its name fits.")]
    own: Annotated[Share, said("Both, blended.")]
    score: Annotated[Share, said("With what it inherits, over the highest of all sections of the graph.")]


class OutlineJson(TypedDict):
    """The sections of a document."""

    revision: Count
    sections: Annotated[
        list[OutlineSectionJson], said("The document and its sections, in the order of its text.")
    ]


class QuestionNodeJson(TypedDict):
    """An entity that a question names."""

    id: Iri
    label: str
    chunks: Annotated[Count, said("The number of chunks that mention it.")]


class QuestionAnalysisJson(TypedDict):
    """The difficulty of a question."""

    question: str
    revision: Count
    nodes: Annotated[list[QuestionNodeJson], said("The entities that the question names, the rarest first.")]
    features: Annotated[
        dict[str, Any],
        members(FEATURES, {"type": "number", "minimum": 0}),
        said("The features of the part of the graph that the question touches."),
    ]
    points: Annotated[dict[str, Any], members(DIMENSIONS, {"type": "integer", "minimum": 0, "maximum": 2})]
    total: Annotated[Count, Meta(le=2 * len(DIMENSIONS)), said("The sum of the points.")]
    difficulty: Annotated[str, one_of(Difficulty)]
