"""Access of the routes of a web process to its graph."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from time import monotonic, perf_counter
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import request

from sage_ld.foundation.deadline import Check, deadline, unchecked
from sage_ld.foundation.errors import BusyError, NotFoundError, UnavailableError
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.processes.worker_process import LOOK
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.retrieval import Mode
from sage_ld.service.access.tokens import client_of
from sage_ld.service.api.retrieval import RetrievalRequest, search_of
from sage_ld.service.context import Service, service
from sage_ld.service.http import responses
from sage_ld.service.http.environ import CLIENT_GONE, MODE


def request_of(here: Service, parameters: Mapping[str, Any], environ: WSGIEnvironment) -> RetrievalRequest:
    """A question with its parameters (`retrieval.schema`), and its mode noted for the metrics.

    Raises InputError.
    """
    environ[MODE] = str(Mode.named(parameters.get("mode", Mode.SAGE)))  # never text of a client
    return RetrievalRequest.of(here.graph, parameters)


def check_of(here: Service, environ: WSGIEnvironment, seconds: float | None = None) -> Check:
    """The check that ends the work on a request: after `seconds`, or when its client disconnects.

    No more than the setting retrieve_timeout allows.
    """
    most = here.settings.retrieve_timeout
    return deadline(min(most, seconds or most), "retrieve_timeout", environ.get(CLIENT_GONE))


def asked(parameters: Mapping[str, Any]) -> RetrievalRequest:
    """The question of the current request, with its parameters (`retrieval.schema`). Raises InputError."""
    return request_of(service(), parameters, request.environ)


def current_check() -> Check:
    """The check that ends the work on the current request."""
    return check_of(service(), request.environ)


@contextmanager
def searching(here: Service, environ: WSGIEnvironment, check: Check | None = None) -> Iterator[Check]:
    """Holds one of the places of requests that search, as soon as the client may have one; returns the check.

    It is `check`, or that of `check_of`, whose time begins with the place. More threads that search at once
    would do no more work: they would take the processor from each other, from the event loop and from the
    process that writes. Raises BusyError after `queue_timeout` or where too many wait, AbandonedError, and
    what `check` raises.
    """
    client = client_of(environ)
    if not here.searches.take(client):
        _wait_to_search(here, client, check or deadline(math.inf, "", environ.get(CLIENT_GONE)))
    try:
        yield check or check_of(here, environ)
    finally:
        here.searches.release(client)


def _wait_to_search(here: Service, client: Hashable, look: Check) -> None:
    """Takes a place to search once there is one for the client. Raises BusyError, and what `look` raises."""
    most = here.settings.queue_timeout
    end = monotonic() + most

    def wait() -> float:
        look()
        if monotonic() >= end:
            raise BusyError(
                f"no search ended in {most:g} s, of the {here.settings.web_searches} that may run at once "
                "(setting web_searches; one client leaves some to others); try again later"
            )
        return LOOK

    if not (queue := here.search_queue).take(client):
        raise BusyError(
            f"too many questions are waiting to search (the limit is {queue.count}, half of the setting "
            "web_threads, and one client has to leave room for others); try again later"
        )
    try:
        here.searches.take(client, wait)
    finally:
        queue.release(client)


def ask(snapshot: Snapshot, parameters: Mapping[str, Any]) -> Answer:
    """The answer to a question of the current request, within its time; kept as the settings say.

    Raises InputError, LimitError, NotFoundError, AbandonedError.
    """
    question, begin = asked(parameters), perf_counter()
    state = service().cache_state(snapshot.number, snapshot.rebuilt)
    key = responses.digest(search_of(parameters))
    if (answer := _cached(state, key)) is None:
        with searching(service(), request.environ) as check:
            answer = question.answer(snapshot, check)
        _keep(state, key, answer)
    return kept(answer, perf_counter() - begin)


def _cached(state: Hashable, key: str) -> Answer | None:
    """The answer in the cache, unless the client of the current request wants one that is computed again."""
    wishes = request.cache_control
    if wishes.no_cache or wishes.max_age == 0:
        return None
    return service().retrieved.get(state, key)


def _keep(state: Hashable, key: str, answer: Answer) -> None:
    if not request.cache_control.no_store:
        service().retrieved.put(state, key, answer)


def ask_all(snapshot: Snapshot, parameters: Mapping[str, Any]) -> tuple[Answer, ...]:
    """The answers to the questions of the current request, as `ask` returns them."""
    batch, begin = asked(parameters), perf_counter()
    each = {name: value for name, value in search_of(parameters).items() if name != "questions"}
    state = service().cache_state(snapshot.number, snapshot.rebuilt)
    texts = [question.text for question in batch.asked]
    keys = {text: responses.digest({**each, "q": text}) for text in texts}
    found = {text: answer for text, key in keys.items() if (answer := _cached(state, key)) is not None}
    missing = tuple(text for text in keys if text not in found)
    place = searching(service(), request.environ) if missing else nullcontext(unchecked)
    with place as check:
        fresh = batch.answers(snapshot, check, missing)
    for answer in fresh:
        found[answer.question] = answer
        _keep(state, keys[answer.question], answer)
    seconds = (perf_counter() - begin) / len(texts)
    return tuple(kept(found[text], seconds) for text in texts)


def kept(answer: Answer, seconds: float) -> Answer:
    """An answer to the current request, with the seconds that it took, and its IRI if it is kept.

    Each request is kept separately, whether its answer was computed for it or came from a cache.
    """
    keeper = service().keeper
    return keeper.kept(answer, seconds) if keeper.is_keeping and request.method != "HEAD" else answer


@contextmanager
def held() -> Iterator[Snapshot]:
    """The newest revision, for as long as the block lasts. Raises NotFoundError if there is none yet."""
    with service().snapshots.use() as snapshot:
        yield snapshot


@contextmanager
def asking_model(here: Service, environ: WSGIEnvironment) -> Iterator[None]:
    """Holds one of the places of requests that ask the language model. Raises BusyError without one.

    A model takes its time, and meanwhile its request holds a thread, of which others need some.
    """
    client = client_of(environ)
    if not (places := here.model_requests).take(client):
        raise BusyError(
            f"too many requests ask the language model (the limit is {places.count}, setting "
            "web_model_requests, and one client has to leave room for others); try again later"
        )
    try:
        yield
    finally:
        places.release(client)


def model_of(here: Service, purpose: str) -> LanguageModel:
    """The service's language model. Raises NotFoundError where it has none: trying again does not help."""
    try:
        return here.graph.language_model(purpose)
    except UnavailableError as error:
        raise NotFoundError(str(error)) from None
