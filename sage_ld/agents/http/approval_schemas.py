"""JSON Schemas of approvals of calls of tools: of requests, and of answers."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from sage_ld.foundation.records import Positive, Time, said
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.approvals import NOBODY, KeptApproval
from sage_ld.retrieval.answers.kept_retrievals import moment
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import SETTING

Schema = dict[str, Any]


class ApprovalJson(TypedDict):
    """A call of a tool that waits for a person, or what was decided about it."""

    approval: Annotated[str, said("Its identifier.")]
    created: Time
    caller: Annotated[str, said("The name of the token that the call came with; nobody without one.")]
    tool: str
    arguments: dict[str, Any]
    result: NotRequired[Annotated[dict[str, Any], said("The result that waits; not for its caller.")]]
    role: Annotated[str, said("The role of a token that may decide.")]
    state: Literal["waiting", "approved", "refused"]
    decided: NotRequired[Time]
    decider: NotRequired[Annotated[str, said("Who decided: the name of a token, or a terminal.")]]
    reason: NotRequired[str]
    used: NotRequired[Annotated[Time, said("The time at which the call came back for the decision.")]]


class ApprovalsJson(TypedDict):
    """A part of the list of approvals."""

    approvals: list[ApprovalJson]
    limit: NotRequired[Positive]


def list_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of approvals."""
    return schemas.closed(
        [],
        {
            "limit": schemas.limit_schema(settings, "How many approvals."),
            "all": {"type": "boolean", "default": False, "description": "Whether to show decided ones."},
        },
    )


def decision_schema(settings: Settings) -> Schema:
    """The schema of a decision on an approval."""
    return schemas.closed(
        ["approved"],
        {
            "approved": {"type": "boolean", "description": "Whether the call may run, or its result go out."},
            "reason": {
                "type": "string",
                "maxLength": settings.max_comment_length,
                SETTING: "max_comment_length",
                "description": "The reason, which the caller reads.",
            },
        },
    )


def approval_json(approval: KeptApproval, *, with_result: bool = True) -> ApprovalJson:
    """An approval in flat JSON, with the result that waits unless its reader is not to have it."""
    shown: ApprovalJson = {
        "approval": approval.identifier,
        "created": moment(approval.created),
        "caller": approval.caller_name or NOBODY,
        "tool": approval.tool,
        "arguments": json.loads(approval.arguments),
        "role": approval.role,
        "state": "waiting",
    }
    if approval.result is not None and with_result:
        shown["result"] = json.loads(approval.result)
    if approval.decided is not None:
        shown["state"] = "approved" if approval.approved else "refused"
        shown["decided"] = moment(approval.decided)
    if approval.decider_name:
        shown["decider"] = approval.decider_name
    if approval.reason:
        shown["reason"] = approval.reason
    if approval.used is not None:
        shown["used"] = moment(approval.used)
    return shown
