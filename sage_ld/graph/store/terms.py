"""RDF terms made from Python values, with the constants of the vocabulary made once."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Property
from sage_ld.graph.store.protocol import GraphName

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple

_DOUBLE = NamedNode(v.XSD + "double")
_DATE_TIME = NamedNode(v.XSD + "dateTime")
_DATE = NamedNode(v.XSD + "date")


@cache
def node(iri: str) -> NamedNode:
    """The node of a vocabulary term or of a named graph: few, and used often."""
    return NamedNode(iri)


def in_graph(statement: Triple, graph: GraphName) -> Quad:
    """A statement in a graph."""
    return Quad(statement.subject, statement.predicate, statement.object, graph)


def double(value: float) -> Literal:
    """An `xsd:double`: what every score and weight is."""
    return Literal(repr(float(value)), datatype=_DOUBLE)


def moment(value: str) -> Literal:
    """An `xsd:dateTime`, or an `xsd:date` where no time is given."""
    return Literal(value, datatype=_DATE_TIME if "T" in value else _DATE)


def without_direction(term: Term) -> Term:
    """A term as RDF 1.1 has it: a literal without its base direction, any other term itself.

    >>> from pyoxigraph import BaseDirection
    >>> print(without_direction(Literal("a", language="ar", direction=BaseDirection.RTL)))
    "a"@ar
    """
    if isinstance(term, Literal) and term.direction is not None:
        return Literal(term.value, language=term.language)
    return term


def property_value(given: Property, base: str) -> NamedNode | Literal:
    """The value of a document's property: an IRI, or a literal with its datatype or language.

    Anything but an IRI stays an `xsd:anyURI`, and so does one below `base`: no file speaks of the graph's own
    resources.
    """
    with suppress(ValueError):
        if given.language:
            return Literal(given.value, language=given.language)
        if given.datatype == "anyURI" and not given.value.startswith(base):
            return NamedNode(given.value)
    return Literal(given.value, datatype=NamedNode(_datatype_iri(given.datatype)))


def term_property(key: str, term: Term) -> Property | None:
    """The property from which `property_value` makes a term again; None for other terms.

    >>> wkt = NamedNode("http://www.opengis.net/ont/geosparql#wktLiteral")
    >>> term_property("place", Literal("POINT(1 1)", datatype=wkt)).datatype
    'http://www.opengis.net/ont/geosparql#wktLiteral'
    >>> term_property("place", BlankNode())
    """
    if isinstance(term, NamedNode):
        return Property(key, term.value, "anyURI")
    if not isinstance(term, Literal):
        return None
    iri = term.datatype.value
    name = iri.removeprefix(v.XSD)
    return Property(key, term.value, iri if ":" in name else name, term.language)


def _datatype_iri(name: str) -> str:
    """The IRI of a datatype as a property names it; no name of XML Schema has a colon."""
    return name if ":" in name else v.XSD + name
