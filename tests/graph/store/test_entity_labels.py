"""The labels of entities, which are chosen batch by batch."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store import derived
from sage_ld.graph.store.derived import label_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.graph.store.terms import node

IRIS = Iris()
GRAPH = NamedNode("http://localhost:8000/id/graph/document/a")


def _mention(store: WritableStore, chunk: int, target: str, surface: str) -> None:
    mention = NamedNode(IRIS.mention(str(chunk), target))
    store.add(
        Quad(NamedNode(f"http://localhost:8000/id/chunk/{chunk}"), node(v.MENTIONS), NamedNode(target), GRAPH)
    )
    store.add(Quad(mention, node(v.TARGET), NamedNode(target), GRAPH))
    store.add(Quad(mention, node(v.SURFACE_FORM), Literal(surface), GRAPH))


def test_small_batches_give_the_same_labels_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    store = in_memory()
    for number in range(7):
        for chunk in range(number + 1):
            _mention(store, chunk, IRIS.entity(f"name {number}"), f"Name {number}")
    _mention(store, 0, "http://example.org/resource", "A resource")
    whole = list(label_lines(store, IRIS))
    monkeypatch.setattr(derived, "_BATCH_ENTITIES", 3)
    assert set(label_lines(store, IRIS)) == set(whole)
    assert len({quad.subject for quad in quads_of(whole)}) == 8


def test_labels_are_of_the_entities_asked_for() -> None:
    store, wanted = in_memory(), IRIS.entity("bath")
    _mention(store, 0, wanted, "Bath")
    _mention(store, 0, IRIS.entity("wells"), "Wells")
    assert {quad.subject for quad in quads_of(label_lines(store, IRIS, [wanted, wanted]))} == {
        NamedNode(wanted)
    }
    assert not list(label_lines(store, IRIS, []))
