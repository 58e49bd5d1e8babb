"""Exports over HTTP are those of the package, with validators, compressed for who asks."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.web import client_of

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports import FORMATS, stream


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, max_exports=1) as opened:
        yield opened


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_is_that_of_the_package(client: FlaskClient, folder: Path, name: str) -> None:
    answer = client.get(f"/export?format={name}")
    graph = KnowledgeGraph.open(folder)
    assert sorted(answer.data.splitlines()) == sorted(
        b"".join(stream(graph.snapshot().store, name)).splitlines()
    )
    graph.close()
    assert answer.mimetype == FORMATS[name].media_type
    assert (
        answer.headers["Content-Disposition"] == f'attachment; filename="sage-ld-1.{FORMATS[name].extension}"'
    )
    by_type = client.get("/export", headers={"Accept": FORMATS[name].media_type})
    assert by_type.headers["ETag"] == answer.headers["ETag"]


def test_gzip_for_who_takes_it(client: FlaskClient) -> None:
    plain = client.get("/export?format=nquads")
    packed = client.get("/export?format=nquads", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert {"Accept", "Accept-Encoding"} <= {each.strip() for each in packed.headers["Vary"].split(",")}
    refused = client.get("/export?format=nquads", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("identity;q=1, gzip;q=0.1", False),
        ("identity;q=0.5, gzip;q=0.5", True),
        ("gzip;q=0.1", True),
        ("x-gzip", True),
        ("*", True),
        ("gzip;q=0, *", False),
        ("br", False),
    ],
)
def test_the_coding_is_the_one_that_the_client_likes_best(
    client: FlaskClient, accepted: str, packed: bool
) -> None:
    answer = client.get("/export?format=nquads", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("Content-Encoding") == "gzip") == packed


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        ("?format=nquads&rdf=1.2", "*/*"),
        ("?format=turtle&version=1.2", "*/*"),
        ("?version=1.2&rdf=1.2", "text/turtle"),
        ("", "text/turtle;version=1.2"),
    ],
)
def test_triple_terms_on_request(client: FlaskClient, query: str, accept: str) -> None:
    answer = client.get(f"/export{query}", headers={"Accept": accept})
    assert b"<<(" in answer.data
    assert "version=1.2" in answer.headers["Content-Type"]


@pytest.mark.parametrize(
    ("query", "accept"),
    [
        ("?format=nquads", "text/turtle"),
        ("?version=1.1", "text/turtle;version=1.2"),
        ("?format=nquads&rdf=1.2-basic", "*/*"),
        ("", "application/ld+json;version=1.2"),
        ("?format=graphml&rdf=1.2", "*/*"),
    ],
)
def test_no_triple_terms_otherwise(client: FlaskClient, query: str, accept: str) -> None:
    answer = client.get(f"/export{query}", headers={"Accept": accept})
    assert answer.status_code == 200
    assert b"<<(" not in answer.data
    assert "version" not in answer.headers["Content-Type"]


@pytest.mark.parametrize("name", ["rdf", "version"])
def test_a_version_that_is_none_is_told_by_the_name_of_its_parameter(client: FlaskClient, name: str) -> None:
    detail = client.get(f"/export?{name}=2").get_json(force=True)["detail"]
    assert detail.startswith(f"{name}='2': unknown version of RDF")


def test_an_export_that_the_client_has_is_not_sent(client: FlaskClient) -> None:
    tag = client.get("/export?format=turtle").headers["ETag"]
    again = client.get("/export?format=turtle", headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    head = client.head("/export?format=turtle")
    assert (head.status_code, head.data, head.headers["ETag"]) == (200, b"", tag)


@pytest.mark.parametrize(
    "query", ["format=pdf", "format=", "format=jsonld&rdf=1.2", "rdf=7", "rdf=1.1&version=1.2"]
)
def test_what_is_no_export_is_told(client: FlaskClient, query: str) -> None:
    assert client.get(f"/export?{query}").status_code == 400


def test_no_more_exports_at_once_than_may_and_each_gives_its_place_back(client: FlaskClient) -> None:
    first = client.get("/export?format=nquads", buffered=False)
    busy = client.get("/export?format=turtle")
    assert busy.status_code == 503
    assert "Retry-After" in busy.headers
    assert client.head("/export?format=turtle").status_code == 200
    first.close()
    assert client.get("/export?format=turtle").status_code == 200
