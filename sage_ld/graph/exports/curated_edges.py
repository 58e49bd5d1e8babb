"""Curated edges as JSON: as `/v1/edges` sends and takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Property
from sage_ld.foundation.relation_types import RelationType, RelationTypes
from sage_ld.graph.changes.curated_edges import EdgeDraft
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.terms import property_value
from sage_ld.graph.views.documents import key_for, keyed_values

_FIELDS: Final = {
    "weight": "weight",
    "validFrom": "valid_from",
    "validThrough": "valid_through",
    "comment": "comment",
    "metadata": "metadata",
}
"""Members that may be left out -> fields of a draft."""


def edge_json(edge: CuratedEdge, types: RelationTypes, terms: MetadataTerms, base: str) -> dict[str, Any]:
    """An edge; members without a value are left out."""
    said: dict[str, Any] = {
        "id": edge.iri,
        "identifier": edge.identifier,
        "source": edge.source,
        "relation": types.of(edge.relation_type).name,
        "relationType": edge.relation_type,
        "target": edge.target,
        "weight": edge.weight,
    }
    values = ((each.key, property_value(each, base)) for each in edge.metadata)
    optional = {
        "validFrom": edge.valid_from,
        "validThrough": edge.valid_through,
        "comment": edge.comment,
        "metadata": keyed_values(values, terms, base),
    }
    return said | {name: value for name, value in optional.items() if value}


def relation_types_json(types: RelationTypes) -> dict[str, Any]:
    """The table of types, the strongest first; members without a value are left out."""
    ordered = sorted(types.types.values(), key=lambda each: (-each.weight, each.name))
    return {"relationTypes": [_relation_type_json(each) for each in ordered]}


def _relation_type_json(each: RelationType) -> dict[str, Any]:
    optional = {"label": each.label, "comment": each.comment, "inverse": each.inverse}
    return {
        "id": each.iri,
        "name": each.name,
        "names": list(each.names),
        "weight": each.weight,
        "matches": list(each.matches),
        **{name: value for name, value in optional.items() if value},
    }


def patched_draft(
    edge: CuratedEdge, said: Mapping[str, Any], patch: Mapping[str, Any], terms: MetadataTerms, base: str
) -> EdgeDraft:
    """The draft of an edge, of which `edge_json` says `said`, after a JSON merge patch.

    Metadata that the patch does not name stays as it is: as JSON it would lose languages, and datatypes that
    JSON does not have.
    """
    metadata: dict[str, list[Property]] = {}
    for each in edge.metadata:
        metadata.setdefault(key_for(each.key, terms, base), []).append(each)
    return draft_of(patched({**said, "metadata": metadata}, patch))


def draft_of(said: Mapping[str, Any]) -> EdgeDraft:
    """The draft that a JSON object states; a member that is null counts as left out."""
    given = {field: said[name] for name, field in _FIELDS.items() if said.get(name) is not None}
    return EdgeDraft(said["source"], said["relation"], said["target"], **given)


def patched(before: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """An object after a JSON merge patch (RFC 7396).

    >>> patched({"weight": 1.0, "metadata": {"a": 1, "b": 2}}, {"weight": None, "metadata": {"a": 3}})
    {'metadata': {'a': 3, 'b': 2}}
    """
    after = dict(before)
    for name, value in patch.items():
        if value is None:
            after.pop(name, None)
        elif isinstance(value, Mapping):
            inner = after.get(name)
            after[name] = patched(inner if isinstance(inner, Mapping) else {}, value)
        else:
            after[name] = value
    return after
