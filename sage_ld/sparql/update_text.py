"""A SPARQL Update taken apart into its operations: what each may change, and over which graphs it looks.

pyoxigraph runs an update as a whole, over no other graphs than the text names, and does not say what it
changed. The protocol's `using-graph-uri`, the Graph Store Protocol's PATCH and our shapes need all three.
Grammar: https://www.w3.org/TR/sparql12-query/#rUpdate
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from sage_ld.errors import InputError
from sage_ld.sparql.text_limits import Token, tokens

_MANAGEMENT: Final = frozenset({"CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"})
_OPENS: Final = frozenset({"{", "(", "["})
_CLOSES: Final = frozenset({"}", ")", "]"})


class Kind(Enum):
    """What an operation is, by the form of its text."""

    DATA = "DATA"
    """INSERT DATA, DELETE DATA."""
    SHORT = "DELETE WHERE"
    MODIFY = "INSERT and DELETE by a pattern"
    MANAGEMENT = "graph management"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; texts as they were written."""

    kind: Kind
    prologue: str
    """All declarations that hold for it."""
    source: str | None
    """The operation without its prologue, as written; None where `using` or `within` have changed it."""
    deleted: str | None = None
    """The template of what it deletes, or its data; without the braces."""
    inserted: str | None = None
    using: str = ""
    where: str = ""
    """Its pattern, without the braces."""
    with_graph: str | None = None
    """The graph after WITH, as written."""

    @property
    def text(self) -> str:
        """The operation with its prologue, as an update of its own."""
        if self.source is not None:
            return f"{self.prologue}\n{self.source}"
        if self.kind is Kind.DATA:
            verb, data = ("INSERT", self.inserted) if self.deleted is None else ("DELETE", self.deleted)
            return f"{self.prologue}\n{verb} DATA {{{data}\n}}"
        if self.kind is Kind.SHORT:
            return f"{self.prologue}\nDELETE WHERE {{{self.where}\n}}"
        graph = "" if self.with_graph is None else f"WITH {self.with_graph}"
        delete = "" if self.deleted is None else f"DELETE {{{self.deleted}\n}}"
        insert = "" if self.inserted is None else f"INSERT {{{self.inserted}\n}}"
        return "\n".join((self.prologue, graph, delete, insert, self.using, f"WHERE {{{self.where}\n}}"))

    @property
    def changes(self) -> str:
        """The triples of its templates, all graphs taken together, as the template of a CONSTRUCT."""
        templates = (self.where,) if self.kind is Kind.SHORT else (self.deleted, self.inserted)
        return " .\n".join(block for each in templates if each for block in _blocks(each))


def operations(text: str) -> list[Operation]:
    """The operations of an update.

    Raises InputError where one has no clauses; whether they parse, `Operation.text` given to a parser says.

    >>> [each.kind.name for each in operations("PREFIX : <x:> INSERT DATA { :a :b :c } ; CLEAR ALL")]
    ['DATA', 'MANAGEMENT']
    """
    prologue: list[str] = []
    found = []
    for segment in _segments(tokens(text)):
        begin = _after_declarations(segment)
        if begin:
            prologue.append(_text(text, segment[:begin]))
        if segment[begin:]:
            try:
                found.append(_operation(text, segment[begin:], "\n".join(prologue)))
            except (KeyError, StopIteration):
                raise InputError(f"operation {len(found) + 1} of the update does not parse") from None
    return found


def using(operation: Operation, default: Sequence[str], named: Sequence[str]) -> Operation:
    """The operation over the graphs that the protocol names, given as IRIs.

    Raises InputError where it names graphs itself (SPARQL 1.1 Protocol, section 2.2.3).
    """
    if operation.using or operation.with_graph is not None:
        raise InputError(
            "graphs in the request and after USING or WITH in the update; name them in one place"
        )
    if operation.kind not in (Kind.MODIFY, Kind.SHORT):
        return operation
    clauses = [f"USING <{iri}>" for iri in default] + [f"USING NAMED <{iri}>" for iri in named]
    deleted = operation.where if operation.kind is Kind.SHORT else operation.deleted
    return replace(operation, kind=Kind.MODIFY, source=None, deleted=deleted, using="\n".join(clauses))


def within(operation: Operation, graph: str) -> Operation:
    """The operation on one graph, given as IRI; empty: the default graph.

    Raises InputError where it names graphs itself.
    """
    texts = (operation.deleted, operation.inserted, operation.where)
    names = any(token.keyword == "GRAPH" for each in texts if each for token in tokens(each))
    if operation.kind is Kind.MANAGEMENT or operation.using or operation.with_graph is not None or names:
        raise InputError(
            "a patch changes the graph of its URL; leave out GRAPH, WITH, USING, CLEAR and the like"
        )
    if not graph:
        return operation

    def inside(clause: str) -> str:
        return f" GRAPH <{graph}> {{{clause}\n}}"

    if operation.kind is Kind.MODIFY:
        return replace(operation, source=None, with_graph=f"<{graph}>")
    return replace(
        operation,
        source=None,
        deleted=None if operation.deleted is None else inside(operation.deleted),
        inserted=None if operation.inserted is None else inside(operation.inserted),
        where=inside(operation.where) if operation.kind is Kind.SHORT else "",
    )


def _segments(found: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens between the semicolons that part operations."""
    depth = 0
    segment: list[Token] = []
    for token in found:
        if token.kind == "sign":
            depth += (token.text in _OPENS) - (token.text in _CLOSES)
        if token.text == ";" and depth == 0:
            yield segment
            segment = []
        else:
            segment.append(token)
    yield segment


def _after_declarations(segment: Sequence[Token]) -> int:
    lengths = {"PREFIX": 3, "BASE": 2, "VERSION": 2}
    position = 0
    while position < len(segment) and (length := lengths.get(segment[position].keyword)):
        position += length
    return position


def _operation(text: str, found: Sequence[Token], prologue: str) -> Operation:
    words = [token.keyword for token in found[:2]]
    source = _text(text, found)
    if words[0] in _MANAGEMENT:
        return Operation(Kind.MANAGEMENT, prologue, source)
    clauses = _clauses(text, found)
    if words[1:] == ["DATA"]:
        inserted, deleted = (clauses["DATA"], None) if words[0] == "INSERT" else (None, clauses["DATA"])
        return Operation(Kind.DATA, prologue, source, deleted, inserted)
    if words == ["DELETE", "WHERE"]:
        return Operation(Kind.SHORT, prologue, source, where=clauses["WHERE"])
    first = next(index for index, token in enumerate(found) if token.keyword in ("DELETE", "INSERT"))
    graph = _text(text, found[1:first]) if words[0] == "WITH" else None
    return Operation(
        Kind.MODIFY,
        prologue,
        source,
        clauses.get("DELETE"),
        clauses.get("INSERT"),
        clauses["USING"],
        clauses["WHERE"],
        graph,
    )


def _clauses(text: str, found: Sequence[Token]) -> dict[str, str]:
    """What is in braces, by the keyword before them; and `USING`: all between the last template and WHERE."""
    clauses = {"USING": ""}
    depth, begin, end, keyword = 0, 0, 0, ""
    for token in found:
        if token.kind == "sign" and token.text in _OPENS:
            begin = token.end if depth == 0 else begin
            depth += 1
        elif token.kind == "sign" and token.text in _CLOSES:
            depth -= 1
            if depth == 0:
                clauses[keyword] = text[begin : token.begin]
                end = token.end
        elif depth == 0 and token.keyword in ("DATA", "DELETE", "INSERT", "WHERE"):
            if token.keyword == "WHERE" and ("DELETE" in clauses or "INSERT" in clauses):
                clauses["USING"] = text[end : token.begin].strip()
            keyword = token.keyword
    return clauses


def _blocks(template: str) -> Iterator[str]:
    """The runs of triples in a template, in and outside its `GRAPH name { … }`."""
    run: list[Token] = []
    skip = 0
    for token in tokens(template):
        if skip:
            skip -= 1
            if skip == 0 and token.text != "{":
                skip = 1
        elif token.keyword == "GRAPH":
            yield from _block(template, run)
            run, skip = [], 2
        elif token.text == "}" and token.kind == "sign":
            yield from _block(template, run)
            run = []
        else:
            run.append(token)
    yield from _block(template, run)


def _block(template: str, run: list[Token]) -> Iterator[str]:
    while run and run[-1].text == ".":
        run.pop()
    while run and run[0].text == ".":
        run.pop(0)
    if run:
        yield _text(template, run)


def _text(text: str, found: Sequence[Token]) -> str:
    return text[found[0].begin : found[-1].end] if found else ""
