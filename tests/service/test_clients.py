"""Clients that people use, with nothing set but the address."""

from __future__ import annotations

import warnings

from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from service.serving import Server

from sage_ld import vocabulary as v


def test_rdflib_reads_the_endpoint_as_a_graph(server: Server) -> None:
    store = SPARQLStore(f"http://127.0.0.1:{server.port}/sparql", returnFormat="json")
    graph = Graph(store)
    documents = list(graph.subjects(URIRef(v.TYPE), URIRef(v.DOCUMENT)))
    assert len(documents) == 12
    assert graph.value(documents[0], URIRef(v.IDENTIFIER)) is not None
    everything = list(graph.triples((None, None, None)))
    assert len(everything) > 1000  # none of them a triple term, on which rdflib fails
    assert graph.query("ASK { ?s ?p ?o }").askAnswer


def test_rdflib_writes_with_the_token_as_password(blank: Server) -> None:
    assert blank.update("CLEAR ALL").status == 200
    address = f"http://127.0.0.1:{blank.port}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        store = SPARQLUpdateStore(
            f"{address}/sparql", f"{address}/update", auth=("anybody", blank.tokens["write"])
        )
        store.add((URIRef("http://example.org/s"), URIRef("http://example.org/p"), Literal("x")), None)
        store.commit()
    assert blank.query("SELECT ?o { ?s ?p ?o }").rows == [{"o": "x"}]
