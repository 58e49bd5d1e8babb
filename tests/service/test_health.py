"""What those who run the service rely on: health, metrics, logs, headers, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import re
import socket
import sys
import threading
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote

import pyoxigraph as ox
import pytest
from service.processes import at_work, children, with_variable
from service.serving import QUERY, Server, empty_graph, free_port, generated_graph, serving
from service.web import client_of
from waiting import PATIENCE, waited_for

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.server import FRUGAL, serve


def figure(server: Server, name: str) -> float:
    text = server.send("GET", "/metrics").content.decode()
    return sum(float(value) for value in re.findall(rf"^{re.escape(name)}(?:{{.*}})? (\S+)$", text, re.M))


def shown(server: Server, line: str) -> bool:
    """Whether the metrics come to show `line`: a request is counted after its client has its answer."""
    return waited_for(lambda: line in server.send("GET", "/metrics").content.decode())


def test_health(server: Server) -> None:
    assert server.send("GET", "/health/live").json == {"status": "ok"}
    ready = server.send("GET", "/health/ready")
    assert ready.json == {"status": "ok", "revision": int(figure(server, "sage_ld_revision"))}
    assert ready.headers["cache-control"] == "no-store"


def test_metrics_count_requests_and_stopped_queries(server: Server) -> None:
    before = figure(server, "sage_ld_workers_ended_total")
    numbers = " ".join(map(str, range(400)))
    values = " ".join(f"VALUES ?{name} {{ {numbers} }}" for name in "abcd")
    slow = server.send(
        "POST", "/sparql?timeout=2", f"SELECT (COUNT(*) AS ?n) {{ {values} }}", Content_Type=QUERY
    )
    assert slow.status == 504
    assert figure(server, "sage_ld_workers_ended_total") == before + 1
    assert figure(server, "sage_ld_revision") == server.send("GET", "/health").json["revision"]
    assert shown(server, 'sage_ld_request_seconds_count{method="POST",mode="",route="/sparql",status="504"}')
    assert shown(server, 'sage_ld_waiting_requests{pool="sparql"} 0.0')


@pytest.mark.servers
def test_figures_are_of_all_web_processes(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), processes=2) as running:
        for name, value in FRUGAL.items():
            frugal = with_variable(name, os.environ.get(name, value))
            assert frugal.keys() >= set(children(running.process.pid))
        for _ in range(20):
            assert running.send("GET", "/health/live").status == 200
        labels = '{method="GET",mode="",route="/health/live",status="200"}'
        assert shown(running, f"sage_ld_request_seconds_count{labels} 20.0")


def test_a_client_makes_up_no_labels(server: Server) -> None:
    server.send("GET", "/no/such/route")
    server.send("FROBNICATE", "/sparql")
    text = server.send("GET", "/metrics").content.decode()
    assert "no/such" not in text
    assert "FROBNICATE" not in text


def test_every_answer_has_the_headers_of_safety(server: Server) -> None:
    for path in ("/health", "/sparql", "/nothing", "/data?graph=g:none"):
        headers = server.send("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"


def test_errors_are_problem_documents(server: Server) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("PUT", "/sparql", 405),
        ("GET", "/update", 405),
        ("GET", "/sparql?query=", 400),
        ("GET", "/sparql?default-graph-uri=g:1", 400),
        ("GET", "/sparql?query=ASK%7B%7D&query=ASK%7B%7D", 400),
        ("GET", "/sparql?query=ASK%7B%7D&default-graph-uri=relative", 400),
        ("GET", "/sparql?query=ASK%7B%7D&version=3", 400),
        ("GET", "/data?default&graph=g:1", 400),
        ("GET", "/data?graph=g:none", 404),
    ):
        answer = server.send(method, path)
        assert answer.status == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail"} <= answer.json.keys()
        assert "Accept" in answer.headers["vary"]
    nothing = server.send("GET", "/nosuch").json
    assert nothing["type"].endswith("#not-found")
    assert nothing["detail"] == "there is nothing at '/nosuch'; /docs says what there is"
    refused = server.send("DELETE", "/sparql").json
    assert refused["type"].endswith("#method")
    assert refused["detail"] == "DELETE is not for '/sparql'; send GET or HEAD or OPTIONS or POST or QUERY"
    assert server.send("PUT", "/sparql").headers["allow"] == "GET, HEAD, OPTIONS, POST, QUERY"
    not_taken = server.send("GET", "/sparql?query=ASK%7B%7D", Accept="text/html;q=0.5, text/csv")
    assert (not_taken.status, not_taken.headers["vary"]) == (406, "Accept")


def test_a_compressed_body_is_refused(server: Server) -> None:
    for method, path, token in (
        ("POST", "/sparql", None), ("POST", "/v1/retrieve", None), ("PUT", "/data?default", "write"),
    ):  # fmt: skip
        answer = server.send(method, path, gzip.compress(b"ASK {}"), token=token, Content_Encoding="gzip")
        assert (answer.status, answer.headers["accept-encoding"]) == (415, "identity")
        assert "'gzip': send the body as it is" in answer.json["detail"]
    plain = server.send("POST", "/sparql", "ASK {}", Content_Type=QUERY, Content_Encoding="identity")
    assert plain.status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/ontology?format=turtle&format=jsonld",
        "/export?format=ntriples&format=turtle",
        "/export?rdf=1.1&rdf=1.2",
        "/shapes?version=1.1&version=1.2",
        "/describe?iri=a:1&iri=a:2",
    ],
)
def test_a_choice_is_made_once(server: Server, path: str) -> None:
    answer = server.send("GET", path)
    assert answer.status == 400
    assert "is given 2 times; give it once" in answer.json["detail"]


def test_formats_are_negotiated(server: Server) -> None:
    select, construct = quote("SELECT ?s { ?s a ?c } LIMIT 1"), quote("CONSTRUCT WHERE { ?s a ?c } LIMIT 1")
    for query, accept, expected in (
        (select, "*/*", "application/sparql-results+json"),
        (select, "text/csv, application/sparql-results+xml;q=0.9", "text/csv; charset=utf-8"),
        (
            select,
            "application/*;q=0.1, text/tab-separated-values",
            "text/tab-separated-values; charset=utf-8",
        ),
        (select, "application/xml", "application/sparql-results+xml"),
        (construct, "", "text/turtle; charset=utf-8"),
        (construct, "application/ld+json;q=0.9, text/turtle;q=0.8, */*;q=0", "application/ld+json"),
        (construct, "application/n-triples;version=1.2", "application/n-triples; version=1.2"),
        (construct, "text/html, application/rdf+xml;q=0.3", "application/rdf+xml"),
    ):
        answer = server.send("GET", f"/sparql?query={query}", Accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (200, expected)
        assert "Accept" in answer.headers["vary"]
        assert int(answer.headers["content-length"]) == len(answer.content)


@pytest.mark.parametrize("character", ["\\u0001", "\\u000B", "\\uFFFE"])
@pytest.mark.parametrize(
    ("query", "in_xml", "otherwise"),
    [
        ('SELECT ("%s" AS ?x) {}', "application/sparql-results+xml", "application/sparql-results+json"),
        ('CONSTRUCT { <s:> <http://p/> "%s" } {}', "application/rdf+xml", "text/turtle"),
    ],
    ids=["rows", "graph"],
)
def test_what_xml_cannot_hold_is_refused_in_xml_alone(
    server: Server, query: str, in_xml: str, otherwise: str, character: str
) -> None:
    refused = server.query(query % character, Accept=in_xml)
    assert (refused.status, refused.headers["content-type"]) == (406, "application/problem+json")
    assert f"U+{character[2:]}" in refused.json["detail"]
    assert refused.json["detail"].endswith(f"ask for {otherwise}")
    assert server.query(query % character, Accept=otherwise).status == 200
    assert server.query(query % "\\t\\uFFFD\U0001f600", Accept=in_xml).status == 200


def test_triple_terms_are_for_those_who_ask(server: Server) -> None:
    reified = "SELECT ?o { ?e <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> ?o } LIMIT 1"
    assert server.query(reified).rows == []
    [row] = server.send("POST", "/sparql?version=1.2", reified, Content_Type=QUERY).json["results"][
        "bindings"
    ]
    assert row["o"]["type"] == "triple"
    written = "SELECT * { ?a <https://w3id.org/sage-ld#similarTo> ?b ~ ?e } LIMIT 1"
    assert len(server.query(written).rows) == 1
    everything = "CONSTRUCT WHERE { ?s ?p ?o }"
    assert b"<<(" not in server.query(everything).content
    full = server.send("POST", "/sparql?version=1.2", everything, Content_Type=QUERY)
    assert b"<<(" in full.content
    without = server.send(
        "POST", "/sparql?version=1.2", everything, Content_Type=QUERY, Accept="application/ld+json"
    )
    assert (without.status, without.headers["content-type"]) == (200, "application/ld+json")
    both = "CONSTRUCT { <s:> <p:> <<( <a:> <b:> <c:> )>>, 1 } {}"
    assert len(list(ox.parse(server.query(both).content, ox.RdfFormat.TURTLE))) == 2
    answer = server.query(both, Accept="application/ld+json")
    assert len(list(ox.parse(answer.content, ox.RdfFormat.JSON_LD))) == 1


@pytest.mark.parametrize(
    ("allowed", "origin", "granted"),
    [("*", "https://a.example", "*"), ("https://a.example,https://b.example", "https://b.example", "https://b.example"),
     ("https://a.example", "https://c.example", None), ("", "https://a.example", None)],
)  # fmt: skip
def test_cors(tmp_path: Path, allowed: str, origin: str, granted: str | None) -> None:
    with client_of(empty_graph(tmp_path / "graph"), cors_origins=allowed) as client:
        answer = client.get("/sparql?query=ASK%7B%7D", headers={"Origin": origin})
        assert answer.headers.get("access-control-allow-origin") == granted
        asked = client.options("/sparql", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
        assert ("POST" in asked.headers.get("access-control-allow-methods", "")) == (granted is not None)


@pytest.mark.servers
def test_one_line_a_request_also_as_json(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), log_format="json") as running:
        running.send("GET", "/sparql?query=ASK%7B%7D")
        running.send("GET", "/x%0Ay%20status=200")
        running.stop()
        lines = [json.loads(line) for line in running.log.read_text().splitlines()]
    requests = [line for line in lines if line["message"] == "request"]
    seen = {(line["path"], line["status"]) for line in requests}
    assert {("/sparql", 200), ("/x\\x0ay\\x20status=200", 404)} <= seen
    assert all("ASK" not in json.dumps(line) for line in lines)


@pytest.mark.servers
def test_sigterm_finishes_what_is_under_way_and_leaves_no_process(tmp_path: Path) -> None:
    folder = generated_graph(tmp_path / "graph", documents=2, edges=1)
    numbers = " ".join(map(str, range(250)))
    text = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{name} {{ {numbers} }}' for name in 'abc')} }}"
    answers = []
    with serving(folder, sparql_timeout=PATIENCE) as running:
        thread = threading.Thread(target=lambda: answers.append(running.query(text)))
        thread.start()
        assert waited_for(lambda: figure(running, "sage_ld_busy_workers") > 0)
        assert running.stop() == 0
        thread.join()
    assert answers[0].rows == [{"n": str(250**3)}]
    assert not at_work(folder)


@pytest.mark.servers
@pytest.mark.skipif(sys.platform != "linux", reason="the system tells no process of its parent's end")
def test_nothing_outlives_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    folder = generated_graph(tmp_path / "graph", documents=2, edges=1)
    numbers = " ".join(map(str, range(400)))
    text = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{name} {{ {numbers} }}' for name in 'abcd')} }}"
    with serving(folder, sparql_timeout=PATIENCE) as running:

        def ask() -> None:
            with suppress(OSError, HTTPException):
                running.query(text)

        thread = threading.Thread(target=ask)
        thread.start()
        assert waited_for(lambda: figure(running, "sage_ld_busy_workers") > 0)
        assert len(at_work(folder)) > 2
        running.process.kill()
        running.process.wait()
        assert waited_for(lambda: not at_work(folder))
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", running.port))
            free.listen()
        thread.join()


@pytest.mark.servers
def test_a_graph_in_which_nothing_is_yet_is_served(tmp_path: Path) -> None:
    KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard").close()
    with serving(tmp_path / "graph") as running:
        assert running.send("GET", "/health").json["revision"] == 0
        assert running.query("SELECT * { ?s ?p ?o }").rows == []
        assert running.send("GET", "/sparql").status == 200


def test_what_cannot_be_served_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFoundError, match="not a graph"):
        serve(tmp_path / "nothing", port=free_port())
    folder = empty_graph(tmp_path / "graph")
    for arguments in ({"port": 0}, {"host": "a b"}, {"processes": 0}):
        with pytest.raises(InputError):
            serve(folder, **arguments)  # type: ignore[arg-type]
    monkeypatch.setenv("SAGE_LD_WEB_THREADS", "10")
    with pytest.raises(InputError, match="web_threads"):
        serve(folder)
    monkeypatch.setenv("SAGE_LD_WEB_THREADS", "80")
    monkeypatch.setenv("SAGE_LD_WEB_SEARCHES", "40")
    with pytest.raises(InputError, match="twice web_searches"):
        serve(folder)
    monkeypatch.delenv("SAGE_LD_WEB_SEARCHES")
    monkeypatch.setenv("SAGE_LD_LOG_FORMAT", "xml")
    with pytest.raises(InputError, match="log_format"):
        serve(folder)
