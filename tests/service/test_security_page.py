"""What docs/security.md says is so: the table of rights on every route, the limits, nginx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from rows import Rows
from service.serving import UPDATE, empty_graph
from service.web import client_of
from werkzeug.test import create_environ

from sage_ld.foundation.errors import ForbiddenError
from sage_ld.foundation.settings import Settings
from sage_ld.service import route_table
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.context import service_of
from sage_ld.service.http.errors import AuthenticationError
from sage_ld.service.route_table import body_limit
from sage_ld.service.sparql.endpoint import METHODS

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
NEEDS = {
    "none": AccessRole.NOBODY,
    "read": AccessRole.READ,
    "write": AccessRole.WRITE,
    "admin": AccessRole.ADMIN,
}
OWN = "http://localhost:8000/id/graph/edges"
TURTLE = "text/turtle"
JSON = "application/json"
INSERT = "INSERT DATA { <x:s> <x:p> 1 }"
BODIES = {
    ("POST", "/update"): (INSERT, UPDATE),
    ("PATCH", "/data"): (INSERT, UPDATE),
    ("POST", "/data"): ("<x:s> <x:p> 1 .", TURTLE),
    ("PUT", "/data"): ("<x:s> <x:p> 1 .", TURTLE),
    ("POST", "/sparql"): ("ASK {}", "application/sparql-query"),
    ("QUERY", "/sparql"): ("ASK {}", "application/sparql-query"),
    ("POST", "/v1/admin/restore"): ('{"name": "20261123T091500Z-000042"}', JSON),
    ("POST", "/v1/tables/query"): ('{"sql": "SELECT 1"}', JSON),
    ("POST", "/v1/query"): ('{"question": "a"}', JSON),
    ("POST", "/v1/reason"): ('{"question": "a"}', JSON),
    ("POST", "/mcp"): ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', JSON),
    ("POST", "/v1"): ('{"q": "a", "dataset": "none"}', JSON),
}
"""What is sent to a path and those below it, by the method."""


@dataclass(frozen=True)
class Right:
    """One way to send a request, and the roles that it needs where reading is public, and where not."""

    method: str
    route: str
    note: str
    needs: tuple[AccessRole, AccessRole]

    def __str__(self) -> str:
        return f"{self.method} {self.route}{self.note}"


def rights() -> Iterator[Right]:
    """The rows of the table, taken apart."""
    table = PAGE.partition("## Rights")[2].partition("\n## ")[0]
    for routes, methods, *needs in re.findall(r"^\| (`/.*) \| ([A-Z, ]+) \| (\w+) \| (\w+) \|$", table, re.M):
        known = NEEDS[needs[0]], NEEDS[needs[1]]
        route_names = re.findall(r"`(/[^`]*)`", routes)
        note = " of ours" if "{base}graph/" in routes else ""
        yield from (
            Right(method, route, note, known) for route in route_names for method in methods.split(", ")
        )


RIGHTS = list(rights())
Served = tuple[bool, FlaskClient, dict[AccessRole, str]]
"""Whether reading is public, a client, and the header Authorization of each role."""


@pytest.fixture(scope="module", params=[True, False], ids=["public", "closed"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = empty_graph(tmp_path_factory.mktemp("rights") / "graph")
    tokens = {role: create_token(folder, role.name, role, "2026-11-21") for role in AccessRole if role}
    with client_of(folder, public_read=request.param, event_stream_time=0.05) as client:
        yield request.param, client, {role: f"Bearer {token}" for role, token in tokens.items()}


def test_a_body_needs_the_right_of_its_route(served: Served, rows: Rows) -> None:
    """Before it is read; that a graph is one of ours may be in the body, and is found out later."""
    public, client, tokens = served
    here = service_of(client.application)
    for right, role in product(RIGHTS, AccessRole):
        needed = right.needs[0 if public else 1]
        if right.note:
            needed = min(needed, AccessRole.WRITE)
        environ = create_environ(right.route, method=right.method)
        if role:
            environ["HTTP_AUTHORIZATION"] = tokens[role]
        with rows.row(f"{right} by {role.name}"):
            if role >= needed:
                assert route_table.admit(here, environ) in (role, AccessRole.NOBODY)
            else:
                with pytest.raises((AuthenticationError, ForbiddenError)):
                    route_table.admit(here, environ)


def status_of(client: FlaskClient, right: Right, authorization: str | None) -> int:
    """What the service answers to a request that the row is about."""
    path = re.sub("<[^>]*>", "x", right.route)
    body = next(
        (body for (method, root), body in BODIES.items() if right.method == method and path.startswith(root)),
        None,
    )
    headers = {} if authorization is None else {"Authorization": authorization}
    if path == "/data":
        path += f"?graph={OWN if right.note else 'x:g'}"
    if body is not None:
        headers["Content-Type"] = body[1]
    text = f"CLEAR SILENT GRAPH <{OWN}>" if right.note and path == "/update" else body and body[0]
    return client.open(path, method=right.method, data=text, headers=headers).status_code


def test_each_role_may_what_the_table_says(served: Served, rows: Rows) -> None:
    public, client, authorizations = served
    for right in RIGHTS:
        with rows.row(right):
            if right.note:  # what is to be removed is there
                made = f"INSERT DATA {{ GRAPH <{OWN}> {{ <x:s> <x:p> 1 }} }}"
                sent = {"Authorization": authorizations[AccessRole.WRITE], "Content-Type": UPDATE}
                assert client.post("/update", data=made, headers=sent).status_code == 200
            for role in AccessRole:
                status = status_of(client, right, authorizations.get(role))
                if role >= right.needs[0 if public else 1]:
                    assert status not in (401, 403, 405), role
                else:
                    assert status == (403 if role else 401), role
            wrong = status_of(client, right, "Bearer sage_wrong")
            assert (wrong == 401) != right.route.startswith("/health")


def test_the_table_has_every_route(served: Served) -> None:
    rules = served[1].application.url_map.iter_rules()
    routes = {(method, rule.rule) for rule in rules for method in rule.methods or ()}
    routes |= {(method, "/sparql") for method in METHODS}
    expected = {(method, route) for method, route in routes if method not in ("HEAD", "OPTIONS")}
    assert {(right.method, right.route) for right in RIGHTS} == expected


NO_LIMITS = {
    *("contexts", "context_addresses", "cache_dir", "cache_bytes", "evaluation_dir", "snapshot_dir"),
    *("openai_base_url", "openai_timeout", "openai_retries", "openai_batch_texts", "openai_batch_characters"),
    *("rerank_base_url", "rerank_model", "rerank_timeout", "rerank_retries"),
    *("language_model", "language_base_url", "language_timeout", "language_retries", "language_cache_bytes"),
    *("default_language", "min_detected_letters", "min_language_certainty", "min_question_certainty"),
    *(
        "dataset_title",
        "dataset_description",
        "dataset_license",
        "dataset_publisher",
        "dataset_publisher_url",
    ),
    *("dataset_homepage", "dataset_contact", "dataset_keywords", "dataset_spatial", "dataset_temporal"),
    *("min_link_confidence", "relink_share", "client_rankings", "progress_interval"),
    *("shapes", "shapes_refuse", "service_endpoints", "service_bindings"),
    *("remote_timeout", "remote_authorization", "remote_page", "remote_resume"),
    *("max_remote_bytes", "max_remote_statements", "max_remote_redirects", "max_remote_pages"),  # commands'
    *("tool_policy", "keep_model_calls", "keep_retrievals", "retrievals_share", "retrieval_readers"),
    *(
        "least_query_confidence",
        "reasoning_code",
        "whole_pages",
        "header",
        "encoding",
        "ocr",
        "ocr_model",
        "libreoffice",
    ),
    *("trusted_proxies", "path_prefix", "cors_origins", "allowed_hosts", "public_read", "log_format"),
}
"""The settings that bound nothing that a client sends or causes."""


def test_limits_are_the_settings() -> None:
    """Each row is a setting with its default; each setting has a row, or is named as no limit."""
    limits = PAGE.partition("\n## Limits\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,.]+) \|", limits, re.M))
    for name, default in rows.items():
        value = getattr(Settings(), name)
        assert default == (f"{value:,}" if isinstance(value, int) else str(value)), name
    names = {each.name for each in fields(Settings)}
    assert names == rows.keys() | NO_LIMITS, "add a row to docs/security.md, or the name to NO_LIMITS"
    assert not rows.keys() & NO_LIMITS


def test_a_route_that_takes_a_body_has_a_limit_of_its_own() -> None:
    """Else its bodies may have 8 KiB, as those of routes that make nothing of them."""
    for right in RIGHTS:
        if right.method in ("POST", "PUT", "PATCH", "QUERY"):
            limit = body_limit(re.sub("<[^>]*>", "x", right.route), right.method, "", Settings())
            assert limit.setting, f"{right}: give its row a limit"


def test_nginx_waits_longer_than_any_answer_may_take() -> None:
    """A request waits once, and runs; a query that searches runs twice."""
    [seconds] = re.findall(r"proxy_read_timeout (\d+)s;", PAGE)
    settings = Settings()
    assert int(seconds) > settings.queue_timeout + max(2 * settings.sparql_timeout, settings.update_timeout)


def test_systemd_waits_longer_than_the_service_for_its_last_answer() -> None:
    [seconds] = re.findall(r"TimeoutStopSec=(\d+)", PAGE)
    settings = Settings()
    assert int(seconds) > settings.queue_timeout + max(settings.sparql_timeout, settings.update_timeout) + 5


def test_nginx_passes_no_header_of_a_client_that_the_service_believes() -> None:
    [configuration] = re.findall(r"^```nginx\n(.*?)^```", PAGE, re.M | re.S)
    before, *locations = re.sub(" *#.*", "", configuration).split("location ")
    assert not any("proxy_set_header" in each for each in locations), "it would inherit no other"
    cleared = set(re.findall(r"proxy_set_header (\S+)", before))
    believed = {"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Prefix"}
    assert believed | {"Forwarded", "Host"} <= cleared
