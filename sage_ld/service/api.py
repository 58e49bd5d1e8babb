"""`/v1`: what the graph holds. What each route takes and gives is in `/openapi.json`, checked by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request

from sage_ld.errors import NotFoundError
from sage_ld.exports.results import answer_context, chunk_node, result_node
from sage_ld.graph import Snapshot
from sage_ld.model import Result, Role
from sage_ld.retrieval.expansion import CHANNELS
from sage_ld.retrieval.views import views
from sage_ld.service import inputs, lists, representations, schemas
from sage_ld.service.asking import held, once_a_revision, served_graph
from sage_ld.service.context import service
from sage_ld.service.negotiation import Offer, choose
from sage_ld.service.portraits import Limits, best_steps
from sage_ld.store.describing import statistics

_HASH_CHARACTERS = 24

blueprint = Blueprint("api", __name__, url_prefix="/v1")


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

    return _from_revision(make, identifier, representations.digest(asked))


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
    return _from_revision(lambda snapshot: dict(counts(snapshot)), offers=representations.JSONS[1:])


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

    choice = choose(request.headers.get("Accept"), representations.JSONS)
    with held() as snapshot:

        def make() -> Response:
            total, things = shelf(snapshot).page(asked["prefix"], asked["offset"], asked["limit"])
            page = {"offset": asked["offset"], "limit": asked["limit"]}
            said = lists.item_list([shown(thing) for thing in things], total) | page
            answer = representations.json_text(said, choice)
            _link_pages(answer, asked, total)
            return answer

        etag = representations.tag(service(), snapshot, choice.offer.name, representations.digest(asked))
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
    make: Callable[[Snapshot], dict[str, object]],
    *parts: str,
    offers: Sequence[Offer] = representations.JSONS,
) -> Response:
    """The JSON that `make` gives of the newest revision, or 304."""
    choice = choose(request.headers.get("Accept"), offers)
    with held() as snapshot:
        etag = representations.tag(service(), snapshot, choice.offer.name, *parts)
        return representations.conditional(etag, lambda: representations.json_text(make(snapshot), choice))
