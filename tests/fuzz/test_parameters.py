"""Parameters and bodies of any kind, for every route: an answer, or a problem that names what is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from fuzz.application import BASE, ODD_NAMES, Application, Sent
from fuzz.asking import BODIES, FRAGMENTS, JSON, NAMES, ROUTES, SEEDS, TEXTS, VALUES, requests
from fuzz.growth import assert_linear, repeated
from fuzz.promises import check, problem_in
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.api.json_text import read_json
from sage_ld.service.api.retrieval import schema
from sage_ld.service.api.schemas import checked_value
from sage_ld.service.http.request_values import parsed
from sage_ld.service.openapi import document
from sage_ld.service.sparql.endpoint import PATH

# A multipart body that breaks off leaves a file of Werkzeug's for the collector to close.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*SpooledTemporaryFile:pytest.PytestUnraisableExceptionWarning"
)
RETRIEVAL = schema(Settings())
VALID: dict[str, Any] = {
    **{"q": "Osmere", "question": "Osmere", "query": "ASK {}"},
    **{"iri": "x:a", "graph": "x:a", "document": "x.md"},
}
"""Parameters without which a request is refused."""
WHOLE = ("query", "update")
"""Parameters of which a message may say that they are the text."""
UNDESCRIBED = {
    "/data": ["graph", "format", "version"],
    "/update": ["update", "using-graph-uri", "using-named-graph-uri", "timeout"],
}


def test_no_route_is_left_out(application: Application) -> None:
    assert {*(rule.rule for rule in application.app.url_map.iter_rules()), PATH} == ROUTES.keys()


@pytest.mark.parametrize("rule", ROUTES)
@given(data=st.data())
def test_any_parameters_are_answered(application: Application, rule: str, data: st.DataObject) -> None:
    check(application.ask(data.draw(requests(rule, application.names))), application)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda each: f"{each.method} {each.path.decode()}")
def test_a_seed_is_answered(application: Application, seed: Sent) -> None:
    check(application.ask(seed), application)


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("query", [b"", b"format=html", b"format=turtle&version=1.2", b"format=rdfxml&x='<>"])
def test_a_resource_of_an_odd_name_is_shown(application: Application, name: str, query: bytes) -> None:
    for encoded in (name, quote(name), quote(name, safe="%/")):
        check(application.ask(Sent(path=b"/id/" + encoded.encode(), query=query)), application)
    iri = quote(BASE + name, safe="").encode()
    answer = application.ask(Sent(path=b"/describe", query=b"&".join(filter(None, [b"iri=" + iri, query]))))
    check(answer, application)
    assert answer.status == (406 if b"rdfxml" in query else 200)


# --- names -------------------------------------------------------------------------------------------


def named() -> dict[str, list[str]]:
    """The parameters in the URLs of each path."""
    found = {
        path: [each["name"] for each in operations["get"].get("parameters", ()) if each["in"] == "query"]
        for path, operations in document(Settings())["paths"].items()
        if "get" in operations
    }
    return {path: names for path, names in (found | UNDESCRIBED).items() if names}


URLS = named()


@pytest.mark.parametrize("path", URLS)
@given(data=st.data())
def test_a_wrong_parameter_is_named(application: Application, path: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(URLS[path]))
    chunk = next(each for each in application.names if each.startswith("chunk/")).removeprefix("chunk/")
    valid = VALID | {"chunk": chunk}
    needed = {each: valid[each] for each in URLS[path] if each in valid and each != name}
    query = "&".join(f"{key}={quote(value)}" for key, value in needed.items())
    text = data.draw(TEXTS)
    member = b"[decay]" if name == "weights" else b""
    sent = Sent(
        "POST" if path == "/update" else "GET",
        path.replace("{identifier}", chunk).encode(),
        query.encode() + b"&" + name.encode() + member + b"=" + text.replace(b"&", b"%26"),
        ((b"host", b"localhost"), (b"authorization", b"Bearer TOKEN"), (b"content-type", b"text/plain")),
    )
    answer = application.ask(sent)
    check(answer, application)
    if 400 <= answer.status < 500 and answer.status not in (404, 414, 415):
        detail = problem_in(answer)
        assert name in detail.lower() or (name in WHOLE and "the text" in detail), answer


MEMBERS = st.dictionaries(st.sampled_from([*RETRIEVAL["properties"], "x"]), JSON, max_size=3)


@given(MEMBERS)
def test_a_wrong_member_is_named(members: dict[str, Any]) -> None:
    text = json.dumps({"q": "Osmere", **members})
    message = message_of(text)
    assert not message or any(each in message for each in (*members, "NaN", "Infinity"))


def message_of(text: str) -> str:
    """Why a question in JSON is refused; "" where it is not."""
    try:
        checked_value(read_json(text), RETRIEVAL)
    except InputError as error:
        return str(error)
    return ""


# --- time --------------------------------------------------------------------------------------------


@given(FRAGMENTS, TEXTS)
def test_repeated_parameters_take_linear_time(fragment: bytes, value: bytes) -> None:
    def run(size: int) -> None:
        with suppress(InputError):
            parsed((value + repeated(fragment, size))[:size])

    assert_linear(run, 2**18)


@given(st.sampled_from([each.body for each in SEEDS if each.body.startswith(b"{")]), st.data())
def test_a_repeated_fragment_of_json_takes_linear_time(body: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(body)))
    fragment = data.draw(st.one_of(FRAGMENTS, JSON.map(json.dumps).map(str.encode)))

    def run(size: int) -> None:
        text = body[:place] + repeated(fragment, size) + body[place:]
        with suppress(InputError):
            checked_value(read_json(text.decode("utf-8", "replace")), RETRIEVAL)

    assert_linear(run, 2**18)


@given(st.data())
def test_a_long_parameter_takes_linear_time(roomy: Application, data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from([each for each in ROUTES if "<" not in each]))
    method = data.draw(st.sampled_from(sorted(ROUTES[rule] - {"OPTIONS"})))
    begin = data.draw(st.sampled_from(NAMES)) + b"=" + data.draw(st.sampled_from(VALUES))
    fragment = data.draw(TEXTS) or b"%"

    def run(size: int) -> None:
        roomy.call(Sent(method, rule.encode(), begin + repeated(fragment, size)))

    assert_linear(run, 2**13)


@given(st.sampled_from([each for each in SEEDS if each.method == "POST"]), st.data())
def test_a_long_body_takes_linear_time(roomy: Application, seed: Sent, data: st.DataObject) -> None:
    """The query string has them refused once the body has been read, so that nothing is written."""
    body, place = seed.body, data.draw(st.integers(0, len(seed.body)))
    fragment = data.draw(st.one_of(FRAGMENTS, BODIES)) or b"&"

    def run(size: int) -> None:
        content = body[:place] + repeated(fragment, size) + body[place:]
        roomy.call(Sent(seed.method, seed.path, b"timeout=0", seed.fields, content))

    assert_linear(run, 2**14)
