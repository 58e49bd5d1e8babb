"""The command tables: a graph's tables and records as tables of SQL."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.agents.tables import ListedTable, TableAnswer
    from sage_ld.graph import Snapshot

_SHOWN = 20


class TableFormat(StrEnum):
    """The formats in which `tables` prints."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@app.command()
def tables(
    graph: GRAPH,
    sql: Annotated[
        str | None, typer.Option(metavar="SELECT…", help="Run this statement and print its answer.")
    ] = None,
    matching: Annotated[
        str, typer.Option(help="List only tables whose name or document contains this text.")
    ] = "",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help=f"Most tables ({_SHOWN} unless given), or most rows of the answer."),
    ] = None,
    form: Annotated[
        TableFormat, typer.Option("--format", help="table, json, or (for an answer) csv.")
    ] = TableFormat.TABLE,
) -> None:
    """List the tables and records of a graph as SQL sees them, or run a SELECT statement over them.

    Example: sage-ld tables films --sql "SELECT studio, sum(admissions) FROM data_admissions GROUP BY studio"
    """
    from sage_ld.agents.tables import TableWorkers
    from sage_ld.agents.tables.formats import answer_csv, answer_json
    from sage_ld.foundation.errors import InputError
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    settings, snapshot = knowledge.settings, knowledge.snapshot()
    if sql is None:
        if form == TableFormat.CSV:
            raise InputError("--format csv is for the answer to --sql; list tables as table or json")
        _list(snapshot, matching, limit or _SHOWN, settings.max_table_cells, form)
        return
    with TableWorkers(replace(settings, table_workers=1)) as workers:
        answer = workers.run(snapshot, sql, max_rows=limit)
    if form == TableFormat.JSON:
        print_json(answer_json(answer))
    elif form == TableFormat.CSV:
        sys.stdout.write(answer_csv(answer))
    else:
        _print_answer(answer)
    if not answer.complete:
        limited = "--limit" if limit else "the setting max_table_rows"
        typer.echo(f"the first {len(answer.rows):,} rows, as {limited} says", err=True)


def _list(snapshot: Snapshot, matching: str, limit: int, most_cells: int, form: TableFormat) -> None:
    from sage_ld.agents.tables import catalogue, list_tables
    from sage_ld.agents.tables.formats import description_json

    listed = list_tables(snapshot, matching=matching, limit=limit, most_cells=most_cells)
    if form == TableFormat.JSON:
        print_json([description_json(each) for each in listed])
        return
    _print_tables(listed)
    if not listed or len(listed) == limit < len(catalogue(snapshot)):
        shown = f"{len(listed)} of {len(catalogue(snapshot)):,} tables"
        typer.echo(f"{shown}; --matching and --limit choose others", err=True)


def _print_tables(listed: tuple[ListedTable, ...]) -> None:
    for each in listed:
        typer.echo(harmless(f"{each.table.name}  ({each.table.rows:,} rows, {each.table.source})"))
        width = max((len(column.name) for column in each.columns), default=0)
        for column in each.columns:
            examples = ", ".join(column.examples)
            typer.echo(harmless(f"  {column.name:<{width}}  {column.type:<9}  {examples}"))
        if not each.columns:
            typer.echo("  more cells than the setting max_table_cells")


def _print_answer(answer: TableAnswer) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from sage_ld.agents.tables.formats import cell_text

    table = Table(box=None, pad_edge=False)
    for name, kind in answer.columns:
        numeric = any(word in kind for word in ("INT", "DOUBLE", "DECIMAL", "FLOAT"))
        table.add_column(Text(harmless(name)), justify="right" if numeric else "left")
    for row in answer.rows:
        table.add_row(*(Text(harmless(cell_text(value))) for value in row))
    Console().print(table)
