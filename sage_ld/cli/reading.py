"""Commands that read a graph: search, explain, show, stats, sparql."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.search_options import AnswerFormat, SearchOptions, asks
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.foundation.settings import Settings
    from sage_ld.graph.store.stores import Stores
    from sage_ld.graph.views.drift import Drift


@app.command("search")
@asks()
def print_results(
    graph: GRAPH,
    search: SearchOptions,
    form: Annotated[
        AnswerFormat, typer.Option("--format", help="table, jsonld, json or turtle.")
    ] = AnswerFormat.TABLE,
) -> None:
    """Answer a question with chunks, each with the path to it.

    Example: sage-ld search films "Who composed the film that won the Golden Heron in 1987?" --kind text
    """
    from sage_ld.cli.answer_output import print_answer

    retriever, name = search.retriever(graph)
    snapshot = retriever.graph.snapshot()
    answer = retriever.retrieve(search.question, at=snapshot)
    print_answer(answer if name is None else replace(answer, recipe=name), form, snapshot)


@app.command()
@asks(without=("window", "view"))
def explain(
    graph: GRAPH,
    search: SearchOptions,
    chunk: Annotated[
        str, typer.Argument(metavar="CHUNK", help="The IRI of a chunk, or the part of it after chunk/.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say why a chunk is, or is not, in the answer that search gives with the same options.

    Example: sage-ld explain films "Who composed the music?" 4bf275641a242d9675f3c389 -k 3
    """
    from sage_ld.cli.answer_output import print_explanation
    from sage_ld.retrieval.answers.plain import plain_explanation

    retriever, _ = search.retriever(graph)
    explained = retriever.explain(search.question, chunk)
    if as_json:
        print_json(plain_explanation(explained))
    else:
        print_explanation(explained, retriever.graph.snapshot())


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
    from sage_ld.graph.store.stored_documents import describe

    knowledge = KnowledgeGraph.open(graph)
    description = describe(knowledge.snapshot().store, iri, knowledge.iris)
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(description.iri, style="bold"))
    for title, rows in (("says", description.outgoing), ("named by", description.incoming)):
        for first, second in rows:
            console.print(Text.assemble((f"  {title} ", "dim"), harmless(first), "  ", harmless(second)))


class PictureFormat(StrEnum):
    """The formats in which `graph` prints a neighbourhood."""

    JSON = "json"
    DOT = "dot"
    GRAPHML = "graphml"


@app.command("graph")
def neighbourhood(
    graph: GRAPH,
    iri: Annotated[str, typer.Argument(metavar="IRI", help="A resource, or a document's identifier.")],
    hops: Annotated[int, typer.Option(help="Maximum number of edges between the resource and a node.")] = 1,
    kinds: Annotated[
        str | None, typer.Option(help="Only edges of these kinds, with commas, such as link,mention.")
    ] = None,
    nodes: Annotated[int, typer.Option(help="Maximum number of nodes.")] = 100,
    fan_out: Annotated[
        int, typer.Option(help="Maximum number of edges to follow from a node, the strongest first.")
    ] = 25,
    form: Annotated[
        PictureFormat, typer.Option("--format", help="json, dot (for Graphviz) or graphml.")
    ] = PictureFormat.JSON,
) -> None:
    """Print the nodes and edges around a resource, to draw them.

    Example: sage-ld graph films people/tobias-wren.md --hops 2 --format dot
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.exports.neighbourhoods import FORMATS

    chosen = None if kinds is None else [each.strip() for each in kinds.split(",") if each.strip()]
    knowledge = KnowledgeGraph.open(graph)
    nearby = knowledge.neighbourhood(iri, hops=hops, kinds=chosen, nodes=nodes, fan_out=fan_out)
    sys.stdout.write(FORMATS[form](nearby))


@app.command()
def stats(
    graph: GRAPH, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
) -> None:
    """Count documents, chunks, entities, edges and quads, and measure the drift since the last relink.

    Example: sage-ld stats films --json
    """
    from rich.console import Console
    from rich.table import Table

    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.store.statistics import summary

    knowledge = KnowledgeGraph.open(graph)
    counts, drift = summary(knowledge.snapshot().stores), knowledge.drift()
    if as_json:
        print_json({**counts, "drift": drift and asdict(drift)})
        return
    table = Table(show_header=False)
    for name, value in counts.items():
        if isinstance(value, dict):
            for kind, count in value.items():
                table.add_row(f"{name}: {kind}", f"{count:,}")
        else:
            table.add_row(name, f"{value:,}")
    for row in _drift_rows(drift):
        table.add_row(*row)
    Console().print(table)


def _drift_rows(drift: Drift | None) -> Iterator[tuple[str, str]]:
    """The drift of a graph as names and texts."""
    if drift is None:
        yield "drift", "unknown until the next relink"
        return
    yield "drift: a relink would change", f"{drift.changed:.1%} of the similarity edges (estimated)"
    yield "drift: chunks at the last relink", f"{drift.built_chunks:,}"
    for each in drift.thresholds:
        moved = f"threshold {each.value:.3f}, now {each.now:.3f}; distance {each.distance:.2f}"
        yield f"drift: {each.kind}, {each.signal}", moved


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
    from sage_ld.graph.store.query_graphs import names_graph
    from sage_ld.graph.store.stores import answer

    text = text_or_file(query)
    knowledge = KnowledgeGraph.open(graph)
    most, stores = knowledge.settings.max_merged_statements, knowledge.snapshot().stores
    with ExitStack() as stack:
        if names_graph(text, knowledge.iris.retrievals_graph):
            from sage_ld.service.workers.retrievals import with_retrievals

            stores = stack.enter_context(with_retrievals(stores, knowledge.retrievals))
        if "service" in text.lower():
            text = _federated(text, stores, knowledge.settings)
        sys.stdout.buffer.write(answer(stores, text, most, form))
    sys.stdout.buffer.flush()


def _federated(text: str, stores: Stores, settings: Settings) -> str:
    """The query without SERVICE, whose endpoints are asked if the setting `service_endpoints` lists them."""
    from sage_ld.foundation.processes.failures import query_syntax_error
    from sage_ld.service.workers.federation import federated, solutions
    from sage_ld.service.workers.outbound_calls import IN_QUERIES, parse_query, refuse_calls

    def ask(query: str) -> list[Any]:
        return solutions(stores.query(query, most=settings.max_merged_statements))[1]

    try:
        text = federated(text, None, settings, ask, settings.sparql_timeout)
        refuse_calls(text, IN_QUERIES, lambda query: parse_query(query, None))
    except SyntaxError as error:
        raise query_syntax_error(error) from None
    return text


def text_or_file(query: str) -> str:
    """A query or an update as it is given; after @, the content of a file. Raises InputError."""
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
