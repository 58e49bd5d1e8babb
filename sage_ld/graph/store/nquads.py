"""Statements as lines of N-Quads, in which a store loads very many of them without the interpreter's lock.

Writing a line takes a fifth of the time that making a `Quad` and serialising it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NewType, TypeAlias

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, parse

from sage_ld.foundation import vocabulary as v

Written = NewType("Written", str)
"""A term as N-Quads write it."""
Resource: TypeAlias = NamedNode | Written
Value: TypeAlias = NamedNode | Literal | Written
_INTEGER: Final = f"<{v.XSD}integer>"
_DOUBLE: Final = f"<{v.XSD}double>"
_ANY_URI: Final = f"<{v.XSD}anyURI>"
_BATCH_LINES: Final = 1_000


def minted(iri: str) -> Written:
    """An IRI that is known to be legal, and is not looked at again: one that a store holds, or one of ours.

    What ours begin with, the base, was checked when the graph was made (`store/iris.py: checked_base`).
    """
    return Written(f"<{iri}>")


@lru_cache(1_000)
def constant(iri: str) -> Written:
    """The IRI of a property or a class: few, and used often. Raises ValueError for one that is not legal."""
    return Written(str(NamedNode(iri)))


def string(value: str, language: str | None = None) -> Written:
    r"""A string, which may have a language tag. Raises ValueError for a tag that is not legal.

    >>> print(string('a "b"\n'), string("Straße", "de"))
    "a \"b\"\n" "Straße"@de
    """
    return Written(_quoted(value) if language is None else str(Literal(value, language=language)))


def integer(value: int) -> Written:
    """An `xsd:integer`."""
    return Written(f'"{value}"^^{_INTEGER}')


def double(value: float) -> Written:
    """An `xsd:double`: what every score and weight is."""
    return Written(f'"{float(value)!r}"^^{_DOUBLE}')


def uri_literal(value: str) -> Written:
    """An `xsd:anyURI`: a reference as written, which need not be a legal IRI."""
    return Written(f"{_quoted(value)}^^{_ANY_URI}")


def typed_literal(value: str, datatype: str) -> Written:
    """A literal with the IRI of its datatype, which is known to be legal."""
    return Written(f"{_quoted(value)}^^<{datatype}>")


def line(quad: Quad) -> str:
    """The line of a quad."""
    return f"{quad} .\n"


def quads_of(lines: Iterable[str]) -> Iterator[Quad]:
    r"""The quads of some lines; blank nodes keep their names.

    >>> [quad.object.value for quad in quads_of(['<urn:a> <urn:b> "c" <urn:d> .\n'])]
    ['c']
    """
    waiting = iter(lines)
    while text := "".join(islice(waiting, _BATCH_LINES)):
        yield from parse(text, RdfFormat.N_QUADS, lenient=True)


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


class LineCollector:
    """Collects the lines of statements in one named graph, about one subject at a time.

    >>> out = LineCollector("http://example.org/graph")
    >>> out.text(minted("http://example.org/a"), "http://example.org/name", "A")
    >>> print(*out.take(), end="")
    <http://example.org/a> <http://example.org/name> "A" <http://example.org/graph> .
    """

    __slots__ = ("_end", "_lines")

    def __init__(self, graph: str) -> None:
        self._end = f" {NamedNode(graph)} .\n"
        self._lines: list[str] = []

    def take(self) -> list[str]:
        """The lines collected since they were taken last."""
        lines, self._lines = self._lines, []
        return lines

    def quads(self) -> list[Quad]:
        """The statements collected since they were taken last."""
        return list(quads_of(self.take()))

    def add(self, subject: Resource, predicate: str, value: Value | None) -> None:
        """One statement; nothing if there is no value."""
        if value is not None:
            self._lines.append(f"{subject} {constant(predicate)} {value}{self._end}")

    def text(self, subject: Resource, predicate: str, value: str | None, language: str | None = None) -> None:
        """One statement with a string, which may have a language tag; nothing if it is empty."""
        if value:
            self.add(subject, predicate, string(value, language))

    def typed(self, subject: Resource, *classes: str) -> None:
        """The classes of a subject."""
        for each in classes:
            self.add(subject, v.TYPE, constant(each))

    def edge(self, reifier: Resource, kind: str, source: Resource, predicate: str, target: Resource) -> None:
        """An edge in both views: the triple with its RDF 1.2 reifier, and plain source and target."""
        self.reified(reifier, source, predicate, target)
        self.typed(reifier, kind)
        self.add(reifier, v.SOURCE, source)
        self.add(reifier, v.TARGET, target)

    def reified(self, reifier: Resource, source: Resource, predicate: str, target: Resource) -> None:
        """A statement, and that `reifier` stands for it."""
        statement = f"{source} {constant(predicate)} {target}"
        self._lines.append(f"{statement}{self._end}")
        self.add(reifier, v.REIFIES, Written(f"<<( {statement} )>>"))
