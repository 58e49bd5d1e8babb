"""`/v1/tables`: it fits its description, agrees with Python, and holds its limits."""

from __future__ import annotations

import http.client
import json
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.serving import serving
from service.web import client_of, fits, small_graph

from sage_ld.service.access.tokens import AccessRole

JSON = "application/json"
LIMITS: dict[str, Any] = {
    "max_table_rows": 2,
    "table_timeout": 8.0,
    "max_table_cells": 12,
    "queue_timeout": 120.0,
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with client_of(small_graph(tmp_path_factory.mktemp("tables")), **LIMITS) as opened:
        yield opened


def ask(client: FlaskClient, sql: str, **more: Any) -> Any:
    return client.post("/v1/tables/query", json={"sql": sql, **more})


def test_the_list_fits_its_description(client: FlaskClient) -> None:
    said = client.get("/v1/tables").get_json()
    fits(said, "Tables")
    assert [each["name"] for each in said["tables"]] == ["heron", "records", "songs", "towns"]
    page = client.get("/v1/tables", query_string={"matching": "S", "offset": 1, "limit": 1})
    assert [each["name"] for each in page.get_json()["tables"]] == ["songs"]
    assert client.get("/v1/tables", headers={"If-None-Match": page.headers["ETag"]}).status_code == 200
    same = {"matching": "S", "offset": 1, "limit": 1}
    sent = {"If-None-Match": page.headers["ETag"]}
    assert client.get("/v1/tables", query_string=same, headers=sent).status_code == 304


@pytest.mark.servers
def test_others_are_answered_while_a_statement_does_not_end(tmp_path: Path) -> None:
    """One client has one of the two processes at most, however long its statement takes."""
    endless = "SELECT count(*) FROM range(1000000000000) a, range(1000000) b"
    limits = {"table_timeout": 100, "queue_timeout": 120}
    with serving(small_graph(tmp_path), (AccessRole.READ,), **limits) as server:
        holding = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        holding.request("POST", "/v1/tables/query", json.dumps({"sql": endless}), {"Content-Type": JSON})
        for _ in range(3):
            assert server.alive()
            sent = json.dumps({"sql": "SELECT sum(people) FROM towns"})
            other = server.send(
                "POST", "/v1/tables/query", sent, token="read", Content_Type=JSON, timeout=120
            )
            assert other.json.get("rows") == [[15400]], other.json
        assert select.select([holding.sock], [], [], 0)[0] == [], "it is not answered yet"
        holding.close()


def test_an_answer_fits_its_description(client: FlaskClient) -> None:
    said = ask(client, "SELECT * FROM towns ORDER BY people").get_json()
    fits(said, "TableAnswer")
    assert said["rows"] == [["Hask", "Lirr", 3400], ["Sennet", "Osme", 12000]]
    assert client.get("/describe", query_string={"iri": said["chunks"][0][0]}).status_code == 200
    assert ask(client, "SELECT * FROM heron", limit=1).get_json()["complete"] is False
    assert len(ask(client, "SELECT * FROM heron").get_json()["rows"]) == LIMITS["max_table_rows"]


@pytest.mark.parametrize(
    ("sql", "more", "status", "detail"),
    [
        ("DROP TABLE towns", {}, 400, "one SELECT statement"),
        ("SELECT * FROM read_text('/etc/passwd')", {}, 400, "the function read_text"),
        ("SELECT nothing FROM towns", {}, 400, "nothing"),
        ("", {}, 400, "sql"),
        ("SELECT 1", {"limit": 3}, 413, "max_table_rows"),
        ("SELECT 1", {"wait": 1}, 400, "wait"),
        ("FROM towns, heron", {}, 413, "max_table_cells"),
        (
            "SELECT count(*) FROM range(1000000000000) a, range(1000) b",
            {},
            504,
            "table_timeout",
        ),
    ],
)
def test_what_cannot_be_answered_is_told(
    client: FlaskClient, sql: str, more: dict[str, Any], status: int, detail: str
) -> None:
    answer = ask(client, sql, **more)
    assert (answer.status_code, detail in answer.get_json()["detail"]) == (status, True), answer.text
