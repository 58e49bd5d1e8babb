"""The graphs that a query reads, by its dataset clauses and its GRAPH patterns.

It is read from the tokens of the text. Where they leave it open, a query counts as reading more than it may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pyoxigraph import NamedNode, QuerySolutions

from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.tokenizer import Token, prologue_length, tokens

Names = tuple[str, ...]
_MOST_NAMES: Final = 1000
_AT_A_TIME: Final = 100
_FROM: Final = re.compile("from", re.IGNORECASE)
_PAIRS: Final = {"{": "}", "(": ")"}
_PLAIN_SIGNS: Final = frozenset({"{", "}", "."})


class DatasetNames(NamedTuple):
    """The graphs of a query's dataset, as FROM and FROM NAMED or the protocol list them; each once."""

    default: Names
    named: Names


class Scope(NamedTuple):
    """The graphs that the patterns of a query look at."""

    reads_default: bool
    """Whether a pattern may stand outside GRAPH."""
    named: Names | None
    """The graphs after GRAPH; None: any."""


def dataset(text: str, base: str | None = None) -> DatasetNames | None:
    """The dataset that a query's own clauses describe; None without any.

    Raises SyntaxError for a prefix that is not declared.

    >>> dataset("PREFIX : <http://x/> SELECT * FROM :a FROM <http://x/a> FROM NAMED :b { ?s ?p ?o }")
    DatasetNames(default=('http://x/a',), named=('http://x/b',))
    """
    if _FROM.search(text) is None:
        return None
    token_list = list(tokens(text))
    default: list[str] = []
    named: list[str] = []
    for index, token in enumerate(token_list[:-2]):
        if token.keyword == "FROM":
            is_named = token_list[index + 1].keyword == "NAMED"
            (named if is_named else default).append(token_list[index + 1 + is_named].text)
    if not default and not named:
        return None
    iris = list(_resolved(_prologue(text, token_list), [*default, *named], base))
    return of_names(iris[: len(default)], iris[len(default) :])


def of_names(default: Sequence[str], named: Sequence[str]) -> DatasetNames:
    """The dataset of some graphs; one that is named twice is there once."""
    return DatasetNames(tuple(dict.fromkeys(default)), tuple(dict.fromkeys(named)))


def scope(text: str, base: str | None = None) -> Scope:
    """The graphs that the patterns of a query look at. Raises SyntaxError for a prefix that is not declared.

    >>> scope("SELECT * { GRAPH ?g { ?s ?p ?o } }")
    Scope(reads_default=False, named=None)
    >>> scope("ASK { ?s ?p ?o . GRAPH <http://x/a> { ?s ?q ?o } }")
    Scope(reads_default=True, named=('http://x/a',))
    """
    token_list = list(tokens(text))
    names = [token_list[index + 1] for index, token in enumerate(token_list[:-1]) if _begins_graph(token)]
    named: Names | None = None
    if all(token.kind in ("iri", "name") for token in names):
        named = tuple(_resolved(_prologue(text, token_list), [token.text for token in names], base))
    return Scope(_reads_default(token_list), named)


def names_graph(text: str, graph: str, base: str | None = None) -> bool:
    """Whether a query names a graph, in FROM, after GRAPH or anywhere else.

    A query that names it by escapes, or computes its name, counts as one that does not; one with more than
    1,000 names that contain the end of its own counts as one that does.

    >>> names_graph("PREFIX g: <http://x/graph/> ASK { GRAPH g:a { ?s ?p ?o } }", "http://x/graph/a")
    True
    """
    end = re.split("[/#]", graph)[-1]
    if end not in text:
        return False
    token_list = list(tokens(text))
    names = {token.text: None for token in token_list if token.kind in ("iri", "name") and end in token.text}
    if len(names) > _MOST_NAMES:
        return True
    try:
        return graph in _resolved(_prologue(text, token_list), list(names), base)
    except SyntaxError:  # which the query has, too
        return False


def _begins_graph(token: Token) -> bool:
    """Whether a GRAPH pattern may begin here. Oxigraph's parser needs no space around a keyword."""
    text = token.text.upper()
    return (token.kind == "word" and "GRAPH" in text) or (token.kind == "name" and text.startswith("GRAPH"))


def _prologue(text: str, token_list: Sequence[Token]) -> str:
    position = prologue_length(token_list)
    return text[: token_list[position].begin] if position < len(token_list) else text


def _resolved(prologue: str, written: Sequence[str], base: str | None) -> Iterator[str]:
    """The IRIs that are written `<…>` or as prefixed names.

    They are asked for as rows of VALUES, which nest nothing, as thousands of levels would overflow the stack
    of the process; and some at a time, because each may be as long as the prologue.
    """
    for begin in range(0, len(written), _AT_A_TIME):
        names = " ".join(written[begin : begin + _AT_A_TIME])
        rows = in_memory().query(f"{prologue}\nSELECT * {{ VALUES ?iri {{ {names} }} }}", base_iri=base)
        terms = (row["iri"] for row in rows) if isinstance(rows, QuerySolutions) else ()
        yield from (term.value for term in terms if isinstance(term, NamedNode))


def _reads_default(token_list: Sequence[Token]) -> bool:
    """Whether anything stands in the query's group but GRAPH patterns, values and plain filters."""
    keywords = [token.keyword for token in token_list]
    if "DESCRIBE" in keywords:
        return True
    begin = keywords.index("CONSTRUCT") + 1 if "CONSTRUCT" in keywords else 0
    if begin and begin < len(token_list) and token_list[begin].text == "{":
        begin = _after(token_list, begin)  # its template
    return any(map(_may_be_pattern, _outside_graph(token_list, begin)))


def _may_be_pattern(token: Token) -> bool:
    return token.kind != "word" and not (token.kind == "sign" and token.text in _PLAIN_SIGNS)


def _outside_graph(token_list: Sequence[Token], position: int) -> Iterator[Token]:
    """The tokens in braces from a position on, without GRAPH patterns, VALUES and expressions."""
    depth = 0
    while position < len(token_list):
        token = token_list[position]
        if token.keyword == "GRAPH":
            position = _after(token_list, position + 2)
            continue
        if token.keyword == "VALUES":
            position = _after(token_list, _next(token_list, position, "{"))
            continue
        if (
            token.text == "("
            and (end := _after(token_list, position))
            and not _holds_group(token_list[position:end])
        ):
            position = end
            continue
        depth += (token.text == "{") - (token.text == "}")
        if depth:
            yield token
        position += 1


def _next(token_list: Sequence[Token], position: int, sign: str) -> int:
    while position < len(token_list) and token_list[position].text != sign:
        position += 1
    return position


def _after(token_list: Sequence[Token], position: int) -> int:
    """The position after the bracket that closes the one at `position`."""
    if position >= len(token_list) or token_list[position].text not in _PAIRS:
        return position
    opening, depth = token_list[position].text, 0
    closing = _PAIRS[opening]
    while position < len(token_list):
        depth += (token_list[position].text == opening) - (token_list[position].text == closing)
        position += 1
        if depth == 0:
            break
    return position


def _holds_group(token_list: Sequence[Token]) -> bool:
    return any(token.text == "{" for token in token_list)
