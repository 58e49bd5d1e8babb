"""The text of a request is read as SPARQL reads it, and measured before a parser sees it."""

from __future__ import annotations

import pytest

from sage_ld.errors import InputError, LimitError
from sage_ld.sparql.text_limits import (
    TextLimits,
    checked_query,
    has_keyword,
    measure,
    query_form,
    refuse_calls,
    speaks_rdf_12,
    tokens,
)

LIMITS = TextLimits(bytes=65536, depth=128, patterns=200)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }",
        "select * { sErViCe silent <http://127.0.0.1/> { ?s ?p ?o } }",
        "SELECT * { SERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { SERVICE?u { ?s ?p ?o } }",
        "PREFIX ex: <http://127.0.0.1/> SELECT * { SERVICEex:a { ?s ?p ?o } }",
        "PREFIX : <http://127.0.0.1/> SELECT * { SERVICE:a { ?s ?p ?o } }",
        "ASK { FILTER EXISTS { SERVICE <http://127.0.0.1/> { ?s ?p ?o } } }",
        "ASK { #\n SERVICE # here\n <http://127.0.0.1/> { ?s ?p ?o } }",
        "ASK { ?s ?p '\\'' . SERVICE <http://127.0.0.1/> { ?s ?p \"'\" } }",
        "ASK { FILTER(?a<?b) SERVICE <http://127.0.0.1/> { ?s ?p ?o FILTER(?c>?d) } }",
        'ASK { ?s ?p """a""b""" . SERVICE <http://127.0.0.1/> { ?s ?p ?o } }',
        "SELECT * { ?s ?p ?o }SERVICE <http://127.0.0.1/> { }",
    ],
)
def test_a_call_to_another_server_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="calls no other server"):
        checked_query(text, LIMITS)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p 'SERVICE <http://127.0.0.1/> {' }",
        'SELECT * { ?s ?p "a \\" SERVICE" } # SERVICE',
        "SELECT ?service { ?service <http://example.org/SERVICE> $SERVICE }",
        "PREFIX ex: <http://example.org/> SELECT * { ?s ex:service ex:SERVICE.x, _:service }",
        "ASK { ?s ?p '''a ' b '' SERVICE''', 'x'@en }",
    ],
)
def test_the_word_alone_is_no_call(text: str) -> None:
    checked_query(text, LIMITS)


def test_load_is_refused_in_an_update() -> None:
    with pytest.raises(InputError, match="LOAD"):
        refuse_calls(tokens("LOAD SILENT <http://127.0.0.1/>"), ("service", "load"))


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
    assert not has_keyword(tokens("SELECT ?from { ?s ex:FROM 'FROM' }"), "FROM")
    assert has_keyword(tokens("select * from <http://x/> {}"), "FROM")


@pytest.mark.parametrize(
    "text", ["?s ?p ?o {| ?a ?b |}", "<< ?s ?p ?o >>", "?s ?p <<( 1 ?b 2 )>>", "isTriple(?x)"]
)
def test_the_syntax_of_rdf_12_is_seen(text: str) -> None:
    assert speaks_rdf_12(tokens(text))
    assert not speaks_rdf_12(tokens(f"'''{text}'''"))
