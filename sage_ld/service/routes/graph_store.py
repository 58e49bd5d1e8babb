"""`/data`: the SPARQL 1.1 Graph Store HTTP Protocol; graphs are named by `?graph=`, `?default` or their URL.

https://www.w3.org/TR/sparql11-http-rdf-update/ . Reading the default graph gives the union of all graphs,
as in a query; writing it changes the store's own default graph, which has what users state outside of named
graphs. Without a name it is all that users state, in the formats that have named graphs.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.access.tokens import AccessRole, client_of, readers_of_retrievals
from sage_ld.service.api.schemas import Schema
from sage_ld.service.context import Service, require, require_change, service
from sage_ld.service.http import addresses, responses
from sage_ld.service.http.body_limits import of_a_write
from sage_ld.service.http.conditional import conditions_in
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.errors import MediaTypeError, MethodError
from sage_ld.service.http.negotiation import DATASETS, GRAPHS, Choice
from sage_ld.service.http.request_values import body_text, url_parameters
from sage_ld.service.http.uploads import form_parts
from sage_ld.service.openapi.parts import DRY_RUN as DRY_RUN_PARAMETER
from sage_ld.service.openapi.parts import IF_REVISION, JSON, UPDATE, in_header, in_url
from sage_ld.service.representations.changed_statements import DRY_RUN, is_dry_run, written
from sage_ld.service.revisions import Pin
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.sparql.queries import checked_iri, retrievals_graph, retrievals_job, stream
from sage_ld.service.sparql.writes import write
from sage_ld.service.workers.query_jobs import query_output

FORMATS: Final = {offer.media_type: offer.name for offer in (*GRAPHS, *DATASETS)}
_WITH_GRAPHS: Final = frozenset({"trig", "nquads"})
RETRIEVABLE: Final = "retrievable"
"""The parameter by which a graph becomes a document that retrieval finds."""
READS: Final = ("GET", "HEAD", "OPTIONS")

_REMOVES: Final[dict[str, Any]] = {"role": AccessRole.WRITE, "checks_role": True}
_WRITES: Final[dict[str, Any]] = {**_REMOVES, "limit": of_a_write}
_ROOT: Final[dict[str, Any]] = {"options": {"strict_slashes": False}}
_NAMED: Final[dict[str, Any]] = {"rule": "/data/<path:name>"}


def _parameters(settings: Settings) -> list[Schema]:
    """The parameters of a write: the graph, how it is written, and the condition."""
    iri = {"type": "string", "format": "iri", "maxLength": settings.max_query_bytes}
    named = [
        in_url("graph", "The named graph.", iri),
        in_url("default", "The store's own default graph: the parameter has no value.", {"type": "null"}),
        in_url(RETRIEVABLE, "Whether retrieval is to find the graph's resources.", {"type": "boolean"}),
    ]
    never = in_header("If-None-Match", "The value * creates a graph, and never overwrites one: else 412.")
    return [*named, DRY_RUN_PARAMETER, IF_REVISION, never]


def _rdf_sent(settings: Settings) -> Schema:
    text = {"type": "string", "maxLength": settings.max_body_bytes}
    return {"required": True, "content": {each.media_type: {"schema": text} for each in GRAPHS}}


def _patch_sent(settings: Settings) -> Schema:
    text = {"type": "string", "maxLength": settings.max_body_bytes}
    return {"required": True, "content": {UPDATE: {"schema": text}}}


_COUNTED: Final = RouteReply(
    "The numbers of statements added and removed, to a client that prefers return=representation, and to a "
    "dry run.",
    {JSON: "ChangedStatements"},
)
_DESCRIBED: Final[dict[str, Any]] = {
    "tag": "SPARQL",
    "parameters": _parameters,
    "status": "200",
    "reply": _COUNTED,
    "replies": {"204": RouteReply("It is done; Sage-Added and Sage-Removed have the numbers.")},
    "errors": ("405", "412", "413", "415", "422", "504", "507"),
}
_MAKES: Final[dict[str, Any]] = {
    **_DESCRIBED,
    "sent": _rdf_sent,
    "replies": {**_DESCRIBED["replies"], "201": RouteReply("The graph is new.", {JSON: "ChangedStatements"})},
}

surface = Surface("graphstore")


@dataclass(frozen=True, slots=True)
class Part:
    """RDF in the body of a request."""

    format: str
    content: bytes


@surface.get("/data", query=None, **_ROOT)
@surface.get("/data/{name}", query=None, **_NAMED)
def read(name: str | None = None) -> Response:
    """The triples of a graph; 404 where it does not exist. Without a name, all that users state."""
    if _names_none(name):
        return _users_dataset()
    graph = _graph(name)
    choice = responses.chosen(GRAPHS)
    here = service()
    if graph == retrievals_graph(here):
        require(readers_of_retrievals(here.settings))
        here.keeper.flush()
        with here.revisions.use() as pin:
            answer = _sent(here, pin, graph, choice)
        answer.cache_control.no_store = True
        return answer
    with here.revisions.use() as pin:
        subject = responses.digest(graph)
        etag = responses.tag(here, pin, choice.offer.name, choice.version, subject)
        return responses.conditional(etag, lambda: _sent(here, pin, graph, choice))


def _users_dataset() -> Response:
    here, choice = service(), responses.chosen(DATASETS)
    with here.revisions.use() as pin:
        etag = responses.tag(here, pin, choice.offer.name, choice.version, "users")
        users = here.configuration.base_iri
        return responses.conditional(etag, lambda: _sent(here, pin, None, choice, users))


def _sent(here: Service, pin: Pin, graph: str | None, choice: Choice, users: str | None = None) -> Response:
    """The graph of a revision; of HEAD, whether it exists. Raises NotFoundError."""
    head = request.method == "HEAD"
    output = query_output(here.settings, choice.offer.name, choice.version or "1.1")
    kept = retrievals_job(here) if graph == retrievals_graph(here) else None
    job = {"op": "graph", "graph": graph, "head": head, "folder": pin.path, "retrievals": kept, **output}
    job["users"] = users
    gone, client = request.environ.get(CLIENT_GONE), client_of(request.environ)
    body = here.queries.run(job, here.settings.sparql_timeout, gone=gone, client=client)
    answer = stream(body, responses.content_type(choice))
    if head:
        answer.automatically_set_content_length = False
        del answer.content_length
    return answer


@surface.put("/data", "putGraph", "Make a graph be what is sent", **_ROOT, **_WRITES, **_MAKES)
@surface.put("/data/{name}", **_NAMED, **_WRITES)
def replace(name: str | None = None) -> Response:
    """Makes a graph be what the body says; 201 where it is new. Without a name, all that users state."""
    _may_write()
    if _names_none(name):
        return _written(_write("replace", None, _parts(), dataset=True))
    return _written(_write("replace", _graph(name), _parts()))


@surface.post("/data", "postGraph", "Add statements to a graph", **_ROOT, **_WRITES, **_MAKES)
@surface.post("/data/{name}", **_NAMED, **_WRITES)
def add(name: str | None = None) -> Response:
    """Adds what the body says to a graph; without one, to a new graph, which the header Location names.

    A body in TriG or N-Quads names its graphs itself.
    """
    _may_write()
    parts = _parts()
    if _names_none(name) and any(each.format in _WITH_GRAPHS for each in parts):
        return _written(_write("add", None, parts, dataset=True))
    if name is None and all(key in (RETRIEVABLE, DRY_RUN) for key, _ in url_parameters().pairs):
        graph = request.base_url.rstrip("/") + "/" + _name_of(each.content for each in parts)
        answer = _written(_write("add", graph, parts) | {"created": True})
        if not _is_dry_run():
            answer.headers["Location"] = graph
        return answer
    return _written(_write("add", _graph(name), parts))


@surface.delete("/data", "deleteGraph", "Remove a graph", query=None, **_ROOT, **_REMOVES, **_DESCRIBED)
@surface.delete("/data/{name}", query=None, **_NAMED, **_REMOVES)
def remove(name: str | None = None) -> Response:
    """Removes a graph; 404 where it does not exist."""
    _may_write()
    return _written(_write("remove", _graph(name), []))


@surface.patch(
    "/data",
    "patchGraph",
    "Change a graph by a SPARQL update",
    sent=_patch_sent,
    **_ROOT,
    **_WRITES,
    **_DESCRIBED,
)
@surface.patch("/data/{name}", **_NAMED, **_WRITES)
def patch(name: str | None = None) -> Response:
    """Changes a graph by a SPARQL Update that names no graph."""
    _may_write()
    if request.mimetype != UPDATE:
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: a patch is {UPDATE}")
    job = {
        "op": "update",
        "base": request.base_url,
        "using": None,
        "within": _graph(name) or "",
        "conditions": conditions_in(request),
        "dry_run": _is_dry_run(),
    }
    return _written(write(job, io.BytesIO(body_text().encode())))


def _may_write() -> None:
    """Raises MethodError on a service that is read-only for everybody, else what `require_change` raises."""
    if not service().tokens.any(AccessRole.WRITE):
        raise MethodError(
            "this service is read-only; make a token: sage-ld token create KG NAME --role write", READS
        )
    require_change(AccessRole.WRITE)


def _names_none(name: str | None) -> bool:
    """Whether a request names no graph: it is about all that users state."""
    parameters = url_parameters()
    return name is None and "graph" not in parameters and "default" not in parameters


def _graph(name: str | None) -> str | None:
    """The graph that the request names; None for the default graph. Raises InputError if it names none."""
    if name is not None:
        return checked_iri(request.root_url.rstrip("/") + addresses.sent_path(request.environ), "the URL")
    parameters = url_parameters()
    graph = parameters.one("graph")
    if (graph is None) == ("default" not in parameters):
        raise InputError("name one graph: ?graph=IRI, ?default, or its own URL below /data/")
    return None if graph is None else checked_iri(graph, "graph")


def _parts() -> list[Part]:
    """The RDF of the body; several pieces where it is multipart/form-data. Raises MediaTypeError."""
    if request.mimetype != "multipart/form-data":
        return [Part(_format(request.mimetype), request.get_data(cache=False))]
    parts = []
    for _, file in form_parts()[1].items(multi=True):
        parts.append(Part(_format(file.mimetype), file.stream.read()))
    if not parts:
        raise InputError("the form has no file; send each piece of RDF as a file with its media type")
    return parts


def _format(media_type: str) -> str:
    if media_type not in FORMATS:
        raise MediaTypeError(
            f"Content-Type {media_type[:60]!r} is not read; send one of {', '.join(FORMATS)}"
        )
    return FORMATS[media_type]


def _write(action: str, graph: str | None, parts: list[Part], *, dataset: bool = False) -> dict[str, Any]:
    job = {
        "op": "graph",
        "dataset": dataset,
        "action": action,
        "graph": graph,
        "base": graph or request.base_url,
        "retrievable": _retrievable(graph),
        "conditions": conditions_in(request),
        "dry_run": _is_dry_run(),
        "parts": [[each.format, len(each.content)] for each in parts],
    }
    return write(job, io.BytesIO(b"".join(each.content for each in parts)))


def _retrievable(graph: str | None) -> bool | None:
    """Whether retrieval is to find the graph's resources; None where the request leaves it as it is.

    Raises InputError.
    """
    value = url_parameters().one(RETRIEVABLE)
    if value is None:
        return None
    if value not in ("true", "false"):
        raise InputError(f"{RETRIEVABLE} {value[:40]!r} is neither true nor false")
    if graph is None:
        raise InputError("the default graph cannot be made retrievable; name a graph: ?graph=IRI")
    return value == "true"


def _is_dry_run() -> bool:
    return is_dry_run(url_parameters())


def _written(done: dict[str, Any]) -> Response:
    return written(request, done, 201 if done.get("created") else 204, dry_run=_is_dry_run())


def _name_of(contents: Iterable[bytes]) -> str:
    """The end of the address of a graph without a name, which follows from what was sent."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()[:24]
