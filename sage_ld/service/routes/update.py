"""`/update`: the SPARQL 1.1 Protocol's update operation, for those with a token of role write."""

from __future__ import annotations

import io
import json

from flask import Response, request

from sage_ld.foundation.errors import InputError
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.http.body_limits import of_a_write
from sage_ld.service.http.conditional import refuse_conditions
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.request_values import FORM, Parameters, body_text, form_parameters, url_parameters
from sage_ld.service.route import Surface
from sage_ld.service.sparql.endpoint import UPDATE
from sage_ld.service.sparql.queries import dataset_of
from sage_ld.service.sparql.writes import write

surface = Surface("update", role=AccessRole.WRITE, options={"strict_slashes": False})


@surface.post("/update", limit=of_a_write)
def update() -> Response:
    """Carries out an update, all of it or nothing; answers with the revision that shows it."""
    refuse_conditions(request)
    text, parameters = _update(url_parameters())
    dataset = dataset_of(parameters, "using-graph-uri", "using-named-graph-uri")
    job = {
        "op": "update",
        "base": request.base_url,
        "using": None if dataset is None else [dataset.default_graphs, dataset.named_graphs],
        "within": None,
    }
    done = write(job, io.BytesIO(text.encode()), parameters.one("timeout"))
    return Response(json.dumps({"revision": done["revision"]}), content_type="application/json")


def _update(parameters: Parameters) -> tuple[str, Parameters]:
    """The update's text and all parameters. Raises InputError without an update, MediaTypeError."""
    if request.mimetype == UPDATE:
        return body_text(), parameters
    if request.mimetype != FORM:
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: send {UPDATE} or {FORM}")
    parameters = parameters + form_parameters()
    if (text := parameters.one("update")) is None:
        raise InputError("no update; give it as the parameter update, or in the body")
    return text, parameters
