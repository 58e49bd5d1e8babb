"""Static files: compressed where the client takes that, with tags that tell the representations apart."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.web import client_of, small_graph

import sage_ld.service.views

FOLDER = Path(sage_ld.service.views.__file__).parent / "static"
SCRIPT = "/static/app/search.js"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with client_of(small_graph(tmp_path_factory.mktemp("static"))) as opened:
        yield opened


def test_a_file_is_sent_compressed_to_clients_that_take_it(client: FlaskClient) -> None:
    plain, packed = client.get(SCRIPT), client.get(SCRIPT, headers={"Accept-Encoding": "br, gzip"})
    assert plain.headers.get("Content-Encoding") is None
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data == (FOLDER / "app" / "search.js").read_bytes()
    assert 2 * len(packed.data) < len(plain.data)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("encoding", ["", "br", "gzip;q=0", "identity"])
def test_a_client_that_does_not_take_gzip_gets_the_file_as_it_is(client: FlaskClient, encoding: str) -> None:
    answer = client.get(SCRIPT, headers={"Accept-Encoding": encoding})
    assert "Content-Encoding" not in answer.headers


def test_tags_belong_to_one_representation(client: FlaskClient) -> None:
    plain, packed = client.get(SCRIPT), client.get(SCRIPT, headers={"Accept-Encoding": "gzip"})
    assert plain.headers["ETag"] != packed.headers["ETag"]
    known = {"If-None-Match": packed.headers["ETag"]}
    again = client.get(SCRIPT, headers=known | {"Accept-Encoding": "gzip"})
    assert (again.status_code, again.data) == (304, b"")
    assert "Accept-Encoding" in again.headers["Vary"]
    assert client.get(SCRIPT, headers=known).status_code == 200


def test_a_file_named_by_its_content_is_kept_for_ever(client: FlaskClient) -> None:
    shared = sorted((FOLDER / "app" / "shared").glob("*.js"))
    assert shared
    for file in shared:
        answer = client.get(f"/static/app/shared/{file.name}")
        assert {"immutable", "max-age=31536000"} <= set(answer.headers["Cache-Control"].split(", "))


def test_head_says_what_get_would(client: FlaskClient) -> None:
    headers = {"Accept-Encoding": "gzip"}
    head, got = client.head(SCRIPT, headers=headers), client.get(SCRIPT, headers=headers)
    assert head.data == b""
    assert head.headers["Content-Length"] == got.headers["Content-Length"] == str(len(got.data))


@pytest.mark.parametrize(
    "name", ["missing.js", "", "app", "../templates/base.html", "..%2f..%2f..%2f..%2fetc%2fpasswd", "a%00b"]
)
def test_nothing_else_is_there(client: FlaskClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404
