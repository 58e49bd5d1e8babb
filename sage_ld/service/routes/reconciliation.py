"""`/reconcile`: the Reconciliation Service API 0.2, by which OpenRefine finds the entities that names mean.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ . Pages of other sites read
it by CORS (3.3), as the setting cors_origins says; JSONP, which 3.3 leaves to the service, is not offered: it
would run around that setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from flask import Response, request

import sage_ld
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.retrieval.reconciliation.candidates import candidates, suggested
from sage_ld.retrieval.reconciliation.names import EntityNames, NamedEntity, entity_names
from sage_ld.retrieval.reconciliation.values import ValueReader, extended
from sage_ld.retrieval.reconciliation.vocabulary import (
    UsedTerm,
    UsedVocabulary,
    terms_named,
    used_vocabulary,
)
from sage_ld.service.access.hosts import framing_policy
from sage_ld.service.api import reconciliation as api
from sage_ld.service.api.schemas import Schema, defaults
from sage_ld.service.context import service
from sage_ld.service.http import request_values, responses
from sage_ld.service.http.body_limits import of_json_in_a_form
from sage_ld.service.http.errors import MediaTypeError
from sage_ld.service.http.negotiation import Choice, Offer
from sage_ld.service.http.request_values import FORM, Parameters, form_parameters, url_parameters
from sage_ld.service.openapi.parts import JSON, TEXT, in_path, in_query
from sage_ld.service.representations.previews import preview_html, preview_page
from sage_ld.service.requests import held, searching
from sage_ld.service.route import RouteReply, Surface
from sage_ld.service.sparql.queries import checked_iri

PATH: Final = "/reconcile"
_OFFERS: Final = responses.JSONS[1:]
_PAGE: Final = (Offer("html", "text/html", ("application/xhtml+xml",)),)
_WIDTH, _HEIGHT = 420, 220
_KINDS: Final = ("entity", "type", "property")
_DEFAULT_TYPES: Final = 10
_KIND: Final = in_path("kind", "What is suggested.", {"type": "string", "enum": list(_KINDS)})
_ASKED: Final = ("queries", "extend")
_ANSWERED: Final = RouteReply(
    "Candidates by the identifiers of the queries; or values by entity and property; or, without either, "
    "the service's manifest.",
    {JSON: {"schema": api.ANSWER, "example": api.MANIFEST_EXAMPLE}},
)

surface = Surface("reconciliation", tag="reconciliation", errors=("413", "504"))


class _Answering(NamedTuple):
    """The names and the vocabulary of a revision, and a reader of its values."""

    names: EntityNames
    used: UsedVocabulary
    reader: ValueReader


def _described(settings: Settings) -> dict[str, Schema]:
    most = settings.max_json_bytes
    queries = "Reconciliation queries by identifiers, as JSON (4.1)."
    extend = "A data extension query, as JSON: entities, and properties whose values are wanted (7.3)."
    texts = zip(_ASKED, (queries, extend), ('{"q0": {"query": "Mira Tolland"}}', None), strict=True)
    return {
        name: {
            **{"type": "string", "maxLength": most, "contentMediaType": JSON, "description": text},
            **({"examples": [example]} if example else {}),
        }
        for name, text, example in texts
    }


def _in_url(settings: Settings) -> list[Schema]:
    return in_query({"required": [], "properties": _described(settings)})


def _in_form(settings: Settings) -> Schema:
    schema = {"type": "object", "properties": _described(settings)}
    return {"required": True, "content": {FORM: {"schema": schema}}}


@surface.get(
    PATH,
    "reconcile",
    "Find the entities that names mean, or read their values; without a query, get the manifest",
    query=None,
    parameters=_in_url,
    offers=_OFFERS,
    reply=_ANSWERED,
    cached=True,
)
def reconcile(choice: Choice) -> Response:
    """The manifest (3.1), or the answer to `queries` or `extend`."""
    return _answer(url_parameters(), choice)


@surface.post(
    PATH,
    "reconcileByPost",
    "Find the entities that names mean, or read their values, by a form",
    sent=_in_form,
    limit=of_json_in_a_form,
    offers=_OFFERS,
    reply=_ANSWERED,
)
def reconcile_by_post(choice: Choice) -> Response:
    """The answer to the element `queries` or `extend` of a form (4.3, 7.3)."""
    if request.mimetype != FORM:
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: send {FORM}")
    parameters = form_parameters()
    if not any(each in parameters for each in _ASKED):
        raise InputError("the form has neither queries nor extend; give one")
    return _answer(parameters, choice)


def _answer(parameters: Parameters, choice: Choice) -> Response:
    """Other parameters mean nothing: clients add such as `callback` and `_`."""
    queries, extend = (parameters.one(each) for each in _ASKED)
    if queries is not None and extend is not None:
        raise InputError("queries and extend are both given; leave one out")

    def make(snapshot: Snapshot) -> Mapping[str, Any]:
        if queries is not None:
            return _candidates(snapshot, queries)
        return _manifest(snapshot) if extend is None else _extended(snapshot, extend)

    return _sent(make, choice, queries, extend)


def _sent(make: Callable[[Snapshot], Mapping[str, Any]], choice: Choice, *asked: object) -> Response:
    """The JSON that `make` returns of the newest revision, or 304."""
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, responses.digest([request.base_url, *asked]))
        return responses.conditional(etag, lambda: responses.json_text(make(snapshot), choice))


@contextmanager
def _answering(snapshot: Snapshot) -> Iterator[_Answering]:
    """Holds a place to search; raises BusyError, and LimitError for more names than may be kept."""
    settings = service().settings
    with searching(service(), request.environ) as check:
        names, used = entity_names(snapshot, settings), used_vocabulary(snapshot, settings)
        yield _Answering(names, used, _reader(snapshot, names, check))


def _reader(snapshot: Snapshot, names: EntityNames, check: Check = unchecked) -> ValueReader:
    return ValueReader(snapshot.store, names, service().settings.max_reconciliation_statements, check)


def _candidates(snapshot: Snapshot, text: str) -> dict[str, api.CandidatesJson]:
    settings = service().settings
    with _answering(snapshot) as (_, used, reader):
        answer: dict[str, api.CandidatesJson] = {}
        for name, query in api.reconciliation_queries(text, used, settings).items():
            found = candidates(query, reader, settings.max_reconciliation_candidates)
            answer[name] = {
                "result": [
                    api.candidate_json(each, query, used, reader.description(each.entity)) for each in found
                ]
            }
    return answer


def _extended(snapshot: Snapshot, text: str) -> dict[str, Any]:
    query = api.extension_query(text, service().settings)
    with _answering(snapshot) as (_, used, reader):
        rows = extended(reader, query["ids"], query["properties"])
        return {"meta": api.named_terms(query["properties"], used), "rows": rows}


def _manifest(snapshot: Snapshot) -> api.ReconciliationManifestJson:
    """The offers of the service (3.1). Identifiers are IRIs, of the graph's base or of users."""
    here, root = service(), request.root_url.rstrip("/")
    with _answering(snapshot) as (_, used, _reader):
        types = [api.named_term(each) for each in used.classes[:_DEFAULT_TYPES]]
    manifest: api.ReconciliationManifestJson = {
        "versions": ["0.2"],
        "name": f"{here.directory.path.name} (sage-ld)",
        "identifierSpace": here.configuration.base_iri,
        "schemaSpace": v.RDFS + "Resource",
        "serviceVersion": sage_ld.__version__,
        "documentation": root + "/docs",
        "defaultTypes": types,
        "view": {"url": root + "/describe?iri={{id}}"},
        "preview": {"url": f"{root}{PATH}/preview?id={{{{id}}}}", "width": _WIDTH, "height": _HEIGHT},
        "suggest": {
            kind: {
                "service_url": root,
                "service_path": f"{PATH}/suggest/{kind}",
                "flyout_service_path": f"{PATH}/flyout/{kind}?id=${{id}}",
            }
            for kind in _KINDS
        },
        "extend": {
            "propose_properties": {"service_url": root, "service_path": f"{PATH}/properties"},
            "property_settings": [
                {
                    "name": "limit",
                    "label": "Limit",
                    "type": "number",
                    "default": 0,
                    "help_text": "Most values of an entity; 0 for all.",
                }
            ],
        },
        "batchSize": here.settings.max_reconciliation_batch,
    }
    return manifest if here.settings.public_read else {**manifest, "authentication": {"type": "basic"}}


# --- suggest, flyout, preview, propose ----------------------------------------------------------------


@surface.get(
    PATH + "/suggest/{kind}",
    "suggestForReconciliation",
    "Complete the name of an entity, class or property",
    query=None,
    parameters=lambda settings: [_KIND, *in_query(api.suggestion_schema(settings))],
    offers=_OFFERS,
    reply=RouteReply("The suggestions, the best first.", {JSON: "Suggestions"}),
    cached=True,
)
def suggest(choice: Choice, kind: str) -> Response:
    """Entities, classes or properties whose name begins so (6.2)."""
    _check_kind(kind)
    asked = _known(api.suggestion_schema)
    begin, limit = asked["cursor"], asked["limit"]

    def make(snapshot: Snapshot) -> dict[str, Any]:
        with _answering(snapshot) as (names, used, reader):
            if kind == "entity":
                types = [asked["type"]] if asked.get("type") else []
                found = suggested(names, asked["prefix"], types)[begin : begin + limit]
                return {"result": [_entity_suggestion(each, used, reader) for each in found]}
            terms = terms_named(used.classes if kind == "type" else used.properties, asked["prefix"])
            return {"result": [_term_suggestion(each) for each in terms[begin : begin + limit]]}

    return _sent(make, choice, asked)


def _entity_suggestion(entity: NamedEntity, used: UsedVocabulary, reader: ValueReader) -> api.SuggestionJson:
    shown: api.SuggestionJson = {
        "id": entity.iri,
        "name": entity.name,
        "notable": api.named_terms(entity.types, used),
    }
    description = reader.description(entity)
    return {**shown, "description": description} if description else shown


def _term_suggestion(term: UsedTerm) -> api.SuggestionJson:
    return {"id": term.iri, "name": term.name, "description": term.description or term.iri}


def _check_kind(kind: str) -> None:
    if kind not in _KINDS:
        raise NotFoundError(f"{kind[:40]!r} is not suggested; choose from {', '.join(_KINDS)}")


def _known(schema: Callable[[Settings], Schema]) -> dict[str, Any]:
    """The parameters that a schema names; others, which clients add, mean nothing. Raises InputError."""
    rules = schema(service().settings)
    pairs = tuple(pair for pair in url_parameters().pairs if pair[0] in rules["properties"])
    return {**defaults(rules), **request_values.typed(Parameters(pairs), rules)}


@surface.get(
    PATH + "/properties",
    "proposeProperties",
    "The properties that entities of a class have",
    query=None,
    parameters=lambda settings: in_query(api.proposal_schema(settings)),
    offers=_OFFERS,
    reply=RouteReply("The properties, the most frequent first.", {JSON: "ProposedProperties"}),
    cached=True,
)
def propose(choice: Choice) -> Response:
    """The properties of entities of a class, or of all entities (7.2)."""
    asked = _known(api.proposal_schema)
    kind, limit = asked.get("type", ""), asked["limit"]

    def make(snapshot: Snapshot) -> dict[str, Any]:
        with _answering(snapshot) as (_, used, _reader):
            found = used.by_class.get(kind, ()) if kind else used.properties
            properties = [api.named_term(each) for each in found[:limit]]
            return {"properties": properties, "limit": limit, **({"type": kind} if kind else {})}

    return _sent(make, choice, asked)


@surface.get(
    PATH + "/flyout/{kind}",
    "flyout",
    "A small preview of an entity, class or property, as HTML in JSON",
    query=None,
    parameters=lambda settings: [_KIND, *in_query(api.element_schema(settings))],
    offers=_OFFERS,
    reply=RouteReply("The preview.", {JSON: "Flyout"}),
    cached=True,
)
def flyout(choice: Choice, kind: str) -> Response:
    """A small preview (6.5). Raises NotFoundError."""
    _check_kind(kind)
    iri = checked_iri(_known(api.element_schema)["id"], "id")
    return _sent(lambda snapshot: {"id": iri, "html": _shown(snapshot, kind, iri)}, choice, iri)


@surface.get(
    PATH + "/preview",
    "previewForReconciliation",
    "A small page about an entity, to be shown inside of another",
    query=None,
    parameters=lambda settings: in_query(api.element_schema(settings)),
    offers=_PAGE,
    reply=RouteReply("The page.", {"text/html": TEXT}),
    cached=True,
)
def preview(_choice: Choice) -> Response:
    """The preview of an entity (5.2), which pages of the origins in cors_origins may frame."""
    iri = checked_iri(_known(api.element_schema)["id"], "id")
    with held() as snapshot:
        etag = responses.tag(service(), snapshot, responses.digest([request.base_url, iri]))

        def make() -> Response:
            return responses.html(preview_page(_shown(snapshot, "entity", iri)))

        answer = responses.conditional(etag, make)
    answer.headers["Content-Security-Policy"] = framing_policy(service().settings)
    return answer


def _shown(snapshot: Snapshot, kind: str, iri: str) -> str:
    """The preview of an entity, class or property. Raises NotFoundError."""
    view = f"{request.root_url.rstrip('/')}/describe"
    with _answering(snapshot) as (names, used, reader):
        if kind != "entity":
            term = used.term(iri)
            if not term.uses:
                raise NotFoundError(f"no entity has the {kind} <{iri[:200]}>")
            return preview_html(view, iri, term.name, [], term.description or iri)
        if (number := names.number.get(iri)) is None:
            raise NotFoundError(f"there is no entity <{iri[:200]}>; /reconcile/suggest/entity finds some")
        entity = names.entities[number]
        types = [each["name"] for each in api.named_terms(entity.types, used)]
        return preview_html(view, iri, entity.name, types, reader.description(entity))
