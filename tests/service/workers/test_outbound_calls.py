"""No text calls another server: the parser that would carry the call out says whether there is one."""

from __future__ import annotations

import pytest
from pyoxigraph import Store

from sage_ld.foundation.errors import InputError
from sage_ld.service.workers.outbound_calls import IN_QUERIES, disguised, parse_query, refuse_calls
from sage_ld.service.workers.updates import checked_operations

BASE = "http://example.org/"
CLAUSE = "SERVICE <http://127.0.0.1/> { ?s ?p ?o }"


def check(text: str) -> None:
    refuse_calls(text, IN_QUERIES, lambda each: parse_query(each, BASE))


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT * {{ {CLAUSE} }}",
        "select * { sErViCe silent <http://127.0.0.1/> { ?s ?p ?o } }",
        "SELECT * { SERVICE<http://127.0.0.1/>{ ?s ?p ?o } }",
        "SELECT * { SERVICE?u { ?s ?p ?o } }",
        "PREFIX ex: <http://127.0.0.1/> SELECT * { SERVICEex:a { ?s ?p ?o } }",
        "PREFIX : <http://127.0.0.1/> SELECT * { SERVICE:a { ?s ?p ?o } }",
        f"ASK {{ FILTER EXISTS {{ {CLAUSE} }} }}",
        "ASK { #\n SERVICE # here\n <http://127.0.0.1/> { ?s ?p ?o } }",
        "ASK { ?s ?p '\\'' . SERVICE <http://127.0.0.1/> { ?s ?p \"'\" } }",
        "ASK { FILTER(?a<?b) SERVICE <http://127.0.0.1/> { ?s ?p ?o FILTER(?c>?d) } }",
        f'ASK {{ ?s ?p """a""b""" . {CLAUSE} }}',
        "SELECT * { ?s ?p ?o }SERVICE <http://127.0.0.1/> { }".replace("}SERVICE", "SERVICE") + " }",
        # glued to the token before
        f"SELECT * {{ ?s ?p true{CLAUSE} }}",
        f"SELECT * {{ ?s ?p false{CLAUSE} }}",
        f"SELECT * {{ ?s ?p 1.e1{CLAUSE} }}",
        f"PREFIX : <x:> SELECT * {{ ?s ?p :.{CLAUSE} }}",
        "PREFIX ex: <x:> SELECT * { ?s ?p trueSERVICEex:a { ?s ?p ?o } }",
        # where the grammar's longest token is an IRI, and the parser reads an operator
        f"SELECT * {{ FILTER('a'<'>'){CLAUSE} FILTER('b'='' ) }} #'",
        "SELECT * { VALUES ?u { <x:> } FILTER(1<2)SERVICE?u#>\n{ ?s ?p ?o } }",
        # where it falls back to an empty string
        f"SELECT * {{ VALUES ?x {{ '''a' }} {CLAUSE} }}",
    ],
)
def test_a_call_to_another_server_is_refused(text: str) -> None:
    parse_query(text, BASE)
    with pytest.raises(InputError, match="calls no other server"):
        check(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p 'SERVICE <http://127.0.0.1/> {' }",
        'SELECT * { ?s ?p "a \\" SERVICE" } # SERVICE',
        "SELECT ?service ?SERVICE { ?service <http://example.org/SERVICE> $SERVICE }",
        "SELECT (1 AS ?service) (2 AS ?Service) { }",
        "PREFIX ex: <http://example.org/> SELECT * { ?s ex:service ex:SERVICE.x, _:service }",
        "PREFIX service: <x:service> PREFIX myService: <x:> SELECT * { ?s service:a myService:b }",
        "PREFIX trueSERVICEex: <x:> SELECT * { ?s ?p trueSERVICEex:a { ?s ?p ?o } }",
        "ASK { ?s ?p '''a ' b '' SERVICE''', 'x'@en, 'x'@service-service }",
        "ASK { ?s <service:x> <#SERVICE> FILTER(?s<?p&&'service'>'SERVICE') }",
    ],
)
def test_the_word_alone_is_no_call(text: str) -> None:
    check(text)


def test_an_error_of_syntax_is_told_as_one() -> None:
    with pytest.raises(SyntaxError, match="1:"):
        check("SELECT * { ?service ?p")


def test_the_word_that_takes_its_place_is_not_in_the_text() -> None:
    text = "PREFIX a: <x:Service> ASK { ?SERVICE a:service 'sErvice' }"
    changed = disguised(text, IN_QUERIES)
    assert len(changed) == len(text)
    words = {changed[text.lower().index("service", start) :][:7] for start in (0, 25, 36, 46)}
    assert len(words) == 4
    assert len({word.lower() for word in words}) == 1
    assert words.pop().lower() not in text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "LOAD <http://127.0.0.1/>",
        "LOAD SILENT <http://127.0.0.1/>",
        "CLEAR ALL ; load <http://127.0.0.1/> INTO GRAPH <g:>",
        "VERSION '1.2'LOAD<http://127.0.0.1/>",
        f"INSERT {{ ?s ?p ?o }} WHERE {{ {CLAUSE} }}",
        f"INSERT {{ ?s ?p ?o }} WHERE {{ ?s ?p true{CLAUSE} }}",
        f"INSERT {{ ?s ?p 'load' }} WHERE {{ {{ SELECT * {{ {CLAUSE} }} }} }}",
    ],
)
def test_a_call_in_an_update_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="calls no other server"):
        checked_operations(text, BASE, 1000)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <a:download> <b:service> 'LOAD <http://127.0.0.1/>' }",
        "PREFIX load: <x:> INSERT DATA { load:load load:service '; LOAD' } ; CLEAR ALL # LOAD <x:>",
        "DELETE { ?load ?p ?o } WHERE { ?load ?p ?o FILTER(?o < ?p&&'service'>'load') }",
    ],
)
def test_an_update_may_have_the_words(text: str) -> None:
    checked_operations(text, BASE, 1000)


@pytest.mark.parametrize(
    "text",
    [
        "INSERT { ?s ?p 1 } WHERE { FILTER(1<2&&'a'<'>')} ; DROP ALL ; INSERT DATA { <a:> <b:> '' }#'",
        "CLEAR SILENTALL",
        "PREFIX ex: <x:> PREFIX GRAPHex: <y:> CLEAR SILENT GRAPHex:a",
        "PREFIX ex: <x:> PREFIX GRAPHex: <y:> INSERT { GRAPHex:a { ?s ?p ?o } } WHERE { ?s ?p ?o }",
        "INSERT { ?s ?p 1 } WHERE { FILTER(?s<?p||?o>?p) FILTER(?s<?p&&?o>'a') }",
    ],
)
def test_an_operation_that_a_parser_may_read_otherwise_is_refused(text: str) -> None:
    """Else it could hold another one, and the shapes would not be applied to what that one changes."""
    Store().update(text)
    with pytest.raises(InputError, match=r"two ways|put a space|not a word of CLEAR"):
        checked_operations(text, BASE, 1000)
