"""JSON-LD that clients send, whose context is an address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from context_host import Host, context_host
from service.test_documents import Author, statuses
from service.web import client_of

from sage_ld.service.access.tokens import AccessRole, create_token

LD_JSON = "application/ld+json"


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Author, Host]]:
    """A service that may fetch what the host has below /n."""
    token = create_token(folder, "contexts", AccessRole.WRITE, "2026-01-01")
    kept = str(tmp_path_factory.mktemp("contexts"))
    with context_host() as host, pytest.MonkeyPatch.context() as environment:
        allowed = {"contexts": kept, "context_addresses": f"{host.address}/n"}
        for name, value in allowed.items():  # for the process that writes
            environment.setenv(f"SAGE_LD_{name.upper()}", value)
        with client_of(folder, **allowed) as client:
            yield Author(client, token), host


def named(address: str) -> str:
    return json.dumps({"@context": address, "@id": "http://e.org/a", "name": "Quay"})


def names(author: Author) -> list[str]:
    query = "SELECT ?o { <http://e.org/a> <http://v.example/name> ?o }"
    answer = author.client.get("/sparql", query_string={"query": query})
    return [row["o"]["value"] for row in answer.get_json(force=True)["results"]["bindings"]]


def test_a_graph_and_documents_have_an_allowed_context_fetched_once(served: tuple[Author, Host]) -> None:
    author, host = served
    address = f"{host.address}/ns"
    answer = author.send("PUT", "/data?graph=http://e.org/g", named(address), Content_Type=LD_JSON)
    assert answer.status_code == 201, answer.data
    assert names(author) == ["Quay"]
    page = f'<h1>Quay</h1><p>A quay.</p><script type="application/ld+json">{named(address)}</script>'
    for path, body, kind in (("a.html", page, "text/html"), ("a.jsonld", named(address), LD_JSON)):
        put = author.send("PUT", f"/v1/documents/{path}", body.replace("Quay", path), Content_Type=kind)
        assert (put.status_code, statuses(put)) == (201, [(path, "added")])
    assert sorted(names(author)) == ["Quay", "a.html", "a.jsonld"]
    assert host.asked == ["/ns"]


@pytest.mark.parametrize("address", ["/slow", "/away", "/moved", "http://169.254.169.254/ns"])
def test_another_context_is_refused_with_its_address_and_the_remedy(
    served: tuple[Author, Host], address: str
) -> None:
    author, host = served
    before = list(host.asked)
    address = address if "://" in address else host.address + address
    answer = author.send("PUT", "/data?graph=http://e.org/h", named(address), Content_Type=LD_JSON)
    assert answer.status_code == 400
    detail = answer.get_json(force=True)["detail"]
    assert detail.startswith(f"the JSON-LD: its context {address} does not come with sage-ld")
    assert detail.endswith("or inline it in the file")
    assert host.asked == before


def test_a_graph_with_a_context_of_the_package(served: tuple[Author, Host]) -> None:
    author, _ = served
    body = json.dumps(
        {"@context": "http://www.w3.org/ns/anno.jsonld", "id": "http://e.org/n", "type": "Annotation"}
    )
    answer = author.send("PUT", "/data?graph=http://e.org/i", body, Content_Type=LD_JSON)
    assert answer.status_code == 201, answer.data
    query = "ASK { GRAPH <http://e.org/i> { <http://e.org/n> a <http://www.w3.org/ns/oa#Annotation> } }"
    assert author.client.get("/sparql", query_string={"query": query}).get_json(force=True)["boolean"]
