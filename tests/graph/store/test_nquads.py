"""Statements as lines of N-Quads: they are read as the terms that pyoxigraph makes of the same values."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.nquads import (
    LineCollector,
    double,
    integer,
    line,
    minted,
    quads_of,
    string,
    uri_literal,
)

GRAPH = NamedNode("http://example.org/graph")
A, B = NamedNode("http://example.org/a"), NamedNode("http://example.org/ä")
NAME = "http://example.org/name"
TEXTS = ('a\r\n\t"\\', "\x00\x08\x0b\x1f\x7f\x85\u2028\ufeff\ufffe\U0001f600", "\\u0041\\n", " ", '\'"""\'')


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_string_of_any_characters_is_read_as_it_was(text: str, lenient: bool) -> None:
    out = LineCollector(GRAPH.value)
    out.text(minted(A.value), NAME, text)
    out.text(minted(A.value), NAME, text, "de-AT")
    out.add(minted(A.value), NAME, uri_literal(text))
    read = [quad.object for quad in parse("".join(out.take()), RdfFormat.N_QUADS, lenient=lenient)]
    any_uri = NamedNode(v.XSD + "anyURI")
    assert read == [Literal(text), Literal(text, language="de-AT"), Literal(text, datatype=any_uri)]


def test_numbers_are_read_as_they_were() -> None:
    out = LineCollector(GRAPH.value)
    for value in (integer(0), integer(1 << 40), double(1), double(0.1), double(1e-07)):
        out.add(A, NAME, value)
    is_double = NamedNode(v.XSD + "double")
    assert [quad.object for quad in out.quads()] == [
        Literal(0),
        Literal(1 << 40),
        *(Literal(text, datatype=is_double) for text in ("1.0", "0.1", "1e-07")),
    ]


def test_an_edge_is_in_both_views() -> None:
    out = LineCollector(GRAPH.value)
    out.edge(minted("http://example.org/r"), v.LINK, A, v.LINKS_TO, minted(B.value))
    reifier, links = NamedNode("http://example.org/r"), NamedNode(v.LINKS_TO)
    assert out.quads() == [
        Quad(A, links, B, GRAPH),
        Quad(reifier, NamedNode(v.REIFIES), Triple(A, links, B), GRAPH),
        Quad(reifier, NamedNode(v.TYPE), NamedNode(v.LINK), GRAPH),
        Quad(reifier, NamedNode(v.SOURCE), A, GRAPH),
        Quad(reifier, NamedNode(v.TARGET), B, GRAPH),
    ]
    assert not out.take()


def test_what_is_no_legal_term_is_no_line() -> None:
    out = LineCollector(GRAPH.value)
    with pytest.raises(ValueError, match="IRI"):
        LineCollector("http://example.org/ graph")
    with pytest.raises(ValueError, match="IRI"):
        out.add(A, "http://example.org/> <x", integer(1))
    with pytest.raises(ValueError, match="language"):
        string("text", "no tag")
    assert not out.take()


def test_a_quad_comes_back_from_its_line() -> None:
    quads = [Quad(A, NamedNode(NAME), Triple(A, NamedNode(NAME), Literal(text)), GRAPH) for text in TEXTS]
    assert list(quads_of(map(line, quads))) == quads
