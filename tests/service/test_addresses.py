"""IRIs answer at their very addresses, whatever signs they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from service.serving import Server, empty_graph
from service.web import client_of

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.http.addresses import sent

HOST = "http://localhost:8000/films"
BASE = f"{HOST}/id/"
SAYS = ox.NamedNode("http://example.org/says")
NAMES = [
    "",
    "a%20b",
    "%C3%A8",
    "slash%2Fx",
    "pct%25x",
    "q?y=1",
    "q?y=1&z",
    "ö",
    "ö%20x",
    "ö?ä=ü",
    "x//y",
    "x'y",
]
ODD = ["è", "n#part", "d/../e", "/f", "q?", "q?format=turtle", "q?version=1.2&y=2"]
"""Names of which the address means something else to clients or to us."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    folder = tmp_path_factory.mktemp("addresses") / "graph"
    hub = ox.NamedNode(f"{BASE}hub")
    with KnowledgeGraph.create(folder, encoder="jaccard", base_iri=BASE).writer() as writer:
        store = writer.change()
        for name in [*NAMES, *ODD]:
            node = ox.NamedNode(BASE + name)
            store.add(ox.Quad(hub, SAYS, node, ox.NamedNode("http://example.org/g")))
            store.add(ox.Quad(node, SAYS, ox.Literal(name), ox.NamedNode("http://example.org/g")))
        writer.publish()
    with client_of(folder, path_prefix="/films") as opened:
        yield opened


def said(client: FlaskClient, path: str) -> set[str]:
    """The subjects that have a text in what is at `path`."""
    answer = client.get(path, headers={"Accept": "application/n-triples"})
    assert answer.status_code == 200, path
    triples = ox.parse(answer.data, ox.RdfFormat.N_TRIPLES)
    return {t.subject.value for t in triples if isinstance(t.object, ox.Literal)}


@pytest.mark.parametrize("below", ["/films", ""], ids=["kept by the proxy", "taken away by it"])
@pytest.mark.parametrize("name", NAMES)
def test_an_address_means_the_iri_that_is_written_so(client: FlaskClient, name: str, below: str) -> None:
    assert said(client, f"{below}/id/{name}") == {BASE + name}


def test_where_no_iri_is_written_so_the_decoded_one_is_meant(client: FlaskClient) -> None:
    assert said(client, "/films/id/n%23part") == {f"{BASE}n#part"}
    assert said(client, "/films/id/d/%2E%2E/e") == {f"{BASE}d/../e"}
    assert client.get("/films/id/a%2520b").status_code == 200
    assert client.get("/films/id/slash/x").status_code == 404


def test_a_parameter_that_no_iri_has_is_passed_over(client: FlaskClient) -> None:
    assert said(client, "/films/id/pct%25x?y=2") == {f"{BASE}pct%25x"}
    assert said(client, "/films/id/q?y=1&version=1.2") == {f"{BASE}q?y=1"}


def test_every_link_of_a_page_leads_to_what_it_names(client: FlaskClient) -> None:
    page = client.get("/films/id/hub").text
    links = dict(re.findall(r'<li><a href="([^"]+)">([^<]*)</a>', page))
    assert len(links) == len(NAMES) + len(ODD)
    found = {next(iter(said(client, unescape(link)))) for link in links}
    assert found == {BASE + name for name in [*NAMES, *ODD]}


@pytest.mark.parametrize("name", NAMES)
def test_the_address_of_a_representation_is_the_resource_s_own(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/films/id/{name}", headers={"Accept": "text/turtle"})
    again = client.get(answer.headers["Content-Location"])
    assert (again.status_code, again.data) == (200, answer.data)
    assert again.headers["Content-Type"] == answer.headers["Content-Type"]


def test_a_graph_of_the_store_is_named_by_the_address_as_sent(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "graph")
    authorization = f"Bearer {create_token(folder, 'writer', AccessRole.WRITE, '2026-01-01')}"
    with client_of(folder) as opened:
        headers = {"Authorization": authorization, "Content-Type": "text/turtle"}
        assert opened.put("/data/%C3%A9", data=b"<a:> <b:> <c:> .", headers=headers).status_code == 201
        assert opened.get("/data/%C3%A9").status_code == 200
        assert opened.get("/data?graph=http://localhost/data/%25C3%25A9").status_code == 200
        assert opened.get("/data?graph=http://localhost/data/%C3%A9").status_code == 404


def test_the_server_passes_addresses_on_as_they_came(blank: Server) -> None:
    base, names = "http://localhost:8000/id/", ("a%20b", "slash%2Fx", "q?y=1", "")
    text = " ".join(f'<{base}{name}> <{SAYS.value}> "{name}" .' for name in names)
    blank.update(f"CLEAR ALL ; INSERT DATA {{ {text} }}")
    for name in names:
        answer = blank.send("GET", f"/id/{name}", Accept="application/n-triples")
        assert (answer.status, answer.content.startswith(f"<{base}{name}> ".encode())) == (200, True)
        whole = blank.send("GET", f"http://localhost:8000/id/{name}", Accept="application/n-triples")
        assert whole.content == answer.content


def test_a_request_in_absolute_form_is_taken_like_any_other() -> None:
    assert sent({"RAW_URI": "http://localhost:8000/id/a%20b?y"}) == "/id/a%20b?y"
    assert sent({"PATH_INFO": "/id/a b", "QUERY_STRING": "y"}) == "/id/a%20b?y"
    assert sent({"RAW_URI": '/id/<x>"\r\n'}) == "/id/%3Cx%3E%22%0D%0A"
