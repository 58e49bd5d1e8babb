"""The W3C's suites for the SPARQL Protocol, the Graph Store Protocol and the service description."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import quote

import pytest
from pyoxigraph import RdfFormat, Store
from rdflib import RDF, Graph, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic, to_isomorphic
from rdflib.term import Node
from service.serving import Answer, Server

HT = Namespace("http://www.w3.org/2011/http#")
CNT = Namespace("http://www.w3.org/2011/content#")
MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
RDFS_LABEL = URIRef("http://www.w3.org/2000/01/rdf-schema#label")
SD = Namespace("http://www.w3.org/ns/sparql-service-description#")
VOID = Namespace("http://rdfs.org/ns/void#")
SUITES = "w3c/rdf-tests/sparql/sparql11"
MANIFESTS = {
    "protocol/manifest.ttl": 34,
    "graph-store-protocol/manifest-direct.ttl": 5,
    "graph-store-protocol/manifest-indirect.ttl": 9,
}
NAMED = {"Created": 201, "OK": 200, "NoContent": 204, "NotFound": 404}


@cache
def manifest(file: Path) -> Graph:
    return Graph().parse(data=file.read_text(), publicID=file.as_uri())


def cases(name: str) -> list[URIRef]:
    if not (folder := os.environ.get("SAGE_DATA")):
        return []
    graph = manifest(Path(folder) / SUITES / name)
    kinds = (MF.ProtocolTest, MF.GraphStoreProtocolTest)
    return sorted({test for kind in kinds for test in graph.subjects(RDF.type, kind)})


@pytest.mark.parametrize(("name", "count"), MANIFESTS.items())
def test_the_suite_is_whole(data: Path, name: str, count: int) -> None:
    assert len(cases(name)) == count


CASES = [(name, test) for name in MANIFESTS for test in cases(name)]


@pytest.mark.parametrize(("name", "test"), CASES, ids=[test.rpartition("#")[2] for _, test in CASES])
def test_w3c(blank: Server, data: Path, name: str, test: URIRef) -> None:
    graph = manifest(data / SUITES / name)
    assert blank.update("CLEAR ALL ; DROP ALL").status == 200
    for item in graph.objects(test, UT.graphData):
        file = Path(str(graph.value(item, UT.graph)).removeprefix("file://"))
        put(blank, str(graph.value(item, RDFS_LABEL)), file.read_bytes())
    templates: dict[str, str] = {}
    requests = graph.value(graph.value(test, MF.action), HT.requests)
    for request in Collection(graph, requests):
        answer = replay(blank, graph, request, templates)
        check(graph, graph.value(request, HT.resp), answer, templates)


def put(server: Server, name: str, ntriples: bytes) -> None:
    path = "/data?graph=" + quote(name, safe="")
    assert (
        server.send("PUT", path, ntriples, token="write", Content_Type="application/n-triples").status == 201
    )


def replay(server: Server, graph: Graph, request: Node, templates: dict[str, str]) -> Answer:
    headers = dict(headers_of(graph, request))
    method = str(graph.value(request, HT.methodName))
    path = str(graph.value(request, HT.absolutePath))
    body = body_of(graph, request)
    for name, value in templates.items():
        path = path.replace(name, quote(value, safe=""))
    update = "update" in headers.get("content-type", "") or b"update=" in (body or b"") or "update=" in path
    path = path.replace("/sparql/", "/update" if update else "/sparql").replace("/gsp", "/data", 1)
    sent = {name.title().replace("-", "_"): value for name, value in headers.items()}
    return server.send(method, path, body, token="write", **sent)


def headers_of(graph: Graph, message: Node) -> Iterator[tuple[str, str]]:
    for each in Collection(graph, graph.value(message, HT.headers)):
        yield str(graph.value(each, HT.fieldName)).lower(), str(graph.value(each, HT.fieldValue))


def body_of(graph: Graph, message: Node) -> bytes | None:
    if (body := graph.value(message, HT.body)) is None:
        return None
    encoding = str(graph.value(body, CNT.characterEncoding))
    return str(graph.value(body, CNT.chars)).encode(encoding)


def check(graph: Graph, expected: Node, answer: Answer, templates: dict[str, str]) -> None:
    statuses = [str(each).rpartition("#")[2] for each in graph.objects(expected, MF.expectedStatus)]
    assert any(fits(answer.status, each) for each in statuses), (statuses, answer.status, answer.content)
    if (kind := graph.value(expected, MF.expectedFormat)) is not None:
        assert answer.headers["content-type"].partition(";")[0] in FORMATS[str(kind)]
    if (boolean := graph.value(expected, MF.expectedBoolean)) is not None:
        assert answer.json["boolean"] is boolean.toPython()
    if (template := graph.value(expected, MF.expectedLocation)) is not None:
        templates[str(template)] = answer.headers["location"]
    for name, value in headers_of(graph, expected):
        assert answer.headers[name] == value
    if (body := body_of(graph, expected)) is not None:
        base = "http://www.example/"
        assert isomorphic(
            Graph().parse(data=answer.content, format="turtle"),
            to_isomorphic(Graph().parse(data=body, format="turtle", publicID=base)),
        )


FORMATS = {
    "boolean": {"application/sparql-results+json", "application/sparql-results+xml"},
    "tabular": {"application/sparql-results+json", "application/sparql-results+xml", "text/csv"},
    "RDF": {"text/turtle", "application/rdf+xml", "application/n-triples"},
}


def fits(status: int, expected: str) -> bool:
    if expected.startswith("StatusCode"):
        return status // 100 == int(expected[len("StatusCode")])
    return status == NAMED[expected]


def test_service_description(blank: Server) -> None:
    """The suite's three tests: it is RDF, has the endpoint, and follows the schema's domains and ranges."""
    assert blank.update("CLEAR ALL ; INSERT DATA { GRAPH <g:> { <s:> a <c:> ; <p:> 1, 2 } }").status == 200
    answer = blank.send("GET", "/sparql")
    assert answer.status == 200
    store = Store()
    store.load(answer.content, RdfFormat.TURTLE)
    graph = Graph().parse(data=answer.content, format="turtle")
    endpoint = URIRef(f"http://127.0.0.1:{blank.port}/sparql")
    service = graph.value(None, SD.endpoint, endpoint)
    assert (service, RDF.type, SD.Service) in graph
    for domain, term, range_ in (
        (SD.Service, SD.defaultDataset, SD.Dataset),
        (SD.Dataset, SD.defaultGraph, SD.Graph),
    ):
        for subject, value in graph.subject_objects(term):
            assert (subject, RDF.type, domain) in graph
            assert (value, RDF.type, range_) in graph
    assert (service, SD.feature, SD.UnionDefaultGraph) in graph
    assert (service, SD.feature, SD.BasicFederatedQuery) not in graph
    dataset = graph.value(graph.value(service, SD.defaultDataset), SD.defaultGraph)
    assert int(str(graph.value(dataset, VOID.triples))) == 3
    assert int(str(graph.value(dataset, VOID.classes))) == 1
