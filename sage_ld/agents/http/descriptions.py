"""The routes for agents, described."""

from __future__ import annotations

from functools import partial
from typing import Final

from sage_ld.agents.http import (
    answer_schemas,
    approval_schemas,
    examples,
    graph_question_schemas,
    reasoning_schemas,
    table_schemas,
    tool_schemas,
)
from sage_ld.agents.tools.listing import result_schema
from sage_ld.agents.tools.table import TOOLS
from sage_ld.agents.tools.tool import Effect, Tool
from sage_ld.foundation.settings import Settings
from sage_ld.service.openapi.asking import secured
from sage_ld.service.openapi.parts import (
    JSON,
    LD_JSON,
    SECURED,
    TRIPLES,
    Described,
    answer_of,
    events_of,
    in_query,
    json_body,
    media,
    operation_of,
)

_media = partial(media, examples=examples.OF)
_ERRORS: Final = ("400", "404", "406", "409", "413", "415", "422", "504", "507")


def paths(settings: Settings) -> Described:
    """The routes for agents."""
    return {
        **answer_paths(settings),
        **approval_paths(settings),
        **tool_paths(settings),
        **query_paths(settings),
    }


def answer_paths(settings: Settings) -> Described:
    """The route of answers, by GET and by POST."""
    parameters = answer_schemas.schema(settings)
    whole = {LD_JSON: _media("CitedAnswer"), JSON: _media("PlainCitedAnswer"), **TRIPLES}
    stream = events_of("sentence", "answer", "problem", example=examples.ANSWER_EVENTS)
    answered = answer_of("The answer: sentences, each with the quotations that it rests on.", whole)
    streamed = answer_of(
        "The answer; as server-sent events, each `sentence` as it comes, then the whole as `answer`. A late "
        "error is the event `problem`, a Problem, after which nothing comes.",
        {**whole, **stream},
    )
    return {
        "/v1/answer": {
            "get": operation_of(
                "retrieval", "answer", "Answer a question in sentences with citations", answered,
                "400", "404", "406", "413", "504", parameters=in_query(parameters), cached=True,
            ),
            "post": operation_of(
                "retrieval", "answerByPost", "Answer a question in sentences, also as they come", streamed,
                "400", "404", "406", "413", "415", "504",
                body=json_body(answer_schemas.post_schema(settings), examples.CITED_QUESTIONS),
            ),
        }
    }  # fmt: skip


def query_paths(settings: Settings) -> Described:
    """The routes of questions to queries, of reasoning and of tables."""
    steps = events_of("step", "answer", "problem", example=examples.REASONING_EVENTS)
    return {
        "/v1/query": {
            "post": operation_of(
                "retrieval", "queryByQuestion", "Answer a question by a query, and say how sure it is",
                answer_of("The rows, with the query and what they come from.", {JSON: _media("GraphAnswer")}),
                "400", "404", "406", "413", "415", "504",
                body=json_body(graph_question_schemas.schema(settings), examples.GRAPH_QUESTIONS),
            )
        },
        "/v1/reason": {
            "post": {
                **operation_of(
                    "retrieval", "reason", "Have a language model read, compute with SQL and walk on",
                    answer_of(
                        "The answer with its steps; as events, each `step` when it happens (a ReasoningStep) "
                        "and then `answer`, or the event `problem`, a Problem, after which nothing comes.",
                        {JSON: _media("ReasonedAnswer"), **steps},
                    ),
                    "400", "404", "406", "413", "415", "422", "504",
                    body=json_body(reasoning_schemas.schema(settings), examples.REASONED),
                ),
                "security": SECURED,
            }
        },
        "/v1/tables": {
            "get": operation_of(
                "graph", "tables", "The tables and records of documents as SQL sees them",
                answer_of("The tables.", {JSON: _media("Tables")}), "400", "406", "413", "504",
                parameters=in_query(table_schemas.list_schema(settings)), cached=True,
            )
        },
        "/v1/tables/query": {
            "post": operation_of(
                "graph", "queryTables", "Run an SQL statement over the tables",
                answer_of("The rows.", {JSON: _media("TableAnswer")}),
                "400", "406", "413", "415", "422", "504",
                body=json_body(table_schemas.query_schema(settings), examples.STATEMENTS),
            )
        },
    }  # fmt: skip


def approval_paths(settings: Settings) -> Described:
    """The routes of calls of tools that wait for a person."""
    identifier = {
        "name": "identifier",
        "in": "path",
        "required": True,
        "description": "Identifier of the approval, as the list and the waiting call show it.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$", "maxLength": 32},
    }
    listed = in_query(approval_schemas.list_schema(settings))
    said = json_body(approval_schemas.decision_schema(settings), examples.DECISION)
    rows: tuple[tuple[str, str, Described], ...] = (
        ("/v1/approvals", "get", operation_of(
            "tools", "approvals", "The calls of tools that wait for a person of the token's role",
            answer_of("The approvals.", {JSON: _media("Approvals")}), "400", "406", "413", parameters=listed,
        )),
        ("/v1/approvals/{identifier}", "get", operation_of(
            "tools", "approval", "One call that waits, or the result that is to be reviewed",
            answer_of("The approval.", {JSON: _media("Approval")}), "400", "404", "406",
            parameters=[identifier],
        )),
        ("/v1/approvals/{identifier}", "post", operation_of(
            "tools", "decideApproval", "Let a call run or its result go out, or refuse it",
            answer_of("The decision.", {JSON: _media("Approval")}), "400", "404", "406", "409", "413", "415",
            parameters=[identifier], body=said,
        )),
    )  # fmt: skip
    return secured(rows)


def tool_paths(settings: Settings) -> Described:
    """The list of tools, and a route for each."""
    listed = operation_of(
        "tools", "listTools", "The tools that the sender may use",
        answer_of("The tools.", {JSON: _media("Tools")}), "400", "406", "413",
        parameters=in_query(tool_schemas.LIST),
    )  # fmt: skip
    return {
        "/v1/tools": {"get": listed},
        **{f"/v1/tools/{tool.name}": {"post": _call(tool, settings)} for tool in TOOLS.values()},
    }


def _call(tool: Tool, settings: Settings) -> Described:
    given = {"a call": {"value": examples.TOOL_CALLS[tool.name]}}
    body = json_body(tool.arguments(settings), given)
    answer = answer_of(
        "The result, small enough for a model to read.", {JSON: {"schema": result_schema(tool)}}
    )
    said = operation_of("tools", f"tool_{tool.name}", tool.title, answer, *_ERRORS, body=body)
    pending = "The call, or its result, waits for a person. Location has the approval: have it given, then "
    said["responses"]["202"] = answer_of(pending + "make the same call.", {JSON: _media("PendingCall")})
    secured = {} if tool.effect is Effect.READS else {"security": SECURED}
    return {**said, "description": tool.description, **secured}
