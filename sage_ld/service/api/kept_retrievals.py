"""JSON Schemas of kept retrievals, their analytics and feedback on them: of requests, and of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Iri, Positive, Time, record_schema, said
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.analytics import Analytics
from sage_ld.retrieval.answers.kept_retrievals import moment
from sage_ld.retrieval.answers.records import RoleName
from sage_ld.service.api import schemas
from sage_ld.service.api.answers import (
    RETRIEVAL,
    Counted,
    CursorJson,
    InlineContext,
    ListJson,
    RankedJson,
    Types,
)
from sage_ld.service.api.schemas import SETTING

Schema = dict[str, Any]

_HIGHEST_SCORE: Final = 1e6  # beyond what any ranking gives
_MOST_DAYS: Final = 36_500


def page_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of retrievals."""
    limit = schemas.limit_schema(settings, "How many retrievals.")
    return schemas.closed([], {"limit": limit, "cursor": schemas.cursor_schema("retrieval")})


def analytics_schema(settings: Settings) -> Schema:
    """The parameters of the analytics."""
    return schemas.closed(
        [],
        {
            "days": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": _MOST_DAYS,
                "default": 30,
                "description": "Number of days, up to now.",
            },
            "limit": schemas.limit_schema(settings, "Length of each list.", default=20),
            "poor_below": {
                "type": "number",
                "minimum": -_HIGHEST_SCORE,
                "maximum": _HIGHEST_SCORE,
                "default": 0.5,
                "description": "A question is poor if no result reached this score, or there was none.",
            },
        },
    )


def feedback_schema(settings: Settings) -> Schema:
    """The schema of feedback on one result of a retrieval."""
    return schemas.closed(
        ["helped"],
        {
            "helped": {"type": "boolean", "description": "Whether the result helped."},
            "chunk": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_request_line,
                SETTING: "max_request_line",
                "description": "The IRI of the result's chunk; or give rank.",
            },
            "rank": {
                "type": "integer",
                "minimum": 1,
                "maximum": settings.max_results,
                SETTING: "max_results",
                "description": "The rank of the result; or give chunk.",
            },
            "comment": {
                "type": "string",
                "maxLength": settings.max_comment_length,
                SETTING: "max_comment_length",
                "description": "The reason.",
            },
        },
    )


def analytics_json(analytics: Analytics, names: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """The analytics as one JSON object, with the names of chunks by their IRIs."""
    return {
        "since": moment(analytics.since),
        "retrievals": analytics.retrievals,
        "judgements": analytics.judgements,
        "helped": analytics.helped,
        "popularChunks": [
            _named({"chunk": each.chunk, "name": names.get(each.chunk)} | asdict(each))
            for each in analytics.popular_chunks
        ],
        "frequentQuestions": [_named(asdict(each)) for each in analytics.frequent_questions],
        "poorQuestions": [_named(asdict(each)) for each in analytics.poor_questions],
        "latency": {f"p{percentile}": round(value, 6) for percentile, value in analytics.latency.items()},
    }


def _named(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members as the API names them."""
    plain = {_MEMBERS.get(name, name): value for name, value in values.items() if value is not None}
    return plain | ({"last": moment(plain["last"])} if "last" in plain else {})


_MEMBERS: Final = {"mean_rank": "meanRank", "not_helped": "notHelped", "best": "meanBestScore"}
_TIMES: Final[Schema] = {
    "id": {"type": "string", "format": "iri"},
    "startedAtTime": {"type": "string", "format": "date-time"},
    "endedAtTime": {"type": "string", "format": "date-time"},
}
_RETRIEVAL: Final[Schema] = {
    **RETRIEVAL,
    "required": [*RETRIEVAL["required"], *_TIMES],
    "properties": {**RETRIEVAL["properties"], **_TIMES},
}
_OF_RETRIEVAL: Final = {
    name: each for name, each in _RETRIEVAL["properties"].items() if name not in ("id", "type", "query")
}
_PLAIN_RETRIEVAL: Final[Schema] = {
    "type": "object",
    "required": ["retrieval", "question", "startedAtTime", "endedAtTime", "revision"],
    "properties": {
        "retrieval": {"type": "string", "format": "iri"},
        "question": {"type": "string"},
        **_OF_RETRIEVAL,
    },
}
_KeptNode = Annotated[dict[str, Any], Meta(extra_json_schema=_RETRIEVAL)]


class RatingJson(TypedDict):
    """A rating: 1 for a result that helped, 0 for one that did not."""

    ratingValue: Annotated[int, Meta(extra_json_schema={"enum": [0, 1]})]


class _ReviewJson(TypedDict):
    id: Iri
    type: list[Any]
    reviewRating: RatingJson
    reviewBody: NotRequired[str]
    dateCreated: Time


class FeedbackJson(InlineContext, _ReviewJson):
    """Feedback on a result."""


class KeptResultJson(RankedJson):
    """A result of a kept retrieval."""

    id: NotRequired[Iri]
    feedback: NotRequired[list[_ReviewJson]]


class KeptRetrievalJson(InlineContext):
    """A kept retrieval."""

    id: Iri
    type: Types
    numberOfItems: Count
    itemListElement: list[KeptResultJson]
    wasGeneratedBy: _KeptNode


class KeptRetrievalsJson(InlineContext, ListJson, CursorJson):
    """A page of the list of kept retrievals."""

    itemListElement: list[_KeptNode]


class PlainFeedbackJson(TypedDict):
    """Feedback on a result in flat JSON."""

    id: Iri
    rank: Count
    helped: bool
    comment: NotRequired[str]
    dateCreated: Time


class PlainKeptResultJson(TypedDict):
    """A result of a kept retrieval in flat JSON."""

    rank: Positive
    role: RoleName
    score: float
    chunk: Iri
    feedback: NotRequired[list[PlainFeedbackJson]]


PLAIN_KEPT_RETRIEVAL: Final[Schema] = {
    **_PLAIN_RETRIEVAL,
    "required": [*_PLAIN_RETRIEVAL["required"], "results"],
    "properties": {
        **_PLAIN_RETRIEVAL["properties"],
        "results": {"type": "array", "items": record_schema(PlainKeptResultJson)},
    },
}
"""A kept retrieval in flat JSON, whose members follow from the fields of a question and a recipe."""


class PlainKeptRetrievalsJson(Counted, CursorJson):
    """A page of the list of kept retrievals in flat JSON."""

    retrievals: list[Annotated[dict[str, Any], Meta(extra_json_schema=_PLAIN_RETRIEVAL)]]


class ChunkFiguresJson(TypedDict):
    """The figures of a chunk."""

    chunk: Iri
    name: NotRequired[Annotated[str, said("Absent where the graph has the chunk no more.")]]
    count: Annotated[Count, said("The number of answers that had it.")]
    meanRank: float
    helped: Annotated[Count, said("The number of judgements that say that it helped.")]
    notHelped: Count


class QuestionFiguresJson(TypedDict):
    """The figures of a question."""

    question: str
    count: Count
    meanBestScore: NotRequired[Annotated[float, said("Absent where there never was a result.")]]
    last: Time


class AnalyticsJson(TypedDict):
    """The analytics of kept retrievals."""

    since: Time
    retrievals: Count
    judgements: Count
    helped: Count
    popularChunks: list[ChunkFiguresJson]
    frequentQuestions: list[QuestionFiguresJson]
    poorQuestions: list[QuestionFiguresJson]
    latency: Annotated[
        dict[str, float], said("Percentiles of the time of an answer in seconds: p50, p90, p95, p99.")
    ]


class RemovedJson(TypedDict):
    """The number of retrievals that were removed."""

    removed: Count
