"""JSON Schemas of the requests and answers of `/v1/query`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.violations import SETTING

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


_TEXT: Final[Schema] = {"type": "string"}
_TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_IRI: Final[Schema] = {"type": "string", "format": "iri"}
_RESOURCE: Final[Schema] = {"type": "object", "required": ["id"], "properties": {"id": _IRI}}


def _list(items: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": items} | ({"description": description} if description else {})


def _object(required: list[str], properties: Schema) -> Schema:
    return {"type": "object", "required": required, "properties": properties}


GRAPH_ANSWER: Final[Schema] = _object(
    [
        *("question", "revision", "way", "sure", "confidence", "language", "query", "columns", "rows"),
        *("complete", "sources", "bindings", "unused", "attempts"),
    ],
    {
        "question": _TEXT,
        "revision": {"type": "integer", "minimum": 0},
        "way": {**_TEXT, "description": "The way in which the rows were found."},
        "sure": {
            "type": "boolean",
            "description": "Whether the query is taken for what the question means; else it has no rows, or "
            "rows to be checked.",
        },
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "language": {**_TEXT_OR_NULL, "enum": ["sparql", "sql", None]},
        "query": _TEXT_OR_NULL,
        "columns": _list(_TEXT),
        "rows": _list(
            {
                "type": "array",
                "items": {"anyOf": [_RESOURCE, {"type": ["string", "number", "boolean", "null"]}]},
            },
            "Each a list by column.",
        ),
        "complete": {"type": "boolean", "description": "Whether these are all rows."},
        "sources": _list(
            _object(
                [],
                {
                    "graph": {**_IRI, "description": "The named graph that has the statements."},
                    "document": {**_IRI, "description": "The IRI of the document."},
                    "identifier": _TEXT_OR_NULL,
                    "chunks": _list(_IRI),
                },
            ),
            "What the rows come from.",
        ),
        "bindings": _list(
            _object(["words", "kind", "name"], {"words": _TEXT, "kind": _TEXT, "name": _TEXT}),
            "What words of the question were taken for.",
        ),
        "unused": _list(_TEXT, "Words of the question that the query does not use."),
        "attempts": _list(
            _object(["query", "error"], {"query": _TEXT_OR_NULL, "error": _TEXT_OR_NULL}),
            "Queries of the model that failed or found nothing.",
        ),
        "fallback": {
            "type": "array",
            "items": schemas.PLAIN_RESULT,
            "description": "Chunks that a search finds, where the query is not sure.",
        },
    },
)
