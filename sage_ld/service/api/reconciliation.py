"""JSON Schemas of what is sent to `/reconcile`, and the JSON of its answers.

The clauses named are those of the Reconciliation Service API 0.2,
https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, NotRequired, TypedDict

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.records import Count, Iri, record_schema, said
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.reconciliation.candidates import (
    STRICTNESS,
    ReconciliationCandidate,
    ReconciliationQuery,
)
from sage_ld.retrieval.reconciliation.values import AskedEntity, AskedProperty, AskedValue
from sage_ld.retrieval.reconciliation.vocabulary import UsedTerm, UsedVocabulary
from sage_ld.service.api import schemas
from sage_ld.service.api.json_text import read_json
from sage_ld.service.api.schemas import SETTING, Schema

_SCALARS: Final = ["string", "number", "boolean", "object"]


def _text(settings: Settings, description: str) -> Schema:
    return {
        "type": "string",
        "maxLength": settings.max_question_length,
        SETTING: "max_question_length",
        "description": description,
    }


def _limit(settings: Settings, description: str) -> Schema:
    return schemas.limit_schema(settings, description, name="max_reconciliation_candidates", default=10)


def queries_schema(settings: Settings) -> Schema:
    """A batch of reconciliation queries by identifiers of the client's (4.1)."""
    value = {"type": [*_SCALARS, "array"], "items": {"type": _SCALARS}}
    asked = schemas.record(["pid", "v"], {"pid": _text(settings, "An IRI, or a name."), "v": value})
    one = schemas.closed(
        [],
        {
            "query": _text(settings, "A name, or the IRI of an entity."),
            "type": {"type": ["string", "array"], "items": {"type": "string"}},
            "type_strict": {"type": "string", "enum": list(STRICTNESS)},
            "limit": _limit(settings, "How many candidates."),
            "properties": schemas.list_of(asked, maxItems=settings.max_filter_values),
        },
    )
    one["properties"]["properties"][SETTING] = "max_filter_values"
    return _batch({"type": "object", "additionalProperties": one}, settings, "maxProperties")


def extension_schema(settings: Settings) -> Schema:
    """A data extension query: entities, and the properties whose values are wanted (7.3)."""
    ids = _batch(schemas.list_of({"type": "string"}), settings, "maxItems")
    wanted = schemas.record(["id"], {"id": {"type": "string"}, "settings": {"type": "object"}})
    properties = _batch(schemas.list_of(wanted), settings, "maxItems")
    return schemas.record(["ids", "properties"], {"ids": ids, "properties": properties})


def _batch(schema: Schema, settings: Settings, rule: str) -> Schema:
    return {**schema, rule: settings.max_reconciliation_batch, SETTING: "max_reconciliation_batch"}


def suggestion_schema(settings: Settings) -> Schema:
    """The parameters of a suggestion (6.2)."""
    return schemas.closed(
        ["prefix"],
        {
            "prefix": _text(settings, "What the user has typed: the begin of a name, or an IRI."),
            "cursor": {
                "type": "integer",
                "minimum": 0,
                "maximum": settings.max_entity_names,
                SETTING: "max_entity_names",
                "default": 0,
                "description": "How many suggestions to skip.",
            },
            "limit": _limit(settings, "How many suggestions."),
            "type": _text(settings, "The IRI of a class: only entities of it."),
        },
    )


def proposal_schema(settings: Settings) -> Schema:
    """The parameters of a proposal of properties (7.2)."""
    return schemas.closed(
        [],
        {
            "type": _text(settings, "The IRI of a class; without one, the properties of all entities."),
            "limit": _limit(settings, "How many properties."),
        },
    )


def element_schema(settings: Settings) -> Schema:
    """The parameter that names what a preview or a flyout shows."""
    return schemas.closed(["id"], {"id": _text(settings, "The IRI of an entity, class or property.")})


# --- reading ------------------------------------------------------------------------------------------


def reconciliation_queries(
    text: str, used: UsedVocabulary, settings: Settings
) -> dict[str, ReconciliationQuery]:
    """The queries of a batch. Raises InputError, LimitError."""
    schema = queries_schema(settings)
    defaults = schemas.defaults(schema["additionalProperties"])
    batch = schemas.checked_value(read_json(text, "queries"), schema, "queries")
    return {name: _query(name, {**defaults, **each}, used) for name, each in batch.items()}


def _query(name: str, said: Mapping[str, Any], used: UsedVocabulary) -> ReconciliationQuery:
    text, properties = said.get("query", "").strip(), said.get("properties", [])
    if not text and not properties:
        raise InputError(f"query {name[:40]!r}: give query or properties")
    types = said.get("type", [])
    return ReconciliationQuery(
        name=text,
        types=tuple(each for each in ([types] if isinstance(types, str) else types) if each),
        strictness=said.get("type_strict", STRICTNESS[0]),
        properties=tuple(_property(each, used) for each in properties),
        limit=said["limit"],
    )


def _property(said: Mapping[str, Any], used: UsedVocabulary) -> AskedProperty:
    """Raises InputError for a property that has no IRI and is not the name of one in use."""
    values = said["v"] if isinstance(said["v"], list) else [said["v"]]
    return AskedProperty(used.property_named(said["pid"]), tuple(map(_value, values)))


def _value(said: Any) -> AskedValue:
    if not isinstance(said, dict):
        return said  # type: ignore[no-any-return]
    if not isinstance(said.get("id"), str):
        raise InputError("a value that is an object is an entity; give its id")
    return AskedEntity(said["id"])


class ExtensionQuery(TypedDict):
    """A data extension query: entities, and the most values of each property, None being all."""

    ids: list[str]
    properties: dict[str, int | None]


def extension_query(text: str, settings: Settings) -> ExtensionQuery:
    """Raises InputError, LimitError."""
    asked = schemas.checked_value(read_json(text, "extend"), extension_schema(settings), "extend")
    properties = {each["id"]: _most(each.get("settings", {})) for each in asked["properties"]}
    return {"ids": asked["ids"], "properties": properties}


_LONGEST_LIMIT: Final = 18
"""Digits of a number of values."""


def _most(given: Mapping[str, Any]) -> int | None:
    """The setting `limit` of a property, which OpenRefine sends as a number or as a text; 0 is no limit."""
    text = str(given.get("limit") or 0)
    if not text.isdecimal() or len(text) > _LONGEST_LIMIT:
        raise InputError(f"the limit of a property: {text[:40]!r} is not a number of values; give 0 for all")
    return int(text) or None


# --- answers ------------------------------------------------------------------------------------------


class NamedTermJson(TypedDict):
    """A class or a property (2.2, 2.3)."""

    id: str
    name: str
    description: NotRequired[str]


class FeatureJson(TypedDict):
    """A part of the score (4.2)."""

    id: str
    value: bool | float


class CandidateJson(TypedDict):
    """An entity that a query may mean (4.2)."""

    id: Iri
    name: str
    description: NotRequired[str]
    type: list[NamedTermJson]
    score: Annotated[float, said("From 0 to 100.")]
    match: Annotated[bool, said("Whether it alone has that label, and all that was asked for.")]
    features: list[FeatureJson]


class CandidatesJson(TypedDict):
    """The answer to one query, the likeliest candidate first."""

    result: list[CandidateJson]


class SuggestionJson(TypedDict):
    """An entity, class or property whose name begins as was typed (6.3)."""

    id: str
    name: str
    description: NotRequired[str]
    notable: NotRequired[list[NamedTermJson]]


class SuggestionsJson(TypedDict):
    """Suggestions, the best first."""

    result: list[SuggestionJson]


class FlyoutJson(TypedDict):
    """A small preview (6.5)."""

    id: str
    html: str


class ProposedPropertiesJson(TypedDict):
    """The properties that entities of a class have, the most frequent first (7.2)."""

    properties: list[NamedTermJson]
    type: NotRequired[str]
    limit: Count


class DataExtensionJson(TypedDict):
    """The values of properties, by entity and property (7.4)."""

    meta: list[NamedTermJson]
    rows: dict[str, dict[str, list[dict[str, Any]]]]


class ReconciliationManifestJson(TypedDict):
    """The offers of the service, and their addresses (3.1)."""

    versions: list[str]
    name: str
    identifierSpace: str
    schemaSpace: str
    serviceVersion: str
    documentation: str
    defaultTypes: list[NamedTermJson]
    view: dict[str, str]
    preview: dict[str, str | int]
    suggest: dict[str, dict[str, str]]
    extend: dict[str, Any]
    batchSize: Count
    authentication: NotRequired[dict[str, str]]


ANSWER: Final[Schema] = {
    "anyOf": [
        record_schema(ReconciliationManifestJson),
        record_schema(DataExtensionJson),
        {"type": "object", "additionalProperties": record_schema(CandidatesJson)},
    ]
}
"""The schema of the answers of `/reconcile`."""


def named_term(term: UsedTerm) -> NamedTermJson:
    """A class or a property in an answer."""
    return {"id": term.iri, "name": term.name}


def named_terms(iris: Iterable[str], used: UsedVocabulary) -> list[NamedTermJson]:
    """Classes or properties in an answer."""
    return [named_term(used.term(each)) for each in iris]


def candidate_json(
    found: ReconciliationCandidate, query: ReconciliationQuery, used: UsedVocabulary, description: str
) -> CandidateJson:
    """A candidate in an answer; its features are those that the query has."""
    features: dict[str, bool | float] = {"mentions": found.entity.frequency}
    if query.name:
        features["name_similarity"] = round(found.name_likeness, 4)
    if query.types:
        features["type_match"] = found.fits_types
    if query.properties:
        features["property_similarity"] = round(found.property_likeness, 4)
    candidate: CandidateJson = {
        "id": found.entity.iri,
        "name": found.entity.name,
        "type": named_terms(found.entity.types, used),
        "score": found.score,
        "match": found.is_match,
        "features": [{"id": name, "value": value} for name, value in sorted(features.items())],
    }
    return {**candidate, "description": description} if description else candidate


MANIFEST_EXAMPLE: Final = json.loads(
    """{"versions": ["0.2"], "name": "films (sage-ld)", "identifierSpace": "http://localhost:8000/id/",
    "schemaSpace": "http://www.w3.org/2000/01/rdf-schema#Resource", "serviceVersion": "0.1.0",
    "documentation": "http://localhost:8000/docs",
    "defaultTypes": [{"id": "https://schema.org/Person", "name": "Person"}],
    "view": {"url": "http://localhost:8000/describe?iri={{id}}"},
    "preview": {"url": "http://localhost:8000/reconcile/preview?id={{id}}", "width": 400, "height": 200},
    "suggest": {}, "extend": {}, "batchSize": 100}"""
)
"""An answer to a request without parameters."""
