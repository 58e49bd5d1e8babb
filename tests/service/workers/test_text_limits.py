"""The text of a request is read as SPARQL reads it, and measured before a parser sees it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from fuzz.growth import assert_linear

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.service.workers import searches
from sage_ld.service.workers.text_limits import (
    TextLimits,
    checked_query,
    measure,
    query_form,
    speaks_rdf_12,
    tokens,
)
from sage_ld.service.workers.update_text import blanked, operations

LIMITS = TextLimits(bytes=65536, depth=128, patterns=200)


SHAPES = (
    *("{ ", "( ", "[ ", "a.", "?a ", "VALUES ?a ", "VALUES ( ) ", "VALUES ?a { ", "{}", "DATA{}"),
    *("BASE <a/>", "PREFIX a: <b>", "PREFIX a:<b>a:c ", "<a> ", ") <https://w3id.org/sage-ld#search> ( "),
    *("{ ?c <https://w3id.org/sage-ld#search> 'a' . } ", "(?c) <https://w3id.org/sage-ld#search> ('a' 1) . "),
    *("'\\'", ". . ", "GRAPH a:b { ", "GRAPH GRAPH ", "; CLEAR ALL", "INSERT {} WHERE {} ; ", "DELETE "),
    *(")(", "a:b ", "~ "),
)
WIDE = TextLimits(bytes=2**30, depth=2**30, patterns=2**30)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("SELECT * " + "{" * 3000 + "}" * 3000, "max_query_depth"),
        ("ASK { FILTER(" + "(" * 3000 + "1" + ")" * 3000 + ") }", "max_query_depth"),
        ("ASK { ?s ?p " + "[ ?p " * 1000 + "1" + "]" * 1000 + " }", "max_query_depth"),
        ("ASK { ?s ?p " + "<<( ?s ?p " * 1000 + "1" + " )>>" * 1000 + " }", "max_query_depth"),
        ("ASK { " + " . ".join(f"?a{i} ?p ?a{i + 1}" for i in range(1000)) + " }", "max_query_patterns"),
        ("ASK { ?s ?p " + " , ".join("?o" for _ in range(1000)) + " }", "max_query_patterns"),
        ("ASK { " + " ".join("{ ?a ?b ?c }" for _ in range(1000)) + " }", "max_query_patterns"),
        ("ASK { ?s ?p (" + "1 " * 1000 + ") }", "max_query_patterns"),
        ("ASK { ?s " + "/".join(["<p:>"] * 1000) + " ?o }", "max_query_patterns"),
        ("ASK { FILTER(" + "!" * 10000 + "true) }", "max_query_patterns"),
        ("ASK { FILTER(" + "&&".join(["true"] * 1000) + ") }", "max_query_patterns"),
        ("ASK { " + " UNION ".join(["{}"] * 1000) + " }", "max_query_patterns"),
        ("ASK { ?s ?p '" + "a" * 70000 + "' }", "max_query_bytes"),
    ],
    ids=lambda text: text[:24],
)
def test_what_harms_a_planner_is_refused(text: str, what: str) -> None:
    with pytest.raises(LimitError, match=what):
        checked_query(text, LIMITS)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { VALUES (?a ?b) { " + "(<a:> 1.5) " * 2000 + "} ?a ?p ?b }",
        "SELECT * { VALUES ?a { " + "<a:x> " * 5000 + "} ?a ?p ?b }",
        "ASK { ?s ?p ?o FILTER(?o IN (" + ",".join(map(str, range(5000))) + ")) }",
        "ASK { ?s ?p " + "[ ?p " * 100 + "1.5e3" + "]" * 100 + " }",
    ],
    ids=lambda text: text[:32],
)
def test_values_count_only_by_their_length(text: str) -> None:
    checked_query(text, LIMITS)


def test_the_data_of_an_update_is_no_pattern() -> None:
    text = (
        "INSERT DATA { GRAPH <g:> { " + "<s:> <p:> 1 . " * 1000 + "} } ; INSERT { ?s ?p 1 } WHERE { ?s ?p 2 }"
    )
    measure(tokens(text), LIMITS)


def test_the_form_is_the_first_keyword_after_the_prologue() -> None:
    text = (
        "BASE <http://ASK/> PREFIX select: <http://x/> # DESCRIBE\n CONSTRUCT WHERE { ?s select:ask 'ASK' }"
    )
    assert query_form(tokens(text)) == "CONSTRUCT"
    assert query_form(tokens("INSERT DATA {}")) == ""


def test_keywords_are_told_from_names() -> None:
    texts = ("SELECT ?from { ?s ex:FROM 'FROM' }", "select * from <http://x/> {}")
    assert [any(each.keyword == "FROM" for each in tokens(text)) for text in texts] == [False, True]


@pytest.mark.parametrize(
    "text", ["?s ?p ?o {| ?a ?b |}", "<< ?s ?p ?o >>", "?s ?p <<( 1 ?b 2 )>>", "isTriple(?x)"]
)
def test_the_syntax_of_rdf_12_is_seen(text: str) -> None:
    assert speaks_rdf_12(tokens(text))
    assert not speaks_rdf_12(tokens(f"'''{text}'''"))


@pytest.mark.parametrize("text", ["ASK { ?s ?p 'a\n }", 'ASK { ?s ?p """a"" }', "ASK { ?s ?p '''a' }"])
def test_a_string_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="at character 13 has no end"):
        checked_query(text, LIMITS)


def read_query(text: str) -> None:
    found = checked_query(text, WIDE)
    query_form(found)
    speaks_rdf_12(found)
    searches.uses(found)


def read_update(text: str) -> None:
    searches.refuse(tokens(text))
    for operation in operations(text):
        assert len(operation.changes) <= 2 * len(text)
    blanked(text)
    measure(tokens(text), WIDE)


@pytest.mark.parametrize("read", [read_query, read_update])
@pytest.mark.parametrize("shape", SHAPES)
def test_reading_a_text_takes_linear_time(read: Callable[[str], None], shape: str) -> None:
    def run(size: int) -> None:
        with contextlib.suppress(InputError):
            read((shape * (size // len(shape) + 1))[:size])

    assert_linear(
        run, 2**16, smallest=2**12
    )  # of `BASE <a/>`, one base is longer than the other, up to a limit


def test_the_declarations_of_an_update_are_limited() -> None:
    text = "PREFIX a: <b:> CLEAR ALL ; " * 1000
    assert len(operations(text)) == 1000
    with pytest.raises(LimitError, match=r"the limit is 10,000.*max_query_bytes"):
        operations(text, 10_000)
