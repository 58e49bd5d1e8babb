"""`/v1/edges`: typed edges that clients state between documents, chunks, entities and resources."""

from __future__ import annotations

import io
import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final

from flask import Blueprint, Response, request

from sage_ld.foundation.bounded_cache import ComputedOnce
from sage_ld.foundation.relation_types import RelationTypes
from sage_ld.graph import Snapshot
from sage_ld.graph.changes.curated_edges import edge_iri, existing_edge
from sage_ld.graph.changes.edge_collection import conditions
from sage_ld.graph.exports.curated_edges import edge_json, relation_types_json
from sage_ld.graph.store.curated_edges import CuratedEdge, edge_iris, read_edge
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.relations import relation_types
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import edges, schemas
from sage_ld.service.api.json_text import read_json
from sage_ld.service.api.schema_validation import checked_value
from sage_ld.service.context import require_change, service
from sage_ld.service.http import cursors, request_values, responses
from sage_ld.service.http.conditional import conditions_in, refuse_conditions
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.parameters import body_text
from sage_ld.service.http.uploads import MERGE_PATCH
from sage_ld.service.idempotency import once
from sage_ld.service.requests import current_check, held
from sage_ld.service.sparql.writes import write

_PLAIN: Final = responses.JSONS[1:]
_MOST_LISTS: Final = 4
"""Lists of edges that are kept of a revision: each may have all edges of the graph."""

blueprint = Blueprint("edges", __name__, url_prefix="/v1")


@blueprint.get("/edges")
def listed() -> Response:
    """The edges by IRI, all or those from a source, to a target, of a type."""
    schema = edges.list_schema(service().settings)
    asked = {"limit": schema["properties"]["limit"]["default"]} | request_values.query(schema)
    choice = responses.chosen(_PLAIN)
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name, responses.digest(asked))
        return responses.conditional(etag, lambda: _page(snapshot, asked, choice))


@blueprint.get("/relation-types")
def types() -> Response:
    """The types of relation that edges of the graph may have, with their weights."""
    request_values.query(schemas.NOTHING)
    choice = responses.chosen(_PLAIN)
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, choice.offer.name)
        return responses.conditional(
            etag, lambda: responses.json_text(relation_types_json(snapshot.derived(_types)), choice)
        )


@blueprint.get("/edges/<identifier>")
def edge(identifier: str) -> Response:
    """One edge; its ETag is that of its content."""
    request_values.query(schemas.NOTHING)
    choice = responses.chosen(_PLAIN)
    with held() as snapshot:
        iris = Iris(snapshot.configuration.base_iri)
        found = existing_edge(snapshot.stores.named, iris, edge_iri(iris, identifier))
        return responses.conditional(
            responses.digest_tag(found.tag), lambda: responses.json_text(_json(snapshot, found), choice)
        )


@blueprint.post("/edges")
def post() -> Response:
    """Adds an edge, or several in one revision; one that is there already is given back."""
    require_change(AccessRole.WRITE)
    refuse_conditions(request)
    request_values.query(schemas.NOTHING)
    settings = service().settings
    request_values.check_json_type()
    said = read_json(body_text())
    if isinstance(said, dict) and "edges" in said:
        several = checked_value(said, edges.edges_schema(settings))["edges"]
        return _once({"action": "add", "edges": several}, _added)
    one = checked_value(said, edges.edge_schema(settings))
    return _once({"action": "add", "edges": [one]}, _added_one)


@blueprint.put("/edges/<identifier>")
def put(identifier: str) -> Response:
    """Gives an edge another type, weight and the rest; what the body leaves out has its default."""
    require_change(AccessRole.WRITE)
    request_values.query(schemas.NOTHING)
    said = request_values.body(edges.edge_schema(service().settings, ("relation",)))
    return _once({"action": "put", "identifier": identifier, "edge": said}, _changed)


@blueprint.patch("/edges/<identifier>")
def patch(identifier: str) -> Response:
    """Changes single members of an edge, by a JSON merge patch."""
    require_change(AccessRole.WRITE)
    request_values.query(schemas.NOTHING)
    if request.mimetype not in (MERGE_PATCH, "application/json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: a patch is {MERGE_PATCH}")
    said = request_values.json_object(edges.patch_schema(service().settings))
    return _once({"action": "patch", "identifier": identifier, "edge": said}, _changed)


@blueprint.delete("/edges/<identifier>")
def remove(identifier: str) -> Response:
    """Removes an edge."""
    require_change(AccessRole.WRITE)
    request_values.query(schemas.NOTHING)
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
