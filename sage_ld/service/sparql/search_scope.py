"""The scope of the searches in a query: the chunks that belong to its dataset.

A chunk belongs to the graph of its document, and a chunk about a resource to each graph of users that says
something of this resource.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.question import Answer
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import query_graphs
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.query_graphs import DatasetNames
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import graph_name, graph_of_text, with_users_graphs

_NONE = "urn:none"
"""The document of a search that may find nothing."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The chunks that belong to a dataset of a revision."""

    store: Store
    graphs: frozenset[GraphName]
    documents: frozenset[str]
    """The documents that may have such chunks."""

    @classmethod
    def of(cls, snapshot: Snapshot, dataset: DatasetNames) -> SearchScope:
        """The scope of a query over a dataset."""
        store, iris = snapshot.stores.named, Iris(snapshot.configuration.base_iri)
        names = with_users_graphs(store, dataset)
        graphs = frozenset(map(graph_of_text, (*names.default, *names.named)))
        stating = snapshot.derived(_stating)
        documents = {each for graph in graphs for each in stating.get(str(graph_name(graph)), ())}
        documents |= {iris.document(each.value) for each in graphs if isinstance(each, NamedNode)}
        documents |= {each.value for each in graphs if isinstance(each, NamedNode)}
        return cls(store, graphs, frozenset(map(_document, documents)))

    def filter(self, settings: Settings) -> dict[str, list[str]]:
        """The parameter of a search that keeps it to the documents; none where they are too many for it."""
        if len(self.documents) > settings.max_filter_values:
            return {}
        return {"documents": sorted(self.documents) or [_NONE]}

    def of_answer(self, answer: Answer) -> Answer:
        """The answer without chunks that do not belong to the dataset."""
        return replace(answer, results=tuple(each for each in answer.results if self._has(each.view.iri)))

    def _has(self, chunk: str) -> bool:
        typed = self.store.quads_for_pattern(NamedNode(chunk), node(v.TYPE), node(v.CHUNK), None)
        if any(quad.graph_name in self.graphs for quad in typed):
            return True
        about = self.store.quads_for_pattern(NamedNode(chunk), node(v.MAIN_ENTITY), None, None)
        return any(self._describes(quad.object) for quad in about)

    def _describes(self, resource: object) -> bool:
        if not isinstance(resource, NamedNode):
            return False
        return any(
            next(self.store.quads_for_pattern(resource, None, None, graph), None) is not None
            for graph in self.graphs
        )


def dataset_of(
    text: str, base: str, graphs: tuple[tuple[str, ...], tuple[str, ...]] | None
) -> DatasetNames | None:
    """The dataset that the protocol names, or else the query; None where neither does."""
    return query_graphs.dataset(text, base) if graphs is None else query_graphs.of_names(*graphs)


def _document(name: str) -> str:
    """The document of a graph of ours, by the name of that graph; another name as it is."""
    return name.replace("graph/document/", "document/", 1)


def _stating(snapshot: Snapshot) -> dict[str, set[str]]:
    """The graphs of the documents that state something in each graph, by its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for quad in snapshot.stores.named.quads_for_pattern(None, node(v.IN_GRAPH), None, None):
        if isinstance(quad.graph_name, NamedNode):
            found[str(quad.object)].add(quad.graph_name.value)
    return found
