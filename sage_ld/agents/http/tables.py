"""`/v1/tables`: the tables and records of the graph as SQL sees them, and statements over them."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response, request

from sage_ld.agents.http import table_schemas
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.tables import catalogue, list_tables
from sage_ld.agents.tables.formats import answer_json, description_json
from sage_ld.graph import Snapshot
from sage_ld.service.access.clients import client_of
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import choose
from sage_ld.service.requests import held, searching

blueprint = Blueprint("tables", __name__, url_prefix="/v1/tables")


@blueprint.get("")
def listed() -> Response:
    """The tables by name, with their columns."""
    schema = table_schemas.list_schema(service().settings)
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    asked = defaults | request_values.query(schema)
    choice = choose(request.headers.get("Accept"), (responses.JSON,))
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, "tables", responses.digest(asked))
        return responses.conditional(etag, lambda: responses.json_text(_list(snapshot, asked), choice))


@blueprint.post("/query")
def query() -> Response:
    """The answer to an SQL statement."""
    choice = choose(request.headers.get("Accept"), (responses.JSON,))
    asked = request_values.body(table_schemas.query_schema(service().settings))
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


def _list(snapshot: Snapshot, asked: dict[str, object]) -> dict[str, object]:
    most = service().settings.max_table_cells
    with searching(service(), request.environ) as check:
        found = list_tables(snapshot, **asked, most_cells=most, check=check)  # type: ignore[arg-type]
    return {
        "revision": snapshot.number,
        "total": len(catalogue(snapshot)),
        "tables": [description_json(each) for each in found],
    }
