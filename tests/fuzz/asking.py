"""Requests as a stranger sends them: the routes, the seeds, and what the seeds are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from urllib.parse import quote, quote_from_bytes

from fuzz.application import Sent
from fuzz.corpus import seeds
from hypothesis import strategies as st

from sage_ld.foundation.settings import Settings
from sage_ld.service import route_table
from sage_ld.service.openapi import document
from sage_ld.service.sparql import endpoint


def parsed(seed: bytes) -> Sent:
    """The first request in a seed."""
    head, _, body = seed.partition(b"\n\n")
    line, *fields = head.strip().split(b"\n")
    method, target, _ = line.split(b" ")
    path, _, query = target.partition(b"?")
    pairs = (each.partition(b":") for each in fields)
    named = tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)
    return Sent(method.decode(), path, query, named, body)


def routes() -> dict[str, frozenset[str]]:
    """The methods of each route of the application."""
    found = {
        **dict.fromkeys(
            ("/id/", "/id/<path:name>", "/static/<path:filename>"), frozenset({"GET", "HEAD", "OPTIONS"})
        )
    }
    for each in route_table.routes():
        methods = {each.method, "OPTIONS", *({"HEAD"} if each.method == "GET" else ())}
        found[each.flask_rule] = found.get(each.flask_rule, frozenset()) | methods
    return dict(sorted({**found, endpoint.PATH: frozenset(endpoint.METHODS)}.items()))


def described_names() -> set[str]:
    """The parameters in `/openapi.json`."""
    operations = [each for path in document(Settings())["paths"].values() for each in path.values()]
    names = {parameter["name"] for each in operations for parameter in each.get("parameters", ())}
    for each in operations:
        for content in each.get("requestBody", {}).get("content", {}).values():
            names |= content["schema"].get("properties", {}).keys()
    return names


def exemplary() -> list[Sent]:
    """A request for each example of a body in the table of routes."""
    fields = ((b"host", b"localhost"), (b"content-type", b"application/json"))
    return [
        Sent(route.method, route.path.encode(), b"", fields, json.dumps(example["value"]).encode())
        for route in route_table.routes()
        for example in route.examples.values()
    ]


SEEDS = [*(parsed(each) for each in seeds("requests")), *exemplary()]
PIECES = sorted({piece for seed in seeds("requests") for piece in re.findall(rb"\w+|\s+|.", seed)})
ROUTES = routes()
FIELDS = sorted({name for seed in SEEDS for name, _ in seed.fields} - {b"content-length"} | {b"x-other"})
"""Without Content-Length, which the server reads itself: the application meets only one that is true."""
_PAIRS = [
    each.partition(b"=") for seed in SEEDS for each in re.split(b"[&\n]", seed.query + b"&" + seed.body)
]
NAMES = sorted({name for name, _, _ in _PAIRS if re.fullmatch(rb"[a-z-]+", name)} | {
    each.encode() for each in described_names()
})  # fmt: skip
VALUES = sorted({value for _, _, value in _PAIRS})


PIECE = st.one_of(st.sampled_from(PIECES), st.binary(max_size=3))
FRAGMENTS = st.lists(PIECE, min_size=1, max_size=4).map(b"".join)
JOINED = st.lists(PIECE, max_size=12).map(b"".join)
REPEATED = st.builds(lambda part, times: (part * times)[:4000], FRAGMENTS, st.integers(2, 1000))


@st.composite
def changed(draw: st.DrawFn, texts: Sequence[bytes]) -> bytes:
    """One of the texts, with a part replaced, taken out or repeated."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 2))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, min(begin + 20, len(text))))
        text = text[:begin] + (draw(FRAGMENTS) if draw(st.booleans()) else text[begin:end] * 3) + text[end:]
    return text


# --- addresses ---------------------------------------------------------------------------------------


def visible(text: bytes) -> bytes:
    """What can stand in the first line of a request: everything else is encoded."""
    return re.sub(rb"[\x00-\x20\x7f#]", lambda match: b"%%%02X" % match[0][0], text)


TEXTS = st.one_of(
    st.sampled_from(VALUES),
    changed(VALUES),
    JOINED,
    JOINED.map(quote_from_bytes).map(str.encode),
    REPEATED,
    st.text(max_size=20).map(quote).map(str.encode),
).map(visible)
"""Values of parameters, in some of the ways to write them."""
_PAIR = st.tuples(
    st.one_of(*(4 * [st.sampled_from(NAMES)]), FRAGMENTS),
    st.sampled_from([b"=", b"=", b"", b"[", b"[decay]="]),
    TEXTS,
).map(b"".join)
QUERIES = st.one_of(
    st.lists(_PAIR, max_size=5).map(b"&".join),
    changed([each.query for each in SEEDS if each.query]),
).map(visible)
"""Parameters of any name, as a URL or a form has them."""


@st.composite
def paths(draw: st.DrawFn, rule: str, names: Sequence[str]) -> bytes:
    """An address that the route may be for; `names` are those of resources."""
    path = b""
    for part in re.split(r"(<[^>]+>)", rule):
        if part.startswith("<"):
            name = draw(st.sampled_from(names)).encode()
            path += draw(st.one_of(st.just(name), st.just(name.partition(b"/")[2]), changed([name]), TEXTS))
        else:
            path += part.encode()
    return visible(path).replace(b"?", b"%3F")


# --- heads -------------------------------------------------------------------------------------------


def printable(value: bytes) -> bytes:
    """What a server lets through as the value of a field."""
    return re.sub(rb"[\x00-\x08\x0a-\x1f\x7f]", b"", value).strip(b" \t")


_KNOWN = {
    name: sorted({value for seed in SEEDS for key, value in seed.fields if key == name}) for name in FIELDS
}


@st.composite
def field_values(draw: st.DrawFn, name: bytes) -> bytes:
    """A value of a field: one that was seen, in part or changed, or anything."""
    known = _KNOWN[name] or [b""]
    words = st.sampled_from(known).map(lambda value: value.partition(b" ")[0] + b" ")
    word = st.tuples(words, st.binary(max_size=20)).map(b"".join)
    return printable(draw(st.one_of(changed(known), word, JOINED, REPEATED, st.binary(max_size=30))))


FIELD = st.sampled_from(FIELDS).flatmap(lambda name: st.tuples(st.just(name), field_values(name)))
_HOST = st.sampled_from([*(9 * [((b"host", b"localhost"),)]), ()])
HEADS = st.builds(
    lambda host, more: (*host, *more),
    _HOST,
    st.lists(FIELD, max_size=5),
)
"""The fields of a request, most with a host that is ours."""

# --- bodies ------------------------------------------------------------------------------------------

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 9), st.floats(), st.sampled_from(VALUES).map(bytes.decode),
    st.text(max_size=8),
)  # fmt: skip
JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from([*map(bytes.decode, NAMES), ""]), inner, max_size=4),
    ),
    max_leaves=12,
)


_QUESTIONS = st.builds(
    lambda members: json.dumps({"q": "Osmere", **members}).encode(),
    st.dictionaries(st.sampled_from([each.decode() for each in NAMES]), JSON, max_size=4),
)
BODIES = st.one_of(
    changed([each.body for each in SEEDS if each.body]),
    QUERIES,
    _QUESTIONS,
    st.lists(PIECE, max_size=40).map(b"".join),
)
"""A form, JSON, RDF, SPARQL, or what was one of these."""

CONTENT_TYPES = sorted({value for seed in SEEDS for name, value in seed.fields if name == b"content-type"})
_BODY_TYPES = st.one_of(st.sampled_from(CONTENT_TYPES), changed(CONTENT_TYPES).map(printable))
CREDENTIALS = [(), (), *(((b"authorization", value),) for value in (b"Bearer TOKEN", b"Basic x", b"Bearer"))]
"""A third of writes may be carried out: each takes a tenth of a second."""


@st.composite
def requests(draw: st.DrawFn, rule: str, names: Sequence[str]) -> Sent:
    """A request for a route, whose head is as it should be."""
    method = draw(st.sampled_from([*sorted(ROUTES[rule]), "GET", "POST", "TRACE"]))
    path, query = draw(paths(rule, names)), draw(QUERIES)
    fields = ((b"host", b"localhost"), *draw(st.sampled_from(CREDENTIALS)))
    if draw(st.booleans()):
        fields = (*fields, (b"accept", draw(st.sampled_from([b"text/html", b"text/turtle", b"*/*"]))))
    if method in ("GET", "HEAD", "OPTIONS", "TRACE"):
        return Sent(method, path, query, fields)
    content_type = draw(_BODY_TYPES)
    return Sent(method, path, query, (*fields, (b"content-type", content_type)), draw(BODIES))
