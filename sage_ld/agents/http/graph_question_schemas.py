"""JSON Schemas of the requests and answers of `/v1/query`."""

from __future__ import annotations

from typing import Annotated, Any, Final, NotRequired, TypedDict

from msgspec import Meta

from sage_ld.foundation.records import Count, Iri, Share, said
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.answers.records import PlainResultJson
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.schemas import SETTING

Schema = dict[str, Any]
ROWS: Final = 100
"""Most rows unless a question says how many."""


def schema(settings: Settings) -> Schema:
    """The parameters of a question to be answered by a query."""
    return schemas.closed(
        ["question"],
        {
            "question": retrieval.schema(settings)["properties"]["q"],
            "rows": {
                "type": "integer",
                "minimum": 1,
                "maximum": settings.max_question_rows,
                SETTING: "max_question_rows",
                "default": min(ROWS, settings.max_question_rows),
                "description": "Maximum number of rows.",
            },
            "way": {
                "type": "string",
                "enum": ["grammar", "auto", "model"],
                "default": "grammar",
                "description": "Who writes the query: the grammar; the language model of the service; or "
                "auto, the model where the grammar is not sure. A model is for clients with a token of any "
                "role.",
            },
        },
    )


_RESOURCE: Final[Schema] = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string", "format": "iri"}},
}
_CELL: Final[Schema] = {"anyOf": [_RESOURCE, {"type": ["string", "number", "boolean", "null"]}]}


class SourceJson(TypedDict, total=False):
    """A source of rows."""

    graph: Annotated[Iri, said("The named graph that has the statements.")]
    document: Annotated[Iri, said("The IRI of the document.")]
    identifier: str | None
    chunks: list[Iri]


class BindingJson(TypedDict):
    """The meaning that words of a question were given."""

    words: str
    kind: str
    name: str


class AttemptJson(TypedDict):
    """A query that failed, or found nothing."""

    query: str | None
    error: str | None


class MissingNameJson(TypedDict):
    """A name in a question that the graph does not have."""

    words: str
    nearest: Annotated[list[str], said("The most similar names that it has.")]


class GraphAnswerJson(TypedDict):
    """The answer to a question by a query."""

    question: str
    revision: Count
    way: Annotated[str, said("The way in which the rows were found.")]
    sure: Annotated[
        bool,
        said(
            "Whether the query is taken for what the question means; else it has no rows, or rows to be "
            "checked."
        ),
    ]
    confidence: Share
    language: Annotated[str | None, Meta(extra_json_schema={"enum": ["sparql", "sql", None]})]
    query: str | None
    columns: list[str]
    rows: Annotated[list[list[Annotated[Any, Meta(extra_json_schema=_CELL)]]], said("Each a list by column.")]
    complete: Annotated[bool, said("Whether these are all rows.")]
    sources: Annotated[list[SourceJson], said("What the rows come from.")]
    bindings: Annotated[list[BindingJson], said("What words of the question were taken for.")]
    unused: Annotated[list[str], said("Words of the question that the query does not use.")]
    missing: Annotated[
        list[MissingNameJson], said("Names in the question that the graph does not have, if it is not sure.")
    ]
    attempts: Annotated[list[AttemptJson], said("Queries of the model that failed or found nothing.")]
    fallback: NotRequired[
        Annotated[list[PlainResultJson], said("Chunks that a search finds, where the query is not sure.")]
    ]
