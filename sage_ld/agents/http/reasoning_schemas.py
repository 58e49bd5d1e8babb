"""JSON Schemas of the requests and answers of `/v1/reason`."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.agents.http.table_schemas import RowsJson
from sage_ld.foundation.records import Count, Iri, one_of, said
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.schemas import SETTING

Schema = dict[str, Any]
_MOST_HOPS: Final = 20


def schema(settings: Settings) -> Schema:
    """The parameters of a question to be reasoned about."""
    return schemas.closed(
        ["question"],
        {
            "question": retrieval.schema(settings)["properties"]["q"],
            "hops": {
                "type": "integer",
                "minimum": 1,
                "maximum": _MOST_HOPS,
                "description": "Most steps at which the model chooses what to do; 3 unless given.",
            },
            "calls": {
                "type": "integer",
                "minimum": 1,
                "maximum": settings.language_calls,
                SETTING: "language_calls",
                "description": "Most calls of the language model; 10 unless given.",
            },
            "seconds": {
                "type": "number",
                "minimum": 1,
                "maximum": settings.language_seconds,
                SETTING: "language_seconds",
                "description": "Longest time; 45 unless given.",
            },
        },
    )


class SeenNodeJson(TypedDict):
    """A node that the model was shown."""

    id: Iri
    kind: Annotated[str, said("text, table or record of a chunk; else entity, document, …")]
    label: str
    relation: Annotated[str, said("The way in which it was found.")]
    score: Annotated[float, Meta(ge=0, le=10)]
    aggregates: Annotated[bool, said("Whether its label is a value in a table.")]


class ComputedJson(RowsJson):
    """The result of a statement or a program."""

    revision: NotRequired[Count]
    sql: NotRequired[str]
    python: NotRequired[Annotated[str, said("The program, where the setting reasoning_code is python.")]]
    printed: NotRequired[Annotated[str, said("The output of the program.")]]


class ReasoningStepJson(TypedDict):
    """One step; what does not concern its kind is left out."""

    kind: str
    thought: NotRequired[str]
    queryType: NotRequired[Annotated[str, one_of(["ANALYTICAL", "RELATIONAL"])]]
    targetTypes: NotRequired[list[str]]
    keyEntities: NotRequired[list[str]]
    nodes: NotRequired[list[SeenNodeJson]]
    tables: NotRequired[list[str]]
    sql: NotRequired[str]
    python: NotRequired[str]
    error: NotRequired[str]
    result: NotRequired[ComputedJson]


class ReasonedAnswerJson(TypedDict):
    """An answer with the steps that led to it."""

    question: str
    revision: Count
    answer: str
    byModel: Annotated[
        bool, said("Whether the model wrote the answer; if not, the answer is what was found.")
    ]
    citations: Annotated[list[Iri], said("The chunks that the answer rests on.")]
    steps: list[ReasoningStepJson]
    calls: Annotated[Count, said("Calls of the model, without those that a cache answered.")]
    tokens: Count
