"""`/data`: the SPARQL 1.1 Graph Store HTTP Protocol; graphs are named by `?graph=`, `?default` or their URL.

https://www.w3.org/TR/sparql11-http-rdf-update/ . Reading the default graph gives the union of all graphs,
as in a query; writing it changes the store's own default graph.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.errors import InputError
from sage_ld.service.access.tokens import AccessRole, client_of, readers_of_retrievals
from sage_ld.service.context import Service, require, require_change, service
from sage_ld.service.http import addresses, responses
from sage_ld.service.http.body_limits import of_a_write
from sage_ld.service.http.conditional import conditions_in
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.errors import MediaTypeError, MethodError
from sage_ld.service.http.negotiation import GRAPHS, Choice
from sage_ld.service.http.request_values import body_text, url_parameters
from sage_ld.service.http.uploads import form_parts
from sage_ld.service.revisions import Pin
from sage_ld.service.route import Surface
from sage_ld.service.sparql.endpoint import UPDATE
from sage_ld.service.sparql.queries import checked_iri, retrievals_graph, retrievals_job, stream
from sage_ld.service.sparql.writes import write
from sage_ld.service.workers.query_jobs import query_output

FORMATS: Final = {offer.media_type: offer.name for offer in GRAPHS}
RETRIEVABLE: Final = "retrievable"
"""The parameter by which a graph becomes a document that retrieval finds."""
READS: Final = ("GET", "HEAD", "OPTIONS")

_REMOVES: Final[dict[str, Any]] = {"role": AccessRole.WRITE, "checks_role": True}
_WRITES: Final[dict[str, Any]] = {**_REMOVES, "limit": of_a_write}
_ROOT: Final[dict[str, Any]] = {"options": {"strict_slashes": False}}
_NAMED: Final[dict[str, Any]] = {"rule": "/data/<path:name>"}

surface = Surface("graphstore")


@dataclass(frozen=True, slots=True)
class Part:
    """RDF in the body of a request."""

    format: str
    content: bytes


@surface.get("/data", query=None, **_ROOT)
@surface.get("/data/{name}", query=None, **_NAMED)
def read(name: str | None = None) -> Response:
    """The triples of a graph; 404 where it does not exist."""
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


def _sent(here: Service, pin: Pin, graph: str | None, choice: Choice) -> Response:
    """The graph of a revision; of HEAD, whether it exists. Raises NotFoundError."""
    head = request.method == "HEAD"
    output = query_output(here.settings, choice.offer.name, choice.version or "1.1")
    kept = retrievals_job(here) if graph == retrievals_graph(here) else None
    job = {"op": "graph", "graph": graph, "head": head, "folder": pin.path, "retrievals": kept, **output}
    gone, client = request.environ.get(CLIENT_GONE), client_of(request.environ)
    body = here.queries.run(job, here.settings.sparql_timeout, gone=gone, client=client)
    answer = stream(body, responses.content_type(choice))
    if head:
        answer.automatically_set_content_length = False
        del answer.content_length
    return answer


@surface.put("/data", **_ROOT, **_WRITES)
@surface.put("/data/{name}", **_NAMED, **_WRITES)
def replace(name: str | None = None) -> Response:
    """Makes a graph be what the body says; 201 where it is new."""
    _may_write()
    return _written(_write("replace", _graph(name), _parts()))


@surface.post("/data", **_ROOT, **_WRITES)
@surface.post("/data/{name}", **_NAMED, **_WRITES)
def add(name: str | None = None) -> Response:
    """Adds what the body says to a graph; without one, to a new graph, which the header Location names."""
    _may_write()
    parts = _parts()
    if name is None and all(key == RETRIEVABLE for key, _ in url_parameters().pairs):
        graph = request.base_url.rstrip("/") + "/" + _name_of(each.content for each in parts)
        _write("add", graph, parts)
        return _empty(201, Location=graph)
    return _written(_write("add", _graph(name), parts))


@surface.delete("/data", query=None, **_ROOT, **_REMOVES)
@surface.delete("/data/{name}", query=None, **_NAMED, **_REMOVES)
def remove(name: str | None = None) -> Response:
    """Removes a graph; 404 where it does not exist."""
    _may_write()
    _write("remove", _graph(name), [])
    return _empty(204)


@surface.patch("/data", **_ROOT, **_WRITES)
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
    }
    write(job, io.BytesIO(body_text().encode()))
    return _empty(204)


def _may_write() -> None:
    """Raises MethodError on a service that is read-only for everybody, else what `require_change` raises."""
    if not service().tokens.any(AccessRole.WRITE):
        raise MethodError(
            "this service is read-only; make a token: sage-ld token create KG NAME --role write", READS
        )
    require_change(AccessRole.WRITE)


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


def _write(action: str, graph: str | None, parts: list[Part]) -> dict[str, Any]:
    job = {
        "op": "graph",
        "action": action,
        "graph": graph,
        "base": graph or request.base_url,
        "retrievable": _retrievable(graph),
        "conditions": conditions_in(request),
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


def _written(done: dict[str, Any]) -> Response:
    return _empty(201 if done["created"] else 204)


def _empty(status: int, **headers: str) -> Response:
    answer = Response(status=status, headers=headers)
    del answer.headers["Content-Type"]
    return answer


def _name_of(contents: Iterable[bytes]) -> str:
    """The end of the address of a graph without a name, which follows from what was sent."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(b"%d:" % len(content) + content)
    return digest.hexdigest()[:24]
