"""Tools that compute over tables: list_tables says what there is, query_tables runs SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sage_ld.agents.http import table_schemas
from sage_ld.agents.tables import ListedTable, TableAnswer, catalogue, list_tables
from sage_ld.agents.tools.quoting import excerpt, quoted, quoted_schema
from sage_ld.agents.tools.suggestions import suggestion
from sage_ld.agents.tools.tool import (
    COUNT,
    FLAG,
    TEXT,
    Arguments,
    Result,
    Schema,
    Tool,
    ToolContext,
    listed,
    record,
)
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import SETTING

_CHUNKS: Final = 20


# --- list_tables --------------------------------------------------------------------------------------


def _list_arguments(settings: Settings) -> Schema:
    given, most = table_schemas.list_schema(settings)["properties"], settings.max_tool_results
    limit = {
        **given["limit"],
        "maximum": most,
        SETTING: "max_tool_results",
        "default": min(5, most),
    }
    return schemas.closed([], {**given, "limit": limit})


def _list_tables(context: ToolContext, arguments: Arguments) -> Result:
    settings = context.settings
    with context.revision() as snapshot:
        with context.searching() as check:
            found = list_tables(snapshot, **arguments, most_cells=settings.max_table_cells, check=check)
        number, total = snapshot.number, len(catalogue(snapshot))
    return {
        "revision": number,
        "total": total,
        "tables": [_described(each, settings) for each in found],
        "next": [
            suggestion("query_tables", "see some rows", sql=f"SELECT * FROM {each.table.name} LIMIT 5")
            for each in found[:1]
        ],
    }


def _described(each: ListedTable, settings: Settings) -> dict[str, Any]:
    most = settings.max_tool_rows
    columns = [
        {
            "name": column.name,
            "title": column.title,
            "type": column.type,
            "examples": list(column.examples[:1]),
        }
        for column in each.columns[:most]
    ]
    table = each.table
    return {
        "rows": table.rows,
        "documents": [document.iri for document in table.documents[:1]],
        "complete": len(each.columns) <= most,
        **quoted(name=table.name, source=table.source, columns=columns),
    }


LIST_TABLES: Final = Tool(
    name="list_tables",
    title="Tables that SQL can ask",
    description=(
        "Lists the tables and records of the documents as SQL sees them: name, columns with types and an "
        "example, number of rows. Call it before query_tables; give matching where there are many."
    ),
    arguments=_list_arguments,
    result=record(
        revision=COUNT,
        total={**COUNT, "description": "The number of tables in the graph."},
        tables=listed(
            record(
                rows=COUNT,
                documents=listed(TEXT),
                complete={**FLAG, "description": "Whether these are all columns."},
                quoted=quoted_schema(
                    name=TEXT,
                    source=TEXT,
                    columns=listed(record(name=TEXT, title=TEXT, type=TEXT, examples=listed(TEXT))),
                ),
            )
        ),
    ),
    run=_list_tables,
    operation="tables",
)


# --- query_tables -------------------------------------------------------------------------------------


def _query_arguments(settings: Settings) -> Schema:
    return schemas.closed(["sql"], {"sql": table_schemas.query_schema(settings)["properties"]["sql"]})


def _query_tables(context: ToolContext, arguments: Arguments) -> Result:
    settings, backend = context.settings, context.backend
    with context.revision() as snapshot:
        answer = backend.tables.run(
            snapshot,
            arguments["sql"],
            max_rows=settings.max_tool_rows,
            reading=context.searching,
            gone=context.gone,
            client=backend.client,
        )
        number = snapshot.number
    chunks = list(dict.fromkeys(iri for row in answer.chunks for iri in row))
    hint = suggestion("list_tables", "see which tables and columns there are: nothing was found")
    return {
        "revision": number,
        "rows": len(answer.rows),
        "complete": answer.complete,
        "chunks": chunks[:_CHUNKS],
        **quoted(columns=_columns(answer), rows=shown_rows(answer.rows, settings.max_quoted_text)),
        "next": [suggestion("read", "see where the first row stands", name=iri) for iri in chunks[:1]]
        if answer.rows
        else [hint],
    }


def _columns(answer: TableAnswer) -> list[Mapping[str, str]]:
    return [{"name": name, "type": kind} for name, kind in answer.columns]


def shown_rows(rows: Any, most: int) -> list[list[Any]]:
    """Rows of values of JSON, whose texts are cut to `most` characters."""
    return [[excerpt(value, most) if isinstance(value, str) else value for value in row] for row in rows]


QUERY_TABLES: Final = Tool(
    name="query_tables",
    title="Compute over tables with SQL",
    description=(
        "Runs one SELECT statement, in the SQL of DuckDB, over the tables that list_tables names. Use it for "
        "sums, averages, rankings and comparisons of numbers. Each table has a column _chunk with the IRI of "
        "the passage of each row: select it, and the answer says what it rests on. It cannot change "
        "anything or read a file."
    ),
    arguments=_query_arguments,
    result=record(
        revision=COUNT,
        rows={**COUNT, "description": "The number of rows shown; 'complete' says whether these are all."},
        complete=FLAG,
        chunks=listed(TEXT),
        quoted=quoted_schema(
            columns=listed(record(name=TEXT, type=TEXT)), rows=listed({"type": "array", "items": {}})
        ),
    ),
    run=_query_tables,
    operation="queryTables",
)

TOOLS: Final = (LIST_TABLES, QUERY_TABLES)
"""The rows of this module."""
