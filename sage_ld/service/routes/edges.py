"""`/v1/edges`: typed edges that clients state between documents, chunks, entities and resources."""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.relation_types import RelationTypes
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.changes.curated_edges import edge_iri, existing_edge
from sage_ld.graph.changes.edge_collection import conditions
from sage_ld.graph.exports.curated_edges import edge_json, relation_types_json
from sage_ld.graph.store.curated_edges import CuratedEdge, edge_iris, read_edge
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.relations import relation_types
from sage_ld.service import request_examples
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import edges, schemas
from sage_ld.service.api.json_text import read_json
from sage_ld.service.api.schemas import Schema, checked_value
from sage_ld.service.context import service
from sage_ld.service.http import cursors, request_values, responses
from sage_ld.service.http.body_limits import of_json
from sage_ld.service.http.conditional import conditions_in, refuse_conditions
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.request_values import body_text
from sage_ld.service.http.uploads import MERGE_PATCH
from sage_ld.service.idempotency import once
from sage_ld.service.openapi.parts import CONDITIONS, JSON, in_path, json_body, patch_body
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.sparql.writes import write

_PLAIN: Final = responses.JSONS[1:]
_MOST_LISTS: Final = 4
"""Lists of edges that are kept of a revision: each may have all edges of the graph."""

_EDGE: Final = in_path(
    "identifier", "The end of the edge's IRI.", {"type": "string", "minLength": 1, "maxLength": 24}
)
_WRITES: Final[dict[str, Any]] = {
    "role": AccessRole.WRITE,
    "limit": of_json,
    "query": schemas.NOTHING,
    "errors": ("409", "412", "422", "504"),
}

surface = Surface("edges", tag="edges")


def _edges_sent(settings: Settings) -> Schema:
    """The body that adds edges: one, or several."""
    either = {"anyOf": [edges.edge_schema(settings), edges.edges_schema(settings)]}
    return json_body(either, request_examples.EDGES)


@surface.get(
    "/v1/edges",
    "edges",
    "The edges, all or those from a source, to a target, of a type",
    query=edges.list_schema,
    fills=True,
    offers=_PLAIN,
    reply=RouteReply("The edges.", {JSON: "CuratedEdges"}),
    cached=True,
)
def listed(asked: dict[str, Any], choice: Choice) -> Response:
    """The edges by IRI, all or those from a source, to a target, of a type."""
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, lambda: _page(snapshot, asked, choice))


@surface.get(
    "/v1/relation-types",
    "relationTypes",
    "The types of relation, those of the graph's own included",
    offers=_PLAIN,
    reply=RouteReply("The table of types.", {JSON: "RelationTypes"}),
    cached=True,
)
def types(choice: Choice) -> Response:
    """The types of relation that edges of the graph may have, with their weights."""
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name)
        return responses.conditional(
            etag, lambda: responses.json_text(relation_types_json(snapshot.derived(_types)), choice)
        )


@surface.get(
    "/v1/edges/{identifier}",
    "edge",
    "One edge",
    offers=_PLAIN,
    parameters=[_EDGE],
    reply=RouteReply("The edge.", {JSON: "CuratedEdge"}),
    cached=True,
)
def edge(choice: Choice, identifier: str) -> Response:
    """One edge; its ETag is that of its content."""
    with held() as snapshot:
        iris = Iris(snapshot.configuration.base_iri)
        found = existing_edge(snapshot.stores.named, iris, edge_iri(iris, identifier))
        return responses.conditional(
            responses.digest_tag(found.tag), lambda: responses.json_text(_json(snapshot, found), choice)
        )


@surface.post(
    "/v1/edges",
    "postEdges",
    "Add an edge, or several",
    parameters=CONDITIONS,
    sent=_edges_sent,
    reply=RouteReply("The edges, each as it is in the graph.", {JSON: "AddedEdges"}),
    replies={"201": RouteReply("At least one is new; of one, Location has it.", {JSON: "AddedEdges"})},
    **_WRITES,
)
def post() -> Response:
    """Adds an edge, or several in one revision; one that is there already is given back."""
    refuse_conditions(request)
    settings = service().settings
    request_values.check_json_type()
    said = read_json(body_text())
    if isinstance(said, dict) and "edges" in said:
        several = checked_value(said, edges.edges_schema(settings))["edges"]
        return _once({"action": "add", "edges": several}, _added)
    one = checked_value(said, edges.edge_schema(settings))
    return _once({"action": "add", "edges": [one]}, _added_one)


@surface.put(
    "/v1/edges/{identifier}",
    "putEdge",
    "Give an edge another type, weight and the rest",
    body=partial(edges.edge_schema, required=("relation",)),
    examples=request_examples.EDGE,
    parameters=[_EDGE, *CONDITIONS],
    reply=RouteReply("The edge as it is now.", {JSON: "ChangedEdge"}),
    **_WRITES,
)
def put(said: dict[str, Any], identifier: str) -> Response:
    """Gives an edge another type, weight and the rest; what the body leaves out has its default."""
    return _once({"action": "put", "identifier": identifier, "edge": said}, _changed)


@surface.patch(
    "/v1/edges/{identifier}",
    "patchEdge",
    "Change single members of an edge (RFC 7396)",
    sent=lambda settings: patch_body(edges.patch_schema(settings), request_examples.EDGE_PATCHES),
    parameters=[_EDGE, *CONDITIONS],
    reply=RouteReply("The edge as it is now.", {JSON: "ChangedEdge"}),
    **_WRITES,
)
def patch(identifier: str) -> Response:
    """Changes single members of an edge, by a JSON merge patch."""
    if request.mimetype not in (MERGE_PATCH, "application/json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: a patch is {MERGE_PATCH}")
    said = request_values.json_object(edges.patch_schema(service().settings))
    return _once({"action": "patch", "identifier": identifier, "edge": said}, _changed)


@surface.delete(
    "/v1/edges/{identifier}",
    "deleteEdge",
    "Remove an edge",
    parameters=[_EDGE, *CONDITIONS],
    reply=RouteReply("It is gone."),
    **_WRITES | {"limit": None},
)
def remove(identifier: str) -> Response:
    """Removes an edge."""
    return _once({"action": "remove", "identifier": identifier}, _removed)


# --- inside -------------------------------------------------------------------------------------------


def _page(snapshot: Snapshot, asked: dict[str, Any], choice: Choice) -> Response:
    store, iris = snapshot.stores.named, Iris(snapshot.configuration.base_iri)
    wanted = conditions(store, iris, asked.get("source"), asked.get("relation"), asked.get("target"))
    key, check = tuple(wanted.items()), current_check()
    found = snapshot.derived(_lists).get(key, lambda: edge_iris(store, iris, wanted, check))
    begin = bisect_right(found, cursors.read(asked["cursor"])) if "cursor" in asked else 0
    part = found[begin : begin + asked["limit"]]
    shown = (read_edge(store, iris, each) for each in part)
    said: dict[str, Any] = {
        "edges": [_json(snapshot, each) for each in shown if each is not None],
        "numberOfItems": len(found),
        "limit": asked["limit"],
    }
    if begin + len(part) < len(found):
        said["nextCursor"] = cursors.written(part[-1])
    answer = responses.json_text(said, choice)
    responses.link_next(answer, said.get("nextCursor"))
    return answer


def _lists(_snapshot: Snapshot) -> ComputedOnce:
    """The lists of a revision that were asked for last, by conditions: each page is cut from one."""
    return ComputedOnce(_MOST_LISTS)


def _json(snapshot: Snapshot, found: CuratedEdge) -> dict[str, Any]:
    base, terms = snapshot.configuration.base_iri, service().directory.metadata_terms()
    return edge_json(found, snapshot.derived(_types), terms, base)


def _types(snapshot: Snapshot) -> RelationTypes:
    return relation_types(snapshot.stores.named, Iris(snapshot.configuration.base_iri))


def _once(job: dict[str, Any], answer: Callable[[dict[str, Any]], Response]) -> Response:
    """The answer to a job that is done once for each Idempotency-Key."""
    asked = None if job["action"] == "add" else conditions_in(request)

    def carry_out() -> Response:
        return answer(write({"op": "edges", **job, "conditions": asked}, io.BytesIO()))

    return once(job, b"", carry_out)


def _added(done: dict[str, Any]) -> Response:
    del done["tag"]
    return _sent(done, 201 if done["added"] else 200)


def _added_one(done: dict[str, Any]) -> Response:
    tag = done.pop("tag")
    answer = _sent(done, 201 if done["added"] else 200)
    address = f"{service().settings.path_prefix}/v1/edges/{done['edges'][0]['identifier']}"
    answer.headers["Location" if done["added"] else "Content-Location"] = address
    answer.headers["ETag"] = f'"{responses.digest_tag(tag)}"'
    return answer


def _changed(done: dict[str, Any]) -> Response:
    tag = done.pop("tag")
    answer = _sent(done, 200)
    answer.headers["ETag"] = f'"{responses.digest_tag(tag)}"'
    return answer


def _removed(_done: dict[str, Any]) -> Response:
    answer = Response(status=204)
    del answer.headers["Content-Type"]
    return answer


def _sent(said: dict[str, Any], status: int) -> Response:
    return Response(json.dumps(said, ensure_ascii=False), status, content_type="application/json")
