"""The overview of a graph: the tree of its communities, and what each looks like when it is opened.

The nodes are documents, chunks, and the entities that several chunks mention. A community that is small
enough is shown with its nodes, any other one with the communities in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any, Final

import numpy as np
from pyoxigraph import NamedNode
from scipy.sparse import csr_matrix

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.caches import ComputedOnce
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.rdf_terms import node
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.strings import text_number
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.views.neighbourhood import label_of
from sage_ld.lab.inspection.communities import Community, everything, parts_of, symmetric
from sage_ld.lab.inspection.overview_edges import EDGE_KINDS_SHOWN, OverviewEdges, overview_edges

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
