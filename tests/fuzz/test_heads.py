"""Heads of any kind: every field that something reads, once or often, short or long."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fuzz.application import Application, Sent
from fuzz.asking import FIELD, FRAGMENTS, HEADS, ROUTES, SEEDS, paths, printable
from fuzz.growth import assert_linear, repeated
from fuzz.promises import check
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.foundation.errors import SageError

HOST = (b"host", b"localhost")
METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "QUERY", "DELETE", "BREW"]
UNAUTHORISED = [
    replace(each, fields=tuple(field for field in each.fields if field[0] != b"authorization"))
    for each in SEEDS
]
"""Without their tokens, so that nothing is written."""


@given(st.sampled_from(sorted(ROUTES)), st.sampled_from(METHODS), HEADS, st.data())
def test_any_head_is_answered(
    application: Application,
    rule: str,
    method: str,
    fields: tuple[tuple[bytes, bytes], ...],
    data: st.DataObject,
) -> None:
    path = data.draw(paths(rule, application.names))
    check(application.ask(Sent(method, path, b"q=Osmere&query=ASK%7B%7D", fields)), application)


@given(st.sampled_from(UNAUTHORISED), HEADS)
def test_a_request_with_more_fields_is_answered(
    application: Application, seed: Sent, fields: tuple[tuple[bytes, bytes], ...]
) -> None:
    """What the head has already comes twice."""
    names = {name for name, _ in seed.fields}
    check(application.ask(replace(seed, fields=(*seed.fields, *fields))), application)
    others = tuple(field for field in fields if field[0] not in names)
    check(application.ask(replace(seed, fields=(*seed.fields, *others))), application)


@given(st.sampled_from(UNAUTHORISED), FIELD, FRAGMENTS.map(printable))
def test_a_long_field_takes_linear_time(
    roomy: Application, seed: Sent, field: tuple[bytes, bytes], fragment: bytes
) -> None:
    name, value = field
    kept = tuple(field for field in seed.fields if field[0] != name)

    def run(size: int) -> None:
        with suppress(SageError):
            longer = value + repeated(fragment or b",", size)
            roomy.call(replace(seed, fields=(*kept, (name, longer))))

    assert_linear(run, 2**15)


@given(st.sampled_from(UNAUTHORISED), FIELD)
def test_a_repeated_field_takes_linear_time(
    roomy: Application, seed: Sent, field: tuple[bytes, bytes]
) -> None:
    name, value = field

    def run(size: int) -> None:
        with suppress(SageError):
            roomy.call(replace(seed, fields=(*seed.fields, *(size * [(name, value[:40])]))))

    assert_linear(run, 2**10)
