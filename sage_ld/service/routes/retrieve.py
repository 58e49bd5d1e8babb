"""`/v1/retrieve`: questions and answers, whole or as a stream.

The requests and answers of each route are in `/openapi.json`, checked by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Result
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.graph.exports.jsonld_context import by_address
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.plain import (
    plain_analysis,
    plain_answers,
    plain_explanation,
    plain_outline,
    plain_ranking,
)
from sage_ld.retrieval.answers.results import (
    answer_jsonld,
    answer_summary,
    answers_jsonld,
    result_node,
    triples,
)
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import retrieval
from sage_ld.service.api.retrieval import RetrievalRequest, search_of
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.http.server_events import EVENTS, event, event_stream, problem_event
from sage_ld.service.keeping import Keeper
from sage_ld.service.openapi.parts import JSON, LD_JSON, TRIPLES, events_of
from sage_ld.service.representations.flat_answers import FlatForm
from sage_ld.service.requests import ask, ask_all, asked, current_check, held, searching
from sage_ld.service.route import RouteReply, Surface

ANSWERS: Final = (
    responses.JSON_LD,
    responses.JSON,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)
_PROVENANCE: Final = "http://www.w3.org/ns/prov#has_provenance"
"""The relation of an answer to how it came about (https://www.w3.org/TR/prov-aq/, section 3.1)."""

_ANSWERED: Final = RouteReply(
    "The answer: results by rank, each with its chunk and the path to it.",
    {LD_JSON: ("Answer", "Framed"), JSON: ("PlainAnswer", "Framed"), **TRIPLES},
)
_ALL_ANSWERED: Final = RouteReply(
    "The answer, or the answers to several questions in their order.",
    {LD_JSON: ("Answer", "Answers", "Framed"), JSON: ("PlainAnswer", "PlainAnswers", "Framed"), **TRIPLES},
)
_STREAMED: Final = RouteReply(
    "Events `seed`, each a Result at the score of its text, before the graph is asked; `neighbour`, and "
    "`seed` again for what else the answer has, each a Result; then one Summary, `summary`, which has the "
    "ranking and the JSON-LD context of them all. With the form `json` they are flat: each result is one of "
    "a PlainAnswer, the summary a PlainAnswer whose results have rank, role, score, chunk and parts. A late "
    "error is the event `problem`, a Problem, after which nothing comes.",
    events_of("seed", "neighbour", "summary", "problem", example=request_examples.EVENTS),
)

surface = Surface("retrieving", tag="retrieval", errors=("504",))


@surface.get(
    "/v1/retrieve",
    "retrieve",
    "Ask a question",
    query=retrieval.schema,
    offers=ANSWERS,
    reply=_ANSWERED,
    cached=True,
)
def retrieve(parameters: dict[str, Any], choice: Choice) -> Response:
    """The answer to the question `q`; the same revision gives the same answer, so it has an ETag."""
    with held() as snapshot:
        asked_for = parameters | {"context": _context_address(parameters)}
        etag = _tag(snapshot, choice.offer.name, asked_for)
        answer = responses.conditional(etag, lambda: _retrieved(snapshot, parameters, choice))
    if service().keeper.is_keeping:  # equal answers differ by the IRI of their retrieval
        answer.set_etag(etag, weak=True)
    return answer


@surface.post(
    "/v1/retrieve",
    "retrieveByPost",
    "Ask a question, or several, with parameters as JSON",
    body=retrieval.post_schema,
    examples=request_examples.QUESTIONS | request_examples.BATCHES,
    offers=ANSWERS,
    reply=_ALL_ANSWERED,
)
def retrieve_by_post(parameters: dict[str, Any], choice: Choice) -> Response:
    """The answer to a question, or the answers to several, whose parameters are a JSON object."""
    answered = _retrieved if "q" in parameters else _all_retrieved
    with held() as snapshot:
        answer = answered(snapshot, parameters, choice)
    answer.vary.add("Accept")
    return answer


@surface.post(
    "/v1/retrieve/stream",
    "retrieveStream",
    "Ask a question, and take results as they come",
    body=retrieval.stream_schema,
    examples=request_examples.QUESTIONS,
    offers=(EVENTS,),
    reply=_STREAMED,
)
def stream(parameters: dict[str, Any], _choice: Choice) -> Response:
    """An answer as server-sent events: the seeds before the graph is asked, the rest, a summary."""
    question, form = asked(search_of(parameters)), _event_form(parameters)
    with ExitStack() as stack:
        snapshot = stack.enter_context(held())
        search = partial(searching, service(), request.environ)
        with search() as check:
            seeds = question.seeds(snapshot, check)
        events = _events(question, snapshot, seeds, search, service().keeper, form)
        answer = event_stream(events)
        answer.call_on_close(stack.pop_all().close)
    return answer


@surface.delete(
    "/v1/cache",
    "clearCache",
    "Drop the cached answers of all web processes",
    tag="operation",
    role=AccessRole.ADMIN,
    reply=RouteReply("They are dropped."),
    errors=(),
)
def clear_cache() -> Response:
    """Drops all cached answers, of all web processes."""
    service().clear_caches()
    return Response(status=204)


@surface.get(
    "/v1/explain",
    "explain",
    "Say why a chunk is, or is not, in the answer to a question",
    query=retrieval.explain_schema,
    offers=(responses.JSON,),
    reply=RouteReply("The reason.", {JSON: "Explanation"}),
    cached=True,
)
def explain(parameters: dict[str, Any], choice: Choice) -> Response:
    """The reasons why a chunk is, or is not, in the answer to a question."""
    chunk, asked_for = parameters.pop("chunk"), {"q": parameters.pop("question"), **parameters}
    with held() as snapshot:
        question = asked(asked_for)

        def make() -> Response:
            with searching(service(), request.environ) as check:
                found = question.explanation(chunk, snapshot, check)
            return responses.json_text(plain_explanation(found), choice)

        etag = _tag(snapshot, "explain", {"chunk": chunk, **asked_for})
        return responses.conditional(etag, make)


@surface.get(
    "/v1/outline",
    "outline",
    "Show the sections of a document with their scores for a question",
    query=retrieval.outline_schema,
    offers=(responses.JSON,),
    reply=RouteReply("The document and its sections.", {JSON: "Outline"}),
    cached=True,
)
def outline(parameters: dict[str, Any], choice: Choice) -> Response:
    """The sections of a document, each with its score for a question."""
    document, asked_for = parameters.pop("document"), {"q": parameters.pop("question"), **parameters}
    with held() as snapshot:
        question = asked(asked_for)

        def make() -> Response:
            with searching(service(), request.environ) as check:
                found = question.outline(document, snapshot, check)
            return responses.json_text(plain_outline(found, snapshot.number), choice)

        etag = _tag(snapshot, "outline", {"document": document, **asked_for})
        return responses.conditional(etag, make)


@surface.get(
    "/v1/analyse",
    "analyse",
    "Say how hard a question is, by the graph around what it names",
    query=retrieval.analysis_schema,
    offers=(responses.JSON,),
    reply=RouteReply("The difficulty, and what it follows from.", {JSON: "QuestionAnalysis"}),
    cached=True,
)
def analyse(parameters: dict[str, Any], choice: Choice) -> Response:
    """The difficulty of a question, by the graph around the nodes that it names."""
    with held() as snapshot:

        def make() -> Response:
            with searching(service(), request.environ) as check:
                found = Retriever(service().graph).analyse(**parameters, at=snapshot, check=check)
            return responses.json_text(plain_analysis(found), choice)

        return responses.conditional(_tag(snapshot, "analyse", parameters), make)


# --- answers -----------------------------------------------------------------------------------------


def _tag(snapshot: Snapshot, form: str, parameters: Mapping[str, Any]) -> str:
    """The entity tag of what follows from a question: another one once a damaged index has been rebuilt."""
    return responses.tag(service(), snapshot, form, responses.digest(parameters), *sorted(snapshot.rebuilt))


def _retrieved(snapshot: Snapshot, parameters: dict[str, Any], choice: Choice) -> Response:
    _check_form(parameters, choice)
    found = ask(snapshot, parameters)
    frame = parameters.get("frame")
    if frame is not None and found.asked.window:
        raise InputError("window and frame do not go together; leave one of them out")
    if choice.offer is responses.JSON and frame is None:
        answer = responses.json_text(FlatForm.of(parameters).answer(snapshot, found, current_check()), choice)
    else:
        document = answer_jsonld(found)
        if frame is not None:
            document = _framed(document, len(found.results), frame)
        answer = _linked(document, parameters, choice)
    if request.method != "POST":
        _link_pages(answer, found)
    if found.identifier:
        answer.headers.add("Link", f'<{found.identifier}>; rel="{_PROVENANCE}"')
    return answer


def _all_retrieved(snapshot: Snapshot, parameters: dict[str, Any], choice: Choice) -> Response:
    """The answers to several questions: all of them, or an error."""
    if "frame" in parameters:
        raise InputError("frame: it applies to one question; give q, or leave frame out")
    _check_form(parameters, choice)
    found = ask_all(snapshot, parameters)
    if choice.offer is responses.JSON:
        form, check = FlatForm.of(parameters), current_check()
        plain = (form.answer(snapshot, each, check) for each in found)
        return responses.json_text(plain_answers(plain), choice)
    return _linked(answers_jsonld(found), parameters, choice)


def _check_form(parameters: dict[str, Any], choice: Choice) -> None:
    """Raises InputError where something is wanted in a form that has no place for it."""
    for name in ("highlight", "labels"):
        if parameters.get(name) and (choice.offer is not responses.JSON or "frame" in parameters):
            raise InputError(f"{name}: it is for flat JSON; send Accept: application/json, and no frame")


def _linked(document: dict[str, object], parameters: dict[str, Any], choice: Choice) -> Response:
    """A document of linked data in one of its formats."""
    if choice.offer in responses.JSONS:
        address = _context_address(parameters)
        return responses.json_text(by_address(document, address) if address else document, choice)
    return responses.rdf(triples(document), Choice(choice.offer, "1.1"))


def _context_address(parameters: dict[str, Any]) -> str | None:
    """The address of the JSON-LD context, by the address at which they reach the service.

    None where the request wants the context inside the answer.
    """
    return None if parameters.get("context") == "value" else f"{request.url_root}context.jsonld"


def _link_pages(answer: Response, found: Answer) -> None:
    """Links to the results before and after these, as far as `max_results` goes."""
    offset, end = found.asked.offset, found.asked.end
    starts = {}
    if offset:
        starts["prev"] = max(2 * offset - end, 0)
    if len(found.results) == end - offset and 2 * end - offset <= service().settings.max_results:
        starts["next"] = end
    responses.link_pages(answer, starts)


def _framed(document: dict[str, object], results: int, name: str) -> dict[str, object]:
    """Raises LimitError for an answer with more results than are framed."""
    from sage_ld.graph.exports.jsonld import frame

    most = service().settings.max_framed_results
    if results > most:
        raise LimitError.of("the framed answer", results, most, "results", "max_framed_results")
    return frame(document, name)


# --- events ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _EventForm:
    """The form of the events of a stream."""

    results: Callable[[Snapshot, Sequence[Result], RetrievalRequest, Check], Sequence[object]]
    summary: Callable[[Answer], object]


def _event_form(parameters: dict[str, Any]) -> _EventForm:
    """The form that a request asks for. Raises InputError for what JSON-LD has no place for."""
    flat = FlatForm.of(parameters)
    if parameters.get("form") != "json":
        if flat != FlatForm():
            raise InputError("highlight and labels are for flat JSON; give form json")
        return _EventForm(lambda _snapshot, found, *_: list(map(result_node, found)), answer_summary)
    return _EventForm(
        lambda snapshot, found, question, check: flat.results(
            snapshot, found, question.question.text, question.question.question_language, check
        ),
        plain_ranking,
    )


def _events(
    question: RetrievalRequest,
    snapshot: Snapshot,
    seeds: Sequence[Result],
    search: Callable[[], AbstractContextManager[Check]],
    keeper: Keeper,
    form: _EventForm,
) -> Iterator[str]:
    """The stream's text: `seeds`, what else the answer has, and a summary; or a problem in place of these.

    `search` waits for the turn of the answer, whose time begins once the client has taken the seeds.
    """
    for said in form.results(snapshot, seeds, question, unchecked):
        yield event("seed", said)
    try:
        begin = perf_counter()
        with search() as check:
            answer = question.answer(snapshot, check)
            sent = {seed.view.iri for seed in seeds}
            rest = [result for result in answer.results if result.path or result.view.iri not in sent]
            rest.sort(key=lambda result: bool(result.path))
            later = form.results(snapshot, rest, question, check)
        answer = keeper.kept(answer, perf_counter() - begin)
    except Exception as error:  # the status has been sent: only an event can say it
        yield problem_event(error)
        return
    for result, said in zip(rest, later, strict=True):
        yield event(str(result.role), said)
    yield event("summary", form.summary(answer))
