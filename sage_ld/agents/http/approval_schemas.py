"""JSON Schemas of approvals of calls of tools: of requests, and of answers."""

from __future__ import annotations

import json
from typing import Any, Final

from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance.approvals import NOBODY, KeptApproval
from sage_ld.retrieval.answers.kept_retrievals import moment
from sage_ld.service.api import paging, schemas
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]
_TIME: Final[Schema] = {"type": "string", "format": "date-time"}

APPROVAL: Final[Schema] = {
    "type": "object",
    "required": ["approval", "created", "caller", "tool", "arguments", "role", "state"],
    "properties": {
        "approval": {"type": "string", "description": "Its identifier."},
        "created": _TIME,
        "caller": {
            "type": "string",
            "description": "The name of the token that the call came with; nobody without one.",
        },
        "tool": {"type": "string"},
        "arguments": {"type": "object"},
        "result": {"type": "object", "description": "The result, where it waits for a review."},
        "role": {"type": "string", "description": "The role of a token that may decide."},
        "state": {"enum": ["waiting", "approved", "refused"]},
        "decided": _TIME,
        "decider": {"type": "string", "description": "Who decided: the name of a token, or a terminal."},
        "reason": {"type": "string"},
        "used": {**_TIME, "description": "The time at which the call came back for the decision."},
    },
}
"""An approval, as `/v1/approvals` returns it."""


APPROVALS: Final = schemas.plain_list("approvals", APPROVAL, limit={"type": "integer", "minimum": 1})
"""A part of the list of approvals."""


def list_schema(settings: Settings) -> Schema:
    """The parameters that choose a part of the list of approvals."""
    return schemas.closed(
        [],
        {
            "limit": paging.limit_schema(settings, "How many approvals."),
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


def approval_json(approval: KeptApproval) -> dict[str, Any]:
    """An approval in flat JSON."""
    state = "waiting" if approval.decided is None else "approved" if approval.approved else "refused"
    return {
        "approval": approval.identifier,
        "created": moment(approval.created),
        "caller": approval.caller_name or NOBODY,
        "tool": approval.tool,
        "arguments": json.loads(approval.arguments),
        **({} if approval.result is None else {"result": json.loads(approval.result)}),
        "role": approval.role,
        "state": state,
        **({} if approval.decided is None else {"decided": moment(approval.decided)}),
        **({"decider": approval.decider_name} if approval.decider_name else {}),
        **({"reason": approval.reason} if approval.reason else {}),
        **({} if approval.used is None else {"used": moment(approval.used)}),
    }
