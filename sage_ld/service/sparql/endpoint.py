"""`/sparql`: the SPARQL 1.1 Protocol's query operation, with the QUERY method and version of 1.2.

Who sends no query and prefers HTML gets the editor (`views/routes/query_page.py`).

https://www.w3.org/TR/sparql11-protocol/ and https://www.w3.org/TR/sparql12-protocol/

The endpoint stands in front of the framework, whose own work takes longer than a small query.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Response
from pyoxigraph import QueryResultsFormat, parse_query_results
from werkzeug import Request

from sage_ld.foundation.errors import BusyError, InputError, QuerySyntaxError, SageError
from sage_ld.foundation.question import Answer
from sage_ld.service import route_table
from sage_ld.service.access import hosts
from sage_ld.service.access.tokens import check as check_role
from sage_ld.service.access.tokens import client_of, readers_of_retrievals
from sage_ld.service.api import retrieval
from sage_ld.service.context import Service, role_of
from sage_ld.service.http import problems, request_values
from sage_ld.service.http.environ import ROUTE
from sage_ld.service.http.errors import MediaTypeError, MethodError
from sage_ld.service.http.negotiation import GRAPHS, RESULTS, choose
from sage_ld.service.http.request_values import FORM, Parameters, body_text, form_parameters, url_parameters
from sage_ld.service.http.responses import HTML, PAGES, REVISION, not_modified
from sage_ld.service.http.responses import tag as revision_of
from sage_ld.service.requests import check_of, request_of, searching
from sage_ld.service.sparql import description
from sage_ld.service.sparql.queries import (
    AcceptedQuery,
    Answered,
    SentQuery,
    accepted_query,
    evaluated,
    stream,
)
from sage_ld.service.sparql.search_scope import SearchScope, dataset_of
from sage_ld.service.workers.federation import Row, federated, solutions
from sage_ld.service.workers.searches import Use, at_its_place, expanded

QUERY: Final = "application/sparql-query"
UPDATE: Final = "application/sparql-update"
PATH: Final = "/sparql"
METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "QUERY")
_SAFE: Final = ("GET", "HEAD", "QUERY")
"""Methods of which an answer may be 304."""


class SparqlEndpoint:
    """Answers what is sent to `/sparql`; passes every other request on to the application."""

    def __init__(self, app: WSGIApplication, here: Service) -> None:
        self._app, self._here = app, here

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answers a request, as PEP 3333 has it."""
        if environ["PATH_INFO"] not in (PATH, PATH + "/"):
            return self._app(environ, start_response)
        sent = Request(environ)
        if _wants_page(sent):
            return self._app(environ, start_response)
        environ[ROUTE] = PATH
        answer = problems.page_if_preferred(self._answer(sent), sent)
        hosts.add_all(answer, self._here.settings, sent)
        return answer(environ, start_response)

    def _answer(self, sent: Request) -> Response:
        try:
            return respond(self._here, sent)
        except SageError as error:
            return problems.problem_response(error)
        except Exception as error:
            return problems.unexpected(error)


def _wants_page(sent: Request) -> bool:
    """Whether the editor is asked for: without a query, by a client that prefers HTML to a description."""
    if sent.method not in ("GET", "HEAD") or sent.query_string or sent.path != PATH:
        return False
    try:
        return choose(sent.headers.get("Accept"), (*GRAPHS, *PAGES)).offer is HTML
    except InputError:
        return False


def respond(here: Service, sent: Request) -> Response:
    """Answers a query; without one, describes the service. Raises SageError for what is refused."""
    route_table.check(here, sent)
    if sent.method == "OPTIONS":
        return Response(headers={"Allow": ", ".join(METHODS)})
    if sent.method not in METHODS:
        raise MethodError.of(sent.method, sent.root_path + PATH, METHODS)
    if sent.method in ("GET", "HEAD") and not sent.query_string:
        return description.respond(here, sent)
    query = accepted_query(here, _asked(sent))
    if query.reads_retrievals:
        check_role(role_of(here, sent), readers_of_retrievals(here.settings))
        here.keeper.flush()
    answered, tag = _searched(here, query, sent) if query.reading.searches else _plain(here, query, sent)
    answer = _response(answered, sent)
    answer.headers[REVISION] = f'"{tag}"'
    return answer


def _plain(here: Service, query: AcceptedQuery, sent: Request) -> tuple[Answered, str]:
    """The answer to a query, and the entity tag of the revision that it shows."""
    with here.revisions.use() as pin:
        return _evaluated(here, query, pin.number, pin.path, sent), revision_of(here, pin)


def _evaluated(
    here: Service, query: AcceptedQuery, number: int, folder: str | None, sent: Request
) -> Answered:
    """The answer to a query whose SERVICE, where endpoints are allowed, is asked first."""
    if not here.settings.service_endpoints or not query.reading.calls:
        return evaluated(here, query, number, folder, sent.environ)

    def ask(text: str) -> list[Row]:
        key = query.key._replace(text=text, format=RESULTS[0].name, version="1.2")
        answer = evaluated(here, replace(query, key=key, offer=RESULTS[0]), number, folder, sent.environ)
        with answer.long or io.BytesIO(answer.short.content) as content:
            return solutions(parse_query_results(content.read(), QueryResultsFormat.JSON))[1]

    with _asking_others(here, sent):
        text = federated(query.key.text, query.key.base, here.settings, ask, query.seconds)
    plain = replace(query, key=query.key._replace(text=text))
    try:
        return evaluated(here, plain, number, folder, sent.environ)
    except QuerySyntaxError as error:
        raise at_its_place(error, query.key.text, text) from None


@contextmanager
def _asking_others(here: Service, sent: Request) -> Iterator[None]:
    """Holds one of the places of queries that ask other endpoints. Raises BusyError where there is none."""
    client = client_of(sent.environ)
    if not here.service_queries.take(client):
        raise BusyError(
            f"{here.settings.max_service_queries} queries ask other endpoints, which is the limit (setting "
            "max_service_queries; one client leaves some to others); try again later"
        )
    try:
        yield
    finally:
        here.service_queries.release(client)


def _searched(here: Service, query: AcceptedQuery, sent: Request) -> tuple[Answered, str]:
    """The same of a query that searches. The search and what it is joined with see the same revision."""
    most, check = here.settings.max_query_searches, check_of(here, sent.environ, query.seconds)
    with here.snapshots.use() as snapshot:
        dataset = dataset_of(query.key.text, query.key.base, query.key.graphs)
        scope = None if dataset is None else SearchScope.of(snapshot, dataset)

        def search(use: Use) -> Answer:
            within = {} if scope is None else scope.filter(here.settings)
            question = request_of(here, {**within, **_parameters(here, use)}, sent.environ)
            with searching(here, sent.environ, check):
                answer = question.answer(snapshot, check)
            return answer if scope is None else scope.of_answer(answer)

        text = expanded(query.key.text, query.reading.searches, most, search)
        folder = str(here.directory.revision(snapshot.number))
        plain = replace(query, key=query.key._replace(text=text))
        try:
            answered = _evaluated(here, plain, snapshot.number, folder, sent)
        except QuerySyntaxError as error:
            raise at_its_place(error, query.key.text, text) from None
        return answered, revision_of(here, snapshot)


def _parameters(here: Service, use: Use) -> dict[str, Any]:
    """The parameters of a search in a query. Raises InputError for options that a search does not have."""
    schema = retrieval.sparql_schema(here.settings)
    return {**use.parameters, **request_values.typed(Parameters(use.options), schema)}


def _asked(sent: Request) -> SentQuery:
    """The query that a request holds. Raises InputError without one, MediaTypeError."""
    text, parameters = _query(sent)
    return SentQuery(text, parameters, sent.headers.get("Accept"), sent.base_url)


def _query(sent: Request) -> tuple[str, Parameters]:
    """The query's text and all parameters."""
    parameters = url_parameters(sent)
    if sent.method not in ("GET", "HEAD"):
        if sent.mimetype == QUERY:
            if "query" in parameters:
                raise InputError("a query in the body and in the URL; give one")
            return body_text(sent), parameters
        if sent.method != "POST" or sent.mimetype != FORM:
            raise MediaTypeError(_wrong_type(sent.mimetype))
        parameters = parameters + form_parameters(sent)
    if (text := parameters.one("query")) is None:
        raise InputError("no query; give it as the parameter query, or in the body")
    return text, parameters


def _wrong_type(media_type: str) -> str:
    if media_type == UPDATE:
        return "an update is sent to /update, with a token"
    return f"Content-Type {media_type[:60]!r}: send {QUERY} or, by POST, {FORM}"


def _response(answered: Answered, sent: Request) -> Response:
    if answered.long is not None:
        return stream(answered.long, answered.content_type)
    content, etag = answered.short
    if sent.method in _SAFE and not_modified(sent, etag):
        answer = Response(status=304)
    else:
        answer = Response(content, content_type=answered.content_type)
    answer.set_etag(etag)
    answer.cache_control.no_cache = True
    answer.vary.add("Accept")
    return answer
