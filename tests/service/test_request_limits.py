"""Requests have bounds, checked before the work that they bound; the work is linear in the request."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from service.web import client_of, small_graph
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from sage_ld.foundation.channels import CHANNELS
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.service.api import retrieval
from sage_ld.service.api.json_text import check_json_values, read_json
from sage_ld.service.api.kept_retrievals import analytics_schema
from sage_ld.service.api.schemas import checked_value
from sage_ld.service.http.body_limits import PARAMETER_BYTES, UNUSED_BYTES
from sage_ld.service.http.request_values import FORM, MOST, form_parameters, parsed
from sage_ld.service.openapi import document
from sage_ld.service.route_table import body_limit

SCHEMA = retrieval.schema(Settings())
KIBIBYTE = 2**10


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with client_of(small_graph(tmp_path_factory.mktemp("limits"))) as opened:
        yield opened


# --- schemas -----------------------------------------------------------------------------------------


def request_schemas() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that the description has of a request, with the place where it stands."""
    for path, operations in document(Settings())["paths"].items():
        for method, operation in operations.items():
            for each in operation.get("parameters", ()):
                yield f"{method} {path}: {each['name']}", each["schema"]
            for media_type, sent in operation.get("requestBody", {}).get("content", {}).items():
                if media_type.endswith("json"):  # a file, or a form, has the limit of a body
                    yield f"{method} {path}: {media_type}", sent["schema"]


def unbounded(schema: dict[str, Any], place: str) -> Iterator[str]:
    """The places in a schema that take a value of any size."""
    forms = schema.get("oneOf") or schema.get("anyOf")
    if forms:
        for number, form in enumerate(forms):
            yield from unbounded(form, f"{place} {number}")
        return
    bounds = {"string": ("maxLength", "enum"), "array": ("maxItems",), "object": ("maxProperties",)}
    kinds = schema.get("type") or []
    kinds = [kinds] if isinstance(kinds, str) else kinds
    sized = [kind for kind in kinds if kind in bounds]
    if not kinds or not all(any(name in schema for name in bounds[kind]) for kind in sized):
        yield place
    if "items" in schema:
        yield from unbounded(schema["items"], f"{place}[]")
    for name, each in schema.get("properties", {}).items():
        yield from unbounded(each, f"{place}/{name}")


def test_every_list_text_and_object_of_a_request_has_a_bound() -> None:
    schemas = list(request_schemas())
    assert {"post /v1/retrieve: application/json", "get /v1/chunks: where"} <= {name for name, _ in schemas}
    assert [place for name, schema in schemas for place in unbounded(schema, name)] == []


HOSTILE: list[Any] = [
    {"q": "x", "channels": [{"a": number} for number in range(40_000)]},
    {"q": "x", "documents": list(range(100_000))},
    {"q": "x", "documents": [[] for _ in range(100_000)]},
    {"q": "x", "kinds": ["text"] * 60_000},
    {"q": "x", "where": ["a" * 200_000]},
    {"q": "x", **{f"n{number}": number for number in range(30_000)}},
    {"q": "x", "weights": {f"n{number}": number for number in range(30_000)}},
    {"q": {f"n{number}": number for number in range(30_000)}},
    {"q": "x", "languages": ["a-" * 100_000]},
    [[number] for number in range(60_000)],
]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_validation_is_linear(value: Any) -> None:
    begin = time.process_time()
    with pytest.raises(InputError) as raised:
        checked_value(value, SCHEMA)
    assert time.process_time() - begin < 2, "some hundredths of a second are usual"
    assert len(str(raised.value)) < 1000


def test_sizes_come_first() -> None:
    with pytest.raises(LimitError, match=r"documents: 1,000 values, the limit is 100; .* max_filter_values"):
        checked_value({"q": 1, "k": "x", "documents": list(range(1000))}, SCHEMA)
    with pytest.raises(InputError, match=f"channels: {len(CHANNELS) + 1} items, at most {len(CHANNELS)}"):
        checked_value({"q": "x", "channels": [{}] * (len(CHANNELS) + 1)}, SCHEMA)
    with pytest.raises(InputError, match="the request: there is no 'n0'; give any of as_of, "):
        checked_value({"q": "x", **{f"n{number}": number for number in range(100)}}, SCHEMA)


@pytest.mark.parametrize("depth", [100, 300, 900, 100_000])
def test_what_is_nested_deep_is_refused(depth: int) -> None:
    with pytest.raises(InputError):
        checked_value(read_json('{"q": ' + "[" * depth + "]" * depth + "}"), SCHEMA)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"q": "\\uD800"}', "q"),
        ('{"\\ud800": 1}', "the request"),
        ('{"q": "a", "metadata": {"a": "\\udc00\\ud800"}}', "metadata/a"),
        ('{"q": [1, {"a": "\\udfff"}]}', "q/1/a"),
        ('{"metadata": {"a\\ud800": 1}}', "metadata"),
        ('{"a": "\ud800"}', "a"),
    ],
)
def test_half_a_character_is_refused(text: str, place: str) -> None:
    with pytest.raises(InputError, match=f"^{place}: half of a surrogate pair"):
        read_json(text)


def test_a_whole_pair_is_a_character() -> None:
    assert read_json('{"q": "\\ud83d\\ude00 \\\\ud800"}') == {"q": "\U0001f600 \\ud800"}


@pytest.mark.parametrize("path", ["/v1/retrieve", "/v1/retrieve/stream"])
def test_half_a_character_in_a_filter_is_the_fault_of_the_client(client: FlaskClient, path: str) -> None:
    body = b'{"q": "a", "metadata": {"a": "\\ud800"}}'
    answer = client.post(path, data=body, content_type="application/json")
    assert answer.status_code == 400
    assert "metadata/a: half of a surrogate pair" in json.loads(answer.data)["detail"]


def test_a_large_number_stays_a_number() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "number"}, "n": {"type": "integer"}}}
    plain = checked_value({"x": -1e300, "n": 2.0}, schema)
    assert [(type(each), each) for each in plain.values()] == [(float, -1e300), (int, 2)]


@pytest.mark.parametrize("score", ["-1e300", "1e300", "1000001"])
def test_scores_beyond_every_ranking_are_refused(score: str) -> None:
    with pytest.raises(InputError, match="poor_below"):
        checked_value({"poor_below": float(score)}, analytics_schema(Settings()))


def test_numbers_without_a_fraction_are_integers() -> None:
    assert checked_value({"q": "x", "k": 5.0, "weights": {"decay": 1.0}}, SCHEMA) == {
        "q": "x",
        "k": 5,
        "weights": {"decay": 1},
    }


# --- bodies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "method", "content_type", "size", "setting"),
    [
        ("/sparql", "POST", "application/sparql-query", 64 * KIBIBYTE, "max_query_bytes"),
        ("/sparql/", "QUERY", "application/sparql-query", 64 * KIBIBYTE, "max_query_bytes"),
        ("/sparql", "POST", f"{FORM}; charset=utf-8", 192 * KIBIBYTE + PARAMETER_BYTES, "max_query_bytes"),
        ("/sparql", "GET", "", UNUSED_BYTES, ""),
        ("/update", "POST", FORM, 2**24, "max_body_bytes"),
        ("/data", "PUT", "text/turtle", 2**24, "max_body_bytes"),
        ("/data/a/b", "PATCH", "application/sparql-update", 2**24, "max_body_bytes"),
        ("/data", "DELETE", "", UNUSED_BYTES, ""),
        ("/database", "POST", "text/turtle", UNUSED_BYTES, ""),
        ("/v1/retrieve", "POST", "application/json", 256 * KIBIBYTE, "max_json_bytes"),
        ("/v1/evaluate", "POST", "multipart/form-data", 256 * KIBIBYTE, "max_json_bytes"),
        ("/v1/documents", "POST", "application/json", 2**24, "max_body_bytes"),
        ("/v1/documents/a", "PUT", "application/json", 2**24, "max_body_bytes"),
        ("/v1/documents/a", "PATCH", "application/json", 256 * KIBIBYTE, "max_json_bytes"),
        ("/v1/documents/a", "PATCH", "application/merge-patch+json", 256 * KIBIBYTE, "max_json_bytes"),
        ("/v1/retrieve", "GET", "application/json", UNUSED_BYTES, ""),
        ("/", "POST", "", UNUSED_BYTES, ""),
        ("/nowhere", "BREW", "", UNUSED_BYTES, ""),
    ],
)
def test_bodies_are_limited_by_route(
    path: str, method: str, content_type: str, size: int, setting: str
) -> None:
    assert body_limit(path, method, content_type, Settings()) == (size, setting)


@pytest.mark.parametrize(
    "text", ['{"a, [b]": "c\\", [d]"}', '["' + "[" * 10, '"' + '\\"' * 200_000, '"' + "," * 9 + "\\"]
)
def test_what_stands_in_strings_is_no_value(text: str) -> None:
    check_json_values(text, 2)
    with pytest.raises(LimitError, match="max_json_values"):
        check_json_values(f"[[], {text}", 2)


def test_no_body_is_larger_than_all_may_be() -> None:
    settings = Settings(max_body_bytes=1000)
    assert body_limit("/v1/retrieve", "POST", "", settings) == (1000, "max_body_bytes")


def test_json_is_measured_before_it_is_read(client: FlaskClient) -> None:
    text = json.dumps({"q": "x"}) + " " * 2**18
    answer = client.post("/v1/retrieve", data=text, content_type="application/json")
    assert answer.status_code == 413
    assert "max_json_bytes" in answer.get_json(force=True)["detail"]
    smaller = client.post("/v1/retrieve", data=text[: 2**18], content_type="application/json")
    assert smaller.status_code == 200


def test_a_query_in_a_form_is_measured_before_it_is_read(client: FlaskClient) -> None:
    names = b"&".join(b"named-graph-uri=http://example.org/%d" % number for number in range(900))
    form = b"query=" + b"%20" * (64 * KIBIBYTE - 6) + b"ASK%7B%7D&" + names
    assert client.post("/sparql", data=form, content_type=FORM).status_code == 200
    answer = client.post("/sparql", data=b"query=" + b"%41" * 2**20, content_type=FORM)
    assert answer.status_code == 413
    assert "max_query_bytes" in answer.get_json(force=True)["detail"]


# --- forms -------------------------------------------------------------------------------------------


def form(content: bytes) -> Request:
    builder = EnvironBuilder(method="POST", input_stream=BytesIO(content), content_type=FORM)
    builder.content_length = len(content)
    return Request(builder.get_environ())


@pytest.mark.parametrize("escape", [b"%41", b"%C3%A9", b"a", b"+", b"%", b"%F0%9F%98%80"])
def test_a_form_takes_a_small_multiple_of_its_size(escape: bytes) -> None:
    content = b"update=" + escape * (2**20 // len(escape))
    sent = form(content)
    tracemalloc.start()
    try:
        parameters = form_parameters(sent)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(parameters.one("update") or "") > 2**16
    assert peak < 6 * len(content), "eighty times as much where all escapes are decoded at once"


@given(st.text("%4C3A9+=&aé ;\0", max_size=60))
def test_parameters_are_read_as_the_library_reads_them(text: str) -> None:
    try:
        expected: tuple[tuple[str, str], ...] | None = tuple(
            parse_qsl(text, keep_blank_values=True, errors="strict")
        )
    except UnicodeDecodeError:
        expected = None
    if expected is None:
        with pytest.raises(InputError, match="UTF-8"):
            parsed(text.encode())
    else:
        assert parsed(text.encode()).pairs == expected


@pytest.mark.parametrize("shift", range(5))
def test_an_escape_between_two_blocks_is_read(shift: int) -> None:
    text = "x" * shift + "é" * 50_000 + "%  4"
    encoded = b"x" * shift + b"%C3%A9" * 50_000 + b"%+%204"
    assert parsed(b"a=" + encoded).pairs == (("a", text),)


@pytest.mark.parametrize(
    ("url", "detail"),
    [
        ("/v1/chunks?limit=%ff", "'limit' is not UTF-8;"),
        ("/v1/chunks?%ff=1", "the name of a parameter is not UTF-8;"),
        ("/v1/chunks?%0A=1&%0A=2", r"'\n' is given 2 times;"),
        (f"/v1/chunks?{'x' * 4000}=1&{'x' * 4000}=2", f"'{'x' * 40}' is given 2 times;"),
        ("/describe?iri=a", "iri: 'a' is not an absolute IRI"),
        ("/data?graph=a", "graph: 'a' is not an absolute IRI"),
        ("/sparql?query=ASK%7B%7D&named-graph-uri=a", "named-graph-uri: 'a' is not an absolute IRI"),
        ("/sparql?query=ASK%7B%7D&timeout=%0A", r"timeout='\n': not a positive number;"),
        ("/ontology?format=%0D", r"format='\r': not offered here;"),
        ("/ontology?version=%0D", r"version='\r': unknown version of RDF;"),
        (f"/export?format={'x' * 4000}", f"unknown export format '{'x' * 40}';"),
        (f"/data?graph=x:{'y' * 4000}", f"there is no graph <x:{'y' * 198}>"),
    ],
)
def test_a_message_names_the_parameter_in_one_short_line(client: FlaskClient, url: str, detail: str) -> None:
    answer = client.get(url).get_json(force=True)
    assert answer["status"] in (400, 404)
    assert answer["detail"].startswith(detail)
    assert "\n" not in answer["detail"]
    assert len(answer["detail"]) < 300


def test_parameters_are_counted_first() -> None:
    assert len(parsed(b"&".join([b"a=1"] * MOST)).pairs) == MOST
    with pytest.raises(InputError, match="more than 1000 parameters"):
        parsed(b"&" * MOST)
