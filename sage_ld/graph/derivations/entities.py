"""Labels and classes of entities, chosen over all their mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.store.entity_labels import label_lines
from sage_ld.graph.store.iris import Iris


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    return Derived(_lines(corpus))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    corpus.writer.derive_entities(changes.entities)
    return {}


def _lines(corpus: Corpus) -> Iterator[str]:
    yield from label_lines(corpus.writer.store, corpus.writer.iris)


def _graph(iris: Iris) -> str:
    return iris.entities_graph


ENTITIES = Derivation("entities", _graph, _derive, _follow)
