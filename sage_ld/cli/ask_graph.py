"""The command ask-graph: a question answered by a query over the graph's statements or tables."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.agents.text_to_sparql import GraphAnswer
    from sage_ld.graph import Snapshot


class QuestionWay(StrEnum):
    """The author of the query."""

    AUTO = "auto"
    GRAMMAR = "grammar"
    MODEL = "model"


class RowFormat(StrEnum):
    """The formats in which `ask-graph` prints an answer."""

    TABLE = "table"
    JSON = "json"


@app.command("ask-graph")
def ask_graph(
    graph: GRAPH,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="A question in English.")],
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows.")] = 100,
    way: Annotated[
        QuestionWay,
        typer.Option(
            help="Author of the query: grammar, model, or auto (the model where the grammar is not sure)."
        ),
    ] = QuestionWay.AUTO,
    form: Annotated[RowFormat, typer.Option("--format", help="table or json.")] = RowFormat.TABLE,
) -> None:
    """Answer a question by a query (SPARQL, or SQL over tables), and say how sure it is.

    Example: sage-ld ask-graph films "What are the admissions of The Ninth Ferry?"
    """
    from dataclasses import replace

    from sage_ld.agents.tables import TableWorkers
    from sage_ld.agents.text_to_sparql import GraphQuestions
    from sage_ld.agents.text_to_sparql.formats import graph_answer_json
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    snapshot = knowledge.snapshot()
    workers = TableWorkers(replace(knowledge.settings, table_workers=1))
    with workers, GraphQuestions(knowledge, tables=workers) as questions:
        answer = questions.ask(question, limit, way=way, at=snapshot)
    if form == RowFormat.JSON:
        print_json(graph_answer_json(answer))
    else:
        _print(answer, snapshot)


def _print(answer: GraphAnswer, snapshot: Snapshot) -> None:
    from sage_ld.cli.answer_output import print_answer
    from sage_ld.cli.search_options import AnswerFormat

    if answer.rows:
        _print_rows(answer)
    if not answer.is_complete:
        typer.echo(f"the first {len(answer.rows):,} rows, as --limit says")
    if answer.query is not None:
        typer.echo("")
        typer.echo(harmless(answer.query))
        typer.echo("")
    typer.echo(_standing(answer))
    for each in answer.attempts:
        typer.echo(harmless(f"tried: {each.query or 'the model'}: {each.error or 'found nothing'}"))
    named = ", ".join(filter(None, (each.identifier or each.graph or "" for each in answer.sources)))
    if named:
        typer.echo(harmless(f"from: {named}"))
    elif answer.rows:
        typer.echo("from: not known, since the rows name no resource")
    if answer.fallback is not None:
        typer.echo("chunks that a search finds:")
        print_answer(answer.fallback, AnswerFormat.TABLE, snapshot)


def _standing(answer: GraphAnswer) -> str:
    """The confidence of an answer, in words."""
    line = f"{'sure' if answer.is_sure else 'not sure'} ({answer.confidence:.2f}), by {answer.way}"
    if answer.bindings:
        named = "; ".join(f"{each.words} = {each.kind} {each.name}" for each in answer.bindings)
        line += f"\ntaken for: {named}"
    if answer.unused:
        line += f"\nnot used: {', '.join(answer.unused)}"
    for each in answer.missing:
        nearest = f"; nearest: {', '.join(each.nearest)}" if each.nearest else ""
        line += f"\nnot in the graph: {each.words}{nearest}"
    return harmless(line)


def _print_rows(answer: GraphAnswer) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in answer.columns:
        table.add_column(Text(harmless(name)))
    for row in answer.rows:
        table.add_row(*(Text(harmless("" if cell.value is None else str(cell.value))) for cell in row))
    Console(soft_wrap=True).print(table)
