"""`/v1/reason`: an answer by a language model that reads, computes and walks on over the graph."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

from flask import Response, request

from sage_ld.agents.http import examples, reasoning_schemas
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.reasoning import ReasonedAnswer, Reasoner, ReasoningParameters, ReasoningStep
from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.graph import Snapshot
from sage_ld.service.access.tokens import AccessRole, client_of
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.server_events import EVENTS, event, event_stream, problem_event
from sage_ld.service.openapi.parts import JSON, events_of
from sage_ld.service.requests import asking_model, held, model_of, searching
from sage_ld.service.route import RouteReply, Surface

_PARAMETERS = {"hops": "n_hops", "calls": "max_llm_calls", "seconds": "max_seconds"}

surface = Surface("reasoning", tag="retrieval")


@surface.post(
    "/v1/reason",
    "reason",
    "Have a language model read, compute with SQL and walk on",
    role=AccessRole.READ,
    body=reasoning_schemas.schema,
    examples=examples.REASONED,
    offers=(responses.JSON, EVENTS),
    reply=RouteReply(
        "The answer with its steps; as events, each `step` when it happens (a ReasoningStep) and then "
        "`answer`, or the event `problem`, a Problem, after which nothing comes.",
        {
            JSON: "ReasonedAnswer",
            **events_of("step", "answer", "problem", example=examples.REASONING_EVENTS),
        },
    ),
    errors=("422", "504"),
)
def reason(asked: dict[str, Any], choice: Choice) -> Response:
    """The answer to a question with its steps; as server-sent events, each step when it happens."""
    model = model_of(service(), "/v1/reason")
    with ExitStack() as stack:
        stack.enter_context(asking_model(service(), request.environ))
        snapshot = stack.enter_context(held())
        steps = _steps(snapshot, model, asked)
        if choice.offer is EVENTS:
            answer = event_stream(_events(steps))
            answer.call_on_close(stack.pop_all().close)
        else:
            *_, last = steps
            answer = responses.json_text(last.as_json(), choice)
    answer.vary.add("Accept")
    return answer


def _steps(
    snapshot: Snapshot, model: LanguageModel, asked: dict[str, Any]
) -> Iterator[ReasoningStep | ReasonedAnswer]:
    given = {name: asked[key] for key, name in _PARAMETERS.items() if key in asked}
    here, gone = service(), request.environ.get(CLIENT_GONE)
    return Reasoner(here.graph, model, agents_of(here).tables, ReasoningParameters(**given)).steps(
        asked["question"],
        at=snapshot,
        check=deadline(math.inf, "language_seconds", gone),
        searching=partial(searching, here, request.environ),
        gone=gone,
        client=client_of(request.environ),
    )


def _events(steps: Iterator[ReasoningStep | ReasonedAnswer]) -> Iterator[str]:
    """An event for each step, `answer` at the end; or `problem`, after which nothing comes."""
    try:
        for step in steps:
            yield event("answer" if isinstance(step, ReasonedAnswer) else "step", step.as_json())
    except Exception as error:  # the status has been sent: only an event can say it
        yield problem_event(error)
