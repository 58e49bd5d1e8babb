"""The command analyse: how hard a question is, by the part of the graph that it touches."""

from __future__ import annotations

from typing import Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.search_options import SearchOptions, asks
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless


@app.command()
@asks(only=("question_language",))
def analyse(
    graph: GRAPH,
    search: SearchOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object.")] = False,
) -> None:
    """Say how hard a question is: EASY, MEDIUM or HARD, and which features of the graph decide it.

    Example: sage-ld analyse films "Who composed the music of The Ninth Ferry?"
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from sage_ld.retrieval.answers.plain import plain_analysis
    from sage_ld.retrieval.questions.difficulty import default_model

    retriever, _ = search.retriever(graph)
    analysis = retriever.analyse(search.question)
    if as_json:
        print_json(plain_analysis(analysis))
        return
    console = Console()
    names = ", ".join(f"{harmless(each.label)} ({each.chunks:,})" for each in analysis.nodes)
    console.print(f"names: {escape(names) or 'nothing'}", highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("dimension")
    table.add_column("feature")
    for name in ("value", "points"):
        table.add_column(name, justify="right")
    for name, each in default_model().dimensions.items():
        value = analysis.features[each.feature]
        table.add_row(name, each.feature, f"{value:g}", str(analysis.points[name]))
    console.print(table)
    console.print(f"{analysis.difficulty}: {analysis.total} of 10 points", highlight=False)
