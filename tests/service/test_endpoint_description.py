"""The description of the SPARQL endpoint has a size."""

from __future__ import annotations

from pyoxigraph import BlankNode, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.statistics import Statistics
from sage_ld.service.sparql.description import _counts


def test_the_largest_classes_are_listed() -> None:
    counted = Statistics({}, {f"urn:x:{number}": number for number in range(600)}, 0, 0)
    listed = [value for _, name, value in _counts(BlankNode(), counted) if name == v.VOID + "class"]
    assert (len(listed), listed[0]) == (500, NamedNode("urn:x:599"))
