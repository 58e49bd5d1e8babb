"""Edges between chunks that are alike: similarity by their content, and analogies by their skeletons.

An analogy joins chunks whose skeletons are more alike than their texts. New chunks are joined to any by the
thresholds of the last build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sage_ld.build.edges import EdgeInput, build
from sage_ld.build.edges.analogies import AnalogySet, analogy_rows, find_analogies
from sage_ld.build.edges.drift import distributions
from sage_ld.foundation.edge_kinds import ANALOGOUS
from sage_ld.foundation.model import EdgeSet, IntArray
from sage_ld.graph.derivations.builds import analogy_thresholds, last_thresholds
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.edge_input import StoredEntities, edge_input, entity_matrix, sampled
from sage_ld.graph.store import reading
from sage_ld.graph.store.derived import BuildThreshold, analogy_lines, edge_thresholds, similarity_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.writing.writer import Writer


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    writer = corpus.writer
    writer.align_indexes()
    entities, names = reading.entities(writer.store), writer.aspects.iris
    named = [entities.get(iri, ()) for iri in names]
    arrays = edge_input(writer.aspects, writer.vectors, writer.encoder, entity_matrix(named))
    edge_sets = _with_distributions(build(arrays, corpus.recipe.edges), arrays, corpus)
    lines = _lines(edge_sets, names.__getitem__, lambda chunk: named[chunk], writer.iris)
    return DerivationResult(lines, _counts(edge_sets), edge_thresholds(edge_sets))


def _with_distributions(edge_sets: Sequence[EdgeSet], arrays: EdgeInput, corpus: Corpus) -> list[EdgeSet]:
    """The edges, with the distributions of what their thresholds cut."""
    sample = replace(arrays, focus=sampled(corpus.writer.aspects))
    thresholds = {each.kind: each.thresholds for each in edge_sets}
    cut = distributions(sample, corpus.recipe.edges, thresholds)
    return [replace(each, distributions=cut.get(each.kind, {})) for each in edge_sets]


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Joins the new chunks to any, at the cost of one product of their vectors with those of all."""
    if not changes.chunks:
        return {}
    writer, edges = corpus.writer, corpus.recipe.edges
    writer.align_indexes()
    writer.mentions.refresh(writer.store)
    entities = StoredEntities(writer.mentions.index, writer.aspects, edges.entity_hub)
    new = writer.aspects.positions(changes.chunks)
    arrays = edge_input(writer.aspects, writer.vectors, writer.encoder, entities, new)
    edge_sets = build(arrays, edges, last_thresholds(writer.store))
    ends = {end for each in edge_sets for end in (*each.source.tolist(), *each.target.tolist())}
    names = {end: writer.aspects.iri(end) for end in ends}
    named = reading.mentions(writer.store, names.values())
    lines = list(_lines(edge_sets, names.__getitem__, lambda chunk: named.get(names[chunk], ()), writer.iris))
    writer.extend(quads_of(lines))
    return _counts(edge_sets)


def _lines(
    edge_sets: Sequence[EdgeSet],
    name: Callable[[int], str],
    entities: Callable[[int], Iterable[str]],
    iris: Iris,
) -> Iterator[str]:
    """The edges as N-Quads; `name` returns a chunk's IRI by its number, `entities` those that it mentions."""
    for edges in edge_sets:
        pairs = list(zip(edges.source.tolist(), edges.target.tolist(), strict=True))
        names = {chunk: name(chunk) for pair in pairs for chunk in pair}
        shared = (sorted(set(entities(one)).intersection(entities(other))) for one, other in pairs)
        yield from similarity_lines(edges, names, shared, iris)


def _counts(edge_sets: Sequence[EdgeSet]) -> dict[str, int]:
    return {str(each.kind): len(each.weight) for each in edge_sets}


SIMILARITY = Derivation("similarity", lambda iris: iris.edges_graph, _derive, _follow)


def _derive_analogies(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    wanted, writer = corpus.recipe.analogies, corpus.writer
    if not wanted.derive:
        return DerivationResult(())
    writer.align_indexes()
    found = find_analogies(_input(writer), wanted)
    count = len(found.pairs.source)
    thresholds = [
        BuildThreshold(ANALOGOUS, signal, value, wanted.percentile, found.candidates, count)
        for signal, value in found.thresholds.by_signal().items()
    ]
    return DerivationResult(_lines_analogies(found, writer), {ANALOGOUS: count}, thresholds)


def _follow_analogies(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Joins the new chunks to any, at the cost of one product of their vectors with those of all."""
    wanted, writer = corpus.recipe.analogies, corpus.writer
    if not wanted.derive or not changes.chunks:
        return {}
    writer.align_indexes()
    new = writer.aspects.positions(changes.chunks)
    found = find_analogies(_input(writer, new), wanted, analogy_thresholds(writer.store))
    writer.extend(quads_of(list(_lines_analogies(found, writer))))
    return {ANALOGOUS: len(found.pairs.source)}


def _input(writer: Writer, focus: IntArray | None = None) -> EdgeInput:
    """All chunks, without their entities, which analogies do not look at."""
    from scipy.sparse import csr_matrix  # which a graph without analogies does not need

    size = len(writer.vectors.iris)
    return edge_input(writer.aspects, writer.vectors, writer.encoder, csr_matrix((size, 0)), focus)


def _lines_analogies(found: AnalogySet, writer: Writer) -> Iterator[str]:
    ends = np.unique(np.concatenate([found.pairs.source, found.pairs.target])).tolist()
    return analogy_lines(analogy_rows(found), {end: writer.aspects.iri(end) for end in ends}, writer.iris)


ANALOGIES = Derivation("analogies", lambda iris: iris.edges_graph, _derive_analogies, _follow_analogies)
