"""Approval of calls: who has a tool act waits until somebody has said yes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from sage_ld.agents.tool import Tool


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for a decision."""

    tool: Tool
    arguments: Mapping[str, Any]

    @property
    def question(self) -> str:
        """What a person is asked, without the arguments."""
        return f"{self.tool.title} ({self.tool.name}, which {self.tool.effect}): may it run?"


class ApprovalDecision(NamedTuple):
    """What was decided."""

    approved: bool
    reason: str = ""
    """For the model that made the call."""


Approve: TypeAlias = Callable[[ApprovalRequest], ApprovalDecision]
"""Decides about a call, and waits as long as that takes."""
