"""JSON Schemas of the requests and answers of `/v1/reason`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.agents.http import table_schemas
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.violations import SETTING

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


_TEXT: Final[Schema] = {"type": "string"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NODE: Final[Schema] = {
    "type": "object",
    "required": ["id", "kind", "label", "relation", "score", "aggregates"],
    "properties": {
        "id": {**_TEXT, "format": "iri"},
        "kind": {**_TEXT, "description": "text, table or record of a chunk; else entity, document, …"},
        "label": _TEXT,
        "relation": {**_TEXT, "description": "The way in which it was found."},
        "score": {"type": "number", "minimum": 0, "maximum": 10},
        "aggregates": {"type": "boolean", "description": "Whether its label is a value in a table."},
    },
}
_RESULT: Final[Schema] = {
    **table_schemas.TABLE_ANSWER,
    "required": [each for each in table_schemas.TABLE_ANSWER["required"] if each not in {"revision", "sql"}],
    "properties": {
        **table_schemas.TABLE_ANSWER["properties"],
        "python": {**_TEXT, "description": "The program, where the setting reasoning_code is python."},
        "printed": {**_TEXT, "description": "The output of the program."},
    },
}
REASONING_STEP: Final[Schema] = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": _TEXT,
        "thought": _TEXT,
        "queryType": {**_TEXT, "enum": ["ANALYTICAL", "RELATIONAL"]},
        "targetTypes": _TEXTS,
        "keyEntities": _TEXTS,
        "nodes": {"type": "array", "items": _NODE},
        "tables": _TEXTS,
        "sql": _TEXT,
        "python": _TEXT,
        "error": _TEXT,
        "result": _RESULT,
    },
    "description": "One step; what does not concern its kind is left out.",
}
REASONED_ANSWER: Final[Schema] = {
    "type": "object",
    "required": ["question", "revision", "answer", "byModel", "citations", "steps", "calls", "tokens"],
    "properties": {
        "question": _TEXT,
        "revision": _COUNT,
        "answer": _TEXT,
        "byModel": {
            "type": "boolean",
            "description": "Whether the model wrote the answer; if not, the answer is what was found.",
        },
        "citations": {
            "type": "array",
            "items": {**_TEXT, "format": "iri"},
            "description": "The chunks that the answer rests on.",
        },
        "steps": {"type": "array", "items": REASONING_STEP},
        "calls": {**_COUNT, "description": "Calls of the model, without those that a cache answered."},
        "tokens": _COUNT,
    },
}
