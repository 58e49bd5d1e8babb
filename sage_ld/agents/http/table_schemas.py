"""JSON Schemas of the requests and answers of `/v1/tables`."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from sage_ld.foundation.records import Count, Iri, one_of, said
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import SETTING, limit_schema

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


class ColumnJson(TypedDict):
    """A column of a table."""

    name: Annotated[str, said("The name in SQL.")]
    title: Annotated[str, said("The name in the document.")]
    type: Annotated[str, said("A type of DuckDB.")]
    examples: Annotated[list[str], said("Some of its values.")]


class TableJson(TypedDict):
    """A table or a kind of records, as SQL sees it."""

    name: Annotated[str, said("The name in SQL.")]
    source: Annotated[str, said("Its document's identifier, or the path of its file.")]
    kind: Annotated[str, one_of(["table", "records"])]
    documents: Annotated[list[Iri], said("The IRI of its document; of records from many, that of the first.")]
    rows: Count
    columns: Annotated[
        list[ColumnJson],
        said("Empty for a table with more cells than the setting max_table_cells."),
    ]


class TablesJson(TypedDict):
    """A part of the list of tables."""

    revision: Count
    total: Annotated[Count, said("The number of tables in the graph.")]
    tables: list[TableJson]


class AnsweredColumnJson(TypedDict):
    """A column of an answer."""

    name: str
    type: str


class NamedTableJson(TypedDict):
    """A table that a statement names."""

    name: str
    source: str


class RowsJson(TypedDict):
    """The rows of an answer, with what they come from."""

    columns: list[AnsweredColumnJson]
    rows: list[list[Any]]
    chunks: Annotated[list[list[Iri]], said("The chunks in the column `_chunk` of each row.")]
    complete: Annotated[bool, said("Whether these are all rows.")]
    tables: Annotated[list[NamedTableJson], said("The tables that the statement names.")]


class TableAnswerJson(RowsJson):
    """The answer to an SQL statement."""

    revision: Count
    sql: str
