"""`/graph`: the page that draws the graph, or a part of it."""

from __future__ import annotations

from flask import Response, render_template, request

from sage_ld.graph.views.neighbourhood import KINDS, NODE_KINDS
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.responses import HTML
from sage_ld.service.requests import held
from sage_ld.service.route import Surface

surface = Surface("graph_page", query=None)


@surface.get("/graph", offers=(HTML,))
def page(_choice: Choice) -> Response:
    """The page; what it draws, it asks of the HTTP API."""
    here = service()
    if not {"iri", "q"} & request.args.keys():
        with held() as snapshot:
            for state in here.states.values():
                state.begin(snapshot.number)
    limits = {
        "nodes": here.settings.max_graph_nodes,
        "hops": here.settings.max_graph_hops,
        "longest": here.settings.max_question_length,
        "nodeKinds": NODE_KINDS,
        "edgeKinds": KINDS,
    }
    return responses.html(render_template("graph_page.html", limits=limits))
