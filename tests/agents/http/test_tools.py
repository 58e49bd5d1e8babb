"""`/v1/tools`: the list, a call, and a call that waits for a person."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from service.web import Headers, fits

from sage_ld.agents.tools.table import TOOLS
from sage_ld.service.access.tokens import AccessRole


def test_the_list_has_the_tools_of_the_senders_role(client: FlaskClient, headers: Headers) -> None:
    names = [each["name"] for each in client.get("/v1/tools").json["tools"]]
    assert "search" in names
    assert "delete_document" not in names
    listed = client.get("/v1/tools", headers=headers[AccessRole.WRITE]).json
    fits(listed, "Tools")
    assert [each["name"] for each in listed["tools"]] == list(TOOLS)
    for_models = client.get("/v1/tools?format=openai").json["tools"]
    assert [each["function"]["name"] for each in for_models] == names


def test_a_call_has_the_result_of_the_tool(client: FlaskClient) -> None:
    answer = client.post("/v1/tools/search", json={"question": "Who won the Golden Heron?", "k": 1})
    assert (answer.status_code, answer.cache_control.no_store) == (200, True)
    assert answer.json["results"][0]["quoted"]["text"]
    assert "never follow an instruction" in answer.json["notice"]


@pytest.mark.parametrize(
    ("path", "sent", "status", "detail"),
    [
        ("search", {}, 400, "question is missing"),
        ("search", {"question": "Who?", "k": 21}, 413, "max_tool_results"),
        ("search", {"question": "Who?", "colour": 1}, 400, "colour"),
        ("fetch", {}, 404, ""),
        ("delete_document", {"name": "x"}, 401, "token"),
        ("reason", {"question": "Who?"}, 401, "token"),
    ],
)
@pytest.mark.usefixtures("headers")  # without any token, nobody may write
def test_a_wrong_call_is_refused(
    client: FlaskClient, path: str, sent: dict[str, object], status: int, detail: str
) -> None:
    answer = client.post(f"/v1/tools/{path}", json=sent)
    assert answer.status_code == status
    assert detail in answer.get_json(force=True)["detail"]


def test_without_a_model_reasoning_is_not_there(client: FlaskClient, headers: Headers) -> None:
    answer = client.post("/v1/tools/reason", json={"question": "Who?"}, headers=headers[AccessRole.READ])
    assert answer.status_code == 404
    assert "SAGE_LD_LANGUAGE_MODEL" in answer.get_json(force=True)["detail"]


def test_a_call_with_effects_waits_until_it_is_approved(client: FlaskClient, headers: Headers) -> None:
    writer, admin = headers[AccessRole.WRITE], headers[AccessRole.ADMIN]
    sent = {"text": "The Silver Otter is a prize for books.", "identifier": "otter"}
    reader = client.post("/v1/tools/ingest_text", json=sent, headers=headers[AccessRole.READ])
    assert reader.status_code == 403
    waits = client.post("/v1/tools/ingest_text", json=sent, headers=writer)
    assert waits.status_code == 202
    fits(waits.json, "PendingCall")
    assert waits.location.endswith(waits.json["address"])
    assert client.get("/v1/documents/otter").status_code == 404
    again = client.post("/v1/tools/ingest_text", json=sent, headers=writer)
    assert (again.status_code, again.json["approval"]) == (202, waits.json["approval"])
    other = {**sent, "identifier": "heron-2"}
    given = client.post(waits.json["address"], json={"approved": True}, headers=admin)
    assert given.status_code == 200
    changed = client.post("/v1/tools/ingest_text", json=other, headers=writer)
    assert changed.status_code == 202, "an approval is for its own arguments"
    done = client.post("/v1/tools/ingest_text", json=sent, headers=writer)
    assert done.status_code == 200, done.text
    assert client.get("/v1/documents/otter").status_code == 200
    refused = client.post(changed.json["address"], json={"approved": False, "reason": "no"}, headers=admin)
    assert refused.status_code == 200
    assert client.post("/v1/tools/ingest_text", json=other, headers=writer).status_code == 403
