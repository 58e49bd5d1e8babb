"""`/v1/approvals`: calls of tools that wait for a person, and what is decided about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response, request

from sage_ld.agents.http import approval_schemas, examples
from sage_ld.agents.http.tool_backend import caller_name
from sage_ld.graph.provenance import KeptApproval
from sage_ld.service.access.tokens import AccessRole, identities_of
from sage_ld.service.context import require, role, service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import choose
from sage_ld.service.openapi.parts import JSON, in_path
from sage_ld.service.route import RouteReply, Surface

_APPROVAL: Final = in_path(
    "identifier",
    "Identifier of the approval, as the list and the waiting call show it.",
    {"type": "string", "pattern": "^[0-9a-f]{32}$", "maxLength": 32},
)

surface = Surface("approvals", tag="tools", role=AccessRole.WRITE, errors=("406",))


@surface.get(
    "/v1/approvals",
    "approvals",
    "The calls of tools that wait for a person of the token's role",
    query=approval_schemas.list_schema,
    fills=True,
    reply=RouteReply("The approvals.", {JSON: "Approvals"}),
)
def listed(asked: dict[str, Any]) -> Response:
    """The approvals about which the token's role may decide, the last one first."""
    found = service().graph.approvals.newest(asked["limit"], waiting=not asked["all"])
    shown = [each for each in found if role() >= AccessRole.named(each.role)]
    return _answer({"approvals": _shown(shown), "limit": asked["limit"]})


@surface.get(
    "/v1/approvals/{identifier}",
    "approval",
    "One call that waits, or the result that is to be reviewed",
    parameters=[_APPROVAL],
    reply=RouteReply("The approval.", {JSON: "Approval"}),
)
def one(identifier: str) -> Response:
    """One approval, with the arguments of its call, and its result where that is to be reviewed.

    The caller, who is to have the result only once it is approved, sees the rest.
    """
    return _answer(*_shown([_for_this_role(identifier)]))


@surface.post(
    "/v1/approvals/{identifier}",
    "decideApproval",
    "Let a call run or its result go out, or refuse it",
    body=approval_schemas.decision_schema,
    examples=examples.DECISION,
    parameters=[_APPROVAL],
    reply=RouteReply("The decision.", {JSON: "Approval"}),
    errors=("406", "409"),
)
def decide(said: dict[str, Any], identifier: str) -> Response:
    """Decides about a call, or about its result; the caller makes it again."""
    _for_this_role(identifier)
    by, *also = identities_of(request.environ)
    decided = service().graph.approvals.decide(
        identifier,
        said["approved"],
        by=by,
        also=also,
        name=caller_name(service(), request.environ),
        reason=said.get("reason", ""),
    )
    return _answer(*_shown([decided]))


def _for_this_role(identifier: str) -> KeptApproval:
    """The approval. Raises NotFoundError, ForbiddenError if the token's role may not decide about it."""
    found = service().graph.approvals.get(identifier)
    require(AccessRole.named(found.role))
    return found


def _shown(approvals: Sequence[KeptApproval]) -> list[approval_schemas.ApprovalJson]:
    """Approvals in flat JSON; to whoever made a call, without the result that is held back."""
    held = any(each.result is not None for each in approvals)
    own = service().graph.approvals.names_of(identities_of(request.environ)) if held else frozenset()
    return [approval_schemas.approval_json(each, with_result=each.caller not in own) for each in approvals]


def _answer(said: Mapping[str, object]) -> Response:
    choice = choose(request.headers.get("Accept"), responses.JSONS[1:])
    return responses.private(responses.json_text(said, choice))
