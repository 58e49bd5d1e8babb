"""The overview of a graph: the tree of its communities, and what each looks like when it is opened.

The nodes are documents, chunks, and the entities that several chunks mention. A community that is small
enough is shown with its nodes, any other one with the communities in it.

They are found by the Louvain method (Blondel et al. 2008), as scikit-network has it, a community at a time:
when it is opened. The same edges give the same communities.

Membership, links and mentions come from the indexes; only similarity is read from the store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from typing import Any, Final

import numpy as np
from pyoxigraph import NamedNode
from scipy.sparse import csr_matrix

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.rdf_values import text_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.strings import Numbers, text_number
from sage_ld.graph.store.labels import label_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.channels.link_hops import LinkLookup
from sage_ld.retrieval.chunks.chunk_table import ChunkTable


@dataclass(frozen=True, slots=True)
class Community:
    """A group of nodes."""

    members: IntArray
    """The members, those with the heaviest edges first."""
    scattered: tuple[IntArray, ...] = ()
    """Where it is what was left over: the groups in it, which have nothing in common but their size."""


_NO_PARTS: Final[tuple[Community, ...]] = ()


def everything(adjacency: csr_matrix) -> Community:
    """All n nodes, whose edges are a symmetric matrix (n, n) of weights."""
    strength = np.asarray(adjacency.sum(axis=1)).ravel()
    return Community(np.argsort(-strength, kind="stable"))


def parts_of(adjacency: csr_matrix, community: Community, most: int) -> tuple[Community, ...]:
    """The communities in a community, at most `most`, the larger ones first.

    There are none where it has no more than `most` nodes. What is joined to nothing is divided evenly.

    >>> pairs = csr_matrix(np.kron(np.eye(3), np.ones((2, 2))))
    >>> [part.members.tolist() for part in parts_of(pairs, everything(pairs), 4)]
    [[0, 1], [2, 3], [4, 5]]
    """
    if len(community.members) <= most:
        return _NO_PARTS
    if community.scattered:
        return _even(community.scattered, most)
    groups = _groups(adjacency, community.members)
    if len(groups) == 1:
        return _even(groups, most)
    if len(groups) <= most:
        return tuple(map(Community, groups))
    left = groups[most - 1 :]
    return *map(Community, groups[: most - 1]), Community(np.concatenate(left), tuple(left))


def _even(groups: Sequence[IntArray], most: int) -> tuple[Community, ...]:
    """Some groups in order, as communities of about the same size: no more than are needed, or `most`."""
    members = np.concatenate(groups)
    count = min(most, -(-len(members) // most))
    sizes = np.cumsum([len(each) for each in groups])
    bounds = np.searchsorted(sizes, np.arange(1, count) * len(members) / count)
    bins = [groups[begin:end] for begin, end in pairwise(np.unique([0, *bounds, len(groups)]).tolist())]
    if len(bins) == 1:
        pieces = np.array_split(members, count)
        return tuple(Community(each, (each,)) for each in pieces)
    return tuple(
        Community(each[0]) if len(each) == 1 else Community(np.concatenate(each), tuple(each))
        for each in bins
    )


def _groups(adjacency: csr_matrix, members: IntArray) -> list[IntArray]:
    """The communities among some nodes, the larger ones first; each keeps the order of `members`."""
    inner = adjacency[members][:, members].tocsr()
    if not inner.nnz:
        return [members]
    labels = _labels(inner)
    order = np.argsort(labels, kind="stable")
    groups = np.split(members[order], np.cumsum(np.bincount(labels))[:-1])
    return sorted((each for each in groups if len(each)), key=lambda each: -len(each))


def _labels(adjacency: csr_matrix) -> IntArray:
    """(n,) the number of each node's community."""
    from sknetwork.clustering import Louvain  # it takes a second to import

    method = Louvain(modularity="newman", random_state=0, return_probs=False, return_aggregate=False)
    return np.asarray(method.fit_predict(adjacency), np.int64)


def symmetric(ends: IntArray, weights: DoubleArray, size: int) -> csr_matrix:
    """The symmetric matrix (size, size) of edges (e, 2) with their weights, added up where there are several.

    >>> symmetric(np.array([[0, 1], [1, 0]]), np.array([1.0, 0.5]), 2).toarray().tolist()
    [[0.0, 1.5], [1.5, 0.0]]
    """
    matrix = csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(size, size))
    return (matrix + matrix.T).tocsr()


EDGE_KINDS_SHOWN: Final = ("part", "link", "similarity", "mention")
"""The kinds of edges that an overview goes by, in the order in which they are kept."""
_SIMILAR: Final = f"SELECT ?chunk ?other {{ ?chunk <{v.SIMILAR_TO}> ?other }}"
"""Its rows come a third faster than the quads."""
_BETWEEN_CHECKS: Final = 1_000  # statements


@dataclass(frozen=True, slots=True)
class OverviewEdges:
    """The e edges of n nodes: first the chunks by row, then the documents, then the entities."""

    chunks: Sequence[str]
    """Their IRIs."""
    documents: Sequence[str]
    entities: Numbers
    """The entities that more than one chunk mentions, by the number of their IRI (`text_number`)."""
    ends: IntArray
    """(e, 2)"""
    weights: DoubleArray
    kinds: IntArray
    """(e,) the place of each edge's kind in `EDGE_KINDS_SHOWN`."""
    complete: bool
    """Whether no edge was left out."""

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.chunks) + len(self.documents) + len(self.entities)

    def kind_of(self, number: int) -> str:
        """The kind of a node: `chunk`, `document` or `entity`."""
        if number < len(self.chunks):
            return "chunk"
        return "document" if number < len(self.chunks) + len(self.documents) else "entity"


def overview_edges(snapshot: Snapshot, most: int, check: Check = unchecked) -> OverviewEdges:
    """The edges of a revision, at most `most`: of mentions, those of the rarest entities stay.

    `check` is called now and then.
    """
    table, count = ChunkTable.of(snapshot), len(snapshot.vectors.iris)
    rows = np.arange(count)
    links = LinkLookup.of(snapshot).of_chunks(rows)
    check()
    entities, mentions, rarity = _mentions(snapshot, count)
    alike = np.array(list(_similar(snapshot, check)), np.int64).reshape(-1, 2)
    by_kind = (
        np.column_stack([rows, count + table.documents]),
        np.column_stack([links.rows, count + links.documents]),
        alike,
        mentions + np.array([0, count + len(table.iris)]),
    )
    weights = [np.ones(len(each)) for each in by_kind[:3]] + [rarity]
    ends = np.concatenate(by_kind)
    kinds = np.repeat(np.arange(len(by_kind)), [len(each) for each in by_kind])
    kept = slice(None, most)
    return OverviewEdges(
        snapshot.vectors.iris,
        table.iris,
        entities,
        ends[kept],
        np.concatenate(weights)[kept],
        kinds[kept],
        complete=len(ends) <= most,
    )


def _mentions(snapshot: Snapshot, count: int) -> tuple[Numbers, IntArray, DoubleArray]:
    """The entities of several chunks; the pairs of chunk and entity, the rarest first; their rarity."""
    numbers, rows = snapshot.mentions.of_rows(snapshot.mention_rows)
    entities, places, frequencies = np.unique(numbers, return_inverse=True, return_counts=True)
    shared = frequencies > 1
    place = np.cumsum(shared) - 1
    kept = shared[places]
    pairs = np.column_stack([rows[kept], place[places[kept]]])
    rarity = np.maximum(1 - np.log(frequencies[places[kept]]) / np.log(max(count, 2)), 0.0)
    order = np.argsort(-rarity, kind="stable")
    return entities[shared], pairs[order], rarity[order]


def _similar(snapshot: Snapshot, check: Check) -> Iterator[tuple[int, int]]:
    """The rows of chunks that are similar, each pair once, in order."""
    rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}  # faster for so many than their index
    pairs = set()
    for read, row in enumerate(select(snapshot.store, _SIMILAR)):
        if read % _BETWEEN_CHECKS == 0:
            check()
        ends = rows.get(text_of(row["chunk"])), rows.get(text_of(row["other"]))
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            pairs.add((min(ends[0], ends[1]), max(ends[0], ends[1])))
    return iter(sorted(pairs))


ROOT: Final = "root"
_KEPT: Final = 50
"""Views of communities that are kept."""
_NAMED: Final = 3
"""Documents and entities after which a community is named."""
_CANDIDATES: Final = 6
"""Its strongest of each, among which these are chosen."""
_MOST_MENTIONS: Final = 1_000
"""Mentions of one chunk that are read to find an entity's name."""
_LINKS_A_PART: Final = 5
"""Edges that are shown for each part of a community, the heaviest of all of them."""


@dataclass(frozen=True, slots=True)
class GraphOverview:
    """The communities of one revision."""

    number: int
    """The revision's."""
    edges: OverviewEdges
    adjacency: csr_matrix
    most: int
    """Most parts of a community."""
    root: Community
    """All nodes."""
    _parts: ComputedOnce = field(default_factory=lambda: ComputedOnce(_KEPT))
    _views: ComputedOnce = field(default_factory=lambda: ComputedOnce(_KEPT))

    @classmethod
    def of(cls, snapshot: Snapshot, settings: Settings, check: Check = unchecked) -> GraphOverview:
        """The communities of a revision. `check` is called between its steps."""
        edges = overview_edges(snapshot, settings.max_overview_edges, check)
        check()
        adjacency = symmetric(edges.ends, edges.weights, edges.size)
        check()
        made = cls(snapshot.number, edges, adjacency, settings.max_community_parts, everything(adjacency))
        made.parts(ROOT)
        return made

    def parts(self, name: str) -> dict[str, Community]:
        """The communities in a community, by identifier; it is divided when this is first asked.

        Raises NotFoundError for an identifier that none has.
        """
        return self._parts_of(name, self.community(name))

    def community(self, name: str) -> Community:
        """The community with an identifier. Raises NotFoundError."""
        current, outer = self.root, ROOT
        for inner in accumulate(name.split("."), "{}.{}".format) if name != ROOT else ():
            if inner not in (around := self._parts_of(outer, current)):  # from the top: what is there ends it
                raise NotFoundError(
                    f"no community of revision {self.number} is {name[:40]!r}; take one from "
                    "/v1/graph/overview"
                )
            current, outer = around[inner], inner
        return current

    def view(self, snapshot: Snapshot, name: str = ROOT, check: Check = unchecked) -> dict[str, Any]:
        """A community as JSON, with the names that a revision, this one or a later one, gives its nodes.

        Raises NotFoundError for an identifier that none has.
        """
        made: dict[str, Any] = self._views.get(name, lambda: self._view(snapshot, name, check))
        return made

    def _parts_of(self, name: str, community: Community) -> dict[str, Community]:
        parts: dict[str, Community] = self._parts.get(name, lambda: self._divided(name, community))
        return parts

    def _divided(self, name: str, community: Community) -> dict[str, Community]:
        inner = parts_of(self.adjacency, community, self.most)
        begin = "" if name == ROOT else name + "."
        return {begin + self._digest(each): each for each in inner}

    def _digest(self, community: Community) -> str:
        """It follows from the strongest node, so that a community keeps it while that one stays."""
        edges, number = self.edges, int(community.members[0])
        chunks, documents = len(edges.chunks), len(edges.documents)
        if number < chunks:
            said = edges.chunks[number]
        elif number < chunks + documents:
            said = edges.documents[number - chunks]
        else:
            said = str(int(edges.entities[number - chunks - documents]))
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    def _view(self, snapshot: Snapshot, name: str, check: Check) -> dict[str, Any]:
        community, parts = self.community(name), self.parts(name)
        names = _Names(snapshot.store, self.edges)
        shown = {
            "revision": self.number,
            "complete": self.edges.complete,
            "id": name,
            "nodes": [],
            "edges": [],
            "communities": [],
            "links": [],
        }
        if parts:
            return shown | self._with_parts(parts, names, check)
        return shown | self._with_nodes(community, names, check)

    def _with_parts(self, parts: Mapping[str, Community], names: _Names, check: Check) -> dict[str, Any]:
        """Some communities that have no node in common, and how many edges join them."""
        identifiers, count = list(parts), len(parts)
        place = np.full(self.edges.size, -1, np.int64)
        for number, part in enumerate(parts.values()):
            place[part.members] = number
        ends = place[self.edges.ends]
        strength = _strength(self.edges, (ends[:, 0] == ends[:, 1]) & (ends[:, 0] >= 0))
        across = (ends[:, 0] != ends[:, 1]) & (ends >= 0).all(axis=1)
        codes = np.sort(ends[across], axis=1) @ np.array([count, 1])
        pairs, counts = np.unique(codes, return_counts=True)
        heaviest = np.argsort(-counts, kind="stable")[: _LINKS_A_PART * count]
        shown = []
        for identifier, part in parts.items():
            check()
            shown.append(self._part(identifier, part, names.of_community(part.members, strength)))
        links = [
            {"source": identifiers[pair // count], "target": identifiers[pair % count], "count": number}
            for pair, number in zip(pairs[heaviest].tolist(), counts[heaviest].tolist(), strict=True)
        ]
        return {"communities": shown, "links": links}

    def _part(self, identifier: str, part: Community, labels: Sequence[str]) -> dict[str, Any]:
        chunks, documents = len(self.edges.chunks), len(self.edges.documents)
        kinds = np.digitize(part.members, [chunks, chunks + documents])
        numbers = np.bincount(kinds, minlength=3).tolist()
        return {
            "id": identifier,
            "label": " · ".join(labels) or identifier,
            "size": len(part.members),
            **dict(zip(("chunks", "documents", "entities"), numbers, strict=True)),
        }

    def _with_nodes(self, community: Community, names: _Names, check: Check) -> dict[str, Any]:
        """The nodes of a community, and the edges among them."""
        among = np.zeros(self.edges.size, np.bool_)
        among[community.members] = True
        inside = np.flatnonzero(among[self.edges.ends].all(axis=1))
        iris, nodes = {}, []
        for number in community.members.tolist():
            check()
            if (iri := names.iri(number)) is not None:
                iris[number] = iri
                nodes.append({"id": iri, "kind": self.edges.kind_of(number), "label": names.label(iri)})
        most = _LINKS_A_PART * 2 * len(nodes)
        edges = [
            {
                "source": iris[source],
                "target": iris[target],
                "kind": EDGE_KINDS_SHOWN[kind],
                "weight": weight,
            }
            for (source, target), kind, weight in zip(
                self.edges.ends[inside].tolist(),
                self.edges.kinds[inside].tolist(),
                self.edges.weights[inside].tolist(),
                strict=True,
            )
            if source in iris and target in iris
        ]
        return {"nodes": nodes, "edges": sorted(edges, key=lambda each: -each["weight"])[:most]}


def _strength(edges: OverviewEdges, which: np.ndarray[Any, np.dtype[np.bool_]]) -> DoubleArray:
    """(n,) the weights of some edges of each node, added up."""
    ends, weights = edges.ends[which], edges.weights[which]
    return np.bincount(ends.ravel(), np.repeat(weights, 2), edges.size).astype(np.float64)


class _Names:
    """The IRIs and labels of an overview's nodes.

    The index knows entities by number: their IRIs are read from a chunk that mentions them.
    """

    def __init__(self, store: Store, edges: OverviewEdges) -> None:
        self._store, self._edges = store, edges
        self._chunks, self._documents = len(edges.chunks), len(edges.documents)
        self._known: dict[int, str] = {}
        """IRIs of entities by number."""
        self._asked: set[int] = set()
        """Rows of chunks whose mentions have been read."""
        mentions = edges.ends[edges.kinds == EDGE_KINDS_SHOWN.index("mention")][::-1]
        self._mentioning = np.full(edges.size, -1, np.int64)
        """(n,) a chunk that mentions each entity, the first one."""
        self._mentioning[mentions[:, 1]] = mentions[:, 0]

    def iri(self, number: int) -> str | None:
        """The IRI of a node; None of an entity that this revision does not know."""
        if number < self._chunks:
            return self._edges.chunks[number]
        if number < self._chunks + self._documents:
            return self._edges.documents[number - self._chunks]
        hashed = int(self._edges.entities[number - self._chunks - self._documents])
        row = int(self._mentioning[number])
        if hashed not in self._known and row >= 0 and row not in self._asked:
            self._asked.add(row)
            self._known |= {text_number(each): each for each in self._mentioned(row)}
        return self._known.get(hashed)

    def label(self, iri: str) -> str:
        """The label of a node."""
        return label_of(self._store, iri)

    def of_community(self, members: IntArray, strength: DoubleArray) -> list[str]:
        """The labels of the strongest document and entities of a community, each once."""
        labels = dict[str, str]()
        for number in self._strongest(members, strength):
            if len(labels) == _NAMED:
                break
            if (iri := self.iri(number)) is not None:
                label = self.label(iri)
                labels.setdefault(label.casefold(), label)
        return list(labels.values())

    def _strongest(self, members: IntArray, strength: DoubleArray) -> Iterable[int]:
        """The strongest document, then entities, then other documents, of those that have an edge here."""
        order = members[np.argsort(-strength[members], kind="stable")]
        begin, end = self._chunks, self._chunks + self._documents
        documents = order[(order >= begin) & (order < end)][:_CANDIDATES].tolist()
        entities = order[(order >= end) & (strength[order] > 0)][:_CANDIDATES].tolist()
        return [*documents[:1], *entities, *documents[1:], *order[:1].tolist()]

    def _mentioned(self, row: int) -> Iterator[str]:
        chunk = NamedNode(self._edges.chunks[row])
        quads = self._store.quads_for_pattern(chunk, node(v.MENTIONS), None)
        for quad in islice(quads, _MOST_MENTIONS):
            if isinstance(quad.object, NamedNode):
                yield quad.object.value
