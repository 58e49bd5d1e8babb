"""Search inside SPARQL: a search as a pattern of a query, joined freely with the rest of it.

    (?chunk ?score) sage:search ("gradient descent" 20)
    (?chunk ?score ?role ?seed ?edge) sage:retrieve ("gradient descent" 10 5 "relations=part_of")

Each such statement is answered by the Retriever before the query is evaluated, and stands in the query as
the VALUES block of its results. So a worker process that evaluates it needs neither index nor encoder, and
the scores are those of the HTTP API.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, QuerySyntaxError
from sage_ld.foundation.model import Result
from sage_ld.foundation.question import Answer
from sage_ld.retrieval import Mode
from sage_ld.service.workers.text_limits import Token

_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED: Final = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_RANKINGS: Final = tuple(str(each) for each in Mode if each is not Mode.SAGE)
_SHOWN: Final = 40  # characters of a client's text in a message
_LONGEST: Final = 1000  # characters of a base or a prefix; longer ones name no search and would be copied
_DIGITS: Final = 9  # of a number of results; Python reads no more than some thousands
_PAIRS: Final = {"}": "{", ")": "(", "]": "["}
_BEFORE: Final = frozenset({"{", "}", ".", ")"})  # what ends the statement or clause before this one
_GOES_ON: Final = frozenset({";", ",", "~", "{|", "^^"})  # what makes a statement longer than its object


@dataclass(frozen=True, slots=True)
class SearchProperty:
    """A property that stands for a search: its form, and what becomes of its arguments and results."""

    iri: str
    form: str
    arguments: tuple[str, ...]
    """Kinds of the arguments after the text: `number` or `string`."""
    parameters: Callable[[str, Sequence[Any]], dict[str, Any]]
    """From the text and the other arguments to the parameters of a retrieval."""
    columns: tuple[Callable[[Result], str], ...]
    """From a result to the term that each variable is bound to."""


def _search(text: str, more: Sequence[Any]) -> dict[str, Any]:
    """One ranking; by the fused score unless a mode is named."""
    limit = more[0] if more else 10
    mode = more[1] if len(more) > 1 else Mode.HYBRID
    if mode not in _RANKINGS:
        given = mode if len(mode) <= _SHOWN else mode[:_SHOWN] + "…"
        names = ", ".join(f'"{each}"' for each in _RANKINGS)
        raise InputError(
            f"sage:search ranks by text, and {given!r} is not one of its modes; choose from {names}, or use "
            "sage:retrieve"
        )
    return {"q": text, "k": limit, "from_graph": 0, "mode": mode}


def _retrieve(text: str, more: Sequence[Any]) -> dict[str, Any]:
    """Seeds and their neighbours over the graph."""
    return {"q": text, **dict(zip(("k", "from_graph"), more, strict=False))}


def _double(value: float) -> str:
    said = repr(float(value))
    return said if "e" in said else said + "e0"


def _seed(result: Result) -> str:
    """The chunk that the last step starts from; UNDEF where there is no path."""
    return str(NamedNode(result.path[-1].seed)) if result.path else "UNDEF"


def _edge(result: Result) -> str:
    """The last edge of the path; UNDEF where there is no path, or the step goes over no edge of its own."""
    edges = result.path[-1].edges if result.path else ()
    return str(NamedNode(edges[-1])) if edges else "UNDEF"


_CHUNK_AND_SCORE: Final[tuple[Callable[[Result], str], ...]] = (
    lambda result: str(NamedNode(result.view.iri)),
    lambda result: _double(result.score),
)
PROPERTIES: Final = {
    each.iri: each
    for each in (
        SearchProperty(
            v.SAGE + "search",
            '(?chunk ?score) sage:search ("text" 20 "hybrid")',
            ("number", "string"),
            _search,
            _CHUNK_AND_SCORE,
        ),
        SearchProperty(
            v.SAGE + "retrieve",
            '(?chunk ?score ?role ?seed ?edge) sage:retrieve ("text" 10 5)',
            ("number", "number"),
            _retrieve,
            (
                *_CHUNK_AND_SCORE,
                lambda result: str(Literal(str(result.role))),
                _seed,
                _edge,
            ),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Use:
    """One search in a query: where it stands in the text, and what it asks."""

    property: SearchProperty
    begin: int
    end: int
    variables: tuple[str, ...]
    parameters: dict[str, Any]
    """Of a retrieval, as `/v1/retrieve` takes them."""
    options: tuple[tuple[str, str], ...] = ()
    """Further parameters by name, as a URL has them."""


Ask = Callable[[Use], Answer]
"""A function that answers a search."""


def expanded(text: str, searches: Sequence[Use], most: int, ask: Ask) -> str:
    """The query `text` with each of its searches replaced by its results; every line keeps its number.

    Raises LimitError for more searches than `most`, and what `ask` raises.
    """
    if len(searches) > most:
        raise LimitError.of("the query", len(searches), most, "searches", "max_query_searches")
    pieces, position = [], 0
    for use in searches:
        lines = "\n" * text.count("\n", use.begin, use.end)
        pieces += [text[position : use.begin], _values(use, ask(use)), lines]
        position = use.end
    return "".join([*pieces, text[position:]])


def at_its_place(error: QuerySyntaxError, text: str, expanded: str) -> QuerySyntaxError:
    """An error in an expanded query as one in the query `text`.

    Their lines are the same; the column is unknown in a line with a search.
    """
    lines = [each.split("\n")[error.line - 1 : error.line] for each in (text, expanded)]
    column = error.column if lines[0] == lines[1] else None
    return QuerySyntaxError(str(error), error.line, column)


def uses(found: Sequence[Token]) -> list[Use]:
    """The searches in a query, in order. Raises InputError for one that is not written as it must be."""
    properties = list(_named(found))
    if not any(properties):
        return []
    around = _brackets(found)
    return [_use(found, around, at, each) for at, each in enumerate(properties) if each is not None]


def refuse(found: Iterable[Token]) -> None:
    """Raises InputError if an update has a search: there it would be a property that nothing has."""
    for searched in _named(found):
        if searched is not None:
            raise InputError(
                f"sage:{searched.iri.removeprefix(v.SAGE)} is for queries: ask it at /sparql, and give what "
                "it finds to the update as VALUES"
            )


def _use(found: Sequence[Token], around: Sequence[int], at: int, searched: SearchProperty) -> Use:
    first, variables = _subject(found, at, searched)
    last, arguments, options = _object(found, at, searched)
    before, after = _text(found, first - 1), _text(found, last + 1)
    group = around[first]
    in_group = group >= 0 and found[group].text == "{" and found[group - 1].keyword != "CONSTRUCT"
    if not in_group or before not in _BEFORE or after in _GOES_ON or found[last + 1].kind == "language":
        raise _misused(searched)
    parameters = searched.parameters(arguments[0], arguments[1:])
    return Use(searched, found[first].begin, found[last].end, variables, parameters, options)


def _subject(found: Sequence[Token], at: int, searched: SearchProperty) -> tuple[int, tuple[str, ...]]:
    """The begin of the subject, and its variables: one, or a list of them."""
    first = last = at - 1
    if _text(found, last) == ")":
        while first >= 0 and found[first].text != "(":
            first -= 1
        inside = found[first + 1 : last]
    else:
        inside = found[max(first, 0) : at]
    names = tuple(token.text for token in inside)
    fits = 0 < len(names) <= len(searched.columns) and len({name[1:] for name in names}) == len(names)
    if first < 0 or not fits or any(token.kind != "variable" for token in inside):
        raise _misused(searched)
    return first, names


def _object(
    found: Sequence[Token], at: int, searched: SearchProperty
) -> tuple[int, list[Any], tuple[tuple[str, str], ...]]:
    """The end of the object, its values and its options.

    It is a text, or a list of the text, the arguments after it and any number of options `"name=value"`.
    """
    last = at + 1
    if _text(found, last) != "(":
        inside = list(found[last : last + 1])
    else:
        while last < len(found) and found[last].text != ")":
            last += 1
        inside = list(found[at + 2 : last])
    inside, options = _without_options(inside)
    kinds = ("string", *searched.arguments)
    fits = 0 < len(inside) <= len(kinds) and all(
        token.kind == kind for token, kind in zip(inside, kinds, strict=False)
    )
    if not fits or last + 1 >= len(found):
        raise _misused(searched)
    return last, [_argument(token, searched) for token in inside], options


def _without_options(inside: list[Token]) -> tuple[list[Token], tuple[tuple[str, str], ...]]:
    """The arguments of a search without the options at their end, and these as pairs of name and value."""
    count, options = len(inside), list[tuple[str, str]]()
    while count > 1 and inside[count - 1].kind == "string":
        name, sign, value = _string(inside[count - 1].text).partition("=")
        if not sign:
            break
        options.append((name, value))
        count -= 1
    return inside[:count], tuple(reversed(options))


def _argument(token: Token, searched: SearchProperty) -> str | int:
    if token.kind == "string":
        return _string(token.text)
    if not token.text.isdecimal() or len(token.text) > _DIGITS:
        raise _misused(searched)
    return int(token.text)


def _string(quoted: str) -> str:
    r"""The text that a SPARQL string stands for.

    >>> _string(r'"a \u00e9\n"') == "a é" + chr(10)
    True
    """
    marks = 3 if quoted[:3] in ('"""', "'''") else 1
    return _unescaped(quoted[marks:-marks])


def _unescaped(text: str) -> str:
    """Raises InputError for an escape that is not a character."""

    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code is None:
            return _ESCAPED.get(match[3], match[0])
        if (number := int(code, 16)) > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise InputError(f"{match[0]} is not a character; send another")
        return chr(number)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def _values(use: Use, answer: Answer) -> str:
    rows = (
        " ".join(column(result) for column in use.property.columns[: len(use.variables)])
        for result in answer.results
    )
    return f"VALUES ({' '.join(use.variables)}) {{ {' '.join(f'({row})' for row in rows)} }}"


def _named(found: Iterable[Token]) -> Iterator[SearchProperty | None]:
    """For each token the property that it names, with prefixes and bases as they are declared before it."""
    prefixes: dict[str, str] = {}
    base = ""
    two_before = before = Token("", "", 0)
    for token in found:
        iri = _iri(token, prefixes, base)
        yield PROPERTIES.get(iri)
        if token.kind == "iri" and before.keyword == "BASE":
            base = iri if len(iri) <= _LONGEST else ""
        elif token.kind == "iri" and two_before.keyword == "PREFIX":
            prefixes[before.text] = iri if len(iri) <= _LONGEST else ""
        two_before, before = before, token


def _iri(token: Token, prefixes: Mapping[str, str], base: str) -> str:
    if token.kind == "iri":
        return _resolved(_unescaped(token.text[1:-1]), base)
    prefix, colon, local = token.text.partition(":")
    return prefixes.get(prefix + colon, "") + local if token.kind == "name" and local else ""


def _resolved(iri: str, base: str) -> str:
    if not base:
        return iri
    try:
        resolved = urljoin(base, iri)
    except ValueError:  # it is invalid, as the parser will say
        return iri
    return resolved + "#" if iri.endswith("#") else resolved  # which urljoin drops where nothing follows


def _brackets(found: Sequence[Token]) -> list[int]:
    """For each token the position of the innermost bracket that it stands in; -1 outside of all."""
    open_at: list[int] = []
    around = []
    for position, token in enumerate(found):
        if token.kind == "sign" and token.text in _PAIRS:
            del open_at[-1:]
        around.append(open_at[-1] if open_at else -1)
        if token.kind == "sign" and token.text in _PAIRS.values():
            open_at.append(position)
    return around


def _text(found: Sequence[Token], position: int) -> str:
    return found[position].text if 0 <= position < len(found) and found[position].kind == "sign" else ""


def _misused(searched: SearchProperty) -> InputError:
    name = searched.iri.removeprefix(v.SAGE)
    return InputError(
        f"sage:{name} stands for a search before the query runs: write {searched.form} as a statement of its "
        "own in a group, with a text and numbers in place of variables; further parameters follow as "
        '"name=value"'
    )
