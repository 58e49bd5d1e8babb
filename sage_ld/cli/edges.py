"""Commands of the edges that users state: add, list, remove, types, extend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.foundation.relation_types import RelationTypes
    from sage_ld.graph.store.curated_edges import CuratedEdge

edges = typer.Typer(
    help="State typed edges between documents, chunks, entities and resources.", no_args_is_help=True
)
app.add_typer(edges, name="edges")
AS_JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_SOURCE = Annotated[str | None, typer.Option(help="Only edges from this document or resource.")]
_RELATION = Annotated[str | None, typer.Option(help="Only edges of this type, such as part_of.")]
_TARGET = Annotated[str | None, typer.Option(help="Only edges to this document or resource.")]
_DAY = "DAY"
_END = "The identifier of a document, or the IRI of a document, chunk, entity or other resource."


@edges.command()
def add(
    graph: GRAPH,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help=_END)],
    relation: Annotated[str, typer.Argument(metavar="TYPE", help="A type of relation, such as part_of.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help=_END)],
    weight: Annotated[float, typer.Option(help="Weight of the edge, in 0..1.")] = 1.0,
    valid_from: Annotated[
        str | None, typer.Option(metavar=_DAY, help="The first day on which it holds, as 2026-11-23.")
    ] = None,
    valid_through: Annotated[
        str | None, typer.Option(metavar=_DAY, help="The last day on which it holds.")
    ] = None,
    comment: Annotated[str, typer.Option(help="A comment.")] = "",
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Metadata of the edge; may be repeated.")
    ] = None,
) -> None:
    """State that one thing has a relation to another; searches follow it.

    Example: sage-ld edges add films people/tobias-wren.md related_to films/night-bus-to-hask.md --weight 0.8
    """
    from sage_ld.cli.metadata import stated_metadata
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    edge = knowledge.edges.add(
        source,
        relation,
        target,
        weight=weight,
        valid_from=valid_from,
        valid_through=valid_through,
        comment=comment,
        metadata=stated_metadata(meta or ()),
    )
    typer.echo(_line(knowledge.edges.types(), edge))


@edges.command(name="list")
def list_edges(
    graph: GRAPH,
    source: _SOURCE = None,
    relation: _RELATION = None,
    target: _TARGET = None,
    as_json: AS_JSON = False,
) -> None:
    """List the edges, all or some: identifier, weight, source, type, target, days.

    Example: sage-ld edges list films --relation related_to
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.exports.curated_edges import edge_json

    knowledge = KnowledgeGraph.open(graph)
    matches = knowledge.edges.find(source=source, relation=relation, target=target)
    if as_json:
        types, terms = knowledge.edges.types(), knowledge.directory.metadata_terms()
        print_json([edge_json(each, types, terms, knowledge.iris.base) for each in matches])
        return
    table = knowledge.edges.types()
    for each in matches:
        typer.echo(_line(table, each))


@edges.command()
def remove(
    graph: GRAPH,
    identifiers: Annotated[
        list[str] | None, typer.Argument(metavar="EDGE...", help="Identifiers or IRIs of edges.")
    ] = None,
    source: _SOURCE = None,
    relation: _RELATION = None,
    target: _TARGET = None,
) -> None:
    """Remove edges, by their identifiers or by what they join.

    Example: sage-ld edges remove films --source people/tobias-wren.md --relation related_to
    """
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    names = list(identifiers or ())
    if any((source, relation, target)):
        matches = knowledge.edges.find(source=source, relation=relation, target=target)
        names += [each.iri for each in matches]
    elif not names:
        raise InputError("no edges are named; give identifiers, or --source, --relation or --target")
    typer.echo(f"removed {knowledge.edges.remove(names) if names else 0}")


@edges.command()
def types(graph: GRAPH, as_json: AS_JSON = False) -> None:
    """List the types of relation with their weights and inverses.

    Example: sage-ld edges types films
    """
    from dataclasses import asdict

    from sage_ld.graph import KnowledgeGraph

    table = KnowledgeGraph.open(graph).edges.types()
    ordered = sorted(table.types.values(), key=lambda each: (-each.weight, each.name))
    if as_json:
        print_json([asdict(each) for each in ordered])
        return
    for each in ordered:
        inverse = "" if each.inverse is None else f"inverse: {table.of(each.inverse).name}"
        typer.echo(harmless(f"{each.weight:.2f}  {each.name:<20} {inverse}".rstrip()))


@edges.command()
def extend(
    graph: GRAPH,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Turtle file with types of relation.")],
) -> None:
    """Add types of relation to the graph's table, in place of those added before.

    Example: sage-ld edges extend films examples/relation-types.ttl
    """
    from sage_ld.graph import KnowledgeGraph

    typer.echo(f"the table has {KnowledgeGraph.open(graph).edges.extend_types(file)} types")


def _line(table: RelationTypes, edge: CuratedEdge) -> str:
    """One edge in a line."""
    name = table.of(edge.relation_type).name
    days = ""
    if edge.valid_from or edge.valid_through:
        days = f"  {edge.valid_from or '…'} to {edge.valid_through or '…'}"
    return harmless(f"{edge.identifier}  {edge.weight:.2f}  {edge.source}  {name}  {edge.target}{days}")
