"""A graph in a store that is not ours, without any index of ours, is expanded by the named queries alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyoxigraph import (
    NamedNode,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Triple,
    parse_query_results,
    serialize,
)
from rdflib import Graph, URIRef

from sage_ld.foundation.channels import CHANNELS, RELATION, STATEMENT, Hubs
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.protocol import Store
from sage_ld.retrieval.channels.expansion import expand

HUBS = Hubs(50, 50)
SPARQL_11 = tuple(name for name in CHANNELS if name not in (STATEMENT, RELATION))
"""Channels whose queries have no twins; those of the others are in `test_twins.py`."""


class ForeignStore:
    """rdflib behind the protocol: the RDF 1.1 view of a graph, and SPARQL 1.1."""

    def __init__(self, store: Store) -> None:
        plain = (quad.triple for quad in store if not isinstance(quad.object, Triple))
        self._graph = Graph().parse(data=serialize(plain, format=RdfFormat.N_TRIPLES), format="nt")

    def query(self, text: str, **_options: object) -> QuerySolutions:
        found = self._graph.query(text).serialize(format="json")
        solutions = parse_query_results(found, format=QueryResultsFormat.JSON)
        assert isinstance(solutions, QuerySolutions)
        return solutions

    def quads_for_pattern(self, *terms: NamedNode | None) -> Iterator[object]:
        return self._graph.triples(tuple(each and URIRef(each.value) for each in terms[:3]))


@pytest.mark.parametrize("channel", SPARQL_11)
def test_another_store_gives_the_hops_of_ours(related: KnowledgeGraph, channel: str) -> None:
    snapshot = related.snapshot()
    chunks = snapshot.vectors.iris
    seeds = sorted(chunks)
    foreign: Store = ForeignStore(snapshot.store)  # type: ignore[assignment]
    hops = expand(foreign, seeds, [channel], chunks, HUBS)
    assert hops == expand(snapshot.store, seeds, [channel], chunks, HUBS) != []
