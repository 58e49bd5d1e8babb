"""The relation types of a graph, and how large a table it has of them."""

from __future__ import annotations

from typing import Final, NamedTuple

from pyoxigraph import Literal

from sage_ld.foundation.relation_types import RelationTypes, added_types, builtin_types
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node

_SHORTEST: Final = 4
"""Bytes that a statement takes in a Turtle text, at least, beside the text of its value."""


class TableSize(NamedTuple):
    """The size of what a graph adds to the table."""

    types: int
    bytes: int
    """Of the shortest Turtle text that could say it, or fewer."""


def relation_types(store: Store, iris: Iris) -> RelationTypes:
    """The types that edges may have: those of the package, with the graph's own before them."""
    return builtin_types().extended(store.quads_for_pattern(None, None, None, node(iris.relations_graph)))


def table_size(store: Store, iris: Iris) -> TableSize:
    """The size of the graph's own table; the cost is in proportion to it."""
    quads = list(store.quads_for_pattern(None, None, None, node(iris.relations_graph)))
    texts = (each.object.value for each in quads if isinstance(each.object, Literal))
    size = _SHORTEST * len(quads) + sum(len(each.encode()) for each in texts)
    return TableSize(len(added_types(quads)), size)
