"""The W3C's query evaluation suites of SPARQL 1.1 and 1.2, through `/sparql`.

All data lies in one served graph, each file in a named graph of its own; the protocol's parameters put each
test's dataset together. What passes must be what passes with pyoxigraph in this process.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
from rdflib import RDF, Graph, Namespace, URIRef
from service.serving import QUERY, Server, serving

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.workers.text_limits import query_form, tokens

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
NOTHING = "urn:x-none:"
SUITES = {
    "sparql11": (
        "aggregates bind bindings cast construct csv-tsv-res exists functions grouping json-res negation "
        "project-expression property-path subquery",
        12,
    ),
    "sparql12": ("codepoint-escapes eval-triple-terms expression grouping lang-basedir rdf11", 2),
}
"""Folders of each suite, and in how many of their tests pyoxigraph 0.5.13 differs from the W3C."""
TYPES = {
    ".srx": "application/sparql-results+xml",
    ".srj": "application/sparql-results+json",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".ttl": "text/turtle",
    ".rdf": "application/rdf+xml",
    ".nt": "application/n-triples",
}
RESULTS = {
    TYPES[".srx"]: ox.QueryResultsFormat.XML,
    TYPES[".srj"]: ox.QueryResultsFormat.JSON,
    TYPES[".csv"]: ox.QueryResultsFormat.CSV,
    TYPES[".tsv"]: ox.QueryResultsFormat.TSV,
}
GRAPHS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
}


@dataclass(frozen=True)
class Case:
    name: str
    query: Path
    data: tuple[Path, ...]
    named: tuple[Path, ...]
    result: Path

    @property
    def text(self) -> str:
        return f"BASE <{self.query.as_uri()}>\n{self.query.read_text(encoding='utf-8')}"

    @property
    def is_table(self) -> bool:
        return query_form(tokens(self.text)) in ("SELECT", "ASK")

    @property
    def media_type(self) -> str:
        """What the answer is asked in; a table that the suite keeps as RDF, in JSON."""
        expected = TYPES[self.result.suffix]
        return TYPES[".srj"] if self.is_table and expected in GRAPHS else expected


@cache
def cases(folder: Path) -> tuple[Case, ...]:
    found = []
    for suite, (names, _) in SUITES.items():
        for name in names.split():
            file = folder / "w3c/rdf-tests/sparql" / suite / name / "manifest.ttl"
            graph = Graph().parse(data=file.read_text(encoding="utf-8"), publicID=file.as_uri())
            for kind in (MF.QueryEvaluationTest, MF.CSVResultFormatTest):
                for test in sorted(graph.subjects(RDF.type, kind)):
                    found.append(case(graph, test, f"{suite}/{name}"))
    return tuple(found)


def case(graph: Graph, test: Any, folder: str) -> Case:
    def files(predicate: URIRef) -> tuple[Path, ...]:
        return tuple(path(each) for each in sorted(graph.objects(action, predicate)))

    action = graph.value(test, MF.action)
    [query] = files(QT.query)
    return Case(
        f"{folder}/{test.rpartition('#')[2]}",
        query,
        files(QT.data),
        files(QT.graphData),
        path(graph.value(test, MF.result)),
    )


def path(iri: Any) -> Path:
    return Path(str(iri).removeprefix("file://"))


def quads(file: Path, name: ox.NamedNode | ox.DefaultGraph) -> Iterator[ox.Quad]:
    """The file's statements, its default graph as the graph `name`."""
    kind = ox.RdfFormat.from_extension(file.suffix[1:])
    for quad in ox.parse(path=file, format=kind, base_iri=file.as_uri(), rename_blank_nodes=True):
        graph = name if isinstance(quad.graph_name, ox.DefaultGraph) else quad.graph_name
        yield ox.Quad(quad.subject, quad.predicate, quad.object, graph)


def graphs_in(file: Path) -> set[str]:
    found = quads(file, ox.DefaultGraph())
    return {each.graph_name.value for each in found if isinstance(each.graph_name, ox.NamedNode)}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("evaluation") / "graph"
    files = {file for each in cases(data) for file in each.data + each.named}
    with KnowledgeGraph.create(folder, encoder="jaccard").writer() as writer:
        store = writer.change()
        for file in sorted(files):
            store.extend(quads(file, ox.NamedNode(file.as_uri())))
        writer.publish()
    with serving(folder) as running:
        yield running


def ask(server: Server, each: Case) -> bytes:
    default = [file.as_uri() for file in each.data] or [NOTHING]
    named = [file.as_uri() for file in each.named] + [
        name for file in each.data for name in sorted(graphs_in(file))
    ]
    pairs = [("default-graph-uri", iri) for iri in default] + [("named-graph-uri", iri) for iri in named]
    parameters = [] if re.search(r"\bFROM\b", each.text) else pairs
    answer = server.send(
        "POST",
        "/sparql?" + urlencode([*parameters, ("version", "1.2")]),
        each.text,
        Content_Type=QUERY,
        Accept=each.media_type,
    )
    assert answer.status in (200, 400), (each.name, answer)
    return answer.content if answer.status == 200 else b""


def evaluate(each: Case) -> bytes:
    store = ox.Store()
    for file in each.data:
        store.extend(quads(file, ox.DefaultGraph()))
    for file in each.named:
        store.extend(quads(file, ox.NamedNode(file.as_uri())))
    try:
        found = store.query(each.text)
    except (SyntaxError, ValueError, OSError):
        return b""
    if isinstance(found, ox.QueryTriples):
        return found.serialize(format=GRAPHS[each.media_type]) or b""
    return found.serialize(format=RESULTS[each.media_type]) or b""


def canonical(content: bytes, media_type: str) -> object:
    """What two answers have in common that say the same: rows as a graph, blank nodes named canonically."""
    if media_type in GRAPHS:
        return names(ox.parse(content, GRAPHS[media_type], base_iri="http://example.org/"))
    if media_type in ("text/csv", "text/tab-separated-values"):
        text = re.sub(r"_:\w+", "_:b", content.decode())
        table = csv.DictReader(text.splitlines(), delimiter="," if media_type == "text/csv" else "\t")
        return sorted(sorted(row.items()) for row in table)
    results = ox.parse_query_results(content, RESULTS[media_type])
    if isinstance(results, ox.QueryBoolean):
        return bool(results)
    return frozenset(each.value for each in results.variables), names(rows(results))


def expected(each: Case) -> object:
    content = each.result.read_bytes()
    kind = TYPES[each.result.suffix]
    if not (each.is_table and kind in GRAPHS):
        return canonical(content, kind)
    return result_set(ox.Dataset(ox.parse(content, GRAPHS[kind], base_iri=each.result.as_uri())))


def result_set(graph: ox.Dataset) -> object:
    """A table that is written as RDF (http://www.w3.org/2001/sw/DataAccess/tests/result-set#)."""

    def objects(subject: Any, name: str) -> list[Any]:
        wanted = ox.NamedNode(f"http://www.w3.org/2001/sw/DataAccess/tests/result-set#{name}")
        return [quad.object for quad in graph if quad.subject == subject and quad.predicate == wanted]

    heads = {quad.subject for quad in graph if objects(quad.subject, "resultVariable")}
    [head] = heads
    found = []
    for row in objects(head, "solution"):
        found.append(ox.Quad(row, ox.NamedNode("urn:x:is"), ox.Literal("row")))
        for binding in objects(row, "binding"):
            [name], [value] = objects(binding, "variable"), objects(binding, "value")
            found.append(ox.Quad(row, ox.NamedNode(f"urn:x:{name.value}"), value))
    return frozenset(each.value for each in objects(head, "resultVariable")), names(found)


def rows(results: ox.QuerySolutions) -> Iterator[ox.Quad]:
    for number, row in enumerate(results):
        node = ox.BlankNode(f"row{number}")
        yield ox.Quad(node, ox.NamedNode("urn:x:is"), ox.Literal("row"))
        for variable in results.variables:
            if (value := row[variable]) is not None:
                yield ox.Quad(node, ox.NamedNode(f"urn:x:{variable.value}"), value)


def names(found: Iterable[ox.Quad]) -> frozenset[ox.Quad]:
    store = ox.Store()
    store.extend(found)  # which writes numbers in one way
    dataset = ox.Dataset(store)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return frozenset(dataset)


def passes(content: bytes, each: Case) -> bool:
    try:
        return canonical(content, each.media_type) == expected(each)
    except (SyntaxError, ValueError):
        return False


def test_what_passes_in_process_passes_through_the_service(loaded: Server, data: Path) -> None:
    served = {each.name: passes(ask(loaded, each), each) for each in cases(data)}
    in_process = {each.name: passes(evaluate(each), each) for each in cases(data)}
    assert [name for name in served if in_process[name] and not served[name]] == []
    for suite, (_, most) in SUITES.items():
        failed = [name for name, passed in served.items() if name.startswith(suite) and not passed]
        assert len(failed) <= most, failed


def test_the_suites_are_whole(data: Path) -> None:
    counts = [sum(each.name.startswith(suite) for each in cases(data)) for suite in SUITES]
    assert counts == [235, 63]
