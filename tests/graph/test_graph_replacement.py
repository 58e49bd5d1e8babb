from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store

from sage_ld.graph.store.nquads import line
from sage_ld.graph.writing import graph_replacement
from sage_ld.graph.writing.graph_replacement import LoadingStore, replace_statements

GRAPH, OTHER = NamedNode("urn:graph"), NamedNode("urn:other")


def said(numbers: range, graph: NamedNode = GRAPH) -> list[Quad]:
    """A statement for each number."""
    return [Quad(NamedNode(f"urn:{n}"), NamedNode("urn:says"), Literal(str(n)), graph) for n in numbers]


class Watched:
    """A store that keeps what is removed and loaded."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.removed: list[Quad] = []
        self.loaded = 0

    def remove(self, quad: Quad) -> None:
        self.removed.append(quad)
        self._store.remove(quad)

    def bulk_load(self, text: bytes, form: object, *, lenient: bool) -> None:
        self.loaded += text.count(b"\n")
        self._store.bulk_load(text, form, lenient=lenient)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


@pytest.mark.parametrize(
    ("before", "after", "removed", "loaded"),
    [
        (range(10), range(5, 12), 5, 2),
        (range(10), range(10), 0, 0),
        (range(10), range(0), 10, 0),
        (range(0), range(10), 0, 10),
    ],
)
def test_only_what_differs_is_touched(
    before: range, after: range, removed: int, loaded: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_replacement, "_BATCH", 3)
    watched = Watched(Store())
    watched.extend([*said(before), *said(range(3), OTHER)])
    store = LoadingStore(watched)
    with (tmp_path / "scratch").open("w+b") as file:
        replace_statements(store, GRAPH, map(line, said(after)), file)
    assert set(store.quads_for_pattern(None, None, None, None)) == {*said(after), *said(range(3), OTHER)}
    assert (len(watched.removed), watched.loaded) == (removed, loaded)
    store.close()


def test_a_number_that_the_store_writes_otherwise_stays(tmp_path: Path) -> None:
    store = LoadingStore(Store())
    text = '<urn:a> <urn:b> "1.0"^^<http://www.w3.org/2001/XMLSchema#double> <urn:graph> .\n'
    for _ in range(2):
        with (tmp_path / "scratch").open("w+b") as file:
            replace_statements(store, GRAPH, [text], file)
        assert [quad.object.value for quad in store.quads_for_pattern(None, None, None, None)] == ["1"]
    store.close()
