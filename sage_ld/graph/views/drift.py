"""The drift of a revision from its last build, and how much of its similarity edges a relink would change.

Writing costs nothing for it: what the build noted, and a sample of the chunks with their edges, say it all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode

from sage_ld.build.edges.drift import FormerThreshold, ThresholdDrift, drifted, rebuilt
from sage_ld.build.encoders import Encoder
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.model import EdgeKind, EdgeSet
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.foundation.recipes import Edges
from sage_ld.graph.derivations.builds import former_thresholds, last_chunk_count
from sage_ld.graph.derivations.edge_input import StoredEntities, edge_input, sampled
from sage_ld.graph.indexes.aspects import AspectIndex
from sage_ld.graph.open_graph import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node


@dataclass(frozen=True, slots=True)
class Drift:
    """The drift of a graph since all its edges were built."""

    chunks: int
    """The number of chunks now."""
    built_chunks: int
    """The number of chunks at the last build."""
    changed: float
    """An estimate of the share of the similarity edges, of now and after a relink, that this would change."""
    sampled_chunks: int
    """The chunks that the estimate is from; all, in a graph of no more than `edge_input.SAMPLED`."""
    thresholds: tuple[ThresholdDrift, ...]


def measured(snapshot: Snapshot, edges: Edges, encoder: Encoder) -> Drift | None:
    """The drift of a revision; None where it cannot be told before the next relink.

    So it is before the first build, after a build by an earlier release, and where the index of aspects is
    damaged or was rebuilt. The cost is that of comparing some thousand chunks with all.
    """
    built, former = last_chunk_count(snapshot.store), former_thresholds(snapshot.store)
    aspects = _aspects(snapshot)
    known = any(each.distribution for thresholds in former.values() for each in thresholds.values())
    if built is None or aspects is None or (former and not known):
        return None
    iris = Iris(snapshot.configuration.base_iri)
    entities = StoredEntities(snapshot.mention_index, aspects, edges.entity_hub)
    sample = sampled(aspects)
    chunks = edge_input(aspects, snapshot.vectors, encoder, entities, sample)
    thresholds = drifted(chunks, edges, former)
    after = _pairs(rebuilt(chunks, edges, _limits(former, thresholds)), aspects)
    names = [aspects.iri(row) for row in sample.tolist()]
    changed = _changed(_stored(snapshot.stores.named, iris, names), after, set(names))
    return Drift(len(aspects), built, changed, len(names), tuple(thresholds))


def _aspects(snapshot: Snapshot) -> AspectIndex | None:
    """The index of aspects, if it has the rows of that of vectors."""
    try:
        aspects = AspectIndex.open(snapshot.directory.revision(snapshot.number) / "aspects")
    except SageError:
        return None
    return aspects if aspects.is_beside(snapshot.vectors.segments) else None


def _limits(
    former: Mapping[EdgeKind, Mapping[str, FormerThreshold]], drifts: Iterable[ThresholdDrift]
) -> dict[EdgeKind, dict[str, float]]:
    """The thresholds that a relink would choose; a former one where nothing is compared any more."""
    limits = {kind: {name: each.value for name, each in named.items()} for kind, named in former.items()}
    for each in drifts:
        limits[each.kind][each.signal] = each.now
    return limits


def _pairs(edge_sets: Iterable[EdgeSet], aspects: AspectIndex) -> set[tuple[str, str]]:
    """The two ends (IRIs) of each edge, the smaller one first."""
    ends = (
        pair for each in edge_sets for pair in zip(each.source.tolist(), each.target.tolist(), strict=True)
    )
    return {_ordered(aspects.iri(one), aspects.iri(other)) for one, other in ends}


def _stored(store: Store, iris: Iris, chunks: Iterable[str]) -> set[tuple[str, str]]:
    """The same of the similarity edges that some chunks have."""
    graph, similar = node(iris.edges_graph), node(v.SIMILAR_TO)
    pairs = set()
    for chunk in chunks:
        for ends in ((NamedNode(chunk), None), (None, NamedNode(chunk))):
            for quad in store.quads_for_pattern(ends[0], similar, ends[1], graph):
                pairs.add(_ordered(iri_of(quad.subject) or "", iri_of(quad.object) or ""))
    return pairs


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _changed(before: set[tuple[str, str]], after: set[tuple[str, str]], chunks: set[str]) -> float:
    """The share of the edges at some chunks that are in one set alone; each counts once for each such end."""

    def ends(pairs: Iterable[tuple[str, str]]) -> int:
        return sum((one in chunks) + (other in chunks) for one, other in pairs)

    every = ends(before | after)
    return round(ends(before ^ after) / every, 6) if every else 0.0
