"""SERVICE outwards: what other endpoints answer stands in a query as VALUES before the query is evaluated.

https://www.w3.org/TR/sparql11-federated-query/ . pyoxigraph cannot be told which endpoints it may ask, nor
for how long, so it never asks one: a worker that evaluates a query has no network, and refuses what is left
of SERVICE (`outbound_calls`). A request takes along, as VALUES, what the patterns before it in its group
bind.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pyoxigraph import BlankNode, NamedNode, QueryResultsFormat, QuerySolutions, Triple, parse_query_results

from sage_ld.foundation.errors import InputError, LimitError, SageError, TimeLimitError, UnavailableError
from sage_ld.foundation.outbound import (
    AllowedHosts,
    ContentLimits,
    content_at,
    entries,
    networks,
    query_request,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.query_graphs import dataset
from sage_ld.graph.store.terms import Term
from sage_ld.graph.store.tokenizer import CLOSES, OPENS, Token, closing_bracket, prologue_length, tokens

JSON: Final = "application/sparql-results+json"
_ITS_OWN: Final = frozenset({"GRAPH", "EXISTS", "SERVICE"})
"""Words before a group whose patterns mean something else outside of it."""
_SHOWN: Final = 200

Row = dict[str, Term]
"""The bindings of a solution, by the names of variables without their sign."""
Ask = Callable[[str], list[Row]]
"""A function that evaluates a SELECT query over the graph itself."""


@dataclass(frozen=True, slots=True)
class ServiceUse:
    """One SERVICE in a query: where it stands in the text, and what it asks whom."""

    begin: int
    end: int
    endpoint: str
    is_silent: bool
    prologue: str
    dataset: str
    """The clauses FROM of the query."""
    pattern: str
    before: str
    """What stands before it in its group, without filters, where that can be evaluated by itself."""
    variables: tuple[str, ...]
    """Those that both patterns have."""


def federated(text: str, base: str | None, settings: Settings, ask: Ask, seconds: float) -> str:
    """The query with the answers of endpoints in the place of each SERVICE; every line keeps its number.

    `ask` says what the patterns before one bind; all is done in `seconds`. Where no endpoint is allowed, the
    text stays as it is. Raises InputError for an endpoint that is not listed, LimitError for more requests
    or larger answers than the settings allow, UnavailableError for an endpoint that does not answer.
    """
    if not settings.service_endpoints:
        return text
    requests = _Requests(settings, time.monotonic() + seconds)
    while (use := _first_use(text, base)) is not None:
        try:
            values = _values(*_answered(use, requests, ask))
        except _BudgetError as error:
            raise error.reason from None
        except SageError:
            if not use.is_silent:
                raise
            values = "{ }"  # section 2.3: a single solution without bindings
        lines = "\n" * text.count("\n", use.begin, use.end)
        text = f"{text[: use.begin]} {values}{lines} {text[use.end :]}"
    return text


# --- a SERVICE in a text ------------------------------------------------------------------------------


def _first_use(text: str, base: str | None) -> ServiceUse | None:
    """The first SERVICE of a query, if it has one. Raises InputError for one that cannot be carried out."""
    found = list(tokens(text))
    at = next((number for number, each in enumerate(found) if each.keyword == "SERVICE"), None)
    if at is None:
        return None
    silent = at + 1 < len(found) and found[at + 1].keyword == "SILENT"
    name, opening = at + 1 + silent, at + 2 + silent
    closing = closing_bracket(found, opening) if opening < len(found) and found[opening].text == "{" else None
    if closing is None:
        raise InputError("SERVICE does not parse; write SERVICE <endpoint> { … }")
    if found[name].kind not in ("iri", "name"):
        shown = found[name].text[:40]
        raise InputError(f"SERVICE {shown}: no endpoint is chosen by a variable; name it as an IRI")
    begin = found[min(prologue_length(found), len(found) - 1)].begin
    prologue, pattern = text[:begin], text[found[opening].end : found[closing].begin]
    before = _before(text, found, at)
    return ServiceUse(
        found[at].begin,
        found[closing].end,
        _iri(prologue, found[name].text, base),
        silent,
        prologue,
        _dataset(found),
        pattern,
        before,
        _shared(before, pattern),
    )


def _iri(prologue: str, written: str, base: str | None) -> str:
    """The IRI of an endpoint. Raises InputError for a prefix that is not declared."""
    try:
        named = dataset(f"{prologue}\nASK FROM {written} {{ }}", base)
    except SyntaxError:
        named = None
    if named is None:
        raise InputError(f"SERVICE {written[:_SHOWN]}: no IRI of an endpoint") from None
    return named.default[0]


def _dataset(found: Sequence[Token]) -> str:
    clauses: list[str] = []
    for number, each in enumerate(found[:-2]):
        if each.keyword == "FROM":
            named = found[number + 1].keyword == "NAMED"
            clauses.append(f"FROM {'NAMED ' if named else ''}{found[number + 1 + named].text}")
    return " ".join(clauses)


def _before(text: str, found: Sequence[Token], at: int) -> str:
    """The patterns before a SERVICE in its group, which its own are joined with; empty where it may differ.

    A filter of the group holds for all of it, so it is left out: that brings too many bindings, never too
    few.
    """
    opened: list[int] = []
    for position in range(at):
        if found[position].kind == "sign" and found[position].text in OPENS:
            opened.append(position)
        elif found[position].kind == "sign" and found[position].text in CLOSES:
            del opened[-1:]
    groups = [each for each in opened if found[each].text == "{"]
    if len(groups) != len(opened) or any(_is_its_own(found, each) for each in groups):
        return ""
    pieces, position = [], groups[-1] + 1
    begin = found[groups[-1]].end
    while position < at:
        if found[position].keyword == "FILTER":
            pieces.append(text[begin : found[position].begin])
            position = _filter_end(found, position + 1)
            begin = found[position - 1].end
        elif found[position].kind == "sign" and found[position].text in OPENS:
            position = (closing_bracket(found, position) or at) + 1
        else:
            position += 1
    return "".join([*pieces, text[begin : found[at].begin]])


def _is_its_own(found: Sequence[Token], group: int) -> bool:
    return any(each.keyword in _ITS_OWN for each in found[max(group - 2, 0) : group])


def _filter_end(found: Sequence[Token], position: int) -> int:
    """The position behind the constraint of a FILTER: a bracket, a call, or (NOT) EXISTS and a group."""
    while position < len(found) and found[position].text not in ("(", "{"):
        position += 1
    return (closing_bracket(found, position) or position) + 1


def _shared(before: str, pattern: str) -> tuple[str, ...]:
    return tuple(sorted(_variables(before) & _variables(pattern)))


def _variables(text: str) -> set[str]:
    return {each.text[1:] for each in tokens(text) if each.kind == "variable"}


# --- its requests -------------------------------------------------------------------------------------


class _BudgetError(Exception):
    """The end of what one query may ask of others, which SILENT does not hide."""

    def __init__(self, reason: LimitError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class _Requests:
    """The requests of one query to other endpoints."""

    def __init__(self, settings: Settings, end: float) -> None:
        self.settings, self._end, self._made = settings, end, 0
        listing = "list that address or its network in the setting service_endpoints"
        self._reach = AllowedHosts(tuple(networks(settings.service_endpoints)), listing)

    def check(self, more: int) -> None:
        """Raises _BudgetError if the query may not make that many more requests."""
        most = self.settings.max_service_requests
        if self._made + more > most:
            what, remedy = "the query", "bind less before SERVICE"
            total = self._made + more
            raise _BudgetError(LimitError.of(what, total, most, "requests", "max_service_requests", remedy))

    def ask(self, endpoint: str, query: str, wanted: Collection[str]) -> tuple[list[str], list[Row]]:
        """The variables of an endpoint's answer, those that are `wanted`, and its solutions."""
        self.check(1)
        self._made += 1
        settings, left = self.settings, self._end - time.monotonic()
        if left <= 0:
            raise _BudgetError(TimeLimitError("the query: no time is left for SERVICE; raise sparql_timeout"))
        limits = ContentLimits(
            settings.max_service_bytes,
            "max_service_bytes",
            min(settings.service_timeout, left),
            "service_timeout",
            "ask for less",
        )
        headers, body = query_request(query, JSON)
        subject = f"SERVICE <{endpoint[:_SHOWN]}>"
        answer, content = content_at(
            endpoint, subject, self._reach, limits, headers, method="POST", content=body
        )
        if answer.status_code != 200:
            raise UnavailableError(f"{subject} answers with status {answer.status_code}; try again later")
        return _solutions(content, subject, wanted)


def _solutions(content: bytes, subject: str, wanted: Collection[str]) -> tuple[list[str], list[Row]]:
    try:
        return solutions(parse_query_results(content, QueryResultsFormat.JSON), wanted)
    except (SyntaxError, ValueError) as error:
        reason = " ".join(str(error).split())[:_SHOWN]
        raise UnavailableError(f"{subject} gives no SPARQL results in JSON ({reason}); try again") from None


def solutions(results: object, wanted: Collection[str] | None = None) -> tuple[list[str], list[Row]]:
    """The variables of an answer, or those that are `wanted`, and its solutions.

    Raises ValueError where it has none.
    """
    if not isinstance(results, QuerySolutions):
        raise ValueError("no solutions")
    names = [each.value for each in results.variables if wanted is None or each.value in wanted]
    return names, [{name: value for name in names if (value := row[name]) is not None} for row in results]


def _answered(use: ServiceUse, requests: _Requests, ask: Ask) -> tuple[list[str], list[str]]:
    """The variables of a SERVICE, and its solutions as rows of VALUES. Raises InputError and others."""
    settings = requests.settings
    if use.endpoint not in entries(settings.service_endpoints):
        raise InputError(
            f"SERVICE <{use.endpoint[:_SHOWN]}> is not in the list of the setting service_endpoints; leave "
            "it out, or list it"
        )
    most, names, rows = settings.max_service_rows, list[str](), list[str]()
    wanted = _variables(use.pattern)
    for values in _bindings(use, requests, ask):
        query = f"{use.prologue}\nSELECT * WHERE {{ {values} {{{use.pattern}\n}} }} LIMIT {most + 1}"
        names, found = requests.ask(use.endpoint, query, wanted)
        rows += (_row(names, each, use.endpoint) for each in found)
        if len(rows) > most:
            what = f"SERVICE <{use.endpoint[:_SHOWN]}>"
            raise LimitError.of(what, len(rows), most, "rows", "max_service_rows", remedy="ask for less")
    return names or list(use.variables), rows


def _bindings(use: ServiceUse, requests: _Requests, ask: Ask) -> Iterator[str]:
    """The bindings before a SERVICE, as blocks of VALUES; one empty block where there are none."""
    if not use.variables:
        yield ""
        return
    size = requests.settings.service_bindings
    most = size * requests.settings.max_service_requests
    wanted = " ".join(f"?{name}" for name in use.variables)
    found = ask(
        f"{use.prologue}\nSELECT DISTINCT {wanted} {use.dataset} WHERE {{{use.before}\n}} LIMIT {most + 1}"
    )
    # one that is sometimes free, or bound to a blank node or a triple term, restricts nothing elsewhere
    names = [
        name
        for name in use.variables
        if not any(isinstance(row.get(name), BlankNode | Triple | None) for row in found)
    ]
    if found and not names:
        yield ""
        return
    rows = list(dict.fromkeys(_row(names, each, "") for each in found))
    requests.check(-(-len(rows) // size))
    for begin in range(0, len(rows), size):
        yield _values(names, rows[begin : begin + size])


def _row(names: Sequence[str], row: Row, endpoint: str) -> str:
    return f"({' '.join(_term(row.get(name), endpoint) for name in names)})"


def _term(term: Term | None, endpoint: str) -> str:
    """A term as VALUES has it; a blank node of an endpoint as an IRI (RDF 1.1 Concepts, section 3.5)."""
    if isinstance(term, BlankNode):
        digest = hashlib.sha256(f"{endpoint}\n{term.value}".encode()).hexdigest()[:24]
        return str(NamedNode(f"urn:x-sage-ld:genid:{digest}"))
    if isinstance(term, Triple):
        raise UnavailableError(f"SERVICE <{endpoint[:_SHOWN]}> gives triple terms, which no query can join")
    return "UNDEF" if term is None else str(term)


def _values(names: Sequence[str], rows: Iterable[str]) -> str:
    return f"VALUES ({' '.join(f'?{name}' for name in names)}) {{ {' '.join(rows)} }}"
