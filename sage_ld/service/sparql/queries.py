"""Queries of clients, run by workers: their limits, their formats, and the answers.

Nothing here needs the framework, except the last functions, which make responses of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, Final, NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import Response
from pyoxigraph import NamedNode

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.processes.worker_process import IN_MEMORY
from sage_ld.graph.store.query_graphs import names_graph
from sage_ld.service.access.tokens import client_of
from sage_ld.service.answer_cache import NOTHING, CachedContent, QueryKey, kept
from sage_ld.service.context import Service
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import BOOLEANS, GRAPHS, RESULTS, Choice, Offer, checked_version, choose
from sage_ld.service.http.request_values import Parameters, number
from sage_ld.service.workers.query_jobs import query_job, query_output
from sage_ld.service.workers.searches import Use, uses
from sage_ld.service.workers.text_limits import TextLimits, checked_query, query_form, speaks_rdf_12

_BLOCK = 1 << 16
_TEXTS: Final = 256
_REASON: Final = 100
_OFFERS: Final = {"SELECT": RESULTS, "ASK": BOOLEANS, "CONSTRUCT": GRAPHS, "DESCRIBE": GRAPHS}
_UNSTEADY: Final = frozenset({"NOW", "RAND", "UUID", "STRUUID"})


@dataclass(frozen=True, slots=True)
class QueryDataset:
    """The graphs that the protocol names; they take the place of those in the query."""

    default_graphs: tuple[str, ...]
    named_graphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentQuery:
    """A query as a client sent it."""

    text: str
    parameters: Parameters
    """May hold default-graph-uri, named-graph-uri, version and timeout."""
    accept: str | None
    base: str
    """What relative IRIs in the text are relative to: the address of the endpoint."""


class Reading(NamedTuple):
    """The properties of a query's text that matter before it is evaluated."""

    form: str
    speaks_rdf_12: bool
    steady: bool
    """Whether the answer follows from text and graph: no clock, no chance."""
    searches: tuple[Use, ...]
    calls: bool
    """Whether it has a SERVICE."""


@dataclass(frozen=True, slots=True)
class AcceptedQuery:
    """A query that may be evaluated, and how its answer is to be."""

    key: QueryKey
    reading: Reading
    offer: Offer
    seconds: float
    reads_retrievals: bool
    """Whether it names the graph of kept retrievals, which only some may read."""

    @property
    def is_steady(self) -> bool:
        """Whether the answer follows from query and revision."""
        return self.reading.steady and not self.reads_retrievals

    @property
    def content_type(self) -> str:
        """The media type of the answer."""
        return content_type(self.offer, self.key.version)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: `short`, in memory and with an entity tag, or `long`, in a file that the receiver closes."""

    content_type: str
    short: CachedContent
    long: IO[bytes] | None = None


def dataset_of(parameters: Parameters, default: str, named: str) -> QueryDataset | None:
    """The graphs that the parameters `default` and `named` give; None if there is neither.

    Raises InputError for anything but an absolute IRI.
    """
    graphs = [checked_iri(iri, default) for iri in parameters.all(default)]
    others = [checked_iri(iri, named) for iri in parameters.all(named)]
    return QueryDataset(tuple(graphs), tuple(others)) if graphs or others else None


def checked_iri(iri: str, name: str) -> str:
    """`iri`, given as the parameter `name`, if it is absolute and fits the grammar of RFC 3987.

    Raises InputError.

    >>> checked_iri("http://example.org/a%20b", "graph")
    'http://example.org/a%20b'
    """
    try:
        return NamedNode(iri).value
    except ValueError as error:
        why = " ".join(str(error).split())[:_REASON]
        raise InputError(
            f"{name}: {iri[:100]!r} is not an absolute IRI ({why}); give one such as http://example.org/graph"
        ) from None


@lru_cache(_TEXTS)
def read(text: str, limits: TextLimits) -> Reading:
    """The properties of `text`. Raises InputError and LimitError for a query that is not allowed."""
    found = checked_query(text, limits)
    keywords = {token.keyword for token in found if token.kind == "word"}
    return Reading(
        query_form(found),
        speaks_rdf_12(found),
        _UNSTEADY.isdisjoint(keywords),
        tuple(uses(found)),
        "SERVICE" in keywords,
    )


def accepted_query(here: Service, asked: SentQuery) -> AcceptedQuery:
    """The query, checked against the limits, with the format of its answer negotiated.

    Raises InputError and LimitError for what may not be asked, NotAcceptableError.
    """
    reading = read(asked.text, here.text_limits)
    graphs = dataset_of(asked.parameters, "default-graph-uri", "named-graph-uri")
    choice = _chosen(asked.accept, reading.form)
    key = QueryKey(
        asked.text,
        asked.base,
        None if graphs is None else (graphs.default_graphs, graphs.named_graphs),
        choice.offer.name,
        version_of(asked.parameters, choice, reading.speaks_rdf_12),
    )
    seconds = number(asked.parameters.one("timeout"), "timeout", here.settings.sparql_timeout)
    kept = retrievals_graph(here)
    names_kept = names_graph(key.text, kept, key.base) or any(kept in each for each in key.graphs or ())
    return AcceptedQuery(key, reading, choice.offer, seconds, names_kept)


def known_answer(here: Service, query: AcceptedQuery, revision: int) -> Answered | None:
    """The answer of a revision, if it was kept."""
    found = here.answers.get(here.cache_state(revision), query.key) if query.is_steady else None
    return None if found is None else Answered(query.content_type, found)


def evaluated(
    here: Service, query: AcceptedQuery, revision: int, folder: str | None, environ: WSGIEnvironment
) -> Answered:
    """The answer of a revision, which the caller holds, to a request: one that was kept, or a worker's.

    Raises BusyError, TimeLimitError, ResultLimitError, AbandonedError, InputError for what does not parse.
    """
    if (known := known_answer(here, query, revision)) is not None:
        return known
    gone, client = environ.get(CLIENT_GONE), client_of(environ)
    body = here.queries.run(_job(here, query, folder), query.seconds, gone=gone, client=client)
    if body.seek(0, 2) > IN_MEMORY:
        body.seek(0)
        return Answered(query.content_type, NOTHING, body)
    body.seek(0)
    with body:
        answer = kept(body.read())
    if query.is_steady:
        here.answers.put(here.cache_state(revision), query.key, answer)
    return Answered(query.content_type, answer)


def _job(here: Service, query: AcceptedQuery, folder: str | None) -> dict[str, Any]:
    key = query.key
    return query_job(
        here.settings,
        folder,
        key.text,
        key.base,
        query_output(here.settings, query.offer.name, key.version),
        graphs=key.graphs,
        retrievals=retrievals_job(here) if query.reads_retrievals else None,
    )


def retrievals_graph(here: Service) -> str:
    """The IRI of the graph of kept retrievals."""
    return here.graph.iris.retrievals_graph


def retrievals_job(here: Service) -> dict[str, Any]:
    """The part of a job that has its worker read the kept retrievals."""
    return {"base": here.graph.iris.base, "most": here.settings.max_queried_retrievals}


@lru_cache(_TEXTS)
def _chosen(accept: str | None, form: str) -> Choice:
    return choose(accept, _OFFERS.get(form, RESULTS + GRAPHS))


def version_of(parameters: Parameters, choice: Choice, speaks_rdf_12: bool = False) -> str:
    """The version of RDF that the answer is in.

    As the parameter says, or the media type, or the query, where it uses the syntax of 1.2; else 1.1, in
    which an answer has no triple terms, because most clients fail on them. JSON-LD has no form for them.
    """
    if choice.offer.name == "jsonld":
        return "1.1"
    asked = checked_version(parameters.one("version")) or choice.version
    return asked or ("1.2" if speaks_rdf_12 else "1.1")


def content_type(offer: Offer, version: str) -> str:
    """The media type with its parameters: text has a charset, RDF 1.2 says that it is."""
    charset = "; charset=utf-8" if offer.media_type.startswith("text/") else ""
    return offer.media_type + charset + ("; version=1.2" if version == "1.2" else "")


def stream(body: IO[bytes], media_type: str) -> Response:
    """The response with all that is in `body`, which is closed after it."""
    size = body.seek(0, 2)
    body.seek(0)
    answer = Response(blocks(body), content_type=media_type)
    answer.content_length = size
    answer.vary.add("Accept")
    answer.call_on_close(body.close)
    return answer


def blocks(body: IO[bytes]) -> Iterator[bytes]:
    """The rest of `body`, piece by piece."""
    while block := body.read(_BLOCK):
        yield block
