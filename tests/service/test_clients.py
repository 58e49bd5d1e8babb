"""Clients that people use, with nothing set but the address."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings

import pyoxigraph as ox
import pytest
from pyld import jsonld
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from service.javascript_clients import JAVASCRIPT, javascript
from service.serving import Server
from SPARQLWrapper import CSV, JSON, TURTLE, XML, SPARQLWrapper

from sage_ld.foundation import vocabulary as v

PREFIX = "PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/> "
NAMES = PREFIX + "SELECT ?document ?name { ?document a sage:Document ; schema:name ?name } ORDER BY ?name"
raptor = pytest.mark.skipif(not shutil.which("rapper"), reason="needs rapper (Debian: raptor2-utils)")


def node(script: str, *arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run(
        ["node", str(JAVASCRIPT / script), *arguments], input=given, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def canonical(quads: bytes) -> set[str]:
    dataset = ox.Dataset(ox.parse(quads, ox.RdfFormat.N_QUADS))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return {str(quad) for quad in dataset}


def test_rdflib_reads_the_endpoint_as_a_graph(server: Server) -> None:
    store = SPARQLStore(f"http://127.0.0.1:{server.port}/sparql", returnFormat="json")
    graph = Graph(store)
    documents = list(graph.subjects(URIRef(v.TYPE), URIRef(v.DOCUMENT)))
    [counted] = server.query(f"SELECT (COUNT(*) AS ?n) {{ ?d a <{v.DOCUMENT}> }}").rows
    assert len(documents) == int(counted["n"]) >= 12
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


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_sparqlwrapper_takes_each_format(server: Server, method: str) -> None:
    client = SPARQLWrapper(f"http://127.0.0.1:{server.port}/sparql")
    client.setMethod(method)
    client.setQuery(NAMES)
    names = [row["name"] for row in server.query(NAMES).rows]
    client.setReturnFormat(JSON)
    rows = client.query().convert()["results"]["bindings"]
    assert [row["name"]["value"] for row in rows] == names
    client.setReturnFormat(XML)
    assert len(client.query().convert().getElementsByTagName("result")) == len(names)
    client.setReturnFormat(CSV)
    assert len(client.query().convert().splitlines()) == len(names) + 1
    client.setQuery(PREFIX + "CONSTRUCT { ?s schema:name ?n } WHERE { ?s a sage:Document ; schema:name ?n }")
    client.setReturnFormat(TURTLE)
    assert len(Graph().parse(client.query().convert(), format="turtle")) == len(names)


@javascript
def test_comunica_asks_the_endpoint(server: Server) -> None:
    address = f"http://127.0.0.1:{server.port}/sparql"
    rows = [json.loads(line) for line in node("query.mjs", address, NAMES).splitlines()]
    assert sorted(map(str, rows)) == sorted(map(str, server.query(NAMES).rows))
    text = PREFIX + "CONSTRUCT { ?s schema:name ?n } WHERE { ?s a sage:Document ; schema:name ?n }"
    assert len(node("query.mjs", address, text).splitlines()) == len(rows)


@javascript
@pytest.mark.parametrize("path", ["/v1/retrieve?q=chunk&k=3&context=value", "/export?format=jsonld"])
def test_jsonld_js_and_pyld_read_the_same(server: Server, path: str) -> None:
    said = server.send("GET", path, Accept="application/ld+json").content
    by_pyld = jsonld.to_rdf(json.loads(said), {"format": "application/n-quads"})
    triples = canonical(node("triples.mjs", given=said))
    assert len(triples) > 10
    assert by_value(triples) == by_value(canonical(by_pyld.encode()))


def by_value(quads: set[str]) -> set[str]:
    """With doubles written in one way: jsonld.js and PyLD write them in two."""
    store = ox.Store()
    store.extend(ox.parse("\n".join(f"{quad} ." for quad in quads), ox.RdfFormat.N_QUADS))
    return {str(quad) for quad in store}


@raptor
@pytest.mark.parametrize(
    ("path", "media_type", "syntax"),
    [
        ("/export?format=turtle", "text/turtle", "turtle"),
        ("/export?format=ntriples", "application/n-triples", "ntriples"),
        ("/data?default", "application/rdf+xml", "rdfxml"),
        ("/data?default", "text/turtle", "turtle"),
        ("/.well-known/void", "text/turtle", "turtle"),
        ("/ontology", "text/turtle", "turtle"),
        ("/shapes", "application/n-triples", "ntriples"),
        ("/ontology", "application/rdf+xml", "rdfxml"),
        ("/.well-known/void", "application/rdf+xml", "rdfxml"),
    ],
)
def test_rapper_reads_what_is_served(server: Server, path: str, media_type: str, syntax: str) -> None:
    answer = server.send("GET", path, Accept=media_type)
    assert (answer.status, answer.headers["content-type"].split(";")[0]) == (200, media_type)
    command = ["rapper", "--quiet", "--input", syntax, "--output", "ntriples", "-", "http://example.org/"]
    read = subprocess.run(command, input=answer.content, capture_output=True)
    assert (read.returncode, read.stderr) == (0, b"")
    form = {"turtle": ox.RdfFormat.TURTLE, "ntriples": ox.RdfFormat.N_TRIPLES, "rdfxml": ox.RdfFormat.RDF_XML}
    ours = len(list(ox.parse(answer.content, form[syntax], base_iri="http://example.org/")))
    assert len(read.stdout.splitlines()) == ours > 0
