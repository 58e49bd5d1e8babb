"""`/v1/approvals`: who sees what waits, and who may decide about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.web import Headers, fits

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.provenance import ApprovalLog
from sage_ld.service.access.tokens import AccessRole

CALL = {"name": "heron"}


@pytest.fixture
def log(folder: Path) -> ApprovalLog:
    return KnowledgeGraph.open(folder).approvals


def test_a_role_sees_and_decides_what_is_for_it(
    client: FlaskClient, headers: Headers, log: ApprovalLog
) -> None:
    for_all, for_few = (log.hold("agent", "delete_document", {**CALL, "n": n}, n) for n in ("write", "admin"))
    writer, admin = headers[AccessRole.WRITE], headers[AccessRole.ADMIN]
    seen = client.get("/v1/approvals", headers=writer).json["approvals"]
    assert [each["approval"] for each in seen] == [for_all.identifier]
    listed = client.get("/v1/approvals", headers=admin).json
    fits(listed, "Approvals")
    assert {each["approval"] for each in listed["approvals"]} == {for_all.identifier, for_few.identifier}
    path = f"/v1/approvals/{for_few.identifier}"
    assert client.get(path, headers=writer).status_code == 403
    assert client.post(path, json={"approved": True}, headers=writer).status_code == 403
    decided = client.post(path, json={"approved": False, "reason": "it is needed"}, headers=admin)
    assert (decided.status_code, decided.cache_control.no_store) == (200, True)
    fits(decided.json, "Approval")
    assert (decided.json["state"], decided.json["reason"]) == ("refused", "it is needed")
    assert client.post(path, json={"approved": True}, headers=admin).status_code == 409
    assert client.get(path, headers=admin).json["arguments"] == {**CALL, "n": "admin"}


def test_a_token_does_not_approve_its_own_call(
    client: FlaskClient, headers: Headers, log: ApprovalLog
) -> None:
    token = headers[AccessRole.ADMIN]["Authorization"].removeprefix("Bearer ")
    held = log.hold(f"token {token}", "delete_document", CALL, "write")
    path = f"/v1/approvals/{held.identifier}"
    own = client.post(path, json={"approved": True}, headers=headers[AccessRole.ADMIN])
    assert (own.status_code, "cannot approve your own call" in own.json["detail"]) == (409, True)
    other = client.post(path, json={"approved": True}, headers=headers[AccessRole.WRITE])
    assert (other.json["state"], other.json["decider"]) == ("approved", "WRITE")


def test_an_approval_has_the_name_of_the_callers_token(client: FlaskClient, headers: Headers) -> None:
    sent = {"text": "The Silver Otter is a prize for books.", "identifier": "otter"}
    waits = client.post("/v1/tools/ingest_text", json=sent, headers=headers[AccessRole.WRITE])
    shown = client.get(waits.json["address"], headers=headers[AccessRole.ADMIN])
    assert shown.json["caller"] == "WRITE"
    assert "sage_" not in shown.text, "the token is not shown"


def test_what_is_unknown_or_wrong_is_refused(client: FlaskClient, headers: Headers) -> None:
    admin = headers[AccessRole.ADMIN]
    assert client.get(f"/v1/approvals/{'0' * 32}", headers=admin).status_code == 404
    assert (
        client.post(f"/v1/approvals/{'0' * 32}", json={"approved": "yes"}, headers=admin).status_code == 400
    )
    assert client.get("/v1/approvals").status_code == 401


def test_a_caller_does_not_read_the_result_that_is_held_back(
    client: FlaskClient, headers: Headers, log: ApprovalLog
) -> None:
    token = headers[AccessRole.WRITE]["Authorization"].removeprefix("Bearer ")
    held = log.hold(f"token {token}", "search", {"question": "held"}, "write", {"answer": "the secret"})
    path, own, other = (
        f"/v1/approvals/{held.identifier}",
        headers[AccessRole.WRITE],
        headers[AccessRole.ADMIN],
    )
    seen = client.get(path, headers=own).json
    assert (seen["state"], seen["arguments"], "result" in seen) == ("waiting", {"question": "held"}, False)
    assert "the secret" not in client.get("/v1/approvals?all=true", headers=own).get_data(as_text=True)
    assert "the secret" not in client.post(path, json={"approved": True}, headers=own).get_data(as_text=True)
    assert client.get(path, headers=other).json["result"] == {"answer": "the secret"}
    refused = client.post(path, json={"approved": False}, headers=own)
    assert (refused.json["state"], "result" in refused.json) == ("refused", False)


def test_who_calls_without_a_token_does_not_approve_with_one(
    client: FlaskClient, headers: Headers, log: ApprovalLog
) -> None:
    held = log.hold("address 127.0.0.1", "search", {"question": "mine"}, "write", {"answer": "the secret"})
    path, token = f"/v1/approvals/{held.identifier}", headers[AccessRole.WRITE]
    here, elsewhere = {"REMOTE_ADDR": "127.0.0.1"}, {"REMOTE_ADDR": "192.0.2.7"}
    assert "result" not in client.get(path, headers=token, environ_base=here).json
    own = client.post(path, json={"approved": True}, headers=token, environ_base=here)
    assert (own.status_code, "cannot approve your own call" in own.json["detail"]) == (409, True)
    assert client.get(path, headers=token, environ_base=elsewhere).json["result"] == {"answer": "the secret"}
    other = client.post(path, json={"approved": True}, headers=token, environ_base=elsewhere)
    assert other.json["state"] == "approved"
