"""JSON Schemas of the requests and answers about documents."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.adding import Outcome
from sage_ld.service.api import paging
from sage_ld.service.api.schemas import PROBLEM, Schema, closed
from sage_ld.service.api.violations import SETTING

_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NAME_LENGTH: Final = 2000
_MEDIA_TYPE_LENGTH: Final = 200


def write_parameters(settings: Settings, *, duplicates: Duplicates) -> Schema:
    """The parameters in the URL of a request that adds documents; `duplicates` is the default of that one."""
    return closed(
        [],
        {
            "replace": _said(
                {"type": "boolean", "default": False},
                "Whether it may take the place of a document that came from a file: an ingest of that file "
                "is refused from then on.",
            ),
            "duplicates": _said(
                {"type": "string", "enum": [str(each) for each in Duplicates], "default": str(duplicates)},
                "What happens to a new document with the content and metadata of another one: skip answers "
                "with the one that is there, keep stores both.",
            ),
            "name": _said(
                {"type": "string", "minLength": 1, "maxLength": _NAME_LENGTH},
                "The title of the one document; in JSON it is a member.",
            ),
        },
    )


def text_schema(settings: Settings) -> Schema:
    """A document as JSON: its text, and what is said of it."""
    return closed(
        ["text"],
        {
            "text": _said(
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": settings.max_text_length,
                    SETTING: "max_text_length",
                },
                "The text, or a file of a textual format.",
            ),
            "identifier": _said(
                {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": settings.max_identifier_length,
                    SETTING: "max_identifier_length",
                },
                "Its identifier; without one it follows from the content. Of a PUT, the URL has it.",
            ),
            "name": _said({"type": "string", "minLength": 1, "maxLength": _NAME_LENGTH}, "The title."),
            "mediaType": _said(
                {"type": "string", "maxLength": _MEDIA_TYPE_LENGTH, "default": "text/plain"},
                "The format of the text, such as text/markdown; /v1/ingest/supported-types lists them.",
            ),
            "metadata": metadata_schema(settings),
        },
    )


def texts_schema(settings: Settings) -> Schema:
    """Several documents as JSON."""
    most = settings.max_batch_documents
    documents = {
        "type": "array",
        "items": text_schema(settings),
        "minItems": 1,
        "maxItems": most,
        SETTING: "max_batch_documents",
    }
    return closed(["documents"], {"documents": _said(documents, "The documents.")})


def metadata_schema(settings: Settings) -> Schema:
    """Metadata by key."""
    return _said(
        {"type": "object", "maxProperties": settings.max_metadata_values, SETTING: "max_metadata_values"},
        "Keys of metadata with their values: texts, numbers, booleans, lists of these, and objects, whose "
        "keys are joined with dots.",
    )


def patch_schema(settings: Settings) -> Schema:
    """A JSON merge patch of a document."""
    metadata = _said(
        metadata_schema(settings), "Keys with new values, or null for a key that is to be removed."
    )
    return closed(["metadata"], {"metadata": metadata})


def jobs_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of jobs."""
    limit = paging.limit_schema(settings, "How many jobs.")
    return closed([], {"limit": limit, "cursor": paging.cursor_schema("job")})


PATCH_PARAMETERS: Final = closed(
    [],
    {
        "replace": {
            "type": "boolean",
            "default": False,
            "description": "Whether a document that came from a file becomes a program's: an ingest of that "
            "file is refused from then on. Without it, the change stays when the file is read again.",
        }
    },
)
"""The parameters in the URL of a request that changes metadata."""

# --- answers ------------------------------------------------------------------------------------------

LOST_EDGES: Final[Schema] = {
    "type": "array",
    "items": {"$ref": "#/components/schemas/CuratedEdge"},
    "description": "The users' edges that were removed with their ends, at most as many as the setting "
    "max_report_entries says; missing where there are none.",
}
STORED: Final[Schema] = {
    "type": "object",
    "required": ["documents", "failed", "leftOut", "warnings", "chunks", "revision"],
    "properties": {
        "documents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "identifier", "status", "source"],
                "properties": {
                    "id": {"type": "string", "format": "iri"},
                    "identifier": _TEXT,
                    "status": {
                        "type": "string",
                        "enum": [str(each) for each in Outcome],
                        "description": "Of a duplicate, id and identifier are those of the document that is "
                        "there.",
                    },
                    "source": {
                        **_TEXT,
                        "description": "The first 200 characters of the identifier or file name.",
                    },
                },
            },
        },
        "failed": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["source", "detail"],
                "properties": {"source": _TEXT, "detail": _TEXT},
            },
            "description": "The texts and files that were not stored, each with the reason.",
        },
        "leftOut": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["identifier", "detail"],
                "properties": {"identifier": _TEXT, "detail": _TEXT},
            },
            "description": "Files inside others that gave no document.",
        },
        "warnings": {"type": "array", "items": _TEXT},
        "chunks": {**_COUNT, "description": "Chunks of the documents that were stored."},
        "revision": {**_COUNT, "description": "The revision that shows the change."},
        "removedEdges": LOST_EDGES,
    },
}
CHANGED: Final[Schema] = {
    "type": "object",
    "required": ["revision"],
    "properties": {"chunks": _COUNT, "revision": _COUNT, "removedEdges": LOST_EDGES},
}
DOCUMENT: Final[Schema] = {
    "type": "object",
    "required": ["id", "identifier", "mediaType", "contentHash", "metadata", "chunks"],
    "properties": {
        "id": {"type": "string", "format": "iri"},
        "identifier": _TEXT,
        "name": _TEXT,
        "url": _TEXT,
        "mediaType": _TEXT,
        "language": _TEXT,
        "contentHash": {
            **_TEXT,
            "description": "SHA-256 over what the document was made of: its content, and the metadata "
            "sent or read with it. PATCH does not change it; the ETag does change.",
        },
        "metadata": {"type": "object", "description": "Values by key; of several values, a list."},
        "patched": {
            "type": "array",
            "items": _TEXT,
            "description": "The keys of metadata that PATCH has set or removed; missing if there are none.",
        },
        "chunks": {**_COUNT, "description": "The number of its chunks; /v1/chunks?documents= lists them."},
        "file": {
            "type": "object",
            "required": ["root", "path"],
            "properties": {"root": _TEXT, "path": _TEXT},
            "description": "The file that it came from; missing where a program added the document.",
        },
    },
}
_OMITTED: Final[Schema] = {
    "type": "object",
    "properties": {name: _COUNT for name in ("documents", "failed", "leftOut", "warnings")},
    "description": "How many entries a list lacks, where it had more than the setting max_report_entries.",
}
RELINKED: Final[Schema] = {
    "type": "object",
    "required": ["edges", "revision"],
    "properties": {
        "edges": {"type": "object", "additionalProperties": _COUNT, "description": "Edges by their kind."},
        "revision": _COUNT,
    },
}
"""The report of a relink."""
_FINDINGS: Final[Schema] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["check", "where", "meaning", "remedy"],
        "properties": {name: _TEXT for name in ("check", "where", "meaning", "remedy")},
    },
}
CHECKED: Final[Schema] = {
    "type": "object",
    "required": ["clean", "revision", "findings", "more", "repaired"],
    "properties": {
        "clean": {"type": "boolean", "description": "Whether no fault was found."},
        "revision": _COUNT,
        "findings": _FINDINGS,
        "more": {**_COUNT, "description": "Further faults of the same kinds."},
        "repaired": _FINDINGS,
    },
}
"""The report of a check of the graph."""
JOB: Final[Schema] = {
    "type": "object",
    "required": ["id", "state", "created"],
    "properties": {
        "id": _TEXT,
        "state": {
            "type": "string",
            "enum": ["queued", "running", "done", "failed", "cancelled", "interrupted"],
        },
        "created": {"type": "string", "format": "date-time"},
        "ended": {"type": "string", "format": "date-time"},
        "progress": {
            "type": "object",
            "required": ["step", "done", "total"],
            "properties": {"step": _TEXT, "done": _COUNT, "total": _COUNT},
            "description": "The step (reading, encoding), the part of it that is done, and the whole.",
        },
        "report": {
            "anyOf": [
                {**STORED, "properties": {**STORED["properties"], "omitted": _OMITTED}},
                RELINKED,
                CHECKED,
            ],
            "description": "What was done, as a request that waits gets it; long lists are cut.",
        },
        "problem": {**PROBLEM, "description": "The reason why it failed."},
    },
}
SUPPORTED_TYPES: Final[Schema] = {
    "type": "object",
    "required": ["types"],
    "properties": {
        "types": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["mediaType", "suffixes", "reader"],
                "properties": {
                    "mediaType": _TEXT,
                    "suffixes": {"type": "array", "items": _TEXT},
                    "reader": {**_TEXT, "description": "The name of the format."},
                },
            },
        },
        "maxBytes": {**_COUNT, "description": "Largest file, the setting max_file_bytes."},
    },
}


JOBS: Final[Schema] = {
    "type": "object",
    "required": ["jobs"],
    "properties": {
        "jobs": {"type": "array", "items": JOB},
        "nextCursor": {**_TEXT, "description": "The cursor of the next page; missing on the last one."},
    },
}


def _said(schema: Schema, description: str) -> dict[str, Any]:
    return {**schema, "description": description}
