"""`/v1/graph`: the nodes and edges around a resource, for pictures."""

from __future__ import annotations

from flask import Response

from sage_ld.graph import Snapshot
from sage_ld.graph.exports.neighbourhoods import as_json
from sage_ld.service.api import neighbourhoods
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, Surface

surface = Surface("neighbourhood", tag="graph")


@surface.get(
    "/v1/graph",
    "neighbourhood",
    "The nodes and edges around a resource, for pictures",
    query=neighbourhoods.schema,
    fills=True,
    offers=responses.JSONS[1:],
    reply=RouteReply("The neighbourhood.", {JSON: "Neighbourhood"}),
    errors=("504",),
    cached=True,
)
def graph(asked: dict[str, object], choice: Choice) -> Response:
    """The neighbourhood of the resource `iri`."""
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
