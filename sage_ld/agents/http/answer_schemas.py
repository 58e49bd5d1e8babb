"""JSON Schemas of the requests and answers of `/v1/answer`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]

_FORM: Final = ("frame", "highlight", "window", "view", "offset")
"""Parameters of a retrieval that an answer in sentences has no use for."""
_METHOD: Final[Schema] = {
    "type": "string",
    "enum": ["extraction", "model"],
    "description": "Whether the sentences are quoted from the documents, or written by a language model.",
}
_OWN: Final = ("sentences", "context", "method")


def schema(settings: Settings) -> Schema:
    """The parameters of an answer by GET."""
    given = retrieval.schema(settings)["properties"]
    sentences = {
        "type": "integer",
        "minimum": 1,
        "maximum": settings.max_answer_sentences,
        SETTING: "max_answer_sentences",
        "default": min(3, settings.max_answer_sentences),
        "description": "Maximum number of sentences in the answer.",
    }
    properties = {name: each for name, each in given.items() if name not in _FORM}
    return schemas.closed(["q"], {**properties, "sentences": sentences})


def post_schema(settings: Settings) -> Schema:
    """The parameters of an answer by POST, by which a language model may be asked, too."""
    method = {
        **_METHOD,
        "default": "extraction",
        "description": "extraction quotes the documents; model has the language model of the service write "
        "the answer, for clients with a token of any role, and quotes where that fails.",
    }
    return schemas.closed(["q"], {**schema(settings)["properties"], "method": method})


def retrieval_of(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters by which chunks are retrieved for an answer."""
    return {name: value for name, value in parameters.items() if name not in _OWN}


_TEXT: Final[Schema] = {"type": "string"}
_IRI: Final[Schema] = {"type": "string", "format": "iri"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_TYPES: Final[Schema] = {"type": "array", "items": _TEXT, "minItems": 1}


def _object(required: list[str], properties: Schema) -> Schema:
    return {"type": "object", "required": required, "properties": properties}


def _list(items: Schema, **more: int) -> Schema:
    return {"type": "array", "items": items, **more}


_QUOTATION: Final = _object(
    ["type", "text", "beginIndex", "endIndex", "isPartOf"],
    {
        "type": _TYPES,
        "text": {**_TEXT, "description": "The text of the document from beginIndex to endIndex."},
        "beginIndex": _COUNT,
        "endIndex": _COUNT,
        "isPartOf": _list(schemas.CHUNK, minItems=1),
    },
)
_MODEL_CALL: Final = _object(
    ["type", "task", "languageModel"], {"type": _TYPES, "task": _TEXT, "languageModel": _TEXT}
)
SENTENCE: Final = _object(
    ["type", "position", "text", "citation"],
    {
        "type": _TYPES,
        "position": {"type": "integer", "minimum": 1},
        "text": _TEXT,
        "citation": _list(_QUOTATION, minItems=1),
    },
)
CITED_ANSWER: Final = _object(
    ["@context", "type", "text", "isInGraph", "answerMethod", "hasPart", "wasGeneratedBy"],
    {
        "@context": schemas.ANSWER["properties"]["@context"],
        "type": _TYPES,
        "text": {**_TEXT, "description": "The sentences as one text."},
        "isInGraph": {"type": "boolean", "description": "Whether the graph answers the question."},
        "answerMethod": _METHOD,
        "comment": {**_TEXT, "description": "The reason if the answer was not made by the requested method."},
        "hasPart": _list(SENTENCE),
        "wasGeneratedBy": {
            "anyOf": [schemas.RETRIEVAL, _list({"anyOf": [schemas.RETRIEVAL, _MODEL_CALL]}, minItems=2)]
        },
    },
)
_CITATION: Final = _object(
    ["chunk", "document", "title", "place", "begin", "end", "quote"],
    {
        "chunk": {**_IRI, "description": "The IRI of the chunk."},
        "document": {**_TEXT, "description": "The identifier of the document."},
        "title": _TEXT,
        "place": {"type": ["string", "null"], "description": "The place of the chunk in its file."},
        "begin": {**_COUNT, "description": "Where the quote begins in the document's text, in code points."},
        "end": _COUNT,
        "quote": _TEXT,
    },
)
_PLAIN_SENTENCE: Final = _object(
    ["text", "cells", "citations"],
    {
        "text": _TEXT,
        "cells": {
            **_list(_object(["column", "value"], {"column": _TEXT, "value": _TEXT})),
            "description": "The columns of a table's row, or the fields of a record, that the quote spans.",
        },
        "citations": _list(_CITATION, minItems=1),
    },
)
PLAIN_CITED_ANSWER: Final = _object(
    ["question", "answer", "inGraph", "method", "note", "revision", "sentences"],
    {
        "question": _TEXT,
        "answer": {**_TEXT, "description": "The sentences as one text."},
        "inGraph": {"type": "boolean", "description": "Whether the graph answers the question."},
        "method": _METHOD,
        "note": {**_TEXT, "description": "The reason if the answer was not made by the requested method."},
        "model": {**_TEXT, "description": "The language model that wrote the sentences."},
        "revision": _COUNT,
        "sentences": _list(_PLAIN_SENTENCE),
        "retrieval": {**_IRI, "description": "The IRI of the kept retrieval."},
    },
)
