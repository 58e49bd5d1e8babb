"""The service keeps to its own description: schemathesis asks whatever `/openapi.json` allows, and more."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from service.serving import Server
from waiting import PATIENCE

from sage_ld.foundation.settings import Settings
from sage_ld.service.openapi import document

EXAMPLES = 7
CHECKS = (
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


@schemathesis.serializer("application/sparql-update")
def as_text(_context: Any, value: Any) -> bytes:
    """The body of an update, which the description has as a text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


DESCRIBED = schemathesis.openapi.from_dict(document(Settings()))
OPERATIONS = [each.ok() for each in DESCRIBED.get_all_operations() if isinstance(each, Ok)]
ASKED = [
    pytest.param(each, allowed, id=f"{each.method.upper()} {each.path}, {'allowed' if allowed else 'not'}")
    for each in OPERATIONS
    for allowed in (True, False)
    if allowed or {"parameters", "requestBody"} & each.definition.raw.keys()
]


def test_addresses_are_those_below_the_prefix() -> None:
    assert document(Settings())["servers"] == [{"url": "/"}]
    assert document(Settings(path_prefix="/films"))["servers"] == [{"url": "/films"}]


def test_every_path_is_described_well() -> None:
    assert all(isinstance(each, Ok) for each in DESCRIBED.get_all_operations())
    assert len(OPERATIONS) > 8


@pytest.mark.parametrize(("operation", "allowed"), ASKED)
def test_no_answer_is_outside_the_description(server: Server, operation: Any, allowed: bool) -> None:
    mode = schemathesis.GenerationMode.POSITIVE if allowed else schemathesis.GenerationMode.NEGATIVE
    token = {"Authorization": f"Bearer {server.tokens['admin']}"}

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        address = f"http://127.0.0.1:{server.port}"
        seconds = 10 if operation.path == "/v1/events" else PATIENCE  # events have no end
        answer = case.call(base_url=address, headers=token, timeout=seconds)
        if answer.status_code in (400, 414, 431) and not answer.content:
            return  # refused by the HTTP server, which the description is not about
        ends = (503, 504) if "timeout" in (case.query or {}) else (504,)  # as the client's own timeout= says
        stopped = answer.status_code in ends
        case.validate_response(answer, checks=CHECKS[1:] if stopped else CHECKS)

    ask()
