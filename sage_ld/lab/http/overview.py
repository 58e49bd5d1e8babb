"""`/v1/graph/overview`: the whole graph by its communities."""

from __future__ import annotations

from typing import Final

from flask import Response, request

from sage_ld.foundation.errors import SageError
from sage_ld.lab.http import overview_schemas
from sage_ld.lab.http.state import lab_of
from sage_ld.lab.inspection.overview import ROOT
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON, in_path
from sage_ld.service.requests import held, searching
from sage_ld.service.route import RouteReply, Surface

_PATIENCE: Final = 10.0
"""Seconds that a request waits for the first overview; later ones get that of an earlier revision."""

surface = Surface("overview", tag="graph", offers=responses.JSONS[1:], errors=("504",), cached=True)


@surface.get(
    "/v1/graph/overview",
    "overview",
    "The communities into which the whole graph falls",
    reply=RouteReply("The communities, or the nodes of a small graph.", {JSON: "Community"}),
)
def overview(choice: Choice) -> Response:
    """The communities into which the whole graph falls; the nodes themselves of a small one."""
    return _community(choice, ROOT)


@surface.get(
    "/v1/graph/communities/{identifier}",
    "community",
    "The communities or nodes in a community",
    parameters=[
        in_path(
            "identifier",
            "The `id` of the community in the one around it.",
            overview_schemas.IDENTIFIER,
        )
    ],
    reply=RouteReply("The community.", {JSON: "Community"}),
)
def community(choice: Choice, identifier: str) -> Response:
    """The communities or nodes in a community."""
    return _community(choice, identifier)


def _community(choice: Choice, identifier: str) -> Response:
    """A community. Raises NotFoundError, BusyError, and what finding the communities raised."""
    here = service()
    with held() as snapshot:
        found = lab_of(here).overviews.of(snapshot.number, _PATIENCE)[1]
        if isinstance(found, SageError):
            raise found

        def make() -> Response:
            with searching(here, request.environ) as check:  # to open one takes as long as a search
                return responses.json_text(found.view(snapshot, identifier, check), choice)

        return responses.conditional(responses.tag(here, found, "community", identifier), make)
