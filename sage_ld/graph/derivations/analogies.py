"""Analogies: edges between chunks whose skeletons are more alike than their texts.

New chunks are joined to any by the thresholds of the last build.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sage_ld.build.edges import EdgeInput
from sage_ld.build.edges.analogies import AnalogySet, analogy_rows, find_analogies
from sage_ld.foundation.edge_kinds import ANALOGOUS
from sage_ld.foundation.model import IntArray
from sage_ld.graph.derivations.builds import analogy_thresholds
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.derivations.edge_input import edge_input
from sage_ld.graph.store.derived import BuildThreshold, analogy_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.writing.writer import Writer


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    wanted, writer = corpus.recipe.analogies, corpus.writer
    if not wanted.derive:
        return Derived(())
    writer.align_indexes()
    found = find_analogies(_input(writer), wanted)
    count = len(found.pairs.source)
    thresholds = [
        BuildThreshold(ANALOGOUS, signal, value, wanted.percentile, found.candidates, count)
        for signal, value in found.thresholds.by_signal().items()
    ]
    return Derived(_lines(found, writer), {ANALOGOUS: count}, thresholds)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Joins the new chunks to any, at the cost of one product of their vectors with those of all."""
    wanted, writer = corpus.recipe.analogies, corpus.writer
    if not wanted.derive or not changes.chunks:
        return {}
    writer.align_indexes()
    new = writer.aspects.positions(changes.chunks)
    found = find_analogies(_input(writer, new), wanted, analogy_thresholds(writer.store))
    writer.extend(quads_of(list(_lines(found, writer))))
    return {ANALOGOUS: len(found.pairs.source)}


def _input(writer: Writer, focus: IntArray | None = None) -> EdgeInput:
    """All chunks, without their entities, which analogies do not look at."""
    from scipy.sparse import csr_matrix  # which a graph without analogies does not need

    size = len(writer.vectors.iris)
    return edge_input(writer.aspects, writer.vectors, writer.encoder, csr_matrix((size, 0)), focus)


def _lines(found: AnalogySet, writer: Writer) -> Iterator[str]:
    ends = np.unique(np.concatenate([found.pairs.source, found.pairs.target])).tolist()
    return analogy_lines(analogy_rows(found), {end: writer.aspects.iri(end) for end in ends}, writer.iris)


def _graph(iris: Iris) -> str:
    return iris.edges_graph


ANALOGIES = Derivation("analogies", _graph, _derive, _follow)
