"""The short way of a plain query gives what the long one gives; what is kept is what a worker would say."""

from __future__ import annotations

import socket
from urllib.parse import urlencode

import pytest
from service.serving import FORM, QUERY, Answer, Server
from waiting import PATIENCE

DOCUMENTS = "SELECT ?s { ?s a <https://w3id.org/sage-ld#Document> } ORDER BY ?s"
GRAPH = "CONSTRUCT WHERE { ?s a <https://w3id.org/sage-ld#Document> }"
EACH_TIME = {"date", "connection"}


def get(parameters: dict[str, str], **headers: str) -> tuple[str, str, str | None, dict[str, str]]:
    return "GET", "/sparql?" + urlencode(parameters), None, headers


def post(
    text: str, media_type: str = QUERY, path: str = "/sparql", **headers: str
) -> tuple[str, str, str | None, dict[str, str]]:
    return "POST", path, text, {"Content_Type": media_type, **headers}


REQUESTS = {
    "get": get({"query": DOCUMENTS}),
    "form": post(urlencode({"query": DOCUMENTS}), FORM),
    "direct": post(DOCUMENTS),
    "query": ("QUERY", "/sparql", DOCUMENTS, {"Content_Type": QUERY}),
    "csv": post(DOCUMENTS, Accept="text/csv"),
    "boolean": post("ASK { ?s ?p ?o }", Accept="application/sparql-results+xml"),
    "graph": post(GRAPH),
    "json-ld": post(GRAPH, Accept="application/ld+json"),
    "relative": post("ASK { <here> <p:> 1 }"),
    "nothing-in-it": get({"query": DOCUMENTS, "default-graph-uri": "http://example.org/none"}),
    "known": get({"query": "ASK {}"}, If_None_Match="*"),
    "origin": get({"query": "ASK {}"}, Origin="https://a.example"),
    "wrong": post("SELECT"),
    "wrong-format": post(DOCUMENTS, Accept="image/png"),
    "wrong-type": post(DOCUMENTS, "text/plain"),
    "wrong-time": get({"query": "ASK {}", "timeout": "soon"}),
    "no-query": post("", FORM),
    "twice": get({"query": "ASK {}", "x": "1"}, Accept="text/turtle"),
    "too-deep": post("ASK " + "{" * 200 + "}" * 200),
    "search": post('SELECT ?c { ?c <https://w3id.org/sage-ld#search> "a" }'),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_both_ways_give_the_same(
    server: Server, request_: tuple[str, str, str | None, dict[str, str]]
) -> None:
    method, path, body, headers = request_

    def send(token: str | None) -> tuple[int, dict[str, str], bytes]:
        answer = server.send(method, path, body, token=token, **headers)
        return answer.status, {k: v for k, v in answer.headers.items() if k not in EACH_TIME}, answer.content

    assert send(None) == send("read")  # a token is checked by the framework


def test_an_answer_is_known_by_its_tag(server: Server) -> None:
    method, path, _, _ = get({"query": DOCUMENTS})
    first = server.send(method, path)
    again = server.send(method, path, If_None_Match=first.headers["etag"])
    assert (again.status, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    other = server.send(method, path, Accept="text/csv", If_None_Match=first.headers["etag"])
    assert (other.status, other.headers["etag"] != first.headers["etag"]) == (200, True)
    assert server.send("POST", "/sparql", DOCUMENTS, Content_Type=QUERY, If_None_Match="*").status == 200


@pytest.mark.parametrize("expression", ["RAND()", "UUID()", "STRUUID()", "now()"])
def test_what_changes_from_time_to_time_is_not_kept(server: Server, expression: str) -> None:
    answers = [server.query(f"SELECT ?x {{ BIND({expression} AS ?x) }}").rows[0]["x"] for _ in range(2)]
    assert answers[0] != answers[1]


def test_a_change_shows_in_what_was_kept(blank: Server) -> None:
    assert blank.update("CLEAR ALL").status == 200
    for number in range(5):
        assert blank.update(f"INSERT DATA {{ GRAPH <g:> {{ <s:> <p:> {number} }} }}").status == 200
        for _ in range(2):
            answer = blank.query("SELECT (MAX(?o) AS ?most) { <s:> <p:> ?o }")
            assert answer.rows == [{"most": str(number)}]


def test_requests_follow_one_another_on_a_connection(server: Server) -> None:
    head = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: {QUERY}\r\n"
    one = f"{head}Content-Length: 6\r\n\r\nASK {{}}"
    last = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
        client.sendall((one * 3 + last).encode())
        received = b""
        while block := client.recv(65536):
            received += block
    assert received.count(b"HTTP/1.1 200 OK") == 4
    assert received.count(b'"boolean":true') == 3


def test_long_answers_are_whole(server: Server) -> None:
    """Those that go to a file on the way; it has no tag, and comes the same again."""
    numbers = " ".join(map(str, range(200)))
    text = f"SELECT * {{ VALUES ?a {{ {numbers} }} VALUES ?b {{ {numbers} }} }}"

    def ask() -> Answer:
        return server.query(text)

    first = ask()
    assert len(first.content) > 2**20
    assert int(first.headers["content-length"]) == len(first.content)
    assert "etag" not in first.headers
    assert len(first.rows) == 40_000
    assert ask().content == first.content


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_a_browser_gets_the_editor_and_a_program_the_description(server: Server) -> None:
    page = server.send("GET", "/sparql", Accept=BROWSER)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["vary"] == "Accept"
    for accept in ("*/*", "text/turtle", "text/html;q=0.5, application/ld+json"):
        assert "html" not in server.send("GET", "/sparql", Accept=accept).headers["content-type"], accept
    assert "html" not in server.send("GET", "/sparql").headers["content-type"]
    asked = server.send("GET", "/sparql?query=ASK%7B%7D", Accept=BROWSER)
    assert asked.headers["content-type"] == "application/sparql-results+xml"


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT * {\n  ?s ?p }", (2, 10)),
        ("SELECT * {\n ?s ?p 'é }", (2, 8)),
        ("PREFIX sage: <https://w3id.org/sage-ld#> ASK {\n ?c sage:search\n ('x' 2) .\n ?c ?p }", (4, 9)),
        ("PREFIX sage: <https://w3id.org/sage-ld#> ASK {\n ?c sage:search\n ('x' 2) . ?c ?p }", (3, None)),
    ],
)
def test_what_does_not_parse_is_refused_with_its_place(
    server: Server, query: str, place: tuple[int, int | None]
) -> None:
    said = server.query(query).json
    assert (said["status"], (said["line"], said.get("column"))) == (400, place)
