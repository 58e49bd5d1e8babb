"""LlamaIndex's property graph over a graph: its index and retriever, and what has no counterpart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.graph_stores.types import ChunkNode, EntityNode, Relation
from llama_index.core.indices.property_graph import LLMSynonymRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.vector_stores.types import VectorStoreQuery

from sage_ld import InputError, KnowledgeGraph, Retriever
from sage_ld.integrations.llama_index_store import LlamaIndexGraphStore


@pytest.fixture
def store(prizes: KnowledgeGraph) -> LlamaIndexGraphStore:
    return LlamaIndexGraphStore(prizes)


def edges(triplets: list[Any]) -> set[tuple[str, str, str]]:
    return {(subject.id, relation.id, target.id) for subject, relation, target in triplets}


def test_nodes_are_found_by_name_identifier_and_iri(
    prizes: KnowledgeGraph, store: LlamaIndexGraphStore
) -> None:
    chunk = Retriever(prizes).retrieve("What is a rope made of?", 1, 0).results[0].view
    heron, rope, text = store.get(ids=["golden heron", "rope.md", "no such thing", chunk.iri, "Golden Heron"])
    assert (heron.id, heron.label) == ("Golden Heron", "entity")
    assert (rope.id, rope.label) == ("Rope", "document")
    assert isinstance(text, ChunkNode)
    assert (text.id, text.text) == (chunk.iri, chunk.text)


def test_triplets_are_the_edges_of_a_node(store: LlamaIndexGraphStore) -> None:
    mentions = store.get_triplets(entity_names=["Golden Heron"], relation_names=["mention"])
    assert edges(mentions) == {
        ("The Golden Heron", "mention", "Golden Heron"),
        ("Mira Tolland", "mention", "Golden Heron"),
    }
    assert ("Rope", "part", "Rope") in edges(store.get_triplets(ids=["rope.md"]))
    assert edges(store.get_triplets(ids=["rope.md"], relation_names=["mention"])) == set()
    assert store.get_triplets() == []


def test_a_map_of_relations_goes_as_deep_and_has_as_many_as_asked(store: LlamaIndexGraphStore) -> None:
    nodes = store.get(ids=["Golden Heron", "Rope"])
    near, far = (edges(store.get_rel_map(nodes, depth, limit=1000)) for depth in (1, 2))
    assert near < far
    assert edges(store.get_rel_map(nodes, 99, limit=1000)) >= far
    assert len(store.get_rel_map(nodes, 2, limit=3)) == 3
    left = store.get_rel_map(nodes, 2, limit=1000, ignore_rels=["mention"])
    assert "mention" not in {relation for _, relation, _ in edges(left)}


def test_each_node_has_its_share_of_a_short_map(store: LlamaIndexGraphStore) -> None:
    triplets = store.get_rel_map(store.get(ids=["Golden Heron", "rope.md"]), 1, limit=2)
    names = {name for subject, _, target in edges(triplets) for name in (subject, target)}
    assert {"Golden Heron", "Rope"} <= names


async def test_an_index_retrieves_triplets_with_their_texts(store: LlamaIndexGraphStore) -> None:
    index = PropertyGraphIndex.from_existing(
        store, llm=MockLLM(), embed_model=MockEmbedding(2), embed_kg_nodes=False
    )
    synonyms = LLMSynonymRetriever(
        index.property_graph_store, llm=MockLLM(), output_parsing_fn=lambda _: ["Golden heron"]
    )
    found = index.as_retriever(sub_retrievers=[synonyms]).retrieve("Who has the Golden Heron?")
    texts = [each.node.get_content() for each in found]
    assert any("Mira Tolland -> mention -> Golden Heron" in text for text in texts)
    assert any("The Golden Heron stands in her house." in text for text in texts)


@pytest.mark.parametrize(
    ("ask", "remedy"),
    [
        (lambda store: store.upsert_nodes([EntityNode(name="a")]), "KnowledgeGraph.add"),
        (
            lambda store: store.upsert_relations([Relation(label="a", source_id="a", target_id="a")]),
            "KnowledgeGraph.edges",
        ),
        (lambda store: store.delete(ids=["a"]), "KnowledgeGraph.remove"),
        (lambda store: store.structured_query("MATCH (n) RETURN n"), "SPARQL"),
        (lambda store: store.vector_query(VectorStoreQuery()), "LlamaIndexRetriever"),
        (lambda store: store.get(properties={"a": 1}), "nodes are found by id only"),
    ],
)
def test_what_has_no_counterpart_says_what_to_use(
    store: LlamaIndexGraphStore, ask: Callable[[LlamaIndexGraphStore], Any], remedy: str
) -> None:
    with pytest.raises(InputError, match=remedy):
        ask(store)
