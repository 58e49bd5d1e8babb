"""`/update`: the SPARQL 1.1 Protocol's update operation, for those with a token of role write."""

from __future__ import annotations

import io

from flask import Response, request

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api.schemas import Schema
from sage_ld.service.http.body_limits import of_a_write
from sage_ld.service.http.conditional import revision_condition
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.request_values import (
    FORM,
    MOST,
    Parameters,
    body_text,
    form_parameters,
    url_parameters,
)
from sage_ld.service.openapi.parts import DRY_RUN, IF_REVISION, JSON, UPDATE, in_url
from sage_ld.service.representations.changed_statements import is_dry_run, written
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.sparql.queries import dataset_of
from sage_ld.service.sparql.writes import write


def _graphs(settings: Settings) -> list[Schema]:
    """The parameters that name the graphs of WHERE, and the time limit."""
    iri = {"type": "string", "format": "iri", "maxLength": settings.max_query_bytes}
    graphs = {"type": "array", "items": iri, "maxItems": MOST}
    seconds = {"type": "number", "exclusiveMinimum": 0, "maximum": settings.update_timeout}
    return [
        in_url("using-graph-uri", "Graphs whose merge WHERE looks at.", graphs),
        in_url("using-named-graph-uri", "Graphs that GRAPH in WHERE can name.", graphs),
        in_url("timeout", "The time limit, in seconds.", seconds),
    ]


def _parameters(settings: Settings) -> list[Schema]:
    return [*_graphs(settings), DRY_RUN, IF_REVISION]


def _sent(settings: Settings) -> Schema:
    """The update in the body, or in a form."""
    text = {"type": "string", "maxLength": settings.max_body_bytes, "examples": ["INSERT DATA {}"]}
    properties = {"update": text, **{each["name"]: each["schema"] for each in _graphs(settings)}}
    form = {"type": "object", "required": ["update"], "properties": properties, "maxProperties": MOST}
    return {"required": True, "content": {UPDATE: {"schema": text}, FORM: {"schema": form}}}


surface = Surface("update", role=AccessRole.WRITE, options={"strict_slashes": False})


@surface.post(
    "/update",
    "update",
    "Carry out a SPARQL update, all of it or nothing",
    tag="SPARQL",
    parameters=_parameters,
    sent=_sent,
    limit=of_a_write,
    reply=RouteReply("The numbers of statements added and removed.", {JSON: "ChangedStatements"}),
    errors=("412", "413", "415", "422", "504", "507"),
)
def update() -> Response:
    """Carries out an update, all of it or nothing; answers with what it changed, and the revision."""
    conditions = revision_condition(request)
    text, parameters = _update(url_parameters())
    dry_run = is_dry_run(parameters)
    dataset = dataset_of(parameters, "using-graph-uri", "using-named-graph-uri")
    job = {
        "op": "update",
        "base": request.base_url,
        "using": None if dataset is None else [dataset.default_graphs, dataset.named_graphs],
        "within": None,
        "conditions": conditions,
        "dry_run": dry_run,
    }
    done = write(job, io.BytesIO(text.encode()), parameters.one("timeout"))
    return written(request, done, 200, dry_run=dry_run)


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
