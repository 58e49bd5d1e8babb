"""The relation types of a graph, and which of them are in use."""

from __future__ import annotations

from sage_ld.relation_types import RelationTypes, builtin_types
from sage_ld.store.iris import Iris
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node


def relation_types(store: Store, iris: Iris) -> RelationTypes:
    """The types that edges may have: those of the package, with the graph's own before them."""
    return builtin_types().extended(store.quads_for_pattern(None, None, None, node(iris.relations_graph)))
