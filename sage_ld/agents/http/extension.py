"""The part of the service that this room adds."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.http import (
    answer,
    answer_schemas,
    approval_schemas,
    approvals,
    examples,
    graph_question_schemas,
    graph_questions,
    mcp,
    reason,
    reasoning_schemas,
    table_schemas,
    tables,
    tool_schemas,
    tools,
)
from sage_ld.agents.http.state import NAME, AgentsState
from sage_ld.service.extensions import Extension

EXTENSION: Final = Extension(
    name=NAME,
    surfaces=(
        answer.surface,
        approvals.surface,
        tables.surface,
        reason.surface,
        graph_questions.surface,
        tools.surface,
        mcp.surface,
    ),
    begin=AgentsState.of,
    components={
        "Tools": tool_schemas.ToolsJson,
        "PendingCall": tool_schemas.PendingCallJson,
        "Approval": approval_schemas.ApprovalJson,
        "Approvals": approval_schemas.ApprovalsJson,
        "Tables": table_schemas.TablesJson,
        "TableAnswer": table_schemas.TableAnswerJson,
        "GraphAnswer": graph_question_schemas.GraphAnswerJson,
        "ReasoningStep": reasoning_schemas.ReasoningStepJson,
        "ReasonedAnswer": reasoning_schemas.ReasonedAnswerJson,
        "CitedAnswer": answer_schemas.CitedAnswerJson,
        "PlainCitedAnswer": answer_schemas.PlainCitedAnswerJson,
    },
    examples=examples.OF,
)
