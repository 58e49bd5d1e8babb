"""`/v1/graph/overview`: the whole graph by its communities."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, request

from sage_ld.foundation.errors import SageError
from sage_ld.lab.http.state import lab_of
from sage_ld.lab.inspection.overview import ROOT
from sage_ld.service.api import schemas
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.requests import held, searching

_PATIENCE: Final = 10.0
"""Seconds that a request waits for the first overview; later ones get that of an earlier revision."""

blueprint = Blueprint("overview", __name__)


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
        found = lab_of(here).overviews.of(snapshot.number, _PATIENCE)[1]
        if isinstance(found, SageError):
            raise found

        def make() -> Response:
            with searching(here, request.environ) as check:  # to open one takes as long as a search
                return responses.json_text(found.view(snapshot, identifier, check), choice)

        return responses.conditional(responses.tag(here, found, "community", identifier), make)
