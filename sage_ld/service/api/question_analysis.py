"""JSON Schemas of the requests and answers of `/v1/analyse`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.questions.difficulty import DIMENSIONS, FEATURES, Difficulty
from sage_ld.service.api import retrieval, schemas

Schema = dict[str, Any]


def schema(settings: Settings) -> Schema:
    """The parameters of an analysis."""
    given = retrieval.schema(settings)["properties"]
    return schemas.closed(
        ["question"], {"question": given["q"], "question_language": given["question_language"]}
    )


_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_POINTS: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 2}
_NODE: Final[Schema] = {
    "type": "object",
    "required": ["id", "label", "chunks"],
    "properties": {
        "id": {**_TEXT, "format": "iri"},
        "label": _TEXT,
        "chunks": {**_COUNT, "description": "The number of chunks that mention it."},
    },
}
ANALYSIS: Final[Schema] = {
    "type": "object",
    "required": ["question", "revision", "nodes", "features", "points", "total", "difficulty"],
    "properties": {
        "question": _TEXT,
        "revision": _COUNT,
        "nodes": {
            "type": "array",
            "items": _NODE,
            "description": "The entities that the question names, the rarest first.",
        },
        "features": {
            "type": "object",
            "required": list(FEATURES),
            "properties": {name: {"type": "number", "minimum": 0} for name in FEATURES},
            "description": "The features of the part of the graph that the question touches.",
        },
        "points": {
            "type": "object",
            "required": list(DIMENSIONS),
            "properties": dict.fromkeys(DIMENSIONS, _POINTS),
        },
        "total": {**_COUNT, "maximum": 2 * len(DIMENSIONS), "description": "The sum of the points."},
        "difficulty": {**_TEXT, "enum": [str(each) for each in Difficulty]},
    },
}
