"""The make-up of a graph: degrees by kind of edge, hubs, components, sections, entities, concepts.

It takes a pass over the edges, the sections, the entities and the concepts, and memory for the names of the
nodes and two numbers for each edge.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Final

import numpy as np

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import IntArray
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.terms import node
from sage_ld.lab.inspection.distributions import CountDistribution, component_sizes, degrees, distribution
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

HUBS: Final = 20
"""Nodes with the most edges that are named."""
EXAMPLES: Final = 10
"""Sections without text that are named."""


@dataclass(frozen=True, slots=True)
class Hub:
    """A node with many edges."""

    iri: str
    name: str
    degree: int
    kinds: Mapping[str, int]
    """How many of its edges are of each kind."""


@dataclass(frozen=True, slots=True)
class GraphInspection:
    """The distributions of a graph."""

    revision: int
    degrees: Mapping[str, CountDistribution]
    """By kind of edge, of the nodes that have one of the kind."""
    hubs: tuple[Hub, ...]
    """The nodes with the most edges of all kinds."""
    components: CountDistribution
    """The sizes of the connected components of documents, their chunks, and all that edges join to these."""
    sections: int
    empty_sections: int
    """Sections without a chunk in them or in a section below."""
    empty_examples: tuple[str, ...]
    """The names, or else the IRIs, of some of these."""
    mentions: CountDistribution
    """The number of chunks that mention each entity."""
    single_entities: int
    """Entities that only one chunk mentions."""
    concepts: CountDistribution
    """The number of terms of each concept."""


def as_json(inspection: GraphInspection) -> dict[str, Any]:
    """The fields as one JSON object; a distribution has `count`, `mean` and so on, and its `bins`."""
    told = asdict(inspection)
    for each in (*told["degrees"].values(), *(told[name] for name in ("components", "mentions", "concepts"))):
        each["bins"] = [one._asdict() for one in each["bins"]]
    return told


def inspect(snapshot: Snapshot, check: Check = unchecked) -> GraphInspection:
    """The distributions of a revision of a graph; `check` is called between the passes."""
    numbers, by_kind = _edges(snapshot)
    check()
    size, chunks = len(numbers), len(snapshot.vectors.iris)
    counted = {kind: degrees(pairs, size) for kind, pairs in by_kind.items()}
    parts = np.column_stack([np.arange(chunks), chunks + ChunkTable.of(snapshot).documents])
    components = component_sizes(np.concatenate([parts, *by_kind.values()]), size)
    check()
    sections, empty = _sections(snapshot)
    check()
    mentions = _mentions(snapshot)
    return GraphInspection(
        revision=snapshot.number,
        degrees={kind: distribution(each[each > 0]) for kind, each in counted.items()},
        hubs=_hubs(snapshot, list(numbers), counted),
        components=distribution(components),
        sections=sections,
        empty_sections=len(empty),
        empty_examples=tuple(empty[:EXAMPLES]),
        mentions=distribution(mentions),
        single_entities=int((mentions == 1).sum()),
        concepts=distribution(_concept_sizes(snapshot)),
    )


def _edges(snapshot: Snapshot) -> tuple[dict[str, int], dict[str, IntArray]]:
    """The numbers of all nodes, first the chunks by row, then the documents; and by kind the edges (e, 2)."""
    iris = chain(snapshot.vectors.iris, ChunkTable.of(snapshot).iris)
    numbers = {iri: number for number, iri in enumerate(iris)}
    ends: dict[str, array[int]] = defaultdict(lambda: array("i"))
    for row in select(snapshot.store, queries.text("edge_ends")):
        kind, source, target = (iri_of(row[name]) for name in ("kind", "source", "target"))
        if kind is not None and source is not None and target is not None:
            ends[kind.removeprefix(v.SAGE)].extend(
                numbers.setdefault(each, len(numbers)) for each in (source, target)
            )
    return numbers, {kind: np.array(ends[kind], np.int64).reshape(-1, 2) for kind in sorted(ends)}


def _hubs(snapshot: Snapshot, iris: Sequence[str], counted: Mapping[str, IntArray]) -> tuple[Hub, ...]:
    total = sum(counted.values(), np.zeros(len(iris), np.int64))
    highest = np.argsort(-total, kind="stable")[:HUBS]
    return tuple(
        Hub(
            iris[number],
            _name(snapshot, iris[number]),
            int(total[number]),
            {kind: int(each[number]) for kind, each in counted.items() if each[number]},
        )
        for number in highest.tolist()
        if total[number]
    )


def _name(snapshot: Snapshot, iri: str) -> str:
    """The label of an entity or the name of a document or chunk; its IRI where it has none."""
    for term in (v.PREF_LABEL, v.NAME):
        for quad in snapshot.store.quads_for_pattern(node(iri), node(term), None, None):
            return text_of(quad.object)
    return iri


def _sections(snapshot: Snapshot) -> tuple[int, list[str]]:
    """The number of sections, and the names of those without a chunk in them or below, sorted."""
    whole: dict[str, str] = {}
    names: dict[str, str] = {}
    for row in select(snapshot.store, queries.text("sections")):
        section, around = iri_of(row["section"]), iri_of(row["whole"])
        if section is not None and around is not None:
            whole[section] = around
            names[section] = text_of(row["name"]) or section
    for row in select(snapshot.store, queries.text("section_chunks")):
        section = iri_of(row["section"])
        while section in names:
            del names[section]
            section = whole[section]
    return len(whole), sorted(names.values())


def _mentions(snapshot: Snapshot) -> IntArray:
    """The number of chunks that mention each entity."""
    quads = snapshot.stores.named.quads_for_pattern(None, node(v.CHUNK_FREQUENCY), None)
    return np.array([integer_of(quad.object) or 0 for quad in quads], np.int64)


def _concept_sizes(snapshot: Snapshot) -> IntArray:
    """The number of terms of each concept."""
    graph = node(Iris(snapshot.configuration.base_iri).concepts_graph)
    sizes: Counter[str] = Counter()
    for term in (v.PREF_LABEL, v.ALT_LABEL):
        quads = snapshot.stores.named.quads_for_pattern(None, node(term), None, graph)
        sizes.update(str(quad.subject) for quad in quads)
    return np.array(list(sizes.values()), np.int64)
