"""The outline of a document: its sections as a tree, each with its scores for a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sage_ld.foundation.errors import NotFoundError
from sage_ld.graph.store.iris import Iris
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.rankings.method import Inquiry
from sage_ld.retrieval.scoring.section_tree import SectionNodes, scores_of_sections


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A document or a section of it."""

    iri: str
    name: str
    depth: int
    """The number of nodes around it; 0 for the document."""
    chunks: int
    """The number of chunks in it, and in no section below it."""
    keyword: float
    """The fit of its keywords to the question, in 0..1."""
    heading: float
    """The fit of its name, in 0..1."""
    own: float
    """Both, blended."""
    score: float
    """With what it inherits, over the highest of all sections of the graph."""


def outline(inquiry: Inquiry, document: str) -> tuple[OutlineNode, ...]:
    """The document, given by its identifier or IRI, and its sections in the order of its text.

    Raises NotFoundError if no document with chunks has the name.
    """
    snapshot = inquiry.snapshot
    tree, numbers = SectionNodes.of(snapshot), ChunkTable.of(snapshot).numbers
    named = (document, Iris(snapshot.configuration.base_iri).document(document))
    root = next((number for iri in named if (number := numbers.get(iri)) is not None), None)
    if root is None:
        raise NotFoundError(
            f"no document {document[:100]!r} with chunks in this graph; give the identifier of one, as "
            "the results of a search show it"
        )
    depths = {root: 0}
    below = np.flatnonzero(tree.parents == root)
    for node in range(int(below[0]), len(tree.parents)) if len(below) else ():
        if (parent := int(tree.parents[node])) not in depths:
            break
        depths[node] = depths[parent] + 1
    scores, chunks = scores_of_sections(inquiry), np.bincount(tree.chunk_nodes, minlength=len(tree.parents))
    return tuple(
        OutlineNode(
            tree.iris[node],
            tree.names[node],
            depth,
            int(chunks[node]),
            *(float(each[node]) for each in (scores.keyword, scores.heading, scores.own, scores.score)),
        )
        for node, depth in depths.items()
    )
