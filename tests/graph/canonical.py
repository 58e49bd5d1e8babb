"""Two graphs compared as RDF: canonical N-Quads (RDFC-1.0), build times aside."""

from __future__ import annotations

from pyoxigraph import CanonicalizationAlgorithm, Dataset

from sage_ld import vocabulary as v
from sage_ld.graph import KnowledgeGraph


def canonical(graph: KnowledgeGraph) -> list[str]:
    """The statements of the newest revision, sorted."""
    dataset = Dataset(quad for quad in graph.snapshot().store if quad.predicate.value != v.ENDED_AT)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(str(quad) for quad in dataset)
