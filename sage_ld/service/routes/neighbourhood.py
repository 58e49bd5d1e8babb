"""`/v1/graph`: the nodes and edges around a resource, for pictures."""

from __future__ import annotations

from flask import Blueprint, Response, request

from sage_ld.graph import Snapshot
from sage_ld.graph.exports.neighbourhoods import as_json
from sage_ld.service.api import neighbourhoods
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import choose
from sage_ld.service.requests import current_check, held

blueprint = Blueprint("neighbourhood", __name__, url_prefix="/v1")


@blueprint.get("/graph")
def graph() -> Response:
    """The neighbourhood of the resource `iri`."""
    schema = neighbourhoods.schema(service().settings)
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    asked = defaults | request_values.query(schema)
    choice = choose(request.headers.get("Accept"), responses.JSONS[1:])
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, lambda: responses.json_text(_around(snapshot, asked), choice))


def _around(snapshot: Snapshot, asked: dict[str, object]) -> dict[str, object]:
    """Raises NotFoundError for a resource of which the graph says nothing."""
    given = dict(asked)
    found = service().graph.neighbourhood(
        str(given.pop("iri")),
        at=snapshot,
        check=current_check(),
        **given,  # type: ignore[arg-type]
    )
    return {"revision": snapshot.number, **as_json(found)}
