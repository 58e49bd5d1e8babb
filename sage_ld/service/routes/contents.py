"""`/v1`: chunks, documents, entities and counts of the graph, as `/openapi.json` describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from flask import Response

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.model import ChunkView, Result, Role
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.statistics import summary
from sage_ld.retrieval.answers.plain import plain_chunk, plain_results
from sage_ld.retrieval.answers.results import answer_context, chunk_node, result_node
from sage_ld.retrieval.channels.relations import followed_relations
from sage_ld.retrieval.chunks.chunk_table import ChunkTable, chunk_views
from sage_ld.retrieval.filtering import filters
from sage_ld.service.api import retrieval
from sage_ld.service.context import service
from sage_ld.service.http import cursors, responses
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.openapi.parts import JSON, in_path, linked
from sage_ld.service.representations import lists
from sage_ld.service.representations.neighbours import NeighbourLimits, best_steps
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, Surface, schema_of
from sage_ld.service.route_table import defaults

_HASH_CHARACTERS = 24

T = TypeVar("T")
Node: TypeAlias = Mapping[str, Any]


class Found(NamedTuple, Generic[T]):
    """A part of a list: the things in it, and how they are shown."""

    total: int
    """The number of things in all."""
    things: Sequence[T]
    linked: Callable[[T], Node]
    """A thing in JSON-LD."""
    plain: Callable[[T], Node]
    """A thing in flat JSON."""


_CHUNK: Final = in_path(
    "identifier",
    "The part of the chunk's IRI after `chunk/`.",
    {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
)

surface = Surface("api", tag="graph", cached=True)


@surface.get(
    "/v1/chunks/{identifier}",
    "chunk",
    "One chunk",
    offers=responses.JSONS,
    parameters=[_CHUNK],
    reply=linked("One chunk.", "Chunk"),
)
def chunk(choice: Choice, identifier: str) -> Response:
    """One chunk, with its document, section and entities."""

    def make(snapshot: Snapshot, plain: bool) -> Node:
        iri = _chunk_iri(snapshot, identifier)
        view = chunk_views(snapshot.store, [iri])[iri]
        return plain_chunk(view) if plain else {"@context": answer_context(), **chunk_node(view)}

    return _from_revision(make, choice, identifier)


@surface.get(
    "/v1/chunks/{identifier}/neighbours",
    "neighbours",
    "What the graph joins to a chunk, strongest first",
    query=retrieval.neighbour_schema,
    offers=responses.JSONS,
    parameters=[_CHUNK],
    reply=linked("What the graph joins to a chunk, strongest first.", "Neighbours"),
)
def neighbours(asked: dict[str, Any], choice: Choice, identifier: str) -> Response:
    """The neighbours of a chunk in the graph, the strongest first; the score is the weight of the edge."""

    def make(snapshot: Snapshot, plain: bool) -> Node:
        found = _neighbours(snapshot, _chunk_iri(snapshot, identifier), asked)
        if plain:
            limit = asked.get("limit", _default_neighbours())
            return {"neighbours": plain_results(found), "numberOfItems": len(found), "limit": limit}
        return lists.item_list([result_node(each) for each in found])

    return _from_revision(make, choice, identifier, responses.digest(asked))


@surface.get(
    "/v1/chunks",
    "chunks",
    "The chunks as they stand in their documents, all or those that a filter lets through",
    query=retrieval.list_schema,
    offers=responses.JSONS,
    reply=linked("The chunks.", "Chunks"),
    errors=("504",),
)
def chunks(given: dict[str, Any], choice: Choice) -> Response:
    """The chunks in the order of their documents, all or those that a filter lets through."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found[ChunkView]:
        only = retrieval.filter_of(asked)
        mask = filters.allowed(snapshot, only, service().settings, current_check()) if only else None
        row = ChunkTable.of(snapshot).rows
        keep = None if mask is None else lambda iri: bool(mask[row[iri]])
        total, found = _part(snapshot.derived(lists.all_chunks), asked, keep)
        shown = chunk_views(snapshot.store, found)
        return Found(total, [shown[iri] for iri in found if iri in shown], chunk_node, plain_chunk)

    return _page("chunks", find, given, retrieval.list_schema, choice)


@surface.get(
    "/v1/documents",
    "documents",
    "The documents by identifier, all or those with a chunk that a filter lets through",
    query=retrieval.document_schema,
    offers=responses.JSONS,
    reply=linked("The documents.", "Documents"),
    errors=("504",),
)
def documents(given: dict[str, Any], choice: Choice) -> Response:
    """The documents by identifier, all or those with a chunk that a filter lets through."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found[StoredDocument]:
        only = retrieval.filter_of(asked)
        names = (
            filters.documents(snapshot, only, service().settings, current_check()) if only else frozenset()
        )
        tests: list[Callable[[StoredDocument], bool]] = []
        if only:
            tests.append(lambda document: document.iri in names)
        if asked["name"]:
            tests.append(lists.begins_with(asked["name"]))
        keep = (lambda document: all(test(document) for test in tests)) if tests else None
        shelf = snapshot.derived(lists.all_documents)
        begin = lists.place_after(shelf, cursors.read(asked["cursor"])) if "cursor" in asked else 0
        total, found = _part(shelf, asked, keep, begin)
        return Found(total, found, lists.document_node, lists.plain_document)

    return _page("documents", find, given, retrieval.document_schema, choice, cursor_of=_document_cursor)


@surface.get(
    "/v1/entities",
    "entities",
    "The entities, by label",
    query=retrieval.page_schema,
    offers=responses.JSONS,
    reply=linked("The entities, by label.", "Entities"),
)
def entities(given: dict[str, Any], choice: Choice) -> Response:
    """The entities that chunks mention, by label."""

    def find(snapshot: Snapshot, asked: dict[str, Any]) -> Found[lists.Entity]:
        total, found = _part(snapshot.derived(lists.all_entities), asked)
        return Found(total, found, lists.entity_node, lists.plain_entity)

    return _page("entities", find, given, retrieval.page_schema, choice)


@surface.get(
    "/v1/stats",
    "stats",
    "The graph in numbers",
    offers=responses.JSONS[1:],
    reply=RouteReply("The numbers.", {JSON: "Stats"}),
)
def stats(choice: Choice) -> Response:
    """The graph in numbers."""
    return _from_revision(lambda snapshot, _plain: dict(snapshot.derived(counts)), choice)


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


def _neighbours(snapshot: Snapshot, iri: str, asked: dict[str, Any]) -> list[Result]:
    hubs = service().graph.recipe.retrieval.hubs
    most, relations = asked.get("limit", _default_neighbours()), followed_relations(snapshot)
    reach = NeighbourLimits(ChunkTable.of(snapshot).rows, hubs, most, relations)
    steps = best_steps(snapshot.store, iri, reach, asked.get("channels", CHANNEL_NAMES))
    shown = chunk_views(snapshot.store, [step.chunk for step in steps])
    return [
        Result(rank, Role.NEIGHBOUR, step.weight, {}, (step,), shown[step.chunk])
        for rank, step in enumerate((step for step in steps if step.chunk in shown), 1)
    ]


def _default_neighbours() -> int:
    default: int = schema_of(retrieval.neighbour_schema, service().settings)["properties"]["limit"]["default"]
    return default


def _part(
    shelf: lists.KeyedList[T],
    asked: dict[str, Any],
    keep: Callable[[T], bool] | None = None,
    begin: int = 0,
) -> tuple[int, Sequence[T]]:
    return shelf.page(asked["prefix"], asked["offset"], asked["limit"], keep, begin)


def _document_cursor(document: StoredDocument) -> str:
    return cursors.written(document.identifier)


def _page(
    name: str,
    find: Callable[[Snapshot, dict[str, Any]], Found[T]],
    given: dict[str, Any],
    schema: Callable[[Settings], retrieval.Schema],
    choice: Choice,
    cursor_of: Callable[[T], str] | None = None,
) -> Response:
    """A part of a list, with links to the parts before and after it; in flat JSON its things stand in `name`.

    With `cursor_of`, which makes a cursor of the last item, a client may go on behind that item, too: what is
    added or deleted meanwhile neither repeats an item nor hides one.
    """
    if "cursor" in given and "offset" in given:
        raise InputError("cursor and offset are both given; leave one out")
    asked = defaults(schema_of(schema, service().settings)) | given
    with held() as snapshot:

        def make() -> Response:
            found = find(snapshot, asked)
            total, offset, limit = found.total, asked["offset"], asked["limit"]
            page: dict[str, Any] = {"offset": offset, "limit": limit}
            if cursor_of is not None and len(found.things) == limit:
                page["nextCursor"] = cursor_of(found.things[-1])
            if choice.offer is responses.JSON:
                shown: dict[str, Any] = {name: list(map(found.plain, found.things)), "numberOfItems": total}
            else:
                shown = lists.item_list([found.linked(each) for each in found.things], total)
            answer = responses.json_text(shown | page, choice)
            around = {"prev": max(offset - limit, 0) if offset else total, "next": offset + limit}
            starts = {relation: start for relation, start in around.items() if start < total}
            if "cursor" in asked:
                responses.link_next(answer, page.get("nextCursor"))
            else:
                responses.link_pages(answer, starts)
            return answer

        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, make)


def _from_revision(make: Callable[[Snapshot, bool], Node], choice: Choice, *parts: str) -> Response:
    """The JSON that `make` returns of the newest revision, flat or linked, or 304."""
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name, *parts)
        plain = choice.offer is responses.JSON
        return responses.conditional(etag, lambda: responses.json_text(make(snapshot, plain), choice))
