"""Graphs compared as RDF, by canonical N-Quads (RDFC-1.0), build times aside; an index and its store."""

from __future__ import annotations

from pyoxigraph import CanonicalizationAlgorithm, Dataset

from sage_ld import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.indexes.hashed import text_number
from sage_ld.model import LinkEvidence
from sage_ld.store import reading
from sage_ld.store.terms import node


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
    begin, counts = links.runs(snapshot.link_rows)
    found = {}
    for chunk, row, first, count in zip(
        snapshot.vectors.iris, snapshot.link_rows.tolist(), begin.tolist(), counts.tolist(), strict=True
    ):
        here = slice(first, first + count)
        said = zip(
            links.targets[here].tolist(),
            links.confidences[here].tolist(),
            links.begins[here].tolist(),
            strict=True,
        )
        if row >= 0:
            found[chunk] = sorted(LinkEvidence(names[target], *each) for target, *each in said)
    return found
