"""Conditional requests: a write is done only if what its sender knows still holds."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.serving import Server, empty_graph
from service.web import client_of, small_graph
from werkzeug.test import TestResponse

from sage_ld.foundation.errors import ConflictError
from sage_ld.graph.changes.preconditions import check
from sage_ld.service.access.tokens import AccessRole, create_token

TURTLE = "text/turtle"
PATH = "/data?graph=http://example.org/g"
PATCH = "INSERT DATA { <http://example.org/s> <http://example.org/p> 2 }"


class Writer:
    """What writes to `/data` with a token."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self.client, self._token = client, token

    def send(self, method: str, path: str = PATH, **conditions: str) -> TestResponse:
        patch = method == "PATCH"
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/sparql-update" if patch else TURTLE,
            **{name.replace("_", "-"): value for name, value in conditions.items()},
        }
        body = PATCH if patch else "<http://example.org/s> <http://example.org/p> 1 ."
        return self.client.open(path, method=method, headers=headers, data=body.encode())

    def tag(self, media_type: str = TURTLE) -> str:
        return self.client.get(PATH, headers={"Accept": media_type}).headers["ETag"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writer]:
    folder = empty_graph(tmp_path_factory.mktemp("conditions") / "graph")
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(folder) as client:
        yield Writer(client, token)


@pytest.fixture
def writer(opened: Writer) -> Writer:
    """A writer to a graph that is there."""
    assert opened.send("PUT").status_code in (201, 204)
    return opened


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
@pytest.mark.parametrize("condition", [{"If_Match": '"nope"'}, {"If_None_Match": "*"}], ids=str)
def test_a_write_whose_condition_does_not_hold_does_nothing(
    writer: Writer, method: str, condition: dict[str, str]
) -> None:
    before = writer.tag()
    answer = writer.send(method, **condition)
    assert answer.status_code == 412
    assert answer.get_json(force=True)["type"].endswith("#precondition")
    assert writer.tag() == before


@pytest.mark.parametrize("path", ["/update", "/v1/documents", "/v1/edges"])
@pytest.mark.parametrize("condition", [{"If_Match": '"open'}, {"If_None_Match": "*"}], ids=str)
def test_a_condition_on_a_write_that_takes_none_is_refused(
    writer: Writer, path: str, condition: dict[str, str]
) -> None:
    refused = writer.send("POST", path, **condition)
    assert refused.status_code == 400
    assert "leave the header out" in refused.get_json(force=True)["detail"]


UNREADABLE = ["", ",", '"open', '"a" x', "x y z", '"a"b"', "*, *", "tag", 'w/"a"', '"a b"']


@pytest.mark.parametrize("value", UNREADABLE)
@pytest.mark.parametrize("name", ["If_Match", "If_None_Match"])
def test_a_condition_that_cannot_be_read_is_refused_and_not_ignored(
    writer: Writer, name: str, value: str
) -> None:
    before = writer.tag()
    for method in ("PUT", "DELETE"):
        answer = writer.send(method, **{name: value})
        assert answer.status_code == 400, (method, answer.data)
        assert answer.get_json(force=True)["detail"].startswith(f"{name.replace('_', '-')}: {value!r} is ")
    assert writer.tag() == before


def test_a_list_of_tags_may_have_empty_places_and_commas_in_tags(writer: Writer) -> None:
    assert writer.send("PUT", If_Match=f' ,"a,b" ,, W/"c",\t{writer.tag()} , ').status_code == 204
    assert writer.send("PUT", If_Match='"a,b", ""').status_code == 412


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "PATCH"])
@pytest.mark.parametrize("media_type", [TURTLE, "application/ld+json"])
def test_a_write_is_done_if_nothing_has_changed_since_the_graph_was_read(
    writer: Writer, method: str, media_type: str
) -> None:
    tag = writer.tag(media_type)
    assert writer.send(method, If_None_Match=tag).status_code == 412
    assert writer.send(method, If_None_Match=f"W/{tag}").status_code == 412
    assert writer.send(method, If_Match=f"W/{tag}").status_code == 412
    assert writer.send(method, If_Match=f'"other", {tag}').status_code == 204
    writer.send("PATCH")  # a PUT of what is there makes no revision
    assert writer.send("PUT", If_Match=tag).status_code == 412


def test_a_graph_can_be_created_without_overwriting_one(writer: Writer) -> None:
    path = "/data?graph=http://example.org/new"
    assert writer.send("PUT", path, If_Match="*").status_code == 412
    assert writer.send("PUT", path, If_None_Match="*").status_code == 201
    assert writer.send("PUT", path, If_None_Match="*").status_code == 412
    assert writer.send("PUT", path, If_Match="*").status_code == 204


def test_of_writers_that_race_one_wins(blank: Server) -> None:
    blank.update("CLEAR ALL ; INSERT DATA { GRAPH <http://example.org/race> { <s:> <p:> 0 } }")
    path = "/data?graph=http://example.org/race"
    tag = blank.send("GET", path).headers["etag"]

    def change(number: int) -> int:
        body = f"<s:> <p:> {number} ."
        return blank.send("PUT", path, body, token="write", Content_Type=TURTLE, If_Match=tag).status

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(change, range(1, 5))) == [204, 412, 412, 412]


def test_what_would_fail_anyway_fails_as_it_would(writer: Writer) -> None:
    assert writer.send("DELETE", "/data?graph=http://example.org/none", If_Match='"x"').status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/v1/chunks/000000000000000000000000",
        "/v1/chunks/none/neighbours",
        "/data?graph=http://example.org/none",
        "/id/none",
    ],
)
def test_what_does_not_exist_is_never_unmodified(tmp_path: Path, path: str) -> None:
    with client_of(small_graph(tmp_path)) as client:
        assert client.get(path, headers={"If-None-Match": "*"}).status_code == 404
        assert client.get("/data?default", headers={"If-None-Match": "*"}).status_code == 304


def test_a_graph_is_compared_weakly_as_a_proxy_that_compresses_needs_it(writer: Writer) -> None:
    tag = writer.tag()
    for known in (tag, f"W/{tag}"):
        assert writer.client.get(PATH, headers={"If-None-Match": known}).status_code == 304
        head = writer.client.head(PATH, headers={"If-None-Match": known, "Accept": TURTLE})
        assert head.status_code == 304
    assert writer.tag("application/n-triples") != tag


def test_a_revision_is_named_by_its_whole_tag() -> None:
    check({"match": ["7-ab-1.0-turtle"], "none_match": None}, True, "7-ab-1.0")
    with pytest.raises(ConflictError):
        check({"match": ["7-ab-1.01-turtle"], "none_match": None}, True, "7-ab-1.0")
