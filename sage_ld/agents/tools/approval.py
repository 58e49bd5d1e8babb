"""Approval of calls: a call that acts waits until a person has approved it, and so may its result."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from sage_ld.agents.tools.policy import Handling, ToolPolicy, ToolRule
from sage_ld.agents.tools.tool import Result, Tool, ToolRole
from sage_ld.foundation.errors import (
    AbandonedError,
    ConflictError,
    ForbiddenError,
    InputError,
    SageError,
    UnavailableError,
)
from sage_ld.graph.provenance.approvals import NOBODY, ApprovalLog, KeptApproval

_log: Final = logging.getLogger("sage_ld.agents")


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call, or its result, that waits for a decision."""

    tool: Tool
    arguments: Mapping[str, Any]
    rule: ToolRule
    result: Result | None = None
    """What is to go out, once the tool has run; None before."""
    caller: str = NOBODY
    """The caller: the name of a token, `nobody` without one."""

    @property
    def question(self) -> str:
        """The question to a person, without arguments and result."""
        if self.result is not None:
            return f"{self.tool.title} ({self.tool.name}): may its result go out?"
        return f"{self.tool.title} ({self.tool.name}, which {self.tool.effect}): may it run?"


class ApprovalDecision(NamedTuple):
    """A decision on a call."""

    approved: bool
    reason: str = ""
    """For the model that made the call."""


Approve: TypeAlias = Callable[[ApprovalRequest], ApprovalDecision]
"""Decides about a call or its result, and waits as long as that takes."""


class ApprovalPendingError(ConflictError):
    """A call waits for an approval; made again with the same arguments after it was given, it runs."""

    def __init__(self, message: str, identifier: str) -> None:
        super().__init__(message)
        self.identifier = identifier
        """Of the approval."""


class Approver(Protocol):
    """A way to the person who decides."""

    def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """The decision. Raises ApprovalPendingError where it comes later."""

    def released(self, tool: Tool, arguments: Mapping[str, Any]) -> Result | None:
        """The result of the same call, made before, that has been held for review and may go out now."""


class AskingApprover:
    """An approver that asks a function, which waits for the answer."""

    def __init__(self, approve: Approve) -> None:
        self._approve = approve

    def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        """The decision of the function."""
        return self._approve(request)

    def released(self, tool: Tool, arguments: Mapping[str, Any]) -> Result | None:
        """None: nothing is held, since the function waits."""
        del tool, arguments
        return None


class ApprovalGate:
    """The gate that calls and results pass as the policy says."""

    def __init__(
        self,
        policy: ToolPolicy,
        role: ToolRole,
        approver: Approver | None,
        caller: str = NOBODY,
        *,
        is_trusted: bool = True,
    ) -> None:
        """`role` and `caller` are the caller's role and name.

        `is_trusted` is whether its program tells truly what its person decided.
        """
        self._policy, self._role, self._approver, self._caller = policy, role, approver, caller
        self._is_trusted = is_trusted

    def released(self, tool: Tool, arguments: Mapping[str, Any]) -> Result | None:
        """The result of the same call that was held for review and may go out now."""
        if self._approver is None or self._policy.rule(tool).review is not Handling.ASK:
            return None
        return self._approver.released(tool, arguments)

    def check_call(self, tool: Tool, arguments: Mapping[str, Any], ask: Approve | None = None) -> None:
        """Returns if a call may run; `ask` asks the caller's own person.

        Raises ForbiddenError, ApprovalPendingError.
        """
        rule = self._policy.rule(tool)
        self._check(rule.before, ApprovalRequest(tool, arguments, rule, caller=self._caller), ask)

    def check_result(
        self, tool: Tool, arguments: Mapping[str, Any], result: Result, ask: Approve | None = None
    ) -> None:
        """Returns if a result may go out, as `check_call` does for a call."""
        rule = self._policy.rule(tool)
        self._check(rule.review, ApprovalRequest(tool, arguments, rule, result, self._caller), ask)

    def is_free(self, tool: Tool) -> bool:
        """Whether calls of a tool run, and their results go out, without anybody's decision."""
        rule = self._policy.rule(tool)
        return rule.before is Handling.ALLOW and rule.review is Handling.ALLOW

    @contextmanager
    def reviewed_errors(self, tool: Tool) -> Iterator[None]:
        """Withholds what an error of a tool says whose result is reviewed: it may hold a part of that.

        Raises InputError in place of an error of the tool.
        """
        try:
            yield
        except (UnavailableError, AbandonedError):  # BusyError, too: they say nothing of the graph
            raise
        except SageError as error:
            if self._policy.rule(tool).review is Handling.ALLOW:
                raise
            _log.info("a call of %s failed, and its reason was withheld: %s", tool.name, error)
            raise InputError(
                f"{tool.name} failed with these arguments; its results are reviewed before they go out, so "
                "the reason is not told: correct the arguments, or ask the user"
            ) from None

    def _check(self, handling: Handling, request: ApprovalRequest, ask: Approve | None) -> None:
        if handling is Handling.ALLOW:
            return
        name, what = request.tool.name, "a call" if request.result is None else "the result"
        if handling is Handling.DENY:
            raise ForbiddenError(f"the policy refuses {what} of {name}; do without it")
        rule = request.rule
        may_decide = self._role.includes(rule.decider) and (self._is_trusted or rule.elicit)
        approver = AskingApprover(ask) if ask is not None and may_decide else self._approver
        if approver is None:
            raise ForbiddenError(
                f"{name}: a person has to approve {what}, and nobody can be asked here; ask the user to do "
                "it, or to start the tools with a way to approve"
            )
        decision = approver.decide(request)
        _log.info("%s of %s: %s", what, name, "approved" if decision.approved else "refused")
        if not decision.approved:
            raise not_approved(what, name, decision.reason)


def not_approved(what: str, name: str, reason: str) -> ForbiddenError:
    """The error for a call of a tool, or its result, that a person has refused."""
    why = f": {reason}" if reason else ""
    return ForbiddenError(f"{what} of {name} was not approved{why}; do not try it again, ask the user")


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
