"""Whatever pyoxigraph would call out for is refused, and a text that only has the words is not.

The address of every call is `x:y`, which no client of HTTP takes: pyoxigraph fails at it, with an error that
is not of syntax, before it opens a socket.
"""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from sage_ld.foundation.errors import InputError
from sage_ld.service.workers.outbound_calls import IN_QUERIES, parse_query, refuse_calls
from sage_ld.service.workers.updates import checked_operations

BASE = "http://example.org/"
PROLOGUE = "PREFIX : <x:> PREFIX ex: <x:> PREFIX service: <x:> PREFIX trueservice: <x:> "
NODE = NamedNode("x:y")
STORE = Store()
STORE.extend(Quad(NODE, NamedNode("x:p"), value) for value in (NODE, Literal(True), Literal(1), Literal("")))

GLUE = st.sampled_from(["", "", " ", "\n", "#>\n", "#'\n", "# service\n", "."])
CALLS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["SERVICE", "service", "sErVice"]),
        GLUE,
        st.sampled_from(["", "", "SILENT ", "silent"]),
        st.sampled_from(["<x:y>", "ex:y", ":y", "?u", "$u", "service:y"]),
        GLUE,
        st.sampled_from(["{}", "{ ?s ?p ?o }", "{ VALUES ?w { '' } }", "{ ?s ?p '>' }"]),
    ),
)
WORDS = st.sampled_from(
    [
        *("?s ?p true", "?s ?p 1", "?s ?p 1.e1", "?s ?p :y", "?s ?p :", "?s ?p ''", "?s ?p 'x'@en"),
        *("?s ?p _:b", "?s ?p true,false", "{ ?s ?p ?o }", "OPTIONAL { ?s ?p ?o }", "VALUES ?u {<x:y>}"),
        *("?s ?p ex:service", "?s ?p 'SERVICE <x:y> {}'", "?service ?p <x:service>", "?s ?p _:service"),
        *("?s a service:a", "?s ?p trueservice:a", "BIND('service' AS ?x1)", "# SERVICE <x:y> {}\n"),
        *("FILTER(1<2)", "FILTER('a'<'>')", "FILTER('b'='' )", "FILTER(1<2&&'a'<'>')", "FILTER(1 < 2)"),
        *("FILTER(1<<x#>)", "VALUES ?x { '''a' }", "#'\n", "#'''\n", '#"\n', "'", "?s ?p '''\n"),
    ]
)


def joined(parts: list[tuple[str, str]]) -> str:
    return "".join(text + glue for text, glue in parts)


def would_call(text: str) -> bool:
    """Whether pyoxigraph calls out. Raises SyntaxError."""
    try:
        list(STORE.query(text, base_iri=BASE))  # type: ignore[arg-type]  # a SELECT
    except (OSError, RuntimeError):
        return True
    return False


def is_refused(text: str) -> bool:
    try:
        refuse_calls(text, IN_QUERIES, lambda each: parse_query(each, BASE))
    except InputError:
        return True
    return False


@given(st.lists(st.tuples(st.one_of(WORDS, CALLS), GLUE), max_size=6).map(joined))
def test_a_query_that_calls_out_is_refused(group: str) -> None:
    text = f"{PROLOGUE}SELECT * {{ VALUES ?u {{ <x:y> }} {group} }}"
    try:
        called = would_call(text)
    except SyntaxError:
        assume(False)
    assert is_refused(text) or not called


@given(st.lists(st.tuples(WORDS, GLUE), max_size=6).map(joined))
def test_a_query_that_only_has_the_word_is_not_refused(group: str) -> None:
    text = f"{PROLOGUE}SELECT * {{ {group} }}"
    try:
        parse_query(text, BASE)
    except SyntaxError:
        assume(False)
    assert not is_refused(text)


@given(st.lists(st.tuples(st.one_of(WORDS, CALLS), GLUE), max_size=6).map(joined))
def test_an_update_that_calls_out_is_refused(group: str) -> None:
    text = f"{PROLOGUE}INSERT {{ ?s ?p 1 }} WHERE {{ VALUES ?u {{ <x:y> }} {group} }}"
    store = Store()
    store.extend(STORE)
    try:
        checked_operations(text, BASE, 1000)
    except (InputError, SyntaxError):
        return
    store.update(text, base_iri=BASE)
