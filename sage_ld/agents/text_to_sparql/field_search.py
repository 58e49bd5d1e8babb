"""Resources that the searches of single fields find, joined: where no query finds anything (SPARK)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pyoxigraph import Literal, NamedNode

from sage_ld.agents.text_to_sparql.answers import Way
from sage_ld.agents.text_to_sparql.rdf_schema import rdf_schema
from sage_ld.agents.text_to_sparql.values import Nearest
from sage_ld.graph import Snapshot

_MOST: Final = 200
"""Resources that have a value, for each value that names none."""


def by_fields(snapshot: Snapshot, question: str, most: int) -> tuple[Way, tuple[tuple[str, str], ...]] | None:
    """Resources with a label each: the last intersection of the fields that has some, else their union.

    Fields are joined from the one that found the nearest value on. None where no field finds anything.
    """
    fields = rdf_schema(snapshot).values.nearest(question)
    ordered = sorted(fields, key=lambda name: (fields[name][0].distance, name))
    resources = [_resources(snapshot, name, fields[name]) for name in ordered]
    resources = [each for each in resources if each]
    if not resources:
        return None
    common, joined = dict(resources[0]), 1
    for each in resources[1:]:
        if both := {iri: label for iri, label in common.items() if iri in each}:
            common, joined = both, joined + 1
    if joined > 1:
        return Way.INTERSECTION, tuple(common.items())[:most]
    union: dict[str, str] = {}
    for each in resources:
        union |= {iri: label for iri, label in each.items() if iri not in union}
    return Way.UNION, tuple(union.items())[:most]


def _resources(snapshot: Snapshot, field: str, nearest: Sequence[Nearest]) -> Mapping[str, str]:
    """The resources that have the values found in a field, the nearest first, with a label."""
    resources: dict[str, str] = {}
    for each in nearest:
        value = each.value
        if value.resource is not None:
            resources.setdefault(value.resource, value.text)
            continue
        quads = snapshot.store.quads_for_pattern(None, NamedNode(field), Literal(value.text), None)
        for _, quad in zip(range(_MOST), quads, strict=False):
            if isinstance(quad.subject, NamedNode):
                resources.setdefault(quad.subject.value, value.text)
    return resources
