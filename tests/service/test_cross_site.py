"""What a page of another site can have a browser do here: read what is public, and change nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of
from werkzeug.test import TestResponse

from sage_ld.foundation.settings import Settings
from sage_ld.service.access import hosts
from sage_ld.service.access.tokens import AccessRole, create_token

FOREIGN = "https://evil.example"
FRIEND = "https://friend.example"
TURTLE = "<http://example.org/s> <http://example.org/p> 1 ."


@dataclass(frozen=True)
class Served:
    """A service whose pages of FRIEND may read, and its tokens as browsers and programs send them."""

    client: FlaskClient
    basic: str
    bearer: str

    def send(self, write: dict[str, Any], **headers: str) -> TestResponse:
        sent = {"Authorization": self.basic} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return self.client.open(**write_of(write), headers=sent)


def write_of(write: dict[str, Any]) -> dict[str, Any]:
    """A fresh request: a file is read once."""
    if "file" not in write:
        return write
    file = (BytesIO(write["file"].encode()), "a.ttl", "text/turtle")
    return {name: value for name, value in write.items() if name != "file"} | {"data": {"a": file}}


WRITES: list[dict[str, Any]] = [
    {"method": "POST", "path": "/update", "data": {"update": "INSERT DATA { <x:s> <x:p> 1 }"}},
    {"method": "POST", "path": "/data?graph=x:g", "file": TURTLE},
    {"method": "POST", "path": "/data", "data": TURTLE, "content_type": "text/turtle"},
    {"method": "PUT", "path": "/data?graph=x:g", "data": TURTLE, "content_type": "text/turtle"},
    {
        "method": "PATCH", "path": "/data?graph=x:g", "data": "INSERT DATA { <x:s> <x:p> 1 }",
        "content_type": "application/sparql-update",
    },
    {"method": "DELETE", "path": "/data?graph=x:g"},
    {"method": "POST", "path": "/v1/evaluate", "json": {"dataset": "none"}},
]  # fmt: skip


def name(write: dict[str, Any]) -> str:
    return f"{write['method']} {write['path']}"


def served(folder: Path, token: str, **settings: Any) -> Iterator[Served]:
    pair = base64.b64encode(f"reader:{token}".encode()).decode()
    with client_of(folder, **settings) as client:
        yield Served(client, f"Basic {pair}", f"Bearer {token}")


@pytest.fixture(scope="module")
def token(folder: Path) -> str:
    return create_token(folder, "writer", AccessRole.WRITE, "2026-11-21")


@pytest.fixture(scope="module")
def here(folder: Path, token: str) -> Iterator[Served]:
    yield from served(folder, token, cors_origins=FRIEND)


@pytest.mark.parametrize("write", WRITES, ids=name)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": FOREIGN},
        {"Origin": "null"},
        {"Origin": FRIEND},
        {"Origin": "http://localhost:81"},
        {"Origin": "file://localhost"},
        {"Origin": "http://["},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": "http://other.localhost"},
        {"Sec_Fetch_Site": "cross-site", "Origin": "http://localhost"},
        {"Sec_Fetch_Site": ""},
    ],
    ids=str,
)
def test_a_page_of_another_site_changes_nothing(
    here: Served, write: dict[str, Any], headers: dict[str, str]
) -> None:
    answer = here.send(write, **headers)
    assert answer.status_code == 403
    assert "may not change anything here" in answer.get_json(force=True)["detail"]


@pytest.mark.parametrize("write", WRITES, ids=name)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost"},
        {"Origin": "https://localhost:443"},
        {"Sec_Fetch_Site": "same-origin", "Origin": "null"},
        {"Sec_Fetch_Site": "none"},
    ],
    ids=str,
)
def test_programs_and_our_own_pages_change_things(
    here: Served, write: dict[str, Any], headers: dict[str, str]
) -> None:
    if write["method"] == "DELETE":
        here.send(WRITES[3])
    status = here.send(write, **headers).status_code
    assert status == 404 if write["path"] == "/v1/evaluate" else status < 300


def test_a_listed_origin_writes_with_a_bearer_token(here: Served) -> None:
    for headers in ({}, {"Sec_Fetch_Site": "cross-site"}):
        answer = here.send(WRITES[0], Origin=FRIEND, Authorization=here.bearer, **headers)
        assert answer.status_code == 200
        assert answer.headers["Access-Control-Allow-Origin"] == FRIEND
        assert here.send(WRITES[0], Origin=FOREIGN, Authorization=here.bearer, **headers).status_code == 403


def test_all_origins_may_read_and_none_of_them_write(folder: Path, token: str) -> None:
    for opened in served(folder, token, cors_origins="*"):
        answer = opened.send(WRITES[0], Origin="*", Authorization=opened.bearer)
        assert answer.status_code == 403
        assert opened.send(WRITES[0], Origin=FOREIGN, Authorization=opened.bearer).status_code == 403
        read = opened.client.post("/v1/retrieve", json={"q": "a"}, headers={"Origin": FOREIGN})
        assert (read.status_code, read.headers["Access-Control-Allow-Origin"]) == (200, "*")


def test_a_refused_write_asks_for_no_password(here: Served) -> None:
    answer = here.client.post("/update", data={"update": ""}, headers={"Origin": FOREIGN})
    assert (answer.status_code, "WWW-Authenticate" in answer.headers) == (403, False)


def test_the_own_origin_is_known_behind_a_proxy(folder: Path, token: str) -> None:
    behind = {"X_Forwarded_Host": "graph.example.org", "X_Forwarded_Proto": "https"}
    settings = {"trusted_proxies": 1, "path_prefix": "/films", "allowed_hosts": "graph.example.org"}
    for opened in served(folder, token, **settings):
        write = {**WRITES[0], "path": "/films/update"}
        assert opened.send(write, Origin="https://graph.example.org", **behind).status_code == 200
        assert opened.send(write, Origin="http://localhost", **behind).status_code == 403
        assert opened.send(write, Origin="https://graph.example.org").status_code == 403


# --- reading -----------------------------------------------------------------------------------------


def test_no_other_page_reads_a_local_graph_by_default(folder: Path) -> None:
    with client_of(folder) as client:
        for path in ("/v1/stats", "/", "/nowhere", "/v1/retrieve?q=", "/sparql"):
            answer = client.get(path, headers={"Origin": FOREIGN})
            assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    ("settings", "bound", "expected"),
    [
        ({}, "127.0.0.1", ""),
        ({}, "127.9.9.9", ""),
        ({}, "::1", ""),
        ({}, "localhost", ""),
        ({}, "0.0.0.0", "*"),
        ({}, "::", "*"),
        ({}, "192.0.2.7", "*"),
        ({}, "graph.example.org", "*"),
        ({"public_read": False}, "0.0.0.0", ""),
        ({"cors_origins": "*"}, "127.0.0.1", "*"),
        ({"cors_origins": FRIEND}, "0.0.0.0", FRIEND),
        ({"cors_origins": ""}, "0.0.0.0", ""),
    ],
)
def test_all_origins_read_what_everybody_can_reach(
    settings: dict[str, Any], bound: str, expected: str
) -> None:
    assert hosts.resolved(Settings(**settings), bound).cors_origins == expected


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1"])
def test_a_name_of_another_site_is_refused_on_loopback(folder: Path, host: str) -> None:
    with client_of(folder) as client:
        for path in ("/v1/stats", "/", "/describe?iri=x:y", "/nowhere", "/sparql", "/sparql?query=ASK{}"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == 421
            assert "allowed_hosts" in answer.get_json(force=True)["detail"]
        assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["localhost:8000", "LOCALHOST", "127.0.0.1", "127.1.2.3:9", "[::1]:8000"])
def test_loopback_has_names_of_its_own(folder: Path, host: str) -> None:
    with client_of(folder) as client:
        assert client.get("/v1/stats", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("allowed", "bound", "name", "answered"),
    [
        ("", "127.0.0.1", "graph.example.org", True),
        ("", "127.0.0.1", "other.example", False),
        ("other.example, Third.Example:80", "127.0.0.1", "third.example", True),
        ("other.example", "127.0.0.1", "graph.example.org", True),
        ("", "0.0.0.0", "other.example", True),
        ("other.example", "0.0.0.0", "evil.example", False),
        ("other.example", "0.0.0.0", "localhost", True),
    ],
)
def test_names_are_those_of_loopback_base_and_setting(
    allowed: str, bound: str, name: str, answered: bool
) -> None:
    known = hosts.known(allowed, "https://graph.example.org:8443/id/", bound)
    assert (name in known) is answered


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-Prefix": "//evil.example"},
        {"X-Forwarded-Prefix": "/a/../b?c"},
        {"X-Forwarded-Prefix": "https://evil.example"},
        {"X-Forwarded-Proto": "javascript"},
        {"X-Forwarded-Host": "a b"},
        {"X-Forwarded-Host": "evil.example/"},
        {"X-Forwarded-Host": "evil@localhost"},
    ],
    ids=str,
)
def test_what_a_proxy_passes_on_is_checked(folder: Path, headers: dict[str, str]) -> None:
    with client_of(folder, trusted_proxies=1) as client:
        answer = client.get("/ontology", headers=headers)
        assert answer.status_code == 400
        assert "evil" not in str(answer.headers)
        kept = client.get("/ontology", headers={"X-Forwarded-Prefix": "/films", "X-Forwarded-Proto": "https"})
        assert kept.headers["Content-Location"] == "/films/ontology?format=html"
