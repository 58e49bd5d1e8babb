"""Kept retrievals in SPARQL: by the service, for those who may read them, and on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from service.web import BASE, client_of
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.graph.store.overlays import FOLDER
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.context import service_of

GRAPH = f"{BASE}graph/retrievals"
PREFIXES = (
    f"PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/> PREFIX g: <{BASE}graph/> "
)
COUNT = PREFIXES + "SELECT (COUNT(*) AS ?n) { GRAPH g:retrievals { ?r a sage:Retrieval } }"
JOINED = PREFIXES + (
    "SELECT ?name (COUNT(*) AS ?n) { GRAPH g:retrievals { ?result schema:item ?chunk } "
    "?chunk schema:isPartOf ?document . ?document a sage:Document ; schema:name ?name } "
    "GROUP BY ?name ORDER BY DESC(?n)"
)


@pytest.fixture(scope="module")
def heads(folder: Path) -> dict[str, dict[str, str]]:
    roles = [role for role in AccessRole if role]
    tokens = {role.name.lower(): create_token(folder, role.name, role, "2026-11-21") for role in roles}
    return {"none": {}, **{name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}}


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, keep_retrievals="on", max_queried_retrievals=5) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _asked(client: FlaskClient, folder: Path) -> Iterator[None]:
    """Two retrievals are kept."""
    for _ in range(2):
        client.get("/v1/retrieve", query_string={"q": "Who won the Golden Heron?"})
    yield
    service_of(client.application).keeper.flush()
    RetrievalLog(folder, BASE, Settings()).clear()


def rows(client: FlaskClient, query: str, head: dict[str, str], **parameters: Any) -> list[dict[str, str]]:
    answer = client.get("/sparql", query_string={"query": query, **parameters}, headers=head)
    assert answer.status_code == 200, answer.get_data()
    found = json.loads(answer.get_data())["results"]["bindings"]
    return [{name: value["value"] for name, value in row.items()} for row in found]


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        (COUNT, {}),
        (PREFIXES + "SELECT (COUNT(*) AS ?n) FROM g:retrievals { ?r a sage:Retrieval }", {}),
        (
            PREFIXES + "SELECT (COUNT(*) AS ?n) FROM NAMED g:retrievals { GRAPH ?g { ?r a sage:Retrieval } }",
            {},
        ),
        (PREFIXES + "SELECT (COUNT(*) AS ?n) { ?r a sage:Retrieval }", {"default-graph-uri": GRAPH}),
        (
            PREFIXES
            + "SELECT (COUNT(*) AS ?n) { VALUES ?g { g:retrievals } GRAPH ?g { ?r a sage:Retrieval } }",
            {},
        ),
    ],
)
def test_a_query_that_names_the_graph_reads_it(
    client: FlaskClient, heads: dict[str, dict[str, str]], query: str, parameters: dict[str, str]
) -> None:
    assert rows(client, query, heads["admin"], **parameters) == [{"n": "2"}]
    statuses = {
        role: client.get("/sparql", query_string={"query": query, **parameters}, headers=head).status_code
        for role, head in heads.items()
    }
    assert statuses == {"none": 401, "read": 403, "write": 403, "admin": 200}


def test_no_other_query_sees_it(client: FlaskClient) -> None:
    for pattern in ("?r a sage:Retrieval", "GRAPH ?g { ?r a sage:Retrieval }"):
        assert rows(client, f"{PREFIXES} SELECT (COUNT(*) AS ?n) {{ {pattern} }}", {}) == [{"n": "0"}]


def test_retrievals_join_with_the_graph(client: FlaskClient, heads: dict[str, dict[str, str]]) -> None:
    found = rows(client, JOINED, heads["admin"])
    assert len(found) > 2
    assert all(int(row["n"]) % 2 == 0 for row in found)  # each chunk was in both answers


def test_an_answer_is_of_now(client: FlaskClient, heads: dict[str, dict[str, str]]) -> None:
    assert rows(client, COUNT, heads["admin"]) == [{"n": "2"}]
    client.get("/v1/retrieve", query_string={"q": "Who?"})
    assert rows(client, COUNT, heads["admin"]) == [{"n": "3"}]
    (newest,) = json.loads(client.get("/v1/retrievals?limit=1", headers=heads["admin"]).get_data())[
        "itemListElement"
    ]
    where = f"/v1/retrievals/{newest['id'].rsplit('/', 1)[-1]}"
    client.post(f"{where}/feedback", json={"rank": 1, "helped": True}, headers=heads["read"])
    judged = (
        PREFIXES + "SELECT ?value "
        "{ GRAPH g:retrievals { ?r sage:feedback/schema:reviewRating/schema:ratingValue ?value } }"
    )
    assert rows(client, judged, heads["admin"]) == [{"value": "1"}]
    client.delete(where, headers=heads["admin"])
    assert rows(client, COUNT, heads["admin"]) == [{"n": "2"}]


def test_the_newest_are_read(client: FlaskClient, heads: dict[str, dict[str, str]]) -> None:
    for number in range(6):
        client.get("/v1/retrieve", query_string={"q": f"heron {number}", "mode": "bm25"})
    query = PREFIXES + "SELECT ?q { GRAPH g:retrievals { ?r sage:query ?q } } ORDER BY ?q"
    assert [row["q"] for row in rows(client, query, heads["admin"])] == [f"heron {n}" for n in range(1, 6)]


def test_the_graph_store_gives_the_graph(client: FlaskClient, heads: dict[str, dict[str, str]]) -> None:
    where = f"/data?graph={quote(GRAPH, safe='')}"
    assert client.get(where).status_code == 401
    assert b"sage:Retrieval" in client.get(where, headers=heads["admin"]).get_data()


def test_the_command_line_reads_it(folder: Path, client: FlaskClient) -> None:
    service_of(client.application).keeper.flush()
    done = CliRunner().invoke(app, ["sparql", str(folder), COUNT, "--format", "csv"])
    assert done.stdout.split() == ["n", "2"]
    leftovers = [each for each in (folder / FOLDER).iterdir() if not any(each.glob("named"))]
    assert leftovers == []
