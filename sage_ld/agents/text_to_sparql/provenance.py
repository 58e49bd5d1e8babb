"""Provenance of the statements and rows that a query matched: graphs, documents, chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.agents.tables.stored_tables import StoredTable
from sage_ld.agents.text_to_sparql.answers import RowSource
from sage_ld.agents.text_to_sparql.plan import QueryPlan
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.user_statements import claimants

MOST_RESOURCES: Final = 20
"""Resources of an answer whose statements are looked up."""
_STATEMENTS: Final = 1_000
"""Statements that are looked up for each of them and each property."""
_CHUNKS: Final = 50


def rdf_sources(
    snapshot: Snapshot, plan: QueryPlan | None, resources: Sequence[str]
) -> tuple[RowSource, ...]:
    """The graphs that state what a plan matched of the resources in its answer, and of those it names.

    Without a plan, those that state anything of the resources.
    """
    iris = Iris(snapshot.configuration.base_iri)
    graphs = dict.fromkeys(graph for graph in _graphs(snapshot, plan, resources))
    by_graph = {}
    for graph in graphs:
        if graph.startswith(iris.base + "graph/document/"):
            by_graph[graph] = iris.base + "document/" + graph.rsplit("/", 1)[-1]
    known = (
        {each.iri: each for each in reading.documents(snapshot.store, list(by_graph.values()))}
        if by_graph
        else {}
    )
    sources = []
    for graph in sorted(graphs):
        document = known.get(by_graph.get(graph, ""))
        if document is not None:
            sources.append(RowSource(graph, document.iri, document.identifier))
        elif not graph.startswith(iris.base):
            sources.append(RowSource(graph))
    return tuple(sources)


def _graphs(snapshot: Snapshot, plan: QueryPlan | None, resources: Sequence[str]) -> Iterator[str]:
    """The named graphs of the statements of some resources with the properties of a plan, either way."""
    store = snapshot.stores.named
    wanted = [NamedNode(each) for each in dict.fromkeys(resources)][:MOST_RESOURCES]
    properties: list[NamedNode | None] = [None]
    if plan is not None:
        wanted += [NamedNode(node.resource) for node in plan.nodes if node.resource]
        names = [link.property for link in plan.links] + [each.property.name for each in plan.restrictions]
        names += [each.property.name for each in plan.quantities]
        names += [each.property.name for each in plan.absences]
        ranked = plan.ranking.property if plan.ranking else None
        names += [each.name for each in (plan.answer_property, ranked) if each]
        names += [v.TYPE] if any(node.class_name for node in plan.nodes) else []
        properties = [NamedNode(name) for name in dict.fromkeys(names)] or [None]
    for resource in wanted:
        for prop in properties:
            for subject, object_ in ((resource, None), (None, resource)):
                for quad in islice(store.quads_for_pattern(subject, prop, object_, None), _STATEMENTS):
                    for name in (quad.graph_name, *claimants(store, quad.triple, quad.graph_name)):
                        if isinstance(name, NamedNode):
                            yield name.value


def table_sources(table: StoredTable, chunks: Sequence[Sequence[str]]) -> tuple[RowSource, ...]:
    """The documents that a table stands in, each with its chunks that hold matched rows."""
    matched = dict.fromkeys(chunk for row in chunks for chunk in row)
    sources = []
    for document in table.documents:
        own = [chunk for chunk in table.parts[document.iri] if chunk in matched]
        if own or len(table.documents) == 1:
            sources.append(RowSource(None, document.iri, document.identifier, tuple(own[:_CHUNKS])))
    return tuple(sources)
