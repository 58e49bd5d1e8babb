"""Counting queries over the default graph and over FROM: each statement counts once, as in rdflib's merge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
import rdflib
from service.serving import Server, serving

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.iris import Iris
from sage_ld.service.access.tokens import AccessRole

FILMS = Path(__file__).parents[2] / "examples" / "films"
A, B, EDGES = "http://e.x/a", "http://e.x/b", Iris().edges_graph
PREFIXES = (
    f"PREFIX : <http://e.x/> PREFIX sage: <{v.SAGE}> PREFIX schema: <{v.SCHEMA}> PREFIX rdf: <{v.RDF}>\n"
)
QUERIES = {
    "links": "SELECT (COUNT(?l) AS ?n) {F} {{ ?l a sage:Link }}",
    "statements": "SELECT (COUNT(*) AS ?n) {F} {{ ?s ?p ?o FILTER(?p NOT IN (rdf:reifies, sage:states)) }}",
    "sum": "SELECT (SUM(?o) AS ?n) (AVG(?o) AS ?mean) {F} {{ ?s :worth ?o }}",
    "group": "SELECT ?c (COUNT(?s) AS ?n) {F} {{ ?s a ?c }} GROUP BY ?c",
    "having": "SELECT ?s (COUNT(?c) AS ?n) {F} {{ ?s a ?c }} GROUP BY ?s HAVING (COUNT(?c) = 2)",
    "distinct": "SELECT (COUNT(DISTINCT ?s) AS ?n) (COUNT(?s) AS ?all) {F} {{ ?s sage:source ?c }}",
    "sequence": "SELECT (COUNT(*) AS ?n) {F} {{ ?l sage:source/schema:isPartOf ?d }}",
    "alternative": "SELECT (COUNT(*) AS ?n) {F} {{ ?l sage:source|sage:target ?d }}",
    "one or more": "SELECT (COUNT(*) AS ?n) {F} {{ ?x :knows+ ?y }}",
    "inverse": "SELECT ?y (COUNT(?z) AS ?n) {F} {{ ?x :knows ?y . ?x :knows/^:knows ?z }} GROUP BY ?y",
    "optional": "SELECT (COUNT(?w) AS ?n) (COUNT(*) AS ?m){F} {{ ?x a :Person OPTIONAL {{ ?x :worth ?w }} }}",
    "exists": "SELECT (COUNT(*) AS ?n) {F} {{ ?x a :Person FILTER NOT EXISTS {{ ?x :knows ?y }} }}",
    "blank": "SELECT (COUNT(*) AS ?n) {F} {{ ?x :lives [ :in ?y ] }}",
}  # fmt: skip
DATASETS: dict[str, tuple[str, ...] | None] = {
    "all": None,
    "one": (A,),
    "two": (A, B),
    "the same twice": (A, A),
    "ours and theirs": (EDGES, B),
}
TURTLE = {
    A: ":ann a :Person ; :worth 3, 4 ; :knows :bob, :cy ; :lives [ :in :york ] . :bob :knows :cy; :worth 3 .",
    B: ":ann a :Person ; :worth 4 ; :knows :bob . :bob a :Person ; :knows :ann ; :worth 5 . :cy a :Person .",
}
BOTH = "_:x a :Person ; :lives [ :in :ely ]"
UPDATES = (
    "INSERT DATA { GRAPH :b { :cy :worth 7 ; :knows :ann } GRAPH :a { :cy :worth 7 } :ann a :Person }",
    f"INSERT DATA {{ GRAPH :a {{ {BOTH} }} GRAPH :b {{ _:x a :Person }} }}",
    "INSERT { GRAPH :b { ?l a sage:Link ; sage:source ?c } }"
    " WHERE { GRAPH ?g { ?l sage:source ?c ; sage:href ?h } }",
    "DELETE { GRAPH :a { ?s :worth ?o } } WHERE { GRAPH :b { ?s :worth ?o } } ; COPY :b TO :c",
    "DROP GRAPH :c ; DELETE DATA { :ann a :Person } ; MOVE :b TO :d",
    "CLEAR GRAPH :d",
)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("counted") / "graph"
    graph = KnowledgeGraph.create(folder, encoder="jaccard")
    graph.ingest([FILMS / "films", FILMS / "data" / "catalogue.ttl"])
    graph.close()
    with serving(folder, (AccessRole.WRITE,)) as running:
        yield running


def exported(server: Server) -> list[ox.Quad]:
    answer = server.send("GET", "/export?format=nquads")
    assert answer.status == 200
    return list(ox.parse(answer.content, ox.RdfFormat.N_QUADS))


def merge(quads: list[ox.Quad], graphs: tuple[str, ...] | None) -> rdflib.Graph:
    """The merge of some graphs, or of all, as rdflib has it."""
    names = [ox.NamedNode(name) for name in graphs or ()]
    lines = (f"{quad.triple} .\n" for quad in quads if graphs is None or quad.graph_name in names)
    return rdflib.Graph().parse(data="".join(lines), format="nt")


def shown(term: Any) -> str:
    return str(float(term)) if isinstance(term, rdflib.Literal) and term.datatype else str(term)


def differences(server: Server) -> list[tuple[object, ...]]:
    """The queries that the service and rdflib answer otherwise."""
    quads = exported(server)
    found: list[tuple[object, ...]] = []
    for name, graphs in DATASETS.items():
        merged = merge(quads, graphs)
        clauses = " ".join(f"FROM <{graph}>" for graph in graphs or ())
        given = urlencode([("default-graph-uri", graph) for graph in graphs or ()])
        for query, text in QUERIES.items():
            expected = Counter(
                tuple(sorted(shown(term) for term in row if term is not None))
                for row in merged.query(PREFIXES + text.format(F=""))
            )
            asked = PREFIXES + text.format(F=clauses)
            answers = {"FROM": server.query(asked)}
            if graphs:
                plain = urlencode({"query": PREFIXES + text.format(F="")})
                answers["default-graph-uri"] = server.send("GET", f"/sparql?{plain}&{given}")
            for way, answer in answers.items():
                assert answer.status == 200, (query, answer.content)
                got = Counter(
                    tuple(
                        sorted(
                            str(float(each["value"])) if "datatype" in each else each["value"]
                            for each in row.values()
                        )
                    )
                    for row in answer.json["results"]["bindings"]
                )
                if got != expected:
                    found.append((name, query, way, got, expected))
    return found


@pytest.mark.slow
def test_every_statement_counts_once(films: Server) -> None:
    """The films, then graphs that say the same as each other and as ours, then changes of every kind."""
    assert differences(films) == []
    links = films.query(PREFIXES + QUERIES["links"].format(F="")).rows
    for graph, turtle in TURTLE.items():
        path = "/data?" + urlencode({"graph": graph})
        prefix = "@prefix : <http://e.x/> .\n"
        put = films.send("PUT", path, prefix + turtle, token="write", Content_Type="text/turtle")
        assert put.status == 201, put.content
    assert differences(films) == []
    for update in UPDATES:
        done = films.update(PREFIXES + update)
        assert done.status == 200, done.content
        assert differences(films) == [], update
    assert films.query(PREFIXES + QUERIES["links"].format(F="")).rows == links
