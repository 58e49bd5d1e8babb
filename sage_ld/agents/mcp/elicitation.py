"""Approval by elicitation: an MCP client asks the person in front of it whether a tool may act."""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import AESGCMRequestStateCodec, RequestStateBoundary, RequestStateSecurity
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from sage_ld.agents.tools.approval import ApprovalDecision, ApprovalRequest, Approve
from sage_ld.agents.tools.shown_values import shown_values
from sage_ld.foundation.shown_text import harmless

_KEY: Final = "approval"
_REVIEW: Final = "review "
_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["approve"],
    "properties": {
        "approve": {"type": "boolean", "title": "Approve", "description": "Whether it may run."},
        "reason": {
            "type": "string",
            "title": "Reason",
            "description": "The reason for the model, if it may not.",
        },
    },
}


class InputNeededError(Exception):
    """The call waits for a person: its client is to ask, and to call again with what was said."""

    def __init__(self, result: types.InputRequiredResult) -> None:
        super().__init__("the call waits for an approval")
        self.result = result


def approval_by(
    ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, *, can_return: bool
) -> Approve | None:
    """The way to ask the client's person about a call; None if the client cannot ask.

    `can_return` is whether it may ask by a result that the client answers with a call of its own.

    For a thread beside the event loop of the current task.
    """
    wanted = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if not ctx.session.check_client_capability(wanted):
        return None
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return (lambda asked: _answered(asked, params)) if can_return else None
    if not ctx.session.can_send_request:
        return None
    loop = asyncio.get_running_loop()

    def ask(asked: ApprovalRequest) -> ApprovalDecision:
        question = ctx.session.elicit_form(_message(asked), _FORM, ctx.request_id)
        try:
            return _decision(asyncio.run_coroutine_threadsafe(question, loop).result())
        except concurrent.futures.CancelledError:
            return ApprovalDecision(False, "the request was cancelled")

    return ask


def sealing(lifetime: float, caller: str = "", key: bytes | None = None) -> RequestStateBoundary:
    """Seals the state that goes through the client's hands, for one caller and one call with its arguments.

    `key` is a secret that all processes share which may get the next message; without it, this process's.
    """
    codec = AESGCMRequestStateCodec([os.urandom(32) if key is None else key])
    security = RequestStateSecurity(codec=codec, ttl=lifetime, bind_principal=lambda ctx: caller)
    return RequestStateBoundary(security, default_audience="sage-ld")


def _answered(asked: ApprovalRequest, params: types.CallToolRequestParams) -> ApprovalDecision:
    """The person's answer, as the client brings it. Raises InputNeededError as long as it brings none.

    The state that it brings back says which call, and which result, the person was asked about: a result
    that came out otherwise when the call ran again is asked about again. It comes sealed (`sealing`), so that
    no client makes up one for what nobody was asked about.
    """
    call = _digest([asked.tool.name, dict(asked.arguments)])
    state = call if asked.result is None else f"{_REVIEW}{call} {_digest(dict(asked.result))}"
    response = (params.input_responses or {}).get(_KEY)
    if params.request_state == state and isinstance(response, types.ElicitResult):
        return _decision(response)
    if asked.result is None and (params.request_state or "").startswith(f"{_REVIEW}{call} "):
        return ApprovalDecision(True)  # the person had approved the call before they saw its result
    request = types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=_message(asked), requested_schema=_FORM)
    )
    raise InputNeededError(types.InputRequiredResult(input_requests={_KEY: request}, request_state=state))


def _decision(result: types.ElicitResult) -> ApprovalDecision:
    content: Mapping[str, Any] = result.content or {}
    if result.action != "accept":
        return ApprovalDecision(False, f"the user chose {result.action}")
    return ApprovalDecision(content.get("approve") is True, str(content.get("reason") or ""))


def _message(asked: ApprovalRequest) -> str:
    shown = shown_values(asked.arguments if asked.result is None else asked.result)
    return f"{asked.question}\nAsked by: {harmless(asked.caller)}\n{shown}"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
