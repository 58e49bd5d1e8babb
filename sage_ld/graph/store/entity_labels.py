"""The labels of entities: of our own from the forms in texts, of users' resources from their RDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store import resources
from sage_ld.graph.store.derived import entity_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import LineCollector, integer
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import entity_classes, mentioned_entities, surface_forms
from sage_ld.graph.store.resources import ResourceLabels
from sage_ld.graph.store.terms import node

_BATCH_ENTITIES: Final = 5_000  # entities whose forms and classes are in memory at once


def label_lines(store: Store, iris: Iris, entities: Iterable[str] | None = None) -> Iterator[str]:
    """Labels, classes and frequencies of some entities (IRIs), or of all that chunks mention, as N-Quads."""
    wanted = iter(mentioned_entities(store) if entities is None else sorted(set(entities)))
    while batch := list(islice(wanted, _BATCH_ENTITIES)):
        yield from _lines(store, iris, batch)


def _lines(store: Store, iris: Iris, entities: list[str]) -> Iterator[str]:
    forms = surface_forms(store, entities)
    own = {entity: each for entity, each in forms.items() if entity.startswith(iris.base)}
    yield from entity_lines(own, entity_classes(store, entities), iris)
    for resource in sorted(forms.keys() - own.keys()):
        labels = resources.labels(store, resource, iris)
        yield from resource_lines(resource, forms[resource], _frequency(store, resource), labels, iris)


def resource_lines(
    resource: str, forms: Iterable[str], frequency: int, labels: ResourceLabels, iris: Iris
) -> list[str]:
    """N-Quads of what a user's resource has as an entity, without what the user's RDF says itself.

    Its best label is the preferred one, unless the RDF has a `skos:prefLabel`. Its other labels, and `forms`
    in which texts write it, are alternative ones.
    """
    out = LineCollector(iris.entities_graph)
    subject = NamedNode(resource)
    out.typed(subject, *(each for each in (v.CONCEPT, v.SCHEMA_THING) if each not in labels.types))
    written = [Literal(each) for each in sorted(forms)]
    taken = {*labels.pref_labels, *labels.alt_labels}
    if not labels.pref_labels:
        preferred = next(iter((*labels.preferred, *labels.others, *written)))
        taken.add(preferred.value)
        out.add(subject, v.PREF_LABEL, preferred)
    for label in (*labels.preferred, *labels.others, *written):
        if label.value not in taken:
            taken.add(label.value)
            out.add(subject, v.ALT_LABEL, label)
    out.add(subject, v.CHUNK_FREQUENCY, integer(frequency))
    return out.take()


def _frequency(store: Store, entity: str) -> int:
    """The number of chunks that mention an entity, which two labels of it may do."""
    quads = store.quads_for_pattern(None, node(v.MENTIONS), NamedNode(entity), None)
    return len({quad.subject for quad in quads})
