"""`/v1/approvals`: calls of tools that wait for a person, and what is decided about them."""

from __future__ import annotations

from flask import Blueprint, Response, request

from sage_ld.agents.http import approval_schemas
from sage_ld.agents.http.tool_backend import caller_name
from sage_ld.graph.provenance import KeptApproval
from sage_ld.service.access.clients import caller_of
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import kept_retrievals, schemas
from sage_ld.service.context import require, require_change, role, service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.negotiation import choose

blueprint = Blueprint("approvals", __name__, url_prefix="/v1/approvals")


@blueprint.get("")
def listed() -> Response:
    """The approvals about which the token's role may decide, the last one first."""
    require(AccessRole.WRITE)
    schema = approval_schemas.list_schema(service().settings)
    asked = kept_retrievals.defaults(schema) | request_values.query(schema)
    found = service().graph.approvals.newest(asked["limit"], waiting=not asked["all"])
    shown = [approval_schemas.approval_json(each) for each in found if role() >= AccessRole.named(each.role)]
    return _answer({"approvals": shown, "limit": asked["limit"]})


@blueprint.get("/<identifier>")
def one(identifier: str) -> Response:
    """One approval, with the arguments of its call, and its result where that is to be reviewed."""
    require(AccessRole.WRITE)
    request_values.query(schemas.NOTHING)
    return _answer(approval_schemas.approval_json(_for_this_role(identifier)))


@blueprint.post("/<identifier>")
def decide(identifier: str) -> Response:
    """Decides about a call, or about its result; the caller makes it again."""
    require_change(AccessRole.WRITE)
    said = request_values.body(approval_schemas.decision_schema(service().settings))
    _for_this_role(identifier)
    decided = service().graph.approvals.decide(
        identifier,
        said["approved"],
        by=caller_of(request.environ),
        name=caller_name(service(), request.environ),
        reason=said.get("reason", ""),
    )
    return _answer(approval_schemas.approval_json(decided))


def _for_this_role(identifier: str) -> KeptApproval:
    """The approval. Raises NotFoundError, ForbiddenError if the token's role may not decide about it."""
    found = service().graph.approvals.get(identifier)
    require(AccessRole.named(found.role))
    return found


def _answer(said: dict[str, object]) -> Response:
    choice = choose(request.headers.get("Accept"), responses.JSONS[1:])
    return responses.private(responses.json_text(said, choice))
