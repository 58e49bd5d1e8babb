"""The command outline: the sections of a document, with their scores for a question."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.search_options import SearchOptions, asks
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless


@app.command()
@asks(only=("question_language",))
def outline(
    graph: GRAPH,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="The document's identifier or IRI, as results show it.")
    ],
    search: SearchOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """Show the sections of a document as a tree, each with its score for a question.

    Example: sage-ld outline films films/the-ninth-ferry.md "Who composed the music of The Ninth Ferry?"
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    retriever, _ = search.retriever(graph)
    nodes = retriever.outline(document, search.question)
    if as_json:
        print_json([asdict(each) for each in nodes])
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("section")
    for name in ("chunks", "keywords", "heading", "own", "score"):
        table.add_column(name, justify="right")
    for each in nodes:
        scores = (each.keyword, each.heading, each.own, each.score)
        section = Text("  " * each.depth + harmless(each.name))
        table.add_row(section, str(each.chunks), *(f"{score:.3f}" for score in scores))
    Console().print(table)
