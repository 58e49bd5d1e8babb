"""RDF terms: Python values read of them, leniently, and terms made from Python values.

A user's update or file may put any term in any place: whoever reads a graph takes each term through one of
these functions, and leaves out what it cannot use.
"""

from __future__ import annotations

import math
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Property

if TYPE_CHECKING:
    from pyoxigraph import Literal, NamedNode

MOST: Final = 1 << 31
"""Offsets and numbers are below it: no document has more characters, rows or sections."""
_DIGITS: Final = 20
"""Characters of a number beyond which it is not read."""


@cache
def _classes() -> tuple[type[Literal], type[NamedNode]]:
    """The classes of literals and IRIs, loaded at first use: the table of channels needs no store."""
    from pyoxigraph import Literal, NamedNode

    return Literal, NamedNode


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI.

    >>> is_iri("http://example.org/a"), is_iri("notes/a.md")
    (True, False)
    """
    try:
        _classes()[1](text)
    except ValueError:
        return False
    return True


def iri_of(term: object) -> str | None:
    """The IRI; None for a literal, a blank node, a triple term, or nothing.

    >>> from pyoxigraph import Literal, NamedNode
    >>> iri_of(NamedNode("urn:x")), iri_of(Literal("urn:x")), iri_of(None)
    ('urn:x', None, None)
    """
    _, iri = _classes()
    return term.value if isinstance(term, iri) else None


def text_of(term: object) -> str:
    """The text of a literal, or an IRI; empty for anything else."""
    return term.value if isinstance(term, _classes()) else ""


def integer_of(term: object) -> int | None:
    """The integer that a literal says, from 0 to below 2^31; else None.

    >>> from pyoxigraph import Literal
    >>> integer_of(Literal(7)), integer_of(Literal("abc")), integer_of(Literal(-1))
    (7, None, None)
    """
    literal, _ = _classes()
    if not isinstance(term, literal) or len(term.value) > _DIGITS:
        return None
    try:
        number = int(term.value)
    except ValueError:
        return None
    return number if 0 <= number < MOST else None


def number_of(term: object) -> float | None:
    """The finite number that a literal says; else None.

    >>> from pyoxigraph import Literal
    >>> number_of(Literal("0.5")), number_of(Literal("INF")), number_of(Literal("abc"))
    (0.5, None, None)
    """
    literal, _ = _classes()
    if not isinstance(term, literal):
        return None
    try:
        number = float(term.value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def share_of(term: object) -> float | None:
    """The number in 0..1 that a literal says, as weights and confidences do; else None."""
    number = number_of(term)
    return number if number is not None and 0.0 <= number <= 1.0 else None


Term: TypeAlias = NamedNode | BlankNode | Literal | Triple

_DOUBLE = NamedNode(v.XSD + "double")
_DATE_TIME = NamedNode(v.XSD + "dateTime")
_DATE = NamedNode(v.XSD + "date")


@cache
def node(iri: str) -> NamedNode:
    """The node of a vocabulary term or of a named graph: few, and used often."""
    return NamedNode(iri)


def double(value: float) -> Literal:
    """An `xsd:double`: what every score and weight is."""
    return Literal(repr(float(value)), datatype=_DOUBLE)


def moment(value: str) -> Literal:
    """An `xsd:dateTime`, or an `xsd:date` where no time is given."""
    return Literal(value, datatype=_DATE_TIME if "T" in value else _DATE)


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
