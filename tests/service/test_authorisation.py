"""Who may do what, on every route: without a token, with a wrong one, with one of a lower role."""

from __future__ import annotations

import http.client
import logging
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from service.serving import FORM, QUERY, UPDATE, Server, empty_graph, serving
from service.web import client_of
from waiting import PATIENCE
from werkzeug.test import TestResponse

from sage_ld.foundation.errors import ConflictError, ForbiddenError, InputError, UnavailableError
from sage_ld.service.access.tokens import FILE, AccessRole, Tokens, check, create_token, read_tokens
from sage_ld.service.http.errors import AuthenticationError

TURTLE = "text/turtle"
READS = [
    ("GET", "/sparql?query=ASK%7B%7D", None, ""),
    ("GET", "/sparql", None, ""),
    ("POST", "/sparql", "ASK {}", QUERY),
    ("POST", "/sparql", "query=ASK%7B%7D", FORM),
    ("QUERY", "/sparql", "ASK {}", QUERY),
    ("GET", "/data?default", None, ""),
    ("HEAD", "/data?default", None, ""),
    ("GET", "/metrics", None, ""),
]
WRITES = [
    ("POST", "/update", "INSERT DATA { <s:> <p:> 1 }", UPDATE),
    ("POST", "/update", "update=INSERT%20DATA%20%7B%7D", FORM),
    ("PUT", "/data?graph=g:1", "<s:> <p:> 1 .", TURTLE),
    ("POST", "/data?graph=g:1", "<s:> <p:> 1 .", TURTLE),
    ("POST", "/data", "<s:> <p:> 1 .", TURTLE),
    ("PATCH", "/data?graph=g:1", "INSERT DATA { <s:> <p:> 1 }", UPDATE),
    ("DELETE", "/data?graph=g:1", None, ""),
    ("PUT", "/data/below", "<s:> <p:> 1 .", TURTLE),
    ("DELETE", "/data/below", None, ""),
]


def send(server: Server, route: tuple[str, str, str | None, str], token: str | None) -> int:
    method, path, body, media_type = route
    headers = {"Content_Type": media_type} if media_type else {}
    answer = server.send(method, path, body, token=token, **headers)
    if answer.status >= 400 and method != "HEAD":
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json["status"] == answer.status
    return answer.status


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service on which reading needs a token too."""
    folder = empty_graph(tmp_path_factory.mktemp("closed") / "graph")
    with serving(
        folder, (AccessRole.READ, AccessRole.WRITE, AccessRole.ADMIN), public_read="false"
    ) as running:
        yield running


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service as it is without any token."""
    with serving(empty_graph(tmp_path_factory.mktemp("read-only") / "graph")) as running:
        yield running


@pytest.mark.parametrize("route", READS, ids=lambda route: f"{route[0]} {route[1]}")
def test_reading(closed: Server, read_only: Server, route: tuple[str, str, str | None, str]) -> None:
    assert send(closed, route, None) == 401
    assert send(closed, route, "sage_wrong") == 401
    assert [send(closed, route, role) for role in ("read", "write", "admin")] == [200] * 3
    assert send(read_only, route, None) == 200
    assert send(read_only, route, "sage_wrong") == 401


@pytest.mark.parametrize("route", WRITES, ids=lambda route: f"{route[0]} {route[1]}")
def test_writing(closed: Server, read_only: Server, route: tuple[str, str, str | None, str]) -> None:
    assert send(closed, route, None) == 401
    assert send(closed, route, "sage_wrong") == 401
    assert send(closed, route, "read") == 403
    if route[0] == "DELETE":
        assert send(closed, ("PUT", route[1], "<s:> <p:> 1 .", TURTLE), "write") < 300
    assert send(closed, route, "write") < 300
    assert send(closed, route, "admin") in (200, 201, 204, 404)
    assert send(read_only, route, None) in (403, 405)
    assert send(read_only, route, "sage_wrong") == 401


def test_health_needs_no_token(closed: Server) -> None:
    for path in ("/health", "/health/live", "/health/ready"):
        assert closed.send("GET", path).status == 200


def test_a_read_only_service_says_how_to_write(read_only: Server) -> None:
    answer = read_only.send("PUT", "/data?default", "", Content_Type=TURTLE)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    assert "sage-ld token create" in answer.json["detail"]
    assert "sage-ld token create" in read_only.send("POST", "/update", "", Content_Type=UPDATE).json["detail"]


def test_a_password_may_be_the_token(closed: Server) -> None:
    import base64

    pair = base64.b64encode(f"anybody:{closed.tokens['read']}".encode()).decode()
    assert closed.send("GET", "/sparql", Authorization=f"Basic {pair}").status == 200


def test_both_ways_to_send_a_token_are_offered(closed: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", closed.port, timeout=PATIENCE)
    connection.request("GET", "/")
    offered = connection.getresponse().headers.get_all("WWW-Authenticate")
    connection.close()
    assert offered == ['Bearer realm="sage-ld"', 'Basic realm="sage-ld", charset="UTF-8"']


def test_a_token_is_revoked_by_deleting_it(tmp_path: Path) -> None:
    secret = create_token(tmp_path, "somebody", AccessRole.WRITE, "2026-01-01")
    tokens = Tokens(tmp_path)
    assert (tokens.role_of(secret), tokens.any(AccessRole.WRITE), tokens.any(AccessRole.ADMIN)) == (
        AccessRole.WRITE,
        True,
        False,
    )
    (tmp_path / FILE).write_text("")
    assert tokens.role_of(secret) is AccessRole.NOBODY
    (tmp_path / FILE).unlink()
    assert not tokens.any(AccessRole.READ)


def test_only_the_hash_is_kept(tmp_path: Path) -> None:
    secret = create_token(tmp_path, "somebody", AccessRole.READ, "2026-01-01")
    assert secret not in (tmp_path / FILE).read_text()
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    [token] = read_tokens(tmp_path / FILE)
    assert (token.name, token.role, token.created, len(token.sha256)) == (
        "somebody",
        AccessRole.READ,
        "2026-01-01",
        64,
    )


def test_names_are_checked(tmp_path: Path) -> None:
    create_token(tmp_path, "somebody", AccessRole.READ, "2026-01-01")
    with pytest.raises(ConflictError, match="somebody"):
        create_token(tmp_path, "somebody", AccessRole.WRITE, "2026-01-01")
    for name in ("", 'a"b', "a\nb", "x" * 101):
        with pytest.raises(InputError, match="token name"):
            create_token(tmp_path, name, AccessRole.READ, "2026-01-01")
    with pytest.raises(InputError, match="unknown role"):
        AccessRole.named("root")


def test_roles_include_those_below() -> None:
    check(AccessRole.ADMIN, AccessRole.READ)
    with pytest.raises(ForbiddenError, match="needs write"):
        check(AccessRole.READ, AccessRole.WRITE)
    with pytest.raises(AuthenticationError, match="Bearer"):
        check(AccessRole.NOBODY, AccessRole.READ)


DAMAGED = (
    "[[token]]\nname = 1",
    "[[token",
    "token = 3",
    '[[token]]\nname = "a"\nrole = "root"\nsha256 = "00"\ncreated = "2026-01-01"',
    '[[token]]\nname = "a"\nrole = "read"\nsha256 = "é"\ncreated = "2026-01-01"',
)


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_file_lets_nobody_in(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("sage_ld"), "propagate", True)
    secret = create_token(tmp_path, "somebody", AccessRole.WRITE, "2026-01-01")
    tokens = Tokens(tmp_path)
    assert tokens.role_of(secret) is AccessRole.WRITE
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match=FILE):
        read_tokens(tmp_path / FILE)
    for _ in range(2):
        with pytest.raises(UnavailableError, match="see its log"):
            tokens.role_of(secret)
    assert [FILE in line for line in caplog.messages] == [True]


@pytest.mark.servers
def test_a_damaged_file_is_not_the_clients_fault(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "graph")
    with serving(folder, (AccessRole.WRITE,)) as running:
        (folder / FILE).write_text(DAMAGED[0])
        for route in (*READS, *WRITES):
            answer = running.send(*route[:3], token="write", Content_Type=route[3] or TURTLE)
            assert answer.status == 503, route
            assert FILE.encode() not in answer.content
        assert running.send("PUT", "/data?default", "", Content_Type=TURTLE).status == 503
        assert running.alive()
    assert str(folder / FILE) in running.log.read_text()


def test_a_loop_of_links_lets_nobody_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = empty_graph(tmp_path / "graph")
    secret = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    (folder / FILE).unlink()
    (folder / FILE).symlink_to(FILE)
    with pytest.raises(InputError, match="cannot be read"):
        read_tokens(folder / FILE)
    with client_of(folder) as client:
        sent = {"Authorization": f"Bearer {secret}"}
        for _ in range(2):
            answer = client.post("/update", data={"update": ""}, headers=sent)
            assert answer.status_code == 503
            assert FILE not in answer.text
        assert client.get("/v1/chunks").status_code == 200


OWN = "http://localhost:8000/id/graph/"
REMOVALS = [
    ("DELETE", f"/data?graph={OWN}edges", ""),
    ("PUT", f"/data?graph={OWN}edges", ""),
    ("PUT", f"/data?graph={OWN}document/1", ""),
    ("POST", "/update", f"DROP GRAPH <{OWN}edges>"),
    ("POST", "/update", f"PREFIX g: <{OWN}> CLEAR SILENT GRAPH g:edges"),
    ("POST", "/update", "INSERT DATA { <x:s> <x:p> 1 } ; DROP NAMED"),
    ("POST", "/update", "CLEAR ALL"),
    ("POST", "/update", f"MOVE <{OWN}edges> TO <x:g>"),
    ("POST", "/update", f"COPY <x:g> TO GRAPH <{OWN}edges>"),
    ("POST", "/update", f"BASE <{OWN}a/> MOVE DEFAULT TO <../edges>"),
]
ADDITIONS = [
    ("POST", f"/data?graph={OWN}edges", "<x:s> <x:p> 1 ."),
    ("DELETE", "/data?graph=x:g", ""),
    ("POST", "/update", f"INSERT DATA {{ GRAPH <{OWN}edges> {{ <x:s> <x:p> 1 }} }}"),
    ("POST", "/update", f"COPY <{OWN}edges> TO <x:g> ; ADD <x:g> TO <{OWN}edges> ; DROP GRAPH <x:g>"),
    ("POST", "/update", "CLEAR DEFAULT"),
]


@pytest.fixture(scope="module")
def sender(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[tuple[str, str, str], AccessRole], TestResponse]]:
    """What a change of one graph is answered for each role."""
    folder = empty_graph(tmp_path_factory.mktemp("graphs") / "graph")
    secrets = {
        role: create_token(folder, role.name, role, "2026-01-01")
        for role in (AccessRole.WRITE, AccessRole.ADMIN)
    }
    with client_of(folder) as client:

        def send(change: tuple[str, str, str], role: AccessRole) -> TestResponse:
            method, path, text = change
            media_type = UPDATE if path == "/update" else TURTLE
            sent = {"Authorization": f"Bearer {secrets[role]}", "Content-Type": media_type}
            return client.open(path, method=method, data=text, headers=sent)

        yield send


@pytest.fixture
def graphs(
    sender: Callable[[tuple[str, str, str], AccessRole], TestResponse],
) -> Callable[[tuple[str, str, str], AccessRole], TestResponse]:
    """The same, for a graph with a named graph of its own, and one of a user's."""
    made = f"INSERT DATA {{ GRAPH <{OWN}edges> {{ <x:s> <x:p> 1 }} GRAPH <x:g> {{ <x:s> <x:p> 1 }} }}"
    assert sender(("POST", "/update", f"CLEAR ALL ; {made}"), AccessRole.ADMIN).status_code == 200
    return sender


@pytest.mark.parametrize("change", REMOVALS, ids=lambda change: change[2] or f"{change[0]} {change[1]}")
def test_removing_a_graph_of_ours_needs_an_administrator(
    graphs: Callable[[tuple[str, str, str], AccessRole], TestResponse], change: tuple[str, str, str]
) -> None:
    answer = graphs(change, AccessRole.WRITE)
    assert answer.status_code == 403
    assert "role admin" in answer.get_json(force=True)["detail"]
    assert graphs(change, AccessRole.ADMIN).status_code < 300


@pytest.mark.parametrize("change", ADDITIONS, ids=lambda change: change[2] or f"{change[0]} {change[1]}")
def test_other_changes_need_none(
    graphs: Callable[[tuple[str, str, str], AccessRole], TestResponse], change: tuple[str, str, str]
) -> None:
    assert graphs(change, AccessRole.WRITE).status_code < 300


def test_all_graphs_may_go_where_none_is_ours(blank: Server) -> None:
    assert blank.update("INSERT DATA { GRAPH <x:g> { <x:s> <x:p> 1 } } ; DROP ALL").status == 200
