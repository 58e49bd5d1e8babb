"""Hostile input: each is refused or stopped, and the service answers others all the while."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from service.serving import FORM, QUERY, Answer, Server, empty_graph, generated_graph, serving
from waiting import PATIENCE, waited_for

from sage_ld.service.access.tokens import AccessRole

NUMBERS = " ".join(map(str, range(500)))
VALUES = " ".join(f"VALUES ?{name} {{ {NUMBERS} }}" for name in "abcd")
MEGABYTE = 2**20
POST = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: {QUERY}\r\n".encode()
READ_TIMEOUT = 3.0
SPARQL_TIMEOUT = 10
"""Seconds: a small query has an answer in them, also where the workers begin anew and the machine is busy."""


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with short deadlines."""
    folder = generated_graph(tmp_path_factory.mktemp("hostile") / "graph", documents=3, edges=5)
    with serving(
        folder,
        (AccessRole.READ, AccessRole.WRITE),
        sparql_timeout=SPARQL_TIMEOUT,
        sparql_workers=4,
        update_timeout=300,
        read_timeout=READ_TIMEOUT,
        write_timeout=1,
        max_result_bytes=64 * MEGABYTE,
        max_rows=100_000,
        max_header_fields=50,
        cors_origins="*",
    ) as running:
        yield running


@contextlib.contextmanager
def others(server: Server) -> Iterator[None]:
    """Another client asks small questions as long as the block lasts, and each must be answered."""
    stop = threading.Event()
    failures: list[str] = []
    answered = 0

    def ask() -> None:
        nonlocal answered
        for _ in range(10_000):
            if stop.is_set():
                return
            try:
                if not server.alive():
                    failures.append("wrong answer")
            except Exception as error:
                failures.append(repr(error))
            answered += 1
            stop.wait(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failures
    assert answered > 0


@contextlib.contextmanager
def connected(server: Server, holding: int | None = None) -> Iterator[socket.socket]:
    """A client; the system holds back some `holding` bytes for it, if given, and many MB otherwise."""
    with socket.socket() as client:
        if holding:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, holding)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", server.port))
        yield client


def read_all(client: socket.socket, limit: int = 10**9) -> bytes:
    received = b""
    with contextlib.suppress(ConnectionError):
        while len(received) < limit and (block := client.recv(MEGABYTE)):
            received += block
    return received


@pytest.mark.parametrize(
    ("text", "status", "setting"),
    [
        ("SELECT * " + "{" * 3000 + "}" * 3000, 413, "max_query_depth"),
        ("ASK { " + " . ".join(f"?s{n} ?p ?s{n + 1}" for n in range(1000)) + " }", 413, "max_query_patterns"),
        ("ASK { ?s " + "/".join(["<p:>"] * 1000) + " ?o }", 413, "max_query_patterns"),
        ("ASK { ?s ?p '" + "x" * 70_000 + "' }", 413, "max_query_bytes"),
        (f"SELECT * {{ {VALUES} }} ORDER BY ?d ?a", (504, 422), "timeout|worker_memory"),
        (f"SELECT (COUNT(*) AS ?n) {{ {VALUES} }}", 504, "timeout"),
        (f"SELECT ?a {{ {VALUES} }}", (422, 504), "max_rows|timeout"),
        ("ASK { FILTER(REGEX('" + "a" * 40_000 + "', '" + "(a*)*" * 20 + "b')) }", (200, 422, 504), ""),
    ],
    ids=["nesting", "join", "path", "length", "order", "count", "rows", "regex"],
)
def test_a_hostile_query_is_stopped(
    hard: Server, text: str, status: int | tuple[int, ...], setting: str
) -> None:
    with others(hard):
        answer = hard.query(text)
    assert answer.status in (status if isinstance(status, tuple) else (status,))
    if answer.status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert re.search(setting, answer.json["detail"])
        assert "\n" not in answer.json["detail"]


def test_a_request_may_ask_for_less_time_and_never_for_more(hard: Server) -> None:
    text = f"SELECT (COUNT(*) AS ?n) {{ {VALUES} }}"

    def ask(seconds: str) -> Answer:
        return hard.send("POST", f"/sparql?timeout={seconds}", text, Content_Type=QUERY)

    for seconds, limit in (("0.2", "0.2"), ("9999", str(SPARQL_TIMEOUT))):
        answers = (ask(seconds) for _ in range(100))
        answer = next(each for each in answers if each.status != 503)  # until a worker is there in time
        assert answer.status == 504
        assert f"after {limit} s" in answer.json["detail"]
    for wrong in ("0", "-1", "nan", "soon"):
        assert ask(wrong).status == 400


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { SERVICE <http://127.0.0.1:PORT/> { ?s ?p ?o } }",
        "SELECT * { sErViCe SILENT <http://127.0.0.1:PORT/> { ?s ?p ?o } }",
        "PREFIX ex: <http://127.0.0.1:PORT/> SELECT * { SERVICEex:a { ?s ?p ?o } }",
        "PREFIX : <http://127.0.0.1:PORT/> ASK { FILTER EXISTS { SERVICE:a { ?s ?p ?o } } }",
        "ASK { VALUES ?u { <http://127.0.0.1:PORT/> } SERVICE?u { ?s ?p ?o } }",
        "ASK { SERVICE <http://127.0.0.1:\\u0050ORT/> { ?s ?p ?o } }",
        "SELECT * FROM <http://127.0.0.1:PORT/data> { ?s ?p ?o }",
        "LOAD <http://127.0.0.1:PORT/>",
        "LOAD SILENT <http://127.0.0.1:PORT/> INTO GRAPH <g:>",
        "PREFIX ex: <http://127.0.0.1:PORT/> LOADex:a",
        "INSERT { ?s ?p ?o } WHERE { SERVICE <http://127.0.0.1:PORT/> { ?s ?p ?o } }",
        "SELECT * { VALUES ?x { true } { SELECT * { ?s ?p trueSERVICE <http://127.0.0.1:PORT/> {} } } }",
        "SELECT * { FILTER('a'<'>')SERVICE <http://127.0.0.1:PORT/> { ?s ?p '' } } #'",
    ],
)
def test_no_text_makes_the_service_call_a_host(hard: Server, text: str) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.2)
        written = text.replace("PORT", str(listener.getsockname()[1]))
        is_query = re.search("SELECT|ASK", text)
        answer = hard.query(written) if is_query else hard.update(written)
        assert answer.status == (200 if "FROM" in text else 400)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_json_ld_with_a_remote_context_is_refused(hard: Server) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0.2)
        context = f"http://127.0.0.1:{listener.getsockname()[1]}/context"
        body = json.dumps({"@context": context, "@id": "a:b", "name": "x"})
        answer = hard.send("PUT", "/data?graph=g:1", body, token="write", Content_Type="application/ld+json")
        assert answer.status == 400
        assert re.search(r"it is not fetched; put it into the folder .*inline it", answer.json["detail"])
        page = f'<p>Quay.</p><script type="application/ld+json">{body}</script>'
        for name, content, kind in (("a.jsonld", body, "application/ld+json"), ("a.html", page, "text/html")):
            answer = hard.send("PUT", f"/v1/documents/{name}", content, token="write", Content_Type=kind)
            assert answer.status == (201 if name == "a.html" else 400)
            assert b"it is not fetched" in answer.content
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_body_of_100_megabytes_is_refused_before_it_is_sent(hard: Server) -> None:
    with others(hard), connected(hard) as client:
        client.sendall(POST + f"Content-Length: {100 * MEGABYTE}\r\n\r\n".encode() + b"x" * MEGABYTE)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"max_query_bytes" in answer


def test_an_endless_chunked_body_is_cut_off(hard: Server) -> None:
    sent = 0
    with others(hard), connected(hard) as client:
        client.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
        with contextlib.suppress(ConnectionError):
            while sent < 200:
                client.sendall(chunk)
                sent += 1
    assert sent < 200


@pytest.mark.parametrize("length", [8_300, 60_000])
def test_a_request_line_that_is_too_long_is_refused_in_words(hard: Server, length: int) -> None:
    with connected(hard) as client:
        client.sendall(b"GET /sparql?query=" + b"a" * length + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head, _, body = read_all(client).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 414 ")
    said = json.loads(body)
    assert said["status"] == 414
    assert "8,190" in said["detail"]
    assert "max_request_line" in said["detail"]
    assert "POST" in said["detail"]


GET = b"GET /health HTTP/1.1\r\n"
HOST = b"Host: localhost\r\n"
REFUSED = {
    "many headers": (GET + HOST + b"X: 1\r\n" * 60, 431, "62 headers.* 50;.*max_header_fields"),
    "large header": (GET + HOST + b"X: " + b"y" * 8997 + b"\r\n", 431, "9,000 bytes.* 8,190;.*max_header_b"),
    "long line": (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST, 414, "8,190.*max_request_line.*POST"),
    "no host": (GET, 400, "no header Host"),
    "wrong host": (GET + b"Host: localhost b<>\r\n", 400, "'localhost b<>'"),
    "expectation": (GET + HOST + b"Expect: wonders\r\n", 417, "wonders.*100-continue"),
    "two hosts": (GET + HOST + HOST, 400, "2 headers Host"),
    "coding": (POST + b"Transfer-Encoding: brotli, chunked\r\n", 501, "brotli.*chunked"),
}


@pytest.mark.parametrize(("head", "status", "said"), REFUSED.values(), ids=REFUSED)
def test_what_the_server_refuses_is_answered_logged_and_counted_as_all_else(
    hard: Server, head: bytes, status: int, said: str
) -> None:
    logged = hard.log.read_text().count(f"status={status} ")
    counted = requests_with(hard, status)
    with connected(hard) as client:
        client.sendall(head + b"Origin: https://a.example\r\n\r\n")
        answer = read_all(client)
    beginning, _, content = answer.partition(b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    headers = http.client.parse_headers(io.BytesIO(beginning.partition(b"\r\n")[2] + b"\r\n\r\n"))
    assert headers["Content-Type"] == "application/problem+json"
    assert headers["Connection"] == "close"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert int(headers["Content-Length"]) == len(content)
    problem = json.loads(content)
    assert problem["status"] == status
    assert re.search(said, problem["detail"])
    assert waited_for(lambda: requests_with(hard, status) == counted + 1)
    assert hard.log.read_text().count(f"status={status} ") == logged + 1


@pytest.mark.parametrize(
    "head",
    [
        b"SELECT * WHERE\r\n" + HOST,
        GET + HOST + b"x y z\r\n",
        GET + HOST + b"X: 1\r\n" * 10_000,
        GET + HOST + b"X: " + b"y" * 500_000 + b"\r\n",
        POST + b"Transfer-Encoding: brotli\r\n",
        POST + b"Content-Length: 1\r\nContent-Length: 2\r\n",
        b"\x16\x03\x01\x02\x00\x01",
    ],
)
def test_what_is_no_http_is_refused_by_the_server(hard: Server, head: bytes) -> None:
    """It has no problem document: the application never sees it."""
    with others(hard), connected(hard) as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(head + b"\r\n")
        answer = read_all(client)
    assert not answer or re.match(rb"HTTP/1\.1 4(00|31) ", answer)


def test_a_refused_page_of_another_origin_reads_nothing(tmp_path: Path) -> None:
    with serving(empty_graph(tmp_path / "graph"), cors_origins="https://a.example") as running:
        for origin, granted in ((b"https://a.example", True), (b"https://b.example", False)):
            with connected(running) as client:
                client.sendall(b"GET / HTTP/1.1\r\nOrigin: %s\r\n\r\n" % origin)
                assert (b"access-control-allow-origin: " + origin in read_all(client)) == granted
        too_large = running.send(
            "POST", "/v1/retrieve", Origin="https://a.example", Content_Length="100000000"
        )
        assert too_large.status == 413
        assert too_large.headers["access-control-allow-origin"] == "https://a.example"
        assert too_large.headers["x-content-type-options"] == "nosniff"
        assert "Origin" in too_large.headers["vary"]


@pytest.mark.parametrize("body", [b"zz\r\n", b"5\r\nASK {}\r\n", b"6\r\nASK", b"0\r\nx\r\n\r\n"])
def test_a_chunked_body_that_is_none_is_the_clients_error_everywhere(hard: Server, body: bytes) -> None:
    before = requests_with(hard, 400), requests_with(hard, 500)
    with connected(hard) as client:
        client.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n" + body)
        client.shutdown(socket.SHUT_WR)
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"x-content-type-options" in answer
    assert waited_for(
        lambda: (requests_with(hard, 400), requests_with(hard, 500)) == (before[0] + 1, before[1])
    )


def requests_with(server: Server, status: int) -> int:
    """How many requests have had an answer of that status."""
    return _requests(server, f'status="{status}"')


def posted_queries(server: Server) -> int:
    """How many answers to posted queries have ended, also where the client took no more of them."""
    return _requests(server, 'method="POST",.*route="/sparql"')


def _requests(server: Server, label: str) -> int:
    figures = server.send("GET", "/metrics").content.decode()
    found = re.findall(rf"^sage_ld_request_seconds_count\{{.*{label}.*\}} (\S+)$", figures, re.MULTILINE)
    return int(sum(map(float, found)))


@pytest.mark.parametrize(
    "beginning", [b"GET /heal", POST + b"Content-Length: 9\r\n\r\nASK"], ids=["head", "body"]
)
def test_slow_clients_are_hung_up_on(hard: Server, beginning: bytes) -> None:
    with contextlib.ExitStack() as stack, others(hard):
        clients = [stack.enter_context(connected(hard)) for _ in range(40)]
        for client in clients:
            client.sendall(beginning)
        endings = [read_all(client) for client in clients]
    assert all(not ending or ending.startswith(b"HTTP/1.1 400") for ending in endings)


def test_a_client_that_stops_reading_gets_no_whole_answer(hard: Server) -> None:
    pairs = " ".join(f"VALUES ?{name} {{ {NUMBERS} }}" for name in "ab")
    text = f"SELECT ?a ('{'x' * 500}' AS ?x) {{ {pairs} }} LIMIT 100000".encode()
    head = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: {QUERY}\r\n"
    before = posted_queries(hard)
    with others(hard), contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(hard, holding=1 << 16)) for _ in range(3)]
        for client in clients:
            client.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(text) + text)
        assert waited_for(lambda: posted_queries(hard) == before + len(clients))
        endings = [read_all(client) for client in clients]
    for ending in endings:
        head, _, content = ending.partition(b"\r\n\r\n")
        announced = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
        assert len(content) < announced or head.startswith((b"HTTP/1.1 503", b"HTTP/1.1 504")), (
            "cut short, or refused as a whole"
        )


@pytest.mark.parametrize("way", ["short", "long"])
def test_a_query_ends_when_its_client_hangs_up(hard: Server, way: str) -> None:
    """Four of them would hold all workers until their deadline."""
    token = f"Authorization: Bearer {hard.tokens['read']}\r\n" if way == "long" else ""
    text = f"SELECT (COUNT(*) AS ?n) {{ {VALUES} }}".encode()
    head = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\n{token}Content-Type: {QUERY}\r\n"
    before = abandoned(hard)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            client = stack.enter_context(connected(hard))
            client.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(text) + text)
        assert waited_for(lambda: figure(hard, "sage_ld_busy_workers", "sparql") > 0)
    assert hard.alive()
    assert waited_for(lambda: abandoned(hard) > before)
    for gauge in ("sage_ld_waiting_requests", "sage_ld_busy_workers"):
        assert waited_for(lambda gauge=gauge: figure(hard, gauge, "sparql") == 0)


def abandoned(server: Server) -> float:
    return figure(server, "sage_ld_workers_ended_total", "abandoned")


def figure(server: Server, name: str, label: str) -> float:
    """A figure of the metrics that has a label; 0 before it is first counted."""
    figures = server.send("GET", "/metrics").content.decode()
    found = re.search(rf'^{name}\{{.*"{label}".*\}} (\S+)$', figures, re.MULTILINE)
    return float(found[1]) if found else 0


def test_what_is_no_utf_8_is_refused(hard: Server) -> None:
    assert hard.send("GET", "/sparql?query=ASK%20%7B%20%3Fs%20%3Fp%20%27%ff%27%7D").status == 400
    assert hard.send("POST", "/sparql", b"query=ASK%7B%7D%ff", Content_Type=FORM).status == 400
    assert hard.send("POST", "/sparql", b"ASK { ?s ?p '\xff' }", Content_Type=QUERY).status == 400
    assert hard.send("GET", "/%ff%fe").status == 404
    assert hard.send("GET", "/data/%ff%fe").status in (400, 404)


@pytest.mark.parametrize(
    "header",
    [
        *("Bearer", "Bearer ", "Bearer \xff", "Basic !!!", "Basic YTpi", "Basic \xff"),
        *("Digest x=y", "sage_x", ""),
    ],
)
def test_what_is_no_token_is_no_token(hard: Server, header: str) -> None:
    assert hard.send("GET", "/sparql?query=ASK%7B%7D", Authorization=header).status == 401


def test_a_server_under_attack_stops_in_peace(tmp_path: Path) -> None:
    folder = generated_graph(tmp_path / "graph", documents=3, edges=5)
    with serving(folder, sparql_timeout=SPARQL_TIMEOUT) as running:
        threads = [
            threading.Thread(target=running.query, args=(f"SELECT (COUNT(*) AS ?n) {{ {VALUES} }}",))
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        assert waited_for(lambda: figure(running, "sage_ld_busy_workers", "sparql") > 0)
        assert running.stop() == 0
        for thread in threads:
            thread.join()
    assert "Traceback" not in running.log.read_text()
