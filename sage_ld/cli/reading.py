"""Commands that read a graph: search, show, stats, sparql."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sage_ld.channels import CHANNEL_NAMES
from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.outputs import print_json
from sage_ld.cli.terminal import harmless
from sage_ld.errors import InputError
from sage_ld.model import ChunkKind, Filter, Mode
from sage_ld.recipes import Ranking


class AnswerFormat(StrEnum):
    """How `search` prints an answer."""

    TABLE = "table"
    JSONLD = "jsonld"
    JSON = "json"
    TURTLE = "turtle"


@app.command()
def search(
    graph: GRAPH,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    k: Annotated[int, typer.Option("-k", help="Number of seeds, the chunks found by their own text.")] = 5,
    neighbours: Annotated[
        int, typer.Option(help="Number of neighbours that the graph adds to the seeds.")
    ] = 5,
    mode: Annotated[
        Mode, typer.Option(help="sage follows the graph from the seeds; the others search without it.")
    ] = Mode.SAGE,
    channels: Annotated[
        str | None, typer.Option(help=f"Edges to follow, with commas: {', '.join(CHANNEL_NAMES)}.")
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(help="A type of relation to follow, such as part_of; may be repeated. Else all."),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DAY", help="Follow only relations valid on this day, such as 2026-11-23."),
    ] = None,
    recipe: Annotated[
        str | None, typer.Option(help="A preset or a recipe file to use instead of the graph's recipe.")
    ] = None,
    hops: Annotated[
        int | None,
        typer.Option(help="Most edges between a seed and a result, 1 to 10; by default the recipe's."),
    ] = None,
    ranking: Annotated[
        Ranking | None,
        typer.Option(help="How seeds and neighbours become one list; by default the recipe's way."),
    ] = None,
    offset: Annotated[int, typer.Option(help="Number of results to skip, for the next page.")] = 0,
    window: Annotated[
        int, typer.Option(help="Number of chunks before and after each result to show with it.")
    ] = 0,
    deduplicate: Annotated[
        bool | None,
        typer.Option(help="Let the next candidates take the places of results that repeat one before them."),
    ] = None,
    decompose: Annotated[
        bool | None,
        typer.Option(help="Ask a question that compares two things, or asks twice, part by part."),
    ] = None,
    document: Annotated[
        list[str] | None, typer.Option(help="Only chunks of this document; may be repeated.")
    ] = None,
    kind: Annotated[
        list[ChunkKind] | None, typer.Option(help="Only chunks of this kind; may be repeated.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only chunks in this language; may be repeated.")
    ] = None,
    question_language: Annotated[
        str | None, typer.Option(help="The language that the question is in, such as de; else detected.")
    ] = None,
    keyword: Annotated[
        list[str] | None, typer.Option(help="Only chunks with this keyword; may be repeated.")
    ] = None,
    since: Annotated[str, typer.Option(help="Only chunks dated in or after this year, month or day.")] = "",
    until: Annotated[str, typer.Option(help="Only chunks dated in or before this year, month or day.")] = "",
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="Only chunks that meet this condition on a key of metadata, as in team=red or year>=2020, "
            "or on a property path; may be repeated."
        ),
    ] = None,
    form: Annotated[
        AnswerFormat, typer.Option("--format", help="table, jsonld, json or turtle.")
    ] = AnswerFormat.TABLE,
) -> None:
    """Answer a question with chunks, each with the path to it.

    Example: sage-ld search films "Who composed the film that won the Golden Heron in 1987?" --kind text
    """
    from sage_ld.cli.answer_output import print_answer
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.recipes import adjusted, load_recipe
    from sage_ld.retrieval import Retriever

    chosen = None if channels is None else tuple(each.strip() for each in channels.split(",") if each.strip())
    documents, kinds, languages, keywords, conditions = (
        tuple(each or ()) for each in (document, kind, language, keyword, where)
    )
    only = Filter(documents, kinds, languages, keywords, since, until, conditions)
    used = None if recipe is None else load_recipe(recipe)
    knowledge = KnowledgeGraph.open(graph)
    retrieval = (used or knowledge.recipe).retrieval
    options = {"deduplicate": deduplicate, "decompose": decompose}
    changes = {"hops": hops, "ranking": ranking, **options}
    changed = {name: value for name, value in changes.items() if value is not None}
    retriever = Retriever(knowledge, adjusted(retrieval, changed))
    answer = retriever.retrieve(
        question,
        k,
        neighbours,
        mode=mode,
        channels=chosen,
        offset=offset,
        only=only,
        relations=relation,
        as_of=as_of,
        question_language=question_language,
        window=window,
    )
    print_answer(answer if used is None else replace(answer, recipe=used.name), form)


@app.command()
def show(
    graph: GRAPH,
    iri: Annotated[str, typer.Argument(metavar="IRI", help="A resource, or a document's identifier.")],
) -> None:
    """Print what the graph says about a resource, and what points to it.

    Example: sage-ld show films people/tobias-wren.md
    """
    from rich.console import Console
    from rich.text import Text

    from sage_ld.graph import KnowledgeGraph
    from sage_ld.store.describing import describe

    knowledge = KnowledgeGraph.open(graph)
    description = describe(knowledge.snapshot().store, iri, knowledge.iris)
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(description.iri, style="bold"))
    for title, rows in (("says", description.outgoing), ("named by", description.incoming)):
        for first, second in rows:
            console.print(Text.assemble((f"  {title} ", "dim"), harmless(first), "  ", harmless(second)))


class PictureFormat(StrEnum):
    """How `graph` prints a neighbourhood."""

    JSON = "json"
    DOT = "dot"
    GRAPHML = "graphml"


@app.command("graph")
def neighbourhood(
    graph: GRAPH,
    iri: Annotated[str, typer.Argument(metavar="IRI", help="A resource, or a document's identifier.")],
    hops: Annotated[int, typer.Option(help="Most edges between the resource and a node.")] = 1,
    kinds: Annotated[
        str | None, typer.Option(help="Only edges of these kinds, with commas, such as link,mention.")
    ] = None,
    nodes: Annotated[int, typer.Option(help="Most nodes.")] = 100,
    fan_out: Annotated[int, typer.Option(help="Most edges to follow from a node, the strongest.")] = 25,
    form: Annotated[
        PictureFormat, typer.Option("--format", help="json, dot (for Graphviz) or graphml.")
    ] = PictureFormat.JSON,
) -> None:
    """Print the nodes and edges around a resource, to draw them.

    Example: sage-ld graph films people/tobias-wren.md --hops 2 --format dot
    """
    from sage_ld.exports.neighbourhoods import FORMATS
    from sage_ld.graph import KnowledgeGraph

    chosen = None if kinds is None else [each.strip() for each in kinds.split(",") if each.strip()]
    knowledge = KnowledgeGraph.open(graph)
    found = knowledge.neighbourhood(iri, hops=hops, kinds=chosen, nodes=nodes, fan_out=fan_out)
    sys.stdout.write(FORMATS[form](found))


@app.command()
def stats(
    graph: GRAPH, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
) -> None:
    """Count documents, chunks, entities, edges and quads.

    Example: sage-ld stats films --json
    """
    from rich.console import Console
    from rich.table import Table

    from sage_ld.graph import KnowledgeGraph
    from sage_ld.store.statistics import summary

    counts = summary(KnowledgeGraph.open(graph).snapshot().stores)
    if as_json:
        print_json(counts)
        return
    table = Table(show_header=False)
    for name, value in counts.items():
        if isinstance(value, dict):
            for kind, count in value.items():
                table.add_row(f"{name}: {kind}", f"{count:,}")
        else:
            table.add_row(name, f"{value:,}")
    Console().print(table)


@app.command()
def sparql(
    graph: GRAPH,
    query: Annotated[
        str,
        typer.Argument(
            metavar="QUERY|@FILE", help="A read-only query, or @ and the name of a file with one."
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", help="json, xml, csv, tsv for tables; turtle, ntriples, jsonld, rdfxml for graphs."
        ),
    ] = None,
) -> None:
    """Run a SPARQL query over the merge of all graphs, or of those after FROM.

    Example: sage-ld sparql films "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }" --format csv
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.store.local_queries import answer
    from sage_ld.store.query_graphs import names_graph

    text = _read_query(query)
    knowledge = KnowledgeGraph.open(graph)
    most, stores = knowledge.settings.max_merged_statements, knowledge.snapshot().stores
    with ExitStack() as stack:
        if names_graph(text, knowledge.iris.retrievals_graph):
            from sage_ld.sparql.retrievals import with_retrievals

            stores = stack.enter_context(with_retrievals(stores, knowledge.retrievals))
        sys.stdout.buffer.write(answer(stores, text, most, form))
    sys.stdout.buffer.flush()


def _read_query(query: str) -> str:
    if not query.startswith("@"):
        return query
    file = Path(query[1:])
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{file}: cannot be read ({error.strerror}); name a text file with a query"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 ({error.reason}); convert it") from None
