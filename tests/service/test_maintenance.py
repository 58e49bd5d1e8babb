"""Tokens, settings, state, relinking and checking over HTTP, for the role admin."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of, fits, small_graph
from typer.testing import CliRunner
from waiting import waited_for
from werkzeug.test import TestResponse

from sage_ld.cli.main import app
from sage_ld.foundation.errors import BusyError
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.service.access.tokens import FILE, AccessRole, Tokens, create_token, read_tokens, revoke_token
from sage_ld.service.http.errors import AuthenticationError


@dataclass
class Admin:
    """A client with a token of role admin, and its graph."""

    graph: Path
    client: FlaskClient
    token: str

    def send(self, method: str, path: str, token: str | None = None, **more: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return self.client.open(path, method=method, headers=headers, **more)

    def ended(self, begun: TestResponse) -> Any:
        """A job, once it has ended."""
        assert begun.status_code == 202, begun.json

        def job() -> Any:
            return self.send("GET", begun.headers["Location"]).json

        assert waited_for(lambda: job()["state"] not in ("queued", "running")), job()
        fits(job(), "Job")
        return job()


@pytest.fixture
def admin(tmp_path: Path) -> Iterator[Admin]:
    graph = small_graph(tmp_path)
    token = create_token(graph, "boss", AccessRole.ADMIN, "2026-11-21")
    with client_of(graph, max_tokens=3) as client:
        yield Admin(graph, client, token)


def test_a_token_is_created_shown_once_and_revoked(admin: Admin) -> None:
    created = admin.send("POST", "/v1/admin/tokens", json={"name": "alice", "role": "write"})
    assert created.status_code == 201
    fits(created.json, "CreatedToken")
    secret = created.json["token"]
    assert admin.send("GET", "/v1/jobs", token=secret).status_code == 200
    listed = admin.send("GET", "/v1/admin/tokens")
    fits(listed.json, "Tokens")
    assert [each["name"] for each in listed.json["tokens"]] == ["boss", "alice"]
    assert secret not in listed.text
    assert "sha256" not in listed.text
    assert admin.send("DELETE", "/v1/admin/tokens/alice").status_code == 204
    assert admin.send("GET", "/v1/jobs", token=secret).status_code == 401


@pytest.mark.parametrize(
    ("asked", "status", "detail"),
    [
        ({"name": "boss", "role": "read"}, 409, "choose another name"),
        ({"name": "a\nb", "role": "read"}, 400, "printable"),
        ({"name": "x" * 101, "role": "read"}, 400, "100"),
        ({"name": "a/b", "role": "read"}, 400, "without"),
        ({"name": "..", "role": "read"}, 400, "without"),
        ({"name": "alice", "role": "king"}, 400, "role"),
        ({"name": "alice"}, 400, "role"),
    ],
)
def test_a_wrong_token_is_refused_with_the_reason(
    admin: Admin, asked: dict[str, str], status: int, detail: str
) -> None:
    refused = admin.send("POST", "/v1/admin/tokens", json=asked)
    assert refused.status_code == status
    assert detail in refused.get_json(force=True)["detail"]


def test_tokens_have_a_limit(admin: Admin) -> None:
    for name in ("a", "b"):
        assert admin.send("POST", "/v1/admin/tokens", json={"name": name, "role": "read"}).status_code == 201
    refused = admin.send("POST", "/v1/admin/tokens", json={"name": "c", "role": "read"})
    assert refused.status_code == 413
    assert "max_tokens" in refused.get_json(force=True)["detail"]


def test_nobody_revokes_the_token_that_asks(admin: Admin) -> None:
    refused = admin.send("DELETE", "/v1/admin/tokens/boss")
    assert refused.status_code == 409
    assert "is the token of this request" in refused.get_json(force=True)["detail"]
    assert admin.send("DELETE", "/v1/admin/tokens/nobody").status_code == 404


def test_tokens_that_are_created_at_once_are_all_there(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        secrets = list(
            threads.map(
                lambda number: create_token(tmp_path, f"n{number}", AccessRole.READ, "2026-01-01"), range(24)
            )
        )
    assert len(read_tokens(tmp_path / FILE)) == 24
    known = Tokens(tmp_path)
    assert {known.role_of(each) for each in secrets} == {AccessRole.READ}
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_change_of_tokens_waits_for_another_one_and_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_ld.service.access.tokens._PATIENCE", 0.1)
    create_token(tmp_path, "a", AccessRole.READ, "2026-01-01")
    with (tmp_path / "tokens.lock").open("a") as handle:
        assert try_lock_exclusive(handle)
        with pytest.raises(BusyError, match="another process changes the tokens"):
            revoke_token(tmp_path, "a")


def test_two_admins_who_revoke_each_other_at_once_are_not_both_gone(tmp_path: Path) -> None:
    first, second = (create_token(tmp_path, name, AccessRole.ADMIN, "2026-01-01") for name in "ab")
    revoke_token(tmp_path, "b", first)
    with pytest.raises(AuthenticationError, match="has been revoked"):
        revoke_token(tmp_path, "a", second)
    assert [each.name for each in read_tokens(tmp_path / FILE)] == ["a"]


def test_the_command_line_lists_and_revokes_tokens(admin: Admin) -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["token", "list", str(admin.graph)])
    assert listed.output.split() == ["admin", "2026-11-21", "boss"]
    assert runner.invoke(app, ["token", "revoke", str(admin.graph), "boss"]).exit_code == 0
    assert admin.send("GET", "/v1/admin/tokens").status_code == 401
    missing = runner.invoke(app, ["token", "revoke", str(admin.graph), "boss"])
    assert "no token 'boss'" in str(missing.exception)


def test_settings_have_values_and_meanings(admin: Admin) -> None:
    shown = admin.send("GET", "/v1/admin/settings")
    fits(shown.json, "Settings")
    by_name = {each["name"]: each for each in shown.json["settings"]}
    assert (by_name["max_tokens"]["value"], by_name["max_tokens"]["default"]) == (3, 100)
    assert by_name["max_tokens"]["help"].startswith("Maximum access tokens")


def test_settings_are_shown_without_passwords(tmp_path: Path) -> None:
    graph = small_graph(tmp_path)
    token = create_token(graph, "boss", AccessRole.ADMIN, "2026-11-21")
    with client_of(graph, language_base_url="https://alice:se:cr@et@llm.example.org/v1") as client:
        shown = client.get("/v1/admin/settings", headers={"Authorization": f"Bearer {token}"})
    by_name = {each["name"]: each["value"] for each in shown.json["settings"]}
    assert by_name["language_base_url"] == "https://…@llm.example.org/v1"


def test_the_state_has_versions_sizes_queues_and_memory(admin: Admin) -> None:
    shown = admin.send("GET", "/v1/admin/state")
    fits(shown.json, "State")
    assert shown.json["encoder"] == "jaccard"
    assert shown.json["bytes"]["store"] > 0
    assert shown.json["processes"] > 0
    assert shown.json["pools"]["sparql"] == {"waiting": 0, "busy": 0}


def test_a_relink_is_a_job(admin: Admin) -> None:
    before = admin.client.get("/v1/stats").json
    job = admin.ended(admin.send("POST", "/v1/admin/relink"))
    assert job["state"] == "done", job
    assert job["report"]["revision"] > before["revision"]
    assert admin.client.get("/v1/stats").json["edges"] == before["edges"]


def test_a_check_finds_and_repairs_what_is_damaged(admin: Admin) -> None:
    clean = admin.ended(admin.send("POST", "/v1/admin/check"))
    assert clean["report"]["clean"], clean
    current = admin.graph / "current"
    current.write_text("no number")
    found = admin.ended(admin.send("POST", "/v1/admin/check", json={}))
    assert [each["check"] for each in found["report"]["findings"]] == ["current"]
    fixed = admin.ended(admin.send("POST", "/v1/admin/check", json={"repair": True}))
    assert fixed["report"]["clean"], fixed
    assert [each["check"] for each in fixed["report"]["repaired"]] == ["current"]


def test_questions_of_a_client_are_evaluated(admin: Admin) -> None:
    document = admin.client.get("/v1/documents", headers={"Accept": "application/json"}).json["documents"][0]
    asked = {
        "questions": [{"q": "Who won the Golden Heron?", "relevant": {document["identifier"]: 1}}],
        "modes": ["bm25"],
        "budgets": [2],
    }
    report = admin.send("POST", "/v1/evaluate", json=asked)
    assert report.status_code == 200, report.json
    fits(report.json, "Evaluation")
    assert report.json["queries"] == 1
    for wrong in (
        {**asked, "dataset": "films"},
        {**asked, "questions": []},
        {**asked, "questions": [{"q": " ", "relevant": {"a": 1}}]},
        {**asked, "questions": [{"q": "a", "relevant": {}}]},
        {**asked, "questions": [{"q": "a", "relevant": {"not there": 1}}]},
    ):
        assert admin.send("POST", "/v1/evaluate", json=wrong).status_code == 400, wrong
