"""`/v1/tables`: the tables and records of the graph as SQL sees them, and statements over them."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Response, request

from sage_ld.agents.http import examples, table_schemas
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.tables import catalogue, list_tables
from sage_ld.agents.tables.formats import answer_json, description_json
from sage_ld.graph import Snapshot
from sage_ld.service.access.tokens import client_of
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.requests import held, searching
from sage_ld.service.route import RouteReply, Surface

surface = Surface("tables", tag="graph", offers=(responses.JSON,))


@surface.get(
    "/v1/tables",
    "tables",
    "The tables and records of documents as SQL sees them",
    query=table_schemas.list_schema,
    fills=True,
    reply=RouteReply("The tables.", {JSON: "Tables"}),
    errors=("504",),
    cached=True,
)
def listed(asked: dict[str, Any], choice: Choice) -> Response:
    """The tables by name, with their columns."""
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, "tables", responses.digest(asked))
        return responses.conditional(etag, lambda: responses.json_text(_list(snapshot, asked), choice))


@surface.post(
    "/v1/tables/query",
    "queryTables",
    "Run an SQL statement over the tables",
    body=table_schemas.query_schema,
    examples=examples.STATEMENTS,
    reply=RouteReply("The rows.", {JSON: "TableAnswer"}),
    errors=("422", "504"),
)
def query(asked: dict[str, Any], choice: Choice) -> Response:
    """The answer to an SQL statement."""
    with held() as snapshot:
        answer = agents_of(service()).tables.run(
            snapshot,
            asked["sql"],
            max_rows=asked.get("limit"),
            reading=partial(searching, service(), request.environ),
            gone=request.environ.get(CLIENT_GONE),
            client=client_of(request.environ),
        )
        said = {"revision": snapshot.number, **answer_json(answer)}
    return responses.json_text(said, choice)


def _list(snapshot: Snapshot, asked: dict[str, Any]) -> dict[str, object]:
    most = service().settings.max_table_cells
    with searching(service(), request.environ) as check:
        found = list_tables(snapshot, **asked, most_cells=most, check=check)
    return {
        "revision": snapshot.number,
        "total": len(catalogue(snapshot)),
        "tables": [description_json(each) for each in found],
    }
