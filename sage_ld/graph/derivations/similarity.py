"""Similarity edges: of new chunks, by the thresholds of the last build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pyoxigraph import Quad

from sage_ld.edges import build
from sage_ld.graph.derivations.builds import last_thresholds
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.edge_input import edge_input
from sage_ld.model import EdgeSet, IntArray
from sage_ld.store.derived import similarity_quads
from sage_ld.store.iris import Iris
from sage_ld.store.reading import StoredChunk


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    edge_sets = _edge_sets(corpus, None)
    return Derived(_quads(corpus, edge_sets), _counts(edge_sets), edge_sets)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    if not changes.chunks:
        return {}
    new = [number for number, each in enumerate(corpus.chunks) if each.iri in changes.chunks]
    edge_sets = _edge_sets(corpus, np.array(new, np.int64))
    corpus.writer.extend(_quads(corpus, edge_sets))
    return _counts(edge_sets)


def _edge_sets(corpus: Corpus, focus: IntArray | None) -> list[EdgeSet]:
    """The edges of all chunks, or of those `focus` (positions) to any."""
    writer, titles = corpus.writer, {each.iri: each.name for each in corpus.documents}
    arrays = edge_input(corpus.chunks, titles, writer.vectors, writer.encoder, focus)
    return build(arrays, corpus.recipe.edges, None if focus is None else last_thresholds(writer.store))


def _quads(corpus: Corpus, edge_sets: Sequence[EdgeSet]) -> Iterator[Quad]:
    names = [each.iri for each in corpus.chunks]
    for edges in edge_sets:
        yield from similarity_quads(edges, names, _shared(edges, corpus.chunks), corpus.writer.iris)


def _shared(edges: EdgeSet, chunks: Sequence[StoredChunk]) -> Iterator[list[str]]:
    """For each edge the entities that both its chunks mention."""
    for source, target in zip(edges.source.tolist(), edges.target.tolist(), strict=True):
        yield sorted(set(chunks[source].entities).intersection(chunks[target].entities))


def _counts(edge_sets: Sequence[EdgeSet]) -> dict[str, int]:
    return {str(each.kind): len(each.weight) for each in edge_sets}


def _graph(iris: Iris) -> str:
    return iris.edges_graph


SIMILARITY = Derivation("similarity", _graph, _derive, _follow)
