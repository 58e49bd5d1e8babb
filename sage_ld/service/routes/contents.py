"""`/v1`: chunks, documents, entities and counts of the graph, as `/openapi.json` describes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from flask import Blueprint, Response, request

from sage_ld.api import retrieval, schemas
from sage_ld.channels import CHANNEL_NAMES
from sage_ld.errors import InputError, NotFoundError
from sage_ld.exports.results import answer_context, chunk_node, result_node
from sage_ld.graph import Snapshot
from sage_ld.model import Result, Role
from sage_ld.retrieval import filters
from sage_ld.retrieval.chunk_table import ChunkTable
from sage_ld.retrieval.chunk_views import chunk_views
from sage_ld.retrieval.relations import followed_relations
from sage_ld.service.context import service
from sage_ld.service.http import cursors, request_values, responses
from sage_ld.service.http.negotiation import Offer, choose
from sage_ld.service.requests import current_check, held
from sage_ld.service.views import lists
from sage_ld.service.views.resource_views import PageLimits, best_steps
from sage_ld.store.statistics import summary

_HASH_CHARACTERS = 24

T = TypeVar("T")
Found: TypeAlias = tuple[int, Sequence[dict[str, Any]]]
"""The number of things in all, and those of one page in JSON-LD."""

blueprint = Blueprint("api", __name__, url_prefix="/v1")


@blueprint.get("/chunks/<identifier>")
def chunk(identifier: str) -> Response:
    """One chunk, with its document, section and entities."""
    request_values.query(schemas.NOTHING)

    def make(snapshot: Snapshot) -> dict[str, object]:
        iri = _chunk_iri(snapshot, identifier)
        return {"@context": answer_context(), **chunk_node(chunk_views(snapshot.store, [iri])[iri])}

    return _from_revision(make, identifier)


@blueprint.get("/chunks/<identifier>/neighbours")
def neighbours(identifier: str) -> Response:
    """The neighbours of a chunk in the graph, the strongest first; the score is the weight of the edge."""
    asked = request_values.query(retrieval.neighbour_schema(service().settings))

    def make(snapshot: Snapshot) -> dict[str, object]:
        return lists.item_list(_neighbours(snapshot, _chunk_iri(snapshot, identifier), asked))

    return _from_revision(make, identifier, responses.digest(asked))


@blueprint.get("/chunks")
def chunks() -> Response:
    """The chunks in the order of their documents, all or those that a filter lets through."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found:
        only = retrieval.filter_of(asked)
        mask = filters.allowed(snapshot, only, service().settings, current_check()) if only else None
        row = ChunkTable.of(snapshot).rows
        keep = None if mask is None else lambda iri: bool(mask[row[iri]])
        total, found = _part(snapshot.derived(lists.all_chunks), asked, keep)
        shown = chunk_views(snapshot.store, found)
        return total, [chunk_node(shown[iri]) for iri in found if iri in shown]

    return _page(find, retrieval.list_schema(service().settings))


@blueprint.get("/documents")
def documents() -> Response:
    """The documents by identifier, all or those with a chunk that a filter lets through."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found:
        only = retrieval.filter_of(asked)
        names = (
            filters.documents(snapshot, only, service().settings, current_check()) if only else frozenset()
        )
        keep = (lambda document: document.iri in names) if only else None
        shelf = snapshot.derived(lists.all_documents)
        begin = lists.place_after(shelf, cursors.read(asked["cursor"])) if "cursor" in asked else 0
        total, found = _part(shelf, asked, keep, begin)
        return total, [lists.document_node(each) for each in found]

    return _page(find, retrieval.cursor_schema(service().settings), cursor_of=_document_cursor)


@blueprint.get("/entities")
def entities() -> Response:
    """The entities that chunks mention, by label."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found:
        total, found = _part(snapshot.derived(lists.all_entities), asked)
        return total, [lists.entity_node(each) for each in found]

    return _page(find, retrieval.page_schema(service().settings))


@blueprint.get("/stats")
def stats() -> Response:
    """The graph in numbers."""
    request_values.query(schemas.NOTHING)
    return _from_revision(lambda snapshot: dict(snapshot.derived(counts)), offers=responses.JSONS[1:])


def counts(snapshot: Snapshot) -> dict[str, object]:
    """The figures of `/v1/stats`."""
    return {
        "revision": snapshot.number,
        "baseIri": snapshot.configuration.base_iri,
        "encoder": snapshot.configuration.encoder,
        "recipe": service().configuration.recipe,
        **summary(snapshot.stores),
    }


def _chunk_iri(snapshot: Snapshot, identifier: str) -> str:
    """The IRI of the chunk whose IRI ends so. Raises NotFoundError."""
    iri = f"{snapshot.configuration.base_iri}chunk/{identifier}"
    wanted = len(identifier) == _HASH_CHARACTERS and set(identifier) <= set("0123456789abcdef")
    if not wanted or not chunk_views(snapshot.store, [iri]):
        raise NotFoundError(f"no chunk {identifier[:60]!r}; give the part of its IRI after chunk/")
    return iri


def _neighbours(snapshot: Snapshot, iri: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    hubs = service().graph.recipe.retrieval.hubs
    most, relations = asked.get("limit", _default_neighbours()), followed_relations(snapshot)
    limits = PageLimits(ChunkTable.of(snapshot).rows, hubs, most, relations=relations)
    steps = best_steps(snapshot.store, iri, limits, asked.get("channels", CHANNEL_NAMES))
    shown = chunk_views(snapshot.store, [step.chunk for step in steps])
    return [
        result_node(Result(rank, Role.NEIGHBOUR, step.weight, {}, (step,), shown[step.chunk]))
        for rank, step in enumerate((step for step in steps if step.chunk in shown), 1)
    ]


def _default_neighbours() -> int:
    default: int = retrieval.neighbour_schema(service().settings)["properties"]["limit"]["default"]
    return default


def _part(
    shelf: lists.KeyedList[T],
    asked: dict[str, Any],
    keep: Callable[[T], bool] | None = None,
    begin: int = 0,
) -> tuple[int, Sequence[T]]:
    return shelf.page(asked["prefix"], asked["offset"], asked["limit"], keep, begin)


def _document_cursor(node: dict[str, Any]) -> str:
    return cursors.written(node["identifier"])


def _page(
    find: Callable[[Snapshot, dict[str, Any]], Found],
    schema: retrieval.Schema,
    cursor_of: Callable[[dict[str, Any]], str] | None = None,
) -> Response:
    """A part of a list, with links to the parts before and after it.

    With `cursor_of`, which makes a cursor of the last item, a client may go on behind that item, too: what is
    added or deleted meanwhile neither repeats an item nor hides one.
    """
    given = request_values.query(schema)
    if "cursor" in given and "offset" in given:
        raise InputError("cursor and offset are both given; leave one out")
    defaults = {name: each["default"] for name, each in schema["properties"].items() if "default" in each}
    asked = defaults | given
    choice = choose(request.headers.get("Accept"), responses.JSONS)
    with held() as snapshot:

        def make() -> Response:
            total, nodes = find(snapshot, asked)
            offset, limit = asked["offset"], asked["limit"]
            page: dict[str, Any] = {"offset": offset, "limit": limit}
            if cursor_of is not None and len(nodes) == limit:
                page["nextCursor"] = cursor_of(nodes[-1])
            answer = responses.json_text(lists.item_list(nodes, total) | page, choice)
            around = {"prev": max(offset - limit, 0) if offset else total, "next": offset + limit}
            starts = {relation: start for relation, start in around.items() if start < total}
            if "cursor" in asked:
                responses.link_next(answer, page.get("nextCursor"))
            else:
                responses.link_pages(answer, starts)
            return answer

        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, make)


def _from_revision(
    make: Callable[[Snapshot], dict[str, object]],
    *parts: str,
    offers: Sequence[Offer] = responses.JSONS,
) -> Response:
    """The JSON that `make` gives of the newest revision, or 304."""
    choice = choose(request.headers.get("Accept"), offers)
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name, *parts)
        return responses.conditional(etag, lambda: responses.json_text(make(snapshot), choice))
