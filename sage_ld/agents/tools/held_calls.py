"""Calls that are held until a person has decided about them at another place and another time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sage_ld.agents.tools.approval import (
    ApprovalDecision,
    ApprovalPendingError,
    ApprovalRequest,
    not_approved,
)
from sage_ld.agents.tools.tool import Result, Tool
from sage_ld.graph.provenance.approvals import ApprovalLog, KeptApproval


class HoldingApprover:
    """An approver that keeps what waits in the log of approvals, for the calls of one caller.

    A call that is held raises ApprovalPendingError. Once a person has decided, it is made again, with the
    same arguments, and uses the decision up.
    """

    def __init__(self, log: ApprovalLog, caller: str) -> None:
        """`caller` is what tells this caller from others, such as a token; it is never shown."""
        self._log, self._caller = log, caller

    def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """The decision that was made about the same call. Raises ApprovalPendingError without one."""
        name, arguments = request.tool.name, request.arguments
        if request.result is None:
            taken = self._log.take(self._caller, name, arguments)
            if taken is not None and taken.decided is not None:
                return ApprovalDecision(taken.approved, taken.reason)
        role = str(request.rule.decider)
        raise _waiting(
            self._log.hold(self._caller, name, arguments, role, request.result, name=request.caller)
        )

    def released(self, tool: Tool, arguments: Mapping[str, Any]) -> Result | None:
        """The result of the same call that was held for review.

        Raises ApprovalPendingError while it is, ForbiddenError if it may not go out.
        """
        taken = self._log.take(self._caller, tool.name, arguments, is_result=True)
        if taken is None or taken.result is None:
            return None
        if taken.decided is None:
            raise _waiting(taken)
        if not taken.approved:
            raise not_approved("the result", tool.name, taken.reason)
        result: Result = json.loads(taken.result)
        return result


def _waiting(held: KeptApproval) -> ApprovalPendingError:
    what = "the call" if held.result is None else "the result, which is there,"
    return ApprovalPendingError(
        f"{what} of {held.tool} waits for a person, as approval {held.identifier}; ask the user to give it "
        "(sage-ld approvals, or /v1/approvals), then make the same call again",
        held.identifier,
    )
