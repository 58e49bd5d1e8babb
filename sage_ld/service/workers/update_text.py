"""The operations of a SPARQL Update: what each may change, and which graphs it reads.

pyoxigraph runs an update as a whole, over no other graphs than the text names, and does not say what it
changed. The protocol's `using-graph-uri`, the Graph Store Protocol's PATCH and our shapes need all three.
Grammar: https://www.w3.org/TR/sparql12-query/#rUpdate
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from typing import Final

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.graph.store.tokenizer import DECLARATIONS
from sage_ld.service.workers.text_limits import Token, tokens

_MANAGEMENT: Final = frozenset({"CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "LOAD"})
_MANAGED: Final = _MANAGEMENT | {"SILENT", "GRAPH", "DEFAULT", "NAMED", "ALL", "TO", "INTO"}
_END: Final = Token("end", "", 0)
_BLANKS: Final = {"iri": "<x:>", "name": "<x:>", "string": '""'}
_OPENS: Final = frozenset({"{", "(", "["})
_CLOSES: Final = frozenset({"}", ")", "]"})


class Kind(Enum):
    """The kinds of operation, by the form of their text."""

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
    """The operation without its prologue, as written; None if `using` or `within` have changed it."""
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


def operations(text: str, max_declared: int = 1 << 16) -> list[Operation]:
    """The operations of an update.

    Raises InputError if one has no clauses, LimitError if the declarations have more than
    `max_declared` characters: each operation is parsed with all before it. Whether it parses,
    `Operation.text` given to a parser says.

    >>> [each.kind.name for each in operations("PREFIX : <x:> INSERT DATA { :a :b :c } ; CLEAR ALL")]
    ['DATA', 'MANAGEMENT']
    """
    prologue = ""
    operations_read: list[Operation] = []
    outline = _Outline()
    for token in chain(tokens(text), (_END,)):
        if not outline.take(token):
            continue
        if outline.declared:
            prologue = f"{prologue}\n{outline.declarations(text)}".lstrip()
            if len(prologue) > max_declared:
                raise LimitError.of(
                    "the update's declarations", len(prologue), max_declared, "characters", "max_query_bytes"
                )
        if outline.begin >= 0:
            try:
                operations_read.append(_operation(text, outline, prologue))
            except KeyError:
                raise InputError(
                    f"operation {len(operations_read) + 1} of the update does not parse; put a space on both "
                    "sides of each keyword"
                ) from None
        outline = _Outline()
    return operations_read


def blanked(text: str) -> str:
    """The text with its strings and names emptied and without comments: what our tokens leave for a parser.

    >>> blanked("ASK { ?s <http://a> 'b' ; c:d 1 } # e")
    'ASK { ?s <x:> "" ; <x:> 1 }'
    """
    pieces: list[str] = []
    end = 0
    for token in tokens(text):
        pieces += (" " if token.begin > end else "", _BLANKS.get(token.kind, token.text))
        end = token.end
    return "".join(pieces)


def using(operation: Operation, default: Sequence[str], named: Sequence[str]) -> Operation:
    """The operation over the graphs that the protocol names, given as IRIs.

    Raises InputError if it names graphs itself (SPARQL 1.1 Protocol, section 2.2.3).
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

    Raises InputError if it names graphs itself.
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


class _Outline:
    """The outline of one operation's parts, found while its tokens come by: none of them is kept."""

    def __init__(self) -> None:
        self.begin = self.end = self.second = -1
        """Where it begins and ends, and where its second token begins."""
        self.words: list[str] = []
        """The first two tokens, as keywords."""
        self.declared: tuple[int, int] | None = None
        self.before_changes = -1
        """Where the token before the first DELETE or INSERT ends."""
        self.is_management = False
        self.clauses: dict[str, tuple[int, int]] = {}
        """What is in braces, by the keyword before them; `USING`: all between the last template and WHERE."""
        self._depth = self._undeclared = self._open = self._closed = 0
        self._keyword = ""

    def take(self, token: Token) -> bool:
        """Takes the next token; whether the operation ends at it."""
        if token is _END or (self._depth == 0 and token.text == ";"):
            return True
        if self.begin < 0 and self._declares(token):
            return False
        if len(self.words) < 2:
            self._begins(token)
        if token.kind == "sign" and token.text in _OPENS:
            self._opened(token)
        elif token.kind == "sign" and token.text in _CLOSES:
            self._closed_by(token)
        elif self._depth == 0 and token.kind == "word":
            self._named_by(token)
        self.end = token.end
        return False

    def declarations(self, text: str) -> str:
        """The declarations before the operation, as written."""
        begin, end = self.declared or (0, 0)
        return text[begin:end]

    def _declares(self, token: Token) -> bool:
        """Whether the token is of a declaration."""
        if self._undeclared == 0:
            self._undeclared = DECLARATIONS.get(token.keyword, 0)
        if self._undeclared == 0:
            return False
        self._undeclared -= 1
        self.declared = (token.begin if self.declared is None else self.declared[0], token.end)
        return True

    def _begins(self, token: Token) -> None:
        if not self.words:
            self.begin = self.end = token.begin
            self.is_management = token.keyword in _MANAGEMENT
        else:
            self.second = token.begin
        self.words.append(token.keyword)

    def _opened(self, token: Token) -> None:
        if self._depth == 0:
            self._open = token.end
        self._depth += 1

    def _closed_by(self, token: Token) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.clauses[self._keyword] = (self._open, token.begin)
            self._closed = token.end

    def _named_by(self, token: Token) -> None:
        keyword = token.keyword
        if self.is_management and keyword not in _MANAGED:
            raise InputError(f"{token.text[:40]!r} is not a word of {self.words[0]}")
        if keyword in ("DELETE", "INSERT") and self.before_changes < 0:
            self.before_changes = self.end
        if keyword in ("DATA", "DELETE", "INSERT", "WHERE"):
            if keyword == "WHERE" and self.clauses.keys() & {"DELETE", "INSERT"}:
                self.clauses["USING"] = (self._closed, token.begin)
            self._keyword = keyword


def _operation(text: str, outline: _Outline, prologue: str) -> Operation:
    """The operation with that outline. Raises KeyError if a clause is missing."""

    def clause(name: str) -> str:
        begin, end = outline.clauses[name]
        return text[begin:end]

    words = outline.words
    source = text[outline.begin : outline.end]
    if outline.is_management:
        return Operation(Kind.MANAGEMENT, prologue, source)
    if words[1:] == ["DATA"]:
        inserted, deleted = (clause("DATA"), None) if words[0] == "INSERT" else (None, clause("DATA"))
        return Operation(Kind.DATA, prologue, source, deleted, inserted)
    if words == ["DELETE", "WHERE"]:
        return Operation(Kind.SHORT, prologue, source, where=clause("WHERE"))
    if outline.before_changes < 0:
        raise KeyError("INSERT")
    return Operation(
        Kind.MODIFY,
        prologue,
        source,
        clause("DELETE") if "DELETE" in outline.clauses else None,
        clause("INSERT") if "INSERT" in outline.clauses else None,
        clause("USING").strip() if "USING" in outline.clauses else "",
        clause("WHERE"),
        text[outline.second : outline.before_changes] if words[0] == "WITH" else None,
    )


def _blocks(template: str) -> Iterator[str]:
    """The runs of triples in a template, in and outside its `GRAPH name { … }`."""
    begin, end, skip = -1, 0, 0
    for token in chain(tokens(template), (_END,)):
        if skip:
            skip -= 1
            if skip == 0 and token.text != "{" and token is not _END:
                skip = 1
        elif token is _END or token.keyword == "GRAPH" or (token.text == "}" and token.kind == "sign"):
            if begin >= 0:
                yield template[begin:end]
            begin, skip = -1, 2 * (token.keyword == "GRAPH")
        elif token.text != ".":
            begin, end = (token.begin if begin < 0 else begin), token.end
