"""The labels of any resource, as the store has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import label_order
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node

NAMING: Final = (v.PREF_LABEL, v.NAME, v.RDFS + "label")
"""The properties that name a resource, the best first."""
_LABELS: Final = (*NAMING, v.IDENTIFIER)
_MOST_VALUES: Final = 20
"""Values of one property of a node that are looked at."""


def label_of(store: Store, iri: str) -> str:
    """The label of a resource, or its IRI where it has none."""
    return next(labels_of(store, NamedNode(iri)), iri)


def labels_of(store: Store, term: NamedNode) -> Iterator[str]:
    """The labels of a resource, the first property's before those of others."""
    for name in _LABELS:
        values = (quad.object for quad in first_statements(store, term, name))
        labels = (value for value in values if isinstance(value, Literal))
        yield from (each.value for each in sorted(labels, key=label_order))


def first_statements(store: Store, term: NamedNode, name: str) -> Iterable[Quad]:
    """The first statements of a resource with a property: of ours there are few, whatever users state."""
    return islice(store.quads_for_pattern(term, node(name), None), _MOST_VALUES)
