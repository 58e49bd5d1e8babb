"""JSON Schemas of kept retrievals, their analytics and feedback on them: of requests, and of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.analytics import Analytics
from sage_ld.retrieval.answers.kept_retrievals import moment
from sage_ld.service.api import paging, schemas
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]

_IRI: Final[Schema] = {"type": "string", "format": "iri"}
_TIME: Final[Schema] = {"type": "string", "format": "date-time"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NUMBER: Final[Schema] = {"type": "number"}
_HIGHEST_SCORE: Final = 1e6  # beyond what any ranking gives
_MOST_DAYS: Final = 36_500


def page_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of retrievals."""
    limit = paging.limit_schema(settings, "How many retrievals.")
    return schemas.closed([], {"limit": limit, "cursor": paging.cursor_schema("retrieval")})


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
            "limit": paging.limit_schema(settings, "Length of each list.", default=20),
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


def defaults(schema: Schema) -> dict[str, Any]:
    """The values of the parameters that are not given."""
    return {name: each["default"] for name, each in schema["properties"].items() if "default" in each}


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
_REVIEW: Final[Schema] = {
    "type": "object",
    "required": ["id", "type", "reviewRating", "dateCreated"],
    "properties": {
        "id": _IRI,
        "type": {"type": "array"},
        "reviewRating": {
            "type": "object",
            "required": ["ratingValue"],
            "properties": {"ratingValue": {"type": "integer", "enum": [0, 1]}},
        },
        "reviewBody": {"type": "string"},
        "dateCreated": _TIME,
    },
}
_TIMES: Final[Schema] = {"id": _IRI, "startedAtTime": _TIME, "endedAtTime": _TIME}
_RETRIEVAL: Final[Schema] = {
    **schemas.RETRIEVAL,
    "required": [*schemas.RETRIEVAL["required"], *_TIMES],
    "properties": {**schemas.RETRIEVAL["properties"], **_TIMES},
}
_RESULT: Final[Schema] = {
    **schemas.RANKED,
    "properties": {
        **schemas.RANKED["properties"],
        "id": _IRI,
        "feedback": {"type": "array", "items": _REVIEW},
    },
}
KEPT_RETRIEVAL: Final = schemas.item_list(_RESULT, "id", "wasGeneratedBy", wasGeneratedBy=_RETRIEVAL)
KEPT_RETRIEVALS: Final = schemas.item_list(_RETRIEVAL, **schemas.CURSOR)
FEEDBACK: Final[Schema] = {
    **_REVIEW,
    "required": ["@context", *_REVIEW["required"]],
    "properties": {"@context": {"type": "object"}, **_REVIEW["properties"]},
}
PLAIN_FEEDBACK: Final[Schema] = {
    "type": "object",
    "required": ["id", "rank", "helped", "dateCreated"],
    "properties": {
        "id": _IRI,
        "rank": _COUNT,
        "helped": {"type": "boolean"},
        "comment": {"type": "string"},
        "dateCreated": _TIME,
    },
}
_OF_RETRIEVAL: Final = {
    name: each for name, each in _RETRIEVAL["properties"].items() if name not in ("id", "type", "query")
}
_PLAIN_RETRIEVAL: Final[Schema] = {
    "type": "object",
    "required": ["retrieval", "question", "startedAtTime", "endedAtTime", "revision"],
    "properties": {"retrieval": _IRI, "question": {"type": "string"}, **_OF_RETRIEVAL},
}
_PLAIN_RESULT: Final[Schema] = {
    **schemas.PLAIN_RANKED,
    "properties": {
        **schemas.PLAIN_RANKED["properties"],
        "feedback": {"type": "array", "items": PLAIN_FEEDBACK},
    },
}
PLAIN_KEPT_RETRIEVAL: Final[Schema] = {
    **_PLAIN_RETRIEVAL,
    "required": [*_PLAIN_RETRIEVAL["required"], "results"],
    "properties": {
        **_PLAIN_RETRIEVAL["properties"],
        "results": {"type": "array", "items": _PLAIN_RESULT},
    },
}
PLAIN_KEPT_RETRIEVALS: Final = schemas.plain_list(
    "retrievals", _PLAIN_RETRIEVAL, **schemas.COUNTED, **schemas.CURSOR
)
_CHUNK_FIGURES: Final[Schema] = {
    "type": "object",
    "required": ["chunk", "count", "meanRank", "helped", "notHelped"],
    "properties": {
        "chunk": _IRI,
        "name": {"type": "string", "description": "Absent where the graph has the chunk no more."},
        "count": {**_COUNT, "description": "The number of answers that had it."},
        "meanRank": _NUMBER,
        "helped": {**_COUNT, "description": "The number of judgements that say that it helped."},
        "notHelped": _COUNT,
    },
}
_QUESTION_FIGURES: Final[Schema] = {
    "type": "object",
    "required": ["question", "count", "last"],
    "properties": {
        "question": {"type": "string"},
        "count": _COUNT,
        "meanBestScore": {**_NUMBER, "description": "Absent where there never was a result."},
        "last": _TIME,
    },
}
_LISTS: Final = ("popularChunks", "frequentQuestions", "poorQuestions")
ANALYTICS: Final[Schema] = {
    "type": "object",
    "required": ["since", "retrievals", "judgements", "helped", *_LISTS, "latency"],
    "properties": {
        "since": _TIME,
        "retrievals": _COUNT,
        "judgements": _COUNT,
        "helped": _COUNT,
        "popularChunks": {"type": "array", "items": _CHUNK_FIGURES},
        "frequentQuestions": {"type": "array", "items": _QUESTION_FIGURES},
        "poorQuestions": {"type": "array", "items": _QUESTION_FIGURES},
        "latency": {
            "type": "object",
            "additionalProperties": _NUMBER,
            "description": "Percentiles of the time of an answer in seconds: p50, p90, p95, p99.",
        },
    },
}
REMOVED: Final[Schema] = {"type": "object", "required": ["removed"], "properties": {"removed": _COUNT}}
