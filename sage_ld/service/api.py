"""`/v1`: the retrieval and data API. What each route takes and gives is in `/openapi.json`, checked by it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import pyoxigraph as ox
from flask import Blueprint, Response, request

from sage_ld.errors import LimitError, NotFoundError
from sage_ld.exports.results import answer_context, answer_jsonld, chunk_node, result_node, retrieval_node
from sage_ld.graph import Snapshot
from sage_ld.model import Answer, Result, Role
from sage_ld.retrieval.expansion import CHANNELS
from sage_ld.retrieval.views import views
from sage_ld.service import inputs, lists, representations, schemas
from sage_ld.service.asking import ask, held, once_a_revision, served_graph
from sage_ld.service.context import service
from sage_ld.service.negotiation import Choice, Offer, choose
from sage_ld.service.portraits import Limits, best_steps
from sage_ld.store.describing import statistics

JSON_LD: Final = Offer("jsonld", "application/ld+json")
JSON: Final = Offer("json", "application/json")
ANSWERS: Final = (
    JSON_LD,
    JSON,
    Offer("turtle", "text/turtle"),
    Offer("ntriples", "application/n-triples"),
)
EVENTS: Final = (Offer("events", "text/event-stream"),)
_HASH_CHARACTERS = 24

blueprint = Blueprint("api", __name__, url_prefix="/v1")


# --- retrieval ---------------------------------------------------------------------------------------


@blueprint.get("/retrieve")
def retrieve() -> Response:
    """The answer to the question `q`; the same revision gives the same answer, so it has an ETag."""
    choice = choose(request.headers.get("Accept"), ANSWERS)
    parameters = inputs.query(schemas.retrieve_parameters(service().settings))
    with held() as snapshot:
        etag = representations.tag(service(), snapshot, choice.offer.name, _digest(parameters))
        return representations.conditional(etag, lambda: _retrieved(snapshot, parameters, choice))


@blueprint.post("/retrieve")
def retrieve_by_post() -> Response:
    """The same, with the parameters as a JSON object."""
    choice = choose(request.headers.get("Accept"), ANSWERS)
    parameters = inputs.body(schemas.retrieve_parameters(service().settings))
    with held() as snapshot:
        answer = _retrieved(snapshot, parameters, choice)
    answer.vary.add("Accept")
    return answer


@blueprint.post("/retrieve/stream")
def stream() -> Response:
    """The same as server-sent events: the seeds, the neighbours, a summary."""
    choose(request.headers.get("Accept"), EVENTS)
    parameters = inputs.body(schemas.retrieve_parameters(service().settings))
    parameters.pop("frame", None)
    with held() as snapshot:
        found = ask(snapshot, parameters)
    answer = Response(_events(found), content_type="text/event-stream; charset=utf-8")
    answer.cache_control.no_store = True
    answer.headers["X-Accel-Buffering"] = "no"  # nginx would keep the first events until the end
    return answer


def _retrieved(snapshot: Snapshot, parameters: dict[str, Any], choice: Choice) -> Response:
    asked = dict(parameters)
    frame = asked.pop("frame", None)
    answer = ask(snapshot, asked)
    document = answer_jsonld(answer)
    if frame is not None:
        document = _framed(document, len(answer.results), frame)
    if choice.offer in (JSON_LD, JSON):
        return _json(document, choice)
    return representations.rdf(_triples(document), Choice(choice.offer, "1.1"))


def _framed(document: dict[str, object], results: int, name: str) -> dict[str, object]:
    """Raises LimitError for an answer with more results than are framed."""
    from sage_ld.service.framing import frame

    most = service().settings.max_framed_results
    if results > most:
        raise LimitError.of("the framed answer", results, most, "results", "max_framed_results")
    return frame(document, name)


def _triples(document: dict[str, object]) -> Iterator[ox.Triple]:
    """The document in RDF; its own nodes are numbered in their order, so that equal answers are equal."""
    names: dict[ox.BlankNode, ox.BlankNode] = {}

    def named(term: Any) -> Any:
        if isinstance(term, ox.BlankNode):
            return names.setdefault(term, ox.BlankNode(f"n{len(names):05d}"))
        return term

    for quad in ox.parse(json.dumps(document).encode(), ox.RdfFormat.JSON_LD):
        yield ox.Triple(named(quad.subject), quad.predicate, named(quad.object))


def _events(answer: Answer) -> Iterator[str]:
    """The stream's text: each result as it is ranked, seeds before neighbours, and a summary."""
    for role in Role:
        for result in answer.results:
            if result.role is role:
                yield _event(str(role), result_node(result), result.rank)
    summary = {
        "@context": answer_context(),
        "type": ["ItemList"],
        "numberOfItems": len(answer.results),
        "wasGeneratedBy": retrieval_node(answer),
    }
    yield _event("summary", summary)


def _event(name: str, said: dict[str, object], number: int | None = None) -> str:
    identifier = "" if number is None else f"id: {number}\n"
    return f"event: {name}\n{identifier}data: {json.dumps(said, ensure_ascii=False)}\n\n"


# --- resources ---------------------------------------------------------------------------------------


@blueprint.get("/chunks/<identifier>")
def chunk(identifier: str) -> Response:
    """One chunk, with its document, section and entities."""
    inputs.query(schemas.NOTHING)

    def make(snapshot: Snapshot) -> dict[str, object]:
        iri = _chunk_iri(snapshot, identifier)
        return {"@context": answer_context(), **chunk_node(views(snapshot.store, [iri])[iri])}

    return _from_revision(make, identifier)


@blueprint.get("/chunks/<identifier>/neighbours")
def neighbours(identifier: str) -> Response:
    """What the graph joins to a chunk, the strongest first; its score is the weight of the edge."""
    asked = inputs.query(schemas.neighbour_parameters(service().settings))

    def make(snapshot: Snapshot) -> dict[str, object]:
        return lists.item_list(_neighbours(snapshot, _chunk_iri(snapshot, identifier), asked))

    return _from_revision(make, identifier, _digest(asked))


@blueprint.get("/documents")
def documents() -> Response:
    """The documents, by identifier."""
    return _page(lists.all_documents, lists.document_node)


@blueprint.get("/entities")
def entities() -> Response:
    """The entities that chunks mention, by label."""
    return _page(lists.all_entities, lists.entity_node)


@blueprint.get("/stats")
def stats() -> Response:
    """The graph in numbers."""
    inputs.query(schemas.NOTHING)
    return _from_revision(lambda snapshot: dict(counts(snapshot)), offers=(JSON,))


@once_a_revision
def counts(snapshot: Snapshot) -> dict[str, object]:
    """What `/v1/stats` says."""
    configuration = service().configuration
    return {
        "revision": snapshot.number,
        "baseIri": configuration.base_iri,
        "encoder": configuration.encoder,
        "recipe": configuration.recipe,
        **statistics(snapshot.store),
    }


def _chunk_iri(snapshot: Snapshot, identifier: str) -> str:
    """The IRI of the chunk whose IRI ends so. Raises NotFoundError."""
    iri = f"{service().configuration.base_iri}chunk/{identifier}"
    wanted = len(identifier) == _HASH_CHARACTERS and set(identifier) <= set("0123456789abcdef")
    if not wanted or not views(snapshot.store, [iri]):
        raise NotFoundError(f"no chunk {identifier[:60]!r}; give what stands after chunk/ in its IRI")
    return iri


def _neighbours(snapshot: Snapshot, iri: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    hub = served_graph().recipe.retrieval.entity_hub
    limits = Limits(len(snapshot.vectors.iris), hub, asked.get("limit", _default_neighbours()))
    steps = best_steps(snapshot.store, iri, limits, asked.get("channels", CHANNELS))
    shown = views(snapshot.store, [step.chunk for step in steps])
    return [
        result_node(Result(rank, Role.NEIGHBOUR, step.weight, {}, (step,), shown[step.chunk]))
        for rank, step in enumerate(steps, 1)
    ]


def _default_neighbours() -> int:
    default: int = schemas.neighbour_parameters(service().settings)["properties"]["limit"]["default"]
    return default


def _page(
    shelf: Callable[[Snapshot], lists.Shelf[Any]], shown: Callable[[Any], dict[str, object]]
) -> Response:
    """A part of a list, with links to the parts before and after it."""
    schema = schemas.page_parameters(service().settings)
    asked = {name: each["default"] for name, each in schema["properties"].items()} | inputs.query(schema)

    choice = choose(request.headers.get("Accept"), (JSON_LD, JSON))
    with held() as snapshot:

        def make() -> Response:
            total, things = shelf(snapshot).page(asked["prefix"], asked["offset"], asked["limit"])
            page = {"offset": asked["offset"], "limit": asked["limit"]}
            answer = _json(lists.item_list([shown(thing) for thing in things], total) | page, choice)
            _link_pages(answer, asked, total)
            return answer

        etag = representations.tag(service(), snapshot, choice.offer.name, _digest(asked))
        return representations.conditional(etag, make)


def _link_pages(answer: Response, asked: dict[str, Any], total: int) -> None:
    offset, limit = asked["offset"], asked["limit"]
    around = {"prev": max(offset - limit, 0) if offset else None, "next": offset + limit}
    for relation, start in around.items():
        if start is not None and start < total:
            given = {"prefix": asked["prefix"]} if asked["prefix"] else {}
            query = urlencode({**given, "offset": start, "limit": limit})
            answer.headers.add("Link", f'<{request.script_root}{request.path}?{query}>; rel="{relation}"')


def _from_revision(
    make: Callable[[Snapshot], dict[str, object]], *parts: str, offers: Sequence[Offer] = (JSON_LD, JSON)
) -> Response:
    """The JSON that `make` gives of the newest revision, or 304."""
    choice = choose(request.headers.get("Accept"), offers)
    with held() as snapshot:
        etag = representations.tag(service(), snapshot, choice.offer.name, *parts)
        return representations.conditional(etag, lambda: _json(make(snapshot), choice))


def _json(said: dict[str, object], choice: Choice) -> Response:
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return Response(text + "\n", content_type=choice.offer.media_type)


def _digest(parameters: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()[:16]
