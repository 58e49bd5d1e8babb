"""The part of the service that this room adds."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.http import (
    answer,
    answer_schemas,
    approval_schemas,
    approvals,
    descriptions,
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
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.extensions import Extension
from sage_ld.service.guard import CHANGES, READS

EXTENSION: Final = Extension(
    name=NAME,
    blueprints=(
        answer.blueprint,
        approvals.blueprint,
        tables.blueprint,
        reason.blueprint,
        graph_questions.blueprint,
        tools.blueprint,
        mcp.blueprint,
    ),
    begin=AgentsState.of,
    rights=(
        ("/v1/reason", CHANGES, AccessRole.READ),
        ("/v1/approvals", (*CHANGES, *READS), AccessRole.WRITE),
        *(
            (f"/v1/tools/{tool.name}", CHANGES, AccessRole.named(tool.role))
            for tool in TOOLS.values()
            if tool.effect is not Effect.READS
        ),
    ),
    paths=descriptions.paths,
    components={
        "Tools": tool_schemas.TOOLS,
        "PendingCall": tool_schemas.PENDING_CALL,
        "Approval": approval_schemas.APPROVAL,
        "Approvals": approval_schemas.APPROVALS,
        "Tables": table_schemas.TABLES,
        "TableAnswer": table_schemas.TABLE_ANSWER,
        "GraphAnswer": graph_question_schemas.GRAPH_ANSWER,
        "ReasoningStep": reasoning_schemas.REASONING_STEP,
        "ReasonedAnswer": reasoning_schemas.REASONED_ANSWER,
        "CitedAnswer": answer_schemas.CITED_ANSWER,
        "PlainCitedAnswer": answer_schemas.PLAIN_CITED_ANSWER,
    },
)
