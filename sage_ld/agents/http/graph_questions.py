"""`/v1/query`: a question answered by a query over the graph's statements or tables."""

from __future__ import annotations

import math
from contextlib import ExitStack
from functools import partial
from typing import Any

from flask import Response, request

from sage_ld.agents.http import examples, graph_question_schemas
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.text_to_sparql import GraphAnswer, GraphQuestions
from sage_ld.agents.text_to_sparql.asking import Asking
from sage_ld.agents.text_to_sparql.formats import graph_answer_json
from sage_ld.agents.text_to_sparql.running import RdfQueries
from sage_ld.foundation.deadline import deadline
from sage_ld.graph import Snapshot
from sage_ld.service.access.tokens import AccessRole, client_of
from sage_ld.service.context import require_change, service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON
from sage_ld.service.requests import asking_model, held, model_of, searching
from sage_ld.service.route import RouteReply, Surface

surface = Surface("graph_questions", tag="retrieval")


@surface.post(
    "/v1/query",
    "queryByQuestion",
    "Answer a question by a query, and say how sure it is",
    body=graph_question_schemas.schema,
    examples=examples.GRAPH_QUESTIONS,
    offers=(responses.JSON,),
    reply=RouteReply("The rows, with the query and what they come from.", {JSON: "GraphAnswer"}),
    errors=("504",),
)
def query(asked: dict[str, Any], choice: Choice) -> Response:
    """The rows of the query that a question is compiled to, or that a language model writes for it."""
    with ExitStack() as stack:
        if asked.get("way", Asking.GRAMMAR) != Asking.GRAMMAR:
            require_change(AccessRole.READ)
            stack.enter_context(asking_model(service(), request.environ))
        snapshot = stack.enter_context(held())
        answer = responses.json_text(graph_answer_json(_answered(snapshot, asked)), choice)
    answer.vary.add("Accept")
    return answer


def _answered(snapshot: Snapshot, asked: dict[str, Any]) -> GraphAnswer:
    """The answer in that revision. Raises NotFoundError where a model is asked for, and there is none."""
    here, gone = service(), request.environ.get(CLIENT_GONE)
    settings, way = here.settings, asked.get("way", Asking.GRAMMAR)
    rows = asked.get("rows", min(graph_question_schemas.ROWS, settings.max_question_rows))
    check = deadline(math.inf, "language_seconds", gone)
    if way == Asking.GRAMMAR:
        check = deadline(settings.retrieve_timeout, "retrieve_timeout", gone)
    elif way == Asking.MODEL:
        model_of(here, "the way `model` (the way `grammar` does not)")
    with GraphQuestions(
        here.graph, RdfQueries(here.directory, settings, here.queries), agents_of(here).tables
    ) as questions:
        return questions.ask(
            asked["question"],
            rows,
            way=way,
            at=snapshot,
            check=check,
            gone=gone,
            client=client_of(request.environ),
            searching=partial(searching, here, request.environ, check),
        )
