"""Linked data: every IRI below the graph's base, as a page for people and as RDF for programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast
from urllib.parse import unquote, urlencode

from flask import Flask, Response, request, url_for
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotAcceptableError, NotFoundError
from sage_ld.foundation.rdf_values import text_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.provenance.judgements import not_kept
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stored_documents import document_text
from sage_ld.service.access.tokens import readers_of_retrievals
from sage_ld.service.api.schemas import Schema
from sage_ld.service.context import Service, local_path, require, service
from sage_ld.service.http import responses
from sage_ld.service.http.addresses import FORMAT_PARAMETERS, known, names, sent_name
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.http.responses import HTML, PAGE, page_module
from sage_ld.service.openapi.parts import described, formats
from sage_ld.service.representations.kept_retrievals import names_retrieval, retrieval_store, whole_retrieval
from sage_ld.service.representations.resource_statements import description, types_of
from sage_ld.service.requests import current_check, held
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.sparql.queries import checked_iri

TEXT: Final = Offer("text", "text/plain")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)

surface = Surface("linked_data", tag="data set", errors=("406",))


def _described(settings: Settings) -> list[Schema]:
    """The parameters of `/describe`."""
    iri = {
        "name": "iri",
        "in": "query",
        "required": True,
        "description": "Of any resource of the graph. IRIs below its base answer at their own address, too.",
        "schema": {
            "type": "string",
            "format": "iri",
            "minLength": 1,
            "maxLength": settings.max_request_line,
        },
    }
    return [iri, *formats(*(each.name for each in PAGE))]


def register(app: Flask, opened: Service) -> None:
    """Adds the route below the path of the base IRI, which is another for each graph."""
    path = unquote(_base_path(opened))
    if not opened.configuration.base_iri.endswith("#"):
        app.add_url_rule(f"{path}<path:name>", "linked_data.resource", resource)
        if path != "/":
            app.add_url_rule(path, "linked_data.resource", resource)


def resource(name: str = "") -> Response:
    """The resource whose IRI is this address; `name` is the part after the base, decoded."""
    here = service()
    sent = sent_name(request.environ, _base_path(here), name)
    return _answer([here.configuration.base_iri + each for each in names(sent)])


@surface.get(
    "/describe",
    "describe",
    "A resource, as a page or in RDF",
    query=None,
    parameters=_described,
    reply=RouteReply("A resource, as a page or in RDF.", described(PAGE)),
    cached=True,
)
def describe() -> Response:
    """Any resource that the graph says something about, by the parameter `iri`."""
    if (iri := request.args.get("iri")) is None:
        raise InputError("no resource is named; give its IRI as the parameter iri")
    return _answer([checked_iri(iri, "iri")])


def _answer(iris: Sequence[str]) -> Response:
    """The description of the first of `iris` that the graph knows. Raises NotFoundError."""
    choice = responses.chosen((*PAGE, TEXT))
    with held() as snapshot:
        iri = next((each for each in iris if known(snapshot.store, each)), None)
        if iri is None and (kept := next((each for each in iris if _names_kept(each)), None)) is not None:
            return _kept(snapshot, kept, choice)
        if iri is None:
            raise NotFoundError(
                f"the graph says nothing about <{iris[0][:200]}>; search for it at {request.script_root}/"
            )
        if _is_graph(snapshot, iri) and choice.offer is not HTML:
            return _to_graph_store(iri)
        part = _part() if choice.offer is HTML else 1
        etag = responses.tag(service(), snapshot, choice.offer.name, choice.version, f"part{part}")
        answer = responses.conditional(etag, lambda: _represented(snapshot, iri, choice, part))
        has_text = not types_of(snapshot.store, iri).isdisjoint((v.DOCUMENT, v.CHUNK))
    responses.link_alternates(answer, (*PAGE, TEXT) if has_text else PAGE, choice)
    if part > 1:
        answer.headers["Content-Location"] += f"&part={part}"
    return answer


def _part() -> int:
    """The part of a long document that is asked for, counted from 1. Raises InputError."""
    text = request.args.get("part", "1")
    if not _NUMBER.fullmatch(text):
        raise InputError(f"part={text[:40]!r}: give a number from 1 on")
    return int(text)


def _names_kept(iri: str) -> bool:
    return names_retrieval(service().configuration.base_iri, iri)


def _kept(snapshot: Snapshot, iri: str, choice: Choice) -> Response:
    """A kept retrieval with its results, or a part of one, for clients that may read it.

    Raises NotFoundError.
    """
    here = service()
    require(readers_of_retrievals(here.settings))
    if choice.offer is TEXT:
        raise _no_text()
    here.keeper.flush()
    store = retrieval_store(here.graph.retrievals, snapshot.store, iri)
    if store is None or not known(store, iri):
        raise not_kept(iri)
    whole = whole_retrieval(store, iri, here.configuration.base_iri)
    if choice.offer is HTML or whole is None:
        answer = _shown(snapshot, store, iri, choice)
    else:
        answer = responses.rdf(whole, choice)
    answer.cache_control.no_store = True
    answer.vary.add("Accept")
    responses.link_alternates(answer, PAGE, choice)
    return answer


def _represented(snapshot: Snapshot, iri: str, choice: Choice, part: int) -> Response:
    if choice.offer is HTML and _is_graph(snapshot, iri):
        return cast("Response", page_module("rendering").named_graph(snapshot, iri, _graph_store(iri)))
    if choice.offer is TEXT:
        return _as_text(snapshot, iri)
    return _shown(snapshot, snapshot.store, iri, choice, part)


def _as_text(snapshot: Snapshot, iri: str) -> Response:
    """The text of a document or a chunk. Raises NotAcceptableError for anything else, LimitError."""
    types = types_of(snapshot.store, iri)
    if v.DOCUMENT in types:
        text = document_text(
            snapshot.stores.named,
            Iris(snapshot.configuration.base_iri),
            iri,
            limit=service().settings.max_sent_text,
            setting="max_sent_text",
            check=current_check(),
        )
    elif v.CHUNK in types:
        texts = snapshot.store.quads_for_pattern(NamedNode(iri), NamedNode(v.TEXT), None)
        text = next((text_of(each.object) for each in texts), "")
    else:
        raise _no_text()
    return Response(text, content_type="text/plain; charset=utf-8")


def _no_text() -> NotAcceptableError:
    return NotAcceptableError("only documents and chunks have a text; ask for text/html or text/turtle")


def _shown(snapshot: Snapshot, store: Store, iri: str, choice: Choice, part: int = 1) -> Response:
    """The statements of a store about a resource; the chunks are those of the revision."""
    here = service()
    if choice.offer is not HTML:
        return responses.rdf(description(store, iri, here.settings.max_incoming), choice)
    return cast("Response", page_module("rendering").resource(snapshot, store, iri, part))


def _is_graph(snapshot: Snapshot, iri: str) -> bool:
    """Whether `iri` names one of our named graphs, whose content is at the graph store."""
    return snapshot.stores.named.contains_named_graph(NamedNode(iri))


def _to_graph_store(iri: str) -> Response:
    """A redirect with the parameters that choose a format; the client sends the header Accept again."""
    shown = {name: request.args[name] for name in FORMAT_PARAMETERS if name in request.args}
    answer = Response(status=303, headers={"Location": _graph_store(iri, shown)})
    answer.vary.add("Accept")
    return answer


def _graph_store(iri: str, shown: Mapping[str, str] = MappingProxyType({})) -> str:
    return f"{url_for('graphstore.read')}?{urlencode({'graph': iri, **shown})}"


def _base_path(opened: Service) -> str:
    return local_path(opened, opened.configuration.base_iri)
