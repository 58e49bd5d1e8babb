"""LlamaIndex's property graph over a graph in this process, for reading (extra `llama-index`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, Final, NoReturn

from sage_ld.agents.integrations.llama_index import text_node
from sage_ld.build.annotators.labels import entity_label
from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes.curated_edges import replacement_of
from sage_ld.graph.views.neighbourhood import GraphEdge, GraphNode
from sage_ld.retrieval.answers.plain import plain_chunk
from sage_ld.retrieval.chunks.chunk_table import chunk_views

with extras.imports(extras.LLAMA_INDEX):
    from llama_index.core.graph_stores.types import (
        TRIPLET_SOURCE_KEY,
        ChunkNode,
        EntityNode,
        LabelledNode,
        PropertyGraphStore,
        Relation,
        Triplet,
    )
    from llama_index.core.vector_stores.utils import node_to_metadata_dict

_IRI: Final = "iri"
_CHUNK: Final = "chunk"


class LlamaIndexGraphStore(PropertyGraphStore):
    """The nodes and edges of a graph for LlamaIndex's `PropertyGraphIndex` and its retrievers.

    `graph` is an open `KnowledgeGraph`, or a path. A node is found by its IRI, the name of an entity in
    whatever case, or the identifier of a document; in triplets it goes by its label, and its IRI is among
    its properties. A relation is named for its kind (`mention`, `link`, `similarity` …), a statement for its
    property. The text that an edge stands in is that of its chunk.

    What changes the graph, and queries in Cypher or by a vector of LlamaIndex, have no counterpart and raise
    InputError, which names what to use instead.
    """

    supports_structured_queries = False
    supports_vector_queries = False

    def __init__(self, graph: KnowledgeGraph | str | Path) -> None:
        self.graph = graph if isinstance(graph, KnowledgeGraph) else KnowledgeGraph.open(graph)

    @property
    def client(self) -> KnowledgeGraph:
        """The graph."""
        return self.graph

    def get(
        self, properties: dict[str, Any] | None = None, ids: list[str] | None = None
    ) -> list[LabelledNode]:
        """The nodes with these ids, those of chunks with their text; unknown ids are left out."""
        _refuse_properties(properties)
        return [self._node(each) for each in self._named(ids or [])]

    def get_triplets(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> list[Triplet]:
        """The edges of the nodes with these names or ids, of any or of these relations."""
        _refuse_properties(properties)
        starts = [each.iri for each in self._named([*(entity_names or []), *(ids or [])])]
        most = self.graph.settings.max_graph_fan_out
        triplets = self._around(starts, 1, most * max(1, len(starts)))
        return [each for each in triplets if relation_names is None or each[1].label in relation_names]

    def get_rel_map(
        self,
        graph_nodes: list[LabelledNode],
        depth: int = 2,
        limit: int = 30,
        ignore_rels: list[str] | None = None,
    ) -> list[Triplet]:
        """The edges within `depth` of some nodes, the nearest and strongest of each node first.

        A `depth` above the setting max_graph_hops is cut to it.
        """
        starts = [each.properties.get(_IRI) or each.id for each in graph_nodes]
        known = [each.iri for each in self._named(starts)]
        return self._around(known, depth, limit, frozenset(ignore_rels or ()))

    def upsert_nodes(self, nodes: Sequence[LabelledNode]) -> None:
        """Raises InputError."""
        _refuse("upsert_nodes", "add documents with KnowledgeGraph.add, from whose texts nodes are derived")

    def upsert_relations(self, relations: list[Relation]) -> None:
        """Raises InputError."""
        _refuse("upsert_relations", "state edges with KnowledgeGraph.edges")

    def delete(
        self,
        entity_names: list[str] | None = None,
        relation_names: list[str] | None = None,
        properties: dict[str, Any] | None = None,
        ids: list[str] | None = None,
    ) -> None:
        """Raises InputError."""
        _refuse("delete", "remove documents with KnowledgeGraph.remove, and edges with KnowledgeGraph.edges")

    def structured_query(self, query: str, param_map: dict[str, Any] | None = None) -> Any:
        """Raises InputError."""
        _refuse(
            "structured_query",
            "the graph speaks SPARQL, not Cypher: sage-ld sparql, or the tool sparql_query",
        )

    def vector_query(self, query: Any, **kwargs: Any) -> tuple[list[LabelledNode], list[float]]:
        """Raises InputError."""
        _refuse("vector_query", "ask a LlamaIndexRetriever, which encodes questions as the graph was encoded")

    def _named(self, ids: Iterable[str]) -> Iterator[GraphNode]:
        """The nodes that ids name, each once."""
        seen: set[str] = set()
        store, iris = self.graph.snapshot().stores.named, self.graph.iris
        for each in ids:
            for name in (each, replacement_of(store, iris, iris.entity(entity_label(each)))):
                try:
                    node = self.graph.neighbourhood(name, nodes=1, fan_out=1).nodes[0]
                except NotFoundError:
                    continue
                if node.iri not in seen:
                    seen.add(node.iri)
                    yield node
                break

    def _node(self, node: GraphNode) -> LabelledNode:
        if node.kind != _CHUNK:
            return _labelled(node)
        view = chunk_views(self.graph.snapshot().store, [node.iri])[node.iri]
        content = text_node(dict(plain_chunk(view)))
        return ChunkNode(text=view.text, id_=view.iri, properties=node_to_metadata_dict(content))

    def _around(
        self, starts: Iterable[str], depth: int, limit: int, ignored: frozenset[str] = frozenset()
    ) -> list[Triplet]:
        """The edges around some nodes, those of each in turn."""
        settings = self.graph.settings
        triplets: dict[GraphEdge, Triplet] = {}
        lists = []
        for start in starts:
            around = self.graph.neighbourhood(
                start,
                hops=min(depth, settings.max_graph_hops),
                nodes=settings.max_graph_nodes,
                fan_out=settings.max_graph_fan_out,
            )
            nodes = {each.iri: each for each in around.nodes}
            lists.append([(edge, nodes) for edge in around.edges if _relation(edge) not in ignored])
        for entry in chain.from_iterable(zip_longest(*lists)):
            if entry is not None and entry[0] not in triplets:
                triplets[entry[0]] = _triplet(*entry)
        return list(islice(triplets.values(), limit))


def _triplet(edge: GraphEdge, nodes: dict[str, GraphNode]) -> Triplet:
    source, target = nodes[edge.source], nodes[edge.target]
    subject = _labelled(source)
    chunk = next((each.iri for each in (source, target) if each.kind == _CHUNK), None)
    if chunk is not None:
        subject.properties[TRIPLET_SOURCE_KEY] = chunk
    weight = {"weight": edge.weight}
    relation = Relation(
        label=_relation(edge), source_id=source.label, target_id=target.label, properties=weight
    )
    return subject, relation, _labelled(target)


def _labelled(node: GraphNode) -> EntityNode:
    return EntityNode(name=node.label, label=node.kind, properties={_IRI: node.iri})


def _relation(edge: GraphEdge) -> str:
    """The kind of an edge; of a statement and a relation, the last part of its property's IRI."""
    if edge.kind not in ("statement", "relation") or edge.property is None:
        return edge.kind
    return edge.property.rstrip("/#").replace("#", "/").rpartition("/")[2]


def _refuse_properties(properties: dict[str, Any] | None) -> None:
    if properties:
        raise InputError(
            f"properties: {', '.join(map(str, properties))[:100]}: nodes are found by id only; ask a "
            "LlamaIndexRetriever with a Filter, or SPARQL"
        )


def _refuse(method: str, remedy: str) -> NoReturn:
    raise InputError(f"{method} has no counterpart over a graph of sage-ld; {remedy}")
