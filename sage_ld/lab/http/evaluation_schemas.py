"""JSON Schemas of the requests and answers of `/v1/evaluate`."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from sage_ld.foundation.question import Question
from sage_ld.foundation.recipes import PRESETS
from sage_ld.foundation.records import Count, Share, said
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval import Mode
from sage_ld.service.api.schemas import SETTING, closed, field_schemas, list_of, noted

Schema = dict[str, Any]

_NAME: Final[Schema] = {  # of a folder or file: never a path
    "type": "string",
    "maxLength": 100,
    "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
}
_MODES: Final = [str(mode) for mode in Mode]
EVALUATED_MODES: Final = ["hybrid", "sage"]
EVALUATED_BUDGETS: Final = [5, 10]


def parameters(settings: Settings) -> Schema:
    """The parameters of an evaluation, of a data set of the server or of the client."""
    most = settings.max_results // 2
    schema = closed(
        [],
        {
            "questions": noted(
                list_of(
                    _judged_question(settings),
                    minItems=1,
                    maxItems=settings.max_evaluation_questions,
                    **{SETTING: "max_evaluation_questions"},
                ),
                "Questions with the documents that ought to be found, in place of dataset.",
            ),
            "dataset": noted(
                {**_NAME, "examples": ["ottqa"]},
                "A folder of the setting evaluation_dir, in the layout of BEIR.",
            ),
            "qrels": noted(_NAME, "Which judgements, where there are several."),
            "modes": noted(
                list_of(
                    {"type": "string", "enum": _MODES},
                    minItems=1,
                    maxItems=len(_MODES),
                    uniqueItems=True,
                    default=EVALUATED_MODES,
                ),
                "What is compared.",
            ),
            "recipes": noted(
                list_of(
                    {"type": "string", "enum": list(PRESETS)},
                    minItems=1,
                    maxItems=len(PRESETS),
                    uniqueItems=True,
                ),
                "Presets whose parameters of retrieval hold in place of the graph's; several are compared in "
                "mode sage, each under its name.",
            ),
            "budgets": noted(
                list_of(
                    {"type": "integer", "minimum": 1, "maximum": most, SETTING: "max_results"},
                    minItems=1,
                    maxItems=10,
                    uniqueItems=True,
                    default=EVALUATED_BUDGETS,
                ),
                "Numbers of results.",
            ),
            **field_schemas(Question, settings, ["relations", "as_of"]),
        },
    )
    one = {"type": "object", "maxProperties": schema["maxProperties"]}
    return {**schema, "oneOf": [{**one, "required": ["dataset"]}, {**one, "required": ["questions"]}]}


def _judged_question(settings: Settings) -> Schema:
    """A question, and the identifiers of documents with their grades."""
    return closed(
        ["q", "relevant"],
        {
            "q": noted(
                {"type": "string", "minLength": 1, "maxLength": settings.max_question_length}, "The question."
            ),
            "relevant": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": settings.max_filter_values,
                "propertyNames": {"maxLength": settings.max_identifier_length},
                "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
                "description": "Identifiers of documents, each with its grade; 1 is relevant.",
            },
        },
    )


class DifferenceJson(TypedDict):
    """A difference, with its confidence interval."""

    difference: float
    low: float
    high: float


class EvaluationJson(TypedDict):
    """The measures of an evaluation."""

    dataset: str
    qrels: str
    queries: Count
    unjudged_queries: Annotated[Count, said("Left out, since no document is judged relevant to them.")]
    unknown_documents: Annotated[Count, said("Judged, but not in the graph: they are missed.")]
    unknown_example: NotRequired[Annotated[str, said("The first of these.")]]
    budgets: list[Count]
    modes: Annotated[dict[str, dict[str, Share]], said("Mode, or recipe of several, to measure to value.")]
    baseline: NotRequired[str]
    confidence: NotRequired[Share]
    differences: NotRequired[dict[str, dict[str, DifferenceJson]]]
