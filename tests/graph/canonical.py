"""Graphs compared as RDF, by canonical N-Quads (RDFC-1.0), build times aside; an index and its store."""

from __future__ import annotations

import numpy as np
from pyoxigraph import CanonicalizationAlgorithm, Dataset

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import LinkEvidence
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.strings import text_number
from sage_ld.graph.store import reading
from sage_ld.graph.store.terms import node


def canonical(graph: KnowledgeGraph) -> list[str]:
    """The statements of the newest revision, sorted."""
    dataset = Dataset(quad for quad in graph.snapshot().store if quad.predicate.value != v.ENDED_AT)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(str(quad) for quad in dataset)


def stored_links(graph: KnowledgeGraph) -> dict[str, list[LinkEvidence]]:
    """Chunk -> its links, as the store has them."""
    found = reading.links(graph.snapshot().store)
    return {chunk: sorted(set(links)) for chunk, links in found.items()}


def indexed_links(graph: KnowledgeGraph) -> dict[str, list[LinkEvidence]]:
    """The same as the index of links has it."""
    snapshot = graph.snapshot()
    linked = {q.object.value for q in snapshot.store.quads_for_pattern(None, node(v.LINKS_TO), None, None)}
    links, names = snapshot.links, {text_number(iri): iri for iri in linked}
    found = {}
    for segment, pairs, begin in zip(links.segments, links.pairs, links.begins.begins.tolist(), strict=False):
        for row, chunk in enumerate(segment.keys):
            if not segment.live[row]:
                continue
            found[chunk] = []
            for pair in range(pairs.bounds[row], pairs.bounds[row + 1]):
                at = begin + pairs.first[pair] + np.arange(pairs.counts[pair])
                said = zip(links.confidences[at].tolist(), links.begins[at].tolist(), strict=True)
                target = names[int(pairs.targets[pair])]
                found[chunk] += [LinkEvidence(target, *each) for each in said]
    return {chunk: sorted(said) for chunk, said in found.items()}
