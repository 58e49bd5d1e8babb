"""JSON Schemas of the requests and answers of `/v1/tables`."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.service.api import schemas
from sage_ld.service.api.paging import limit_schema
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]


def list_schema(settings: Settings) -> Schema:
    """The parameters of the list of tables."""
    return schemas.closed(
        [],
        {
            "matching": {
                "type": "string",
                "maxLength": settings.max_filter_length,
                SETTING: "max_filter_length",
                "description": "Only tables whose name or document contains this text, in any case.",
                "examples": ["films"],
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "maximum": 2**31 - 1,
                "default": 0,
                "description": "The number of tables to skip.",
            },
            "limit": limit_schema(settings, "Most tables.", default=20),
        },
    )


def query_schema(settings: Settings) -> Schema:
    """The parameters of an SQL statement."""
    return schemas.closed(
        ["sql"],
        {
            "sql": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_query_bytes,
                SETTING: "max_query_bytes",
                "description": "One SELECT statement of DuckDB's SQL over the tables of the list.",
            },
            "limit": limit_schema(
                settings,
                "Most rows of the answer.",
                name="max_table_rows",
                default=settings.max_table_rows,
            ),
        },
    )


_TEXT: Final[Schema] = {"type": "string"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_IRIS: Final[Schema] = {"type": "array", "items": {**_TEXT, "format": "iri"}}
_COLUMN: Final[Schema] = {
    "type": "object",
    "required": ["name", "title", "type", "examples"],
    "properties": {
        "name": {**_TEXT, "description": "The name in SQL."},
        "title": {**_TEXT, "description": "The name in the document."},
        "type": {**_TEXT, "description": "A type of DuckDB."},
        "examples": {"type": "array", "items": _TEXT, "description": "Some of its values."},
    },
}
_TABLE: Final[Schema] = {
    "type": "object",
    "required": ["name", "source", "kind", "documents", "rows", "columns"],
    "properties": {
        "name": {**_TEXT, "description": "The name in SQL."},
        "source": {**_TEXT, "description": "Its document's identifier, or the path of its file."},
        "kind": {**_TEXT, "enum": ["table", "records"]},
        "documents": {
            **_IRIS,
            "description": "The IRI of its document; of records from many, that of the first.",
        },
        "rows": _COUNT,
        "columns": {
            "type": "array",
            "items": _COLUMN,
            "description": "Empty for a table with more cells than the setting max_table_cells.",
        },
    },
}
TABLES: Final[Schema] = {
    "type": "object",
    "required": ["revision", "total", "tables"],
    "properties": {
        "revision": _COUNT,
        "total": {**_COUNT, "description": "The number of tables in the graph."},
        "tables": {"type": "array", "items": _TABLE},
    },
}
TABLE_ANSWER: Final[Schema] = {
    "type": "object",
    "required": ["revision", "sql", "columns", "rows", "chunks", "complete", "tables"],
    "properties": {
        "revision": _COUNT,
        "sql": _TEXT,
        "columns": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "type"],
                "properties": {"name": _TEXT, "type": _TEXT},
            },
        },
        "rows": {"type": "array", "items": {"type": "array"}},
        "chunks": {
            "type": "array",
            "items": _IRIS,
            "description": "The chunks in the column `_chunk` of each row.",
        },
        "complete": {"type": "boolean", "description": "Whether these are all rows."},
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "source"],
                "properties": {"name": _TEXT, "source": _TEXT},
            },
            "description": "The tables that the statement names.",
        },
    },
}
