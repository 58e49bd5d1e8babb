"""The text of a query or update, read as tokens: what is asked, and whether it is small enough.

Parsers and planners are where a hostile text does its harm: 3,000 nested groups overflow Oxigraph's stack,
a join of 1,000 patterns keeps its planner busy for minutes. So a text is measured before anything parses
it. Whether it would call another server, a parser says (`sage_ld.service.workers.outbound_calls`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sage_ld.foundation.errors import InputError, LimitError, QuerySyntaxError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.tokenizer import Token as Token
from sage_ld.graph.store.tokenizer import tokens as tokens

QUERY_FORMS: Final = frozenset({"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"})

_CLOSES = {"}": "{", ")": "(", "]": "[", ">>": "<<", ")>>": "<<(", "|}": "{|"}
_OPENS = frozenset(_CLOSES.values())
_TERMS = frozenset({"iri", "string", "variable", "blank", "name", "number"})
_OPERATORS = frozenset({"/", "|", "^", "!", "&&", "||", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "?"})
_OPERATOR_WORDS = frozenset({"UNION", "OPTIONAL", "MINUS", "FILTER", "BIND", "EXISTS", "IN"})
_RDF_12_SIGNS = frozenset({"<<", "<<(", "{|", "~"})
_RDF_12_WORDS = frozenset({"TRIPLE", "ISTRIPLE", "SUBJECT", "PREDICATE", "OBJECT"})


class TextLimits(NamedTuple):
    """The limits of length, depth and size of a text; each is the setting `max_query_…` of that name."""

    bytes: int
    depth: int
    patterns: int

    @classmethod
    def of(cls, settings: Settings) -> TextLimits:
        """The limits by some settings."""
        return cls(settings.max_query_bytes, settings.max_query_depth, settings.max_query_patterns)


def checked_query(text: str, limits: TextLimits) -> list[Token]:
    """The tokens of a query that may be parsed.

    Raises LimitError if it is too long, deep or large, QuerySyntaxError if a string in it has no end.
    """
    if (size := len(text.encode())) > limits.bytes:
        raise LimitError.of("the query", size, limits.bytes, "bytes", "max_query_bytes")
    token_list = list(tokens(text))
    for token in token_list:
        if token.kind == "unclosed":
            line_begin = text.rfind("\n", 0, token.begin) + 1
            line = text.count("\n", 0, token.begin) + 1
            raise QuerySyntaxError(_no_end(token), line, token.begin - line_begin + 1)
    measure(token_list, limits)
    return token_list


def measure(token_list: Iterable[Token], limits: TextLimits) -> None:
    """Raises LimitError if brackets nest too deep, or patterns, path steps and operators are too many.

    Values are data and count only by their length: the rows of VALUES, the quads of INSERT DATA and DELETE
    DATA. Raises InputError for a string without an end, behind which nothing could be counted.
    """
    stack: list[tuple[str, bool]] = []
    patterns = operators = 0
    announced = False
    before = Token("", "", 0)
    for token in _closed(token_list):
        bracket, data = stack[-1] if stack else ("", False)
        if token.kind == "sign" and token.text in _OPENS:
            patterns += not data and token.text != "("
            stack.append((token.text, data or (announced and token.text == "{")))
            if len(stack) > limits.depth:
                raise LimitError.of("nesting", len(stack), limits.depth, "levels", "max_query_depth")
        elif token.kind == "sign" and token.text in _CLOSES:
            del stack[-1:]
        elif not data:
            patterns += _patterns(before, token, bracket)
            operators += token.text in _OPERATORS or token.keyword in _OPERATOR_WORDS
        announced = _announces_data(token, announced)
        before = token
    for what, count in (("triple patterns", patterns), ("operators and path steps", operators)):
        if count > limits.patterns:
            raise LimitError.of("the text", count, limits.patterns, what, "max_query_patterns")


def query_form(token_list: Iterable[Token]) -> str:
    """SELECT, ASK, CONSTRUCT or DESCRIBE; empty if the text is no query."""
    return next((token.keyword for token in token_list if token.keyword in QUERY_FORMS), "")


def speaks_rdf_12(token_list: Iterable[Token]) -> bool:
    """Whether the text uses the syntax of SPARQL 1.2 for triple terms, so that its author reads them.

    >>> speaks_rdf_12(tokens("SELECT * { ?s ?p ?o ~ ?e }")), speaks_rdf_12(tokens("SELECT * { ?s ?p ?o }"))
    (True, False)
    """
    return any(
        (token.kind == "sign" and token.text in _RDF_12_SIGNS) or token.keyword in _RDF_12_WORDS
        for token in token_list
    )


def _closed(token_list: Iterable[Token]) -> Iterator[Token]:
    """Passes tokens on. Raises InputError at a string without an end."""
    for token in token_list:
        if token.kind == "unclosed":
            raise InputError(_no_end(token))
        yield token


def _no_end(token: Token) -> str:
    return (
        f"the text does not parse: the string {token.text[:20]!r} at character {token.begin + 1:,} "
        "has no end; close it"
    )


def _announces_data(token: Token, announced: bool) -> bool:
    """Whether a brace after `token` holds data: it is DATA, or VALUES or a variable behind it."""
    if announced and (token.kind == "variable" or token.text in ("(", ")")):
        return True
    return token.keyword in ("DATA", "VALUES")


def _patterns(before: Token, token: Token, bracket: str) -> int:
    """The number of triple patterns that the token adds: one a separator, two an item of a list."""
    if token.kind == "sign":
        return token.text in (".", ";", ",") and bracket in ("{", "[", "{|")
    return 2 * (bracket == "(" and token.kind in _TERMS and before.kind in _TERMS)
