"""SERVICE outwards: answers of a real Oxigraph server, joined with the graph, and endpoints that fail."""

from __future__ import annotations

import http.server
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from threading import Event
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import unquote

import pytest
from cli.program import sage_ld
from context_host import Host, Reply, context_host, dripping, given
from oxigraph_server import OxigraphServer, oxigraph_server
from pyoxigraph import NamedNode, Quad, QueryResultsFormat, RdfFormat, Store, parse
from service.web import client_of
from waiting import PATIENCE
from werkzeug.test import Client

from sage_ld.graph import KnowledgeGraph

OURS = """@prefix : <http://example.org/> .
:a :same :x ; :year 1999 . :b :same :y ; :year 2001 . :c :year 2003 . :d :same [] ."""
THEIRS = """@prefix : <http://example.org/> .
:x :label "X" ; :kind :K . :y :label "Y", "Y2" . :z :label "Z" . [] :label "blank" ."""
QUERIES = """
    { ?s :same ?o SERVICE <E> { ?o :label ?l } }
    { ?s :same ?o . FILTER(?year > 2000) SERVICE <E> { ?o :label ?l } ?s :year ?year }
    { ?s :same ?o . FILTER NOT EXISTS { ?s :year 1999 } SERVICE <E> { ?o :label ?l } }
    { ?s :year ?year OPTIONAL { ?s :same ?o SERVICE <E> { ?o :label ?l FILTER(?l != "Y2") } } }
    { ?s :year ?year OPTIONAL { ?s :same ?o } SERVICE <E> { ?o :label ?l OPTIONAL { ?o :kind ?k } } }
    { { ?s :same ?o SERVICE <E> { ?o :label ?l } } UNION { ?s :year 2003 } }
    { SERVICE <E> { ?o :label ?l } ?s :same ?o }
    { SERVICE <E> { ?o :kind ?k } SERVICE <E> { ?o :label ?l } }
    { ?s :year ?year MINUS { ?s :same ?o SERVICE <E> { ?o :kind ?k } } }
    { GRAPH ?g { ?s :same ?o SERVICE <E> { ?o :label ?l } } }
    { ?s :year ?year FILTER EXISTS { ?s :same ?o SERVICE <E> { ?o :kind ?k } } }
    { ?s :same ?o BIND(?o AS ?p) SERVICE <E> { ?p :label ?l } }
    { ?s :none ?o SERVICE <E> { ?o :label ?l } }
    { SERVICE <E> { :x :kind :K } ?s :same ?o }
    { SERVICE <E> { :x :kind :L } ?s :same ?o }
    { SELECT ?o (COUNT(*) AS ?n) { ?s :same ?o SERVICE <E> { ?o :label ?l } } GROUP BY ?o }
    { ?s :same ?o SERVICE SILENT <E> { { SELECT ?o (COUNT(*) AS ?n) { ?o :label ?l } GROUP BY ?o } } }
"""
RESULTS = "application/sparql-results+json"
PREFIX = "PREFIX : <http://example.org/>"


@pytest.fixture(scope="module")
def server() -> Iterator[OxigraphServer]:
    with oxigraph_server() as running:
        running.send("PUT", "/store?default", THEIRS)
        yield running


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("federated")
    (folder / "ours.ttl").write_text(OURS)
    KnowledgeGraph.create(folder / "kg", encoder="jaccard").close()
    sage_ld("pull", folder / "kg", folder / "ours.ttl", "--graph", "urn:x:ours")
    return folder / "kg"


def asked(client: Client, query: str) -> tuple[int, Any]:
    answer = client.post("/sparql", data={"query": query}, headers={"Accept": RESULTS})
    return answer.status_code, json.loads(answer.data)


def rows(said: Any) -> list[str]:
    """The solutions, without labels of blank nodes, which are IRIs where they come from an endpoint."""
    bindings = said["results"]["bindings"]
    for value in (value for row in bindings for value in row.values()):
        if value["type"] == "bnode" or value["value"].startswith("urn:x-sage-ld:genid:"):
            value.update(type="bnode", value="")
    return sorted(json.dumps(each, sort_keys=True) for each in bindings)


def test_answers_are_those_of_the_algebra(kg: Path, server: OxigraphServer) -> None:
    """The same query, evaluated by pyoxigraph where the endpoint's statements are a graph beside ours."""
    endpoint = f"{server.address}/query"
    both = Store()
    both.extend(Quad(*each.triple, NamedNode("urn:x:ours")) for each in parse(OURS, RdfFormat.TURTLE))
    both.extend(Quad(*each.triple, NamedNode("urn:x:theirs")) for each in parse(THEIRS, RdfFormat.TURTLE))
    wrong = {}
    with client_of(kg, service_endpoints=f"{endpoint}, 127.0.0.0/8", service_bindings=1) as client:
        for pattern in filter(None, map(str.strip, QUERIES.split("\n"))):
            query = f"{PREFIX} SELECT * FROM <urn:x:ours> FROM NAMED <urn:x:ours> {pattern}"
            status, said = asked(client, query.replace("<E>", f"<{endpoint}>"))
            there = query.replace("SILENT ", "").replace("SERVICE <E>", "GRAPH <urn:x:theirs>")
            named = "FROM NAMED <urn:x:ours>"
            there = there.replace(named, f"{named} FROM NAMED <urn:x:theirs>")
            there = there.replace("GRAPH ?g", "GRAPH <urn:x:ours>")
            expected = json.loads(both.query(there).serialize(format=QueryResultsFormat.JSON) or b"")
            if status != 200 or _without_graph(rows(said)) != rows(expected):
                wrong[pattern] = said
    assert not wrong


def _without_graph(found: list[str]) -> list[str]:
    return sorted(
        json.dumps({name: value for name, value in json.loads(each).items() if name != "g"}, sort_keys=True)
        for each in found
    )


def test_a_request_takes_along_what_is_bound(kg: Path) -> None:
    bodies = list[str]()
    with endpoint_host(bodies) as host:
        call = f"SERVICE <{host.address}/a> {{ ?o :p ?v }}"
        text = f"{PREFIX} SELECT * FROM <urn:x:ours> {{ ?s :same ?o ; :year ?y {call} }}"
        with client_of(kg, service_endpoints=f"{host.address}/a") as client:
            assert asked(client, text)[0] == 200
    [body] = bodies
    values = body.partition("VALUES (?o) {")[2].partition("}")[0].split()
    assert sorted(values) == ["(<http://example.org/x>)", "(<http://example.org/y>)"]


def endpoint_host(bodies: list[str]) -> AbstractContextManager[Host]:
    """An endpoint that notes what it is asked, and has no solution."""
    empty = given(b'{"head": {"vars": ["o", "v"]}, "results": {"bindings": []}}', Content_Type=RESULTS)

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        bodies.append(unquote(handler.rfile.read(int(handler.headers["Content-Length"])).decode()))
        empty(handler)

    return context_host({"/a": reply, "/b": reply})


def hanging(handler: http.server.BaseHTTPRequestHandler) -> None:
    time.sleep(2)


def endless(head: bytes, piece: bytes) -> Reply:
    """An answer that begins with `head`, and goes on with pieces for as long as somebody listens."""

    def reply(handler: http.server.BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            handler.wfile.write(head)
            while True:
                handler.wfile.write(piece)
                time.sleep(0.05)

    return reply


def answered(count: int) -> Reply:
    bindings = [{"o": {"type": "uri", "value": f"urn:x:{number}"}} for number in range(count)]
    said = {"head": {"vars": ["o"]}, "results": {"bindings": bindings}}
    return given(json.dumps(said).encode(), Content_Type=RESULTS)


QUOTED: Final = {name: {"type": "uri", "value": "urn:x:a"} for name in ("subject", "predicate", "object")}
QUOTING: Final = given(
    json.dumps(
        {
            "head": {"vars": ["o"]},
            "results": {"bindings": [{"o": {"type": "triple", "value": QUOTED}}]},
        }
    ).encode(),
    Content_Type=RESULTS,
)
FAILING: dict[str, tuple[Reply, int, str]] = {
    "/500": (given(b"", 500), 503, "status 500"),
    "/html": (given(b"<html>", Content_Type="text/html"), 503, "no SPARQL results"),
    "/boolean": (given(b'{"head": {}, "boolean": true}'), 503, "no SPARQL results"),
    "/cut": (given(b'{"head"', Content_Length="500"), 503, "does not answer"),
    "/hanging": (hanging, 503, "service_timeout"),
    "/dripping": (dripping, 503, "service_timeout"),
    "/hints": (endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), 503, "service_timeout"),
    "/heads": (endless(b"HTTP/1.1 200 OK\r\nX-Long: ", b"a"), 503, "service_timeout"),
    "/extended": (
        endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=", b"a"),
        503,
        "service_timeout",
    ),
    "/quoting": (QUOTING, 503, "triple terms"),
    "/moved": (given(b"", 302, Location="/one"), 503, "status 302"),
    "/many": (answered(11), 413, "max_service_rows"),
    "/large": (given(b" " * 3000), 413, "max_service_bytes"),
}


def test_an_endpoint_that_fails_is_named_and_silent_ones_bind_nothing(kg: Path) -> None:
    wrong = {}
    with context_host({path: reply for path, (reply, *_) in FAILING.items()}) as host:
        listed = ", ".join(host.address + path for path in (*FAILING, "/unknown"))
        limits = {"max_service_rows": 10, "max_service_bytes": 2000, "sparql_timeout": PATIENCE}
        for seconds in (0.4, PATIENCE):
            with client_of(kg, service_endpoints=listed, service_timeout=seconds, **limits) as client:
                for path, (_, status, expected) in FAILING.items():
                    if (expected == "service_timeout") != (seconds < PATIENCE):
                        continue
                    text = f"SELECT * {{ SERVICE <{host.address}{path}> {{ ?o ?p ?q }} }}"
                    got, said = asked(client, text)
                    silent = asked(client, text.replace("SERVICE", "SERVICE SILENT"))[1]
                    if got != status or expected not in said["detail"] or rows(silent) != ["{}"]:
                        wrong[path] = got, said, silent
    assert not wrong


def test_only_the_variables_of_the_pattern_come_in(kg: Path) -> None:
    names = [f"v{number}" for number in range(20_000)]
    wide = {"head": {"vars": ["o", *names]}, "results": {"bindings": [{}] * 9_000}}
    with context_host({"/a": given(json.dumps(wide).encode(), Content_Type=RESULTS)}) as host:
        times = {"service_timeout": PATIENCE, "sparql_timeout": PATIENCE}
        with client_of(kg, service_endpoints=f"{host.address}/a", **times) as client:
            text = f"SELECT (COUNT(*) AS ?n) {{ SERVICE <{host.address}/a> {{ ?o ?p ?q }} }}"
            status, said = asked(client, text)
    assert (status, said["results"]["bindings"][0]["n"]["value"]) == (200, "9000")


def test_queries_that_ask_others_leave_places_to_the_rest(kg: Path) -> None:
    entered, leave = Event(), Event()

    def waiting(handler: http.server.BaseHTTPRequestHandler) -> None:
        entered.set()
        leave.wait(PATIENCE)
        answered(1)(handler)

    with context_host({"/a": waiting}) as host, ThreadPoolExecutor(1) as clients:
        settings = {"service_endpoints": f"{host.address}/a", "max_service_queries": 1}
        with client_of(kg, service_timeout=PATIENCE, sparql_timeout=PATIENCE, **settings) as client:
            text = f"SELECT * {{ SERVICE <{host.address}/a> {{ ?o ?p ?q }} }}"
            first = clients.submit(asked, client, text)
            assert entered.wait(PATIENCE)
            status, said = asked(client, text)
            leave.set()
            assert (status, "max_service_queries" in said["detail"]) == (503, True)
            assert first.result()[0] == 200


REFUSED = {
    "SELECT * { SERVICE <http://127.0.0.1:1/other> { ?s ?p ?o } }": "not in the list of the setting",
    "SELECT * { SERVICE ?e { ?s ?p ?o } }": "by a variable",
    "SELECT * { SERVICE <ENDPOINT> }": "does not parse",
    "SELECT * { SERVICE x:y { ?s ?p ?o } }": "no IRI of an endpoint",
    "ASK { SERVICE <ENDPOINT> { ?s ?p ?o } SERVICE <ENDPOINT> { ?a ?b ?c } }": "max_service_requests",
    "ASK { SERVICE <ENDPOINT> { ?s ?p ?o } SERVICE SILENT <ENDPOINT> { ?a ?b ?c } }": "max_service_requests",
}


def test_what_is_not_allowed_is_refused(kg: Path) -> None:
    with endpoint_host([]) as host:
        endpoint = f"{host.address}/a"
        with client_of(kg, service_endpoints=endpoint, max_service_requests=1) as client:
            for text, expected in REFUSED.items():
                status, said = asked(client, text.replace("ENDPOINT", endpoint))
                assert status in (400, 413), text
                assert expected in said["detail"], text
            hidden = f"SELECT * {{ ?s ?p trueSERVICE <{endpoint}> {{ ?a ?b ?c }} }}"
            assert asked(client, hidden)[0] == 400
        assert host.asked == ["/a", "/a"]
        private = endpoint.replace("127.0.0.1", "localhost")
        with client_of(kg, service_endpoints=private) as client:
            said = asked(client, f"ASK {{ SERVICE <{private}> {{ ?s ?p ?o }} }}")[1]
            assert "private address" in said["detail"]
        assert host.asked == ["/a", "/a"]


def test_no_endpoint_is_asked_unless_it_is_listed(kg: Path, server: OxigraphServer) -> None:
    text = f"SELECT * {{ SERVICE <{server.address}/query> {{ ?s ?p ?o }} }}"
    with client_of(kg) as client:
        status, said = asked(client, text)
    assert status == 400
    assert "service_endpoints" in said["detail"]
    assert "service_endpoints" in sage_ld("sparql", kg, text, status=1).stderr
    with patch.dict("os.environ", SAGE_LD_SERVICE_ENDPOINTS=f"{server.address}/query,127.0.0.0/8"):
        assert len(rows(json.loads(sage_ld("sparql", kg, text).stdout))) == 6


def test_lines_of_errors_are_those_of_the_query(kg: Path) -> None:
    with endpoint_host([]) as host, client_of(kg, service_endpoints=f"{host.address}/a") as client:
        status, said = asked(client, f"SELECT * {{\nSERVICE <{host.address}/a> {{\n?s ?p ?o }}\n?s ?p }}")
    assert status == 400
    assert said["line"] == 4


def test_the_description_says_so(kg: Path) -> None:
    for endpoints, expected in (("", False), ("http://example.org/sparql", True)):
        with client_of(kg, service_endpoints=endpoints) as client:
            assert (b"BasicFederatedQuery" in client.get("/sparql").data) == expected
