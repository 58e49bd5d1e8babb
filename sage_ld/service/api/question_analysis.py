"""JSON Schemas of the requests and answers of `/v1/analyse`."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypedDict

from msgspec import Meta

from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.questions.difficulty import DIMENSIONS, FEATURES, Difficulty
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.records import Count, Iri, members, one_of, said

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters of an analysis."""
    given = retrieval.schema(settings)["properties"]
    return schemas.closed(
        ["question"], {"question": given["q"], "question_language": given["question_language"]}
    )


_POINTS: Final = {"type": "integer", "minimum": 0, "maximum": 2}


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
    points: Annotated[dict[str, Any], members(DIMENSIONS, _POINTS)]
    total: Annotated[Count, Meta(le=2 * len(DIMENSIONS)), said("The sum of the points.")]
    difficulty: Annotated[str, one_of(Difficulty)]
