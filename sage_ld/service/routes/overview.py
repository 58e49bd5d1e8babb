"""`/graph`, a page, and `/v1/graph/overview`: the whole graph by its communities."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, render_template, request

from sage_ld.foundation.errors import SageError
from sage_ld.graph.views.neighbourhood import KINDS, NODE_KINDS
from sage_ld.lab.inspection.overview import ROOT
from sage_ld.service.api import schemas
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import choose
from sage_ld.service.http.responses import HTML
from sage_ld.service.requests import held, searching

_PATIENCE: Final = 10.0
"""Seconds that a request waits for the first overview; later ones get that of an earlier revision."""

blueprint = Blueprint("overview", __name__)


@blueprint.get("/graph")
def page() -> Response:
    """The page that draws the graph, or a part of it."""
    choose(request.headers.get("Accept"), (HTML,))
    here = service()
    if not {"iri", "q"} & request.args.keys():
        with held() as snapshot:
            here.overviews.begin(snapshot.number)
    limits = {
        "nodes": here.settings.max_graph_nodes,
        "hops": here.settings.max_graph_hops,
        "longest": here.settings.max_question_length,
        "nodeKinds": NODE_KINDS,
        "edgeKinds": KINDS,
    }
    return responses.html(render_template("graph_page.html", limits=limits))


@blueprint.get("/v1/graph/overview")
def overview() -> Response:
    """The communities into which the whole graph falls; the nodes themselves of a small one."""
    return _community(ROOT)


@blueprint.get("/v1/graph/communities/<identifier>")
def community(identifier: str) -> Response:
    """The communities or nodes in a community."""
    return _community(identifier)


def _community(identifier: str) -> Response:
    """A community. Raises NotFoundError, BusyError, and what finding the communities raised."""
    request_values.query(schemas.NOTHING)
    choice = responses.chosen(responses.JSONS[1:])
    here = service()
    with held() as snapshot:
        found = here.overviews.of(snapshot.number, _PATIENCE)[1]
        if isinstance(found, SageError):
            raise found

        def make() -> Response:
            with searching(here, request.environ) as check:  # to open one takes as long as a search
                return responses.json_text(found.view(snapshot, identifier, check), choice)

        return responses.conditional(responses.tag(here, found, "community", identifier), make)
