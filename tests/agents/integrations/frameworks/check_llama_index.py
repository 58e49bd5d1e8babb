"""The LlamaIndex adapters: nodes with their source and scores, coroutines, query engines, property graphs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.graph_stores.types import ChunkNode, EntityNode, Relation
from llama_index.core.indices.property_graph import LLMSynonymRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode
from llama_index.core.vector_stores.types import VectorStoreQuery

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.agents.integrations.llama_index import LlamaIndexRetriever
from sage_ld.agents.integrations.llama_index_store import LlamaIndexGraphStore

QUESTION = "Who has the Golden Heron?"


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> LlamaIndexRetriever:
    return LlamaIndexRetriever(prizes, k=3)


def test_nodes_are_the_results_of_the_graph(prizes: KnowledgeGraph, retriever: LlamaIndexRetriever) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 3, 1).results
    nodes = retriever.retrieve(QUESTION)
    assert [each.node_id for each in nodes] == [each.view.iri for each in results]
    for found, result in zip(nodes, results, strict=True):
        assert found.score == pytest.approx(result.score, abs=1e-6)
        assert found.node.get_content(MetadataMode.NONE) == result.view.text
        assert found.node.source_node is not None
        assert found.node.source_node.node_id == result.view.identifier
        assert (found.node.start_char_idx, found.node.end_char_idx) == (result.view.begin, result.view.end)


async def test_a_coroutine_gives_the_same_nodes(retriever: LlamaIndexRetriever) -> None:
    assert await retriever.aretrieve(QUESTION) == retriever.retrieve(QUESTION)


def test_a_language_model_is_shown_where_a_text_stands_and_no_numbers(retriever: LlamaIndexRetriever) -> None:
    node = retriever.retrieve("What is a rope made of?")[0].node
    shown = node.get_content(MetadataMode.LLM)
    assert "document: rope.md" in shown
    assert "made of hemp" in shown
    assert "score" not in shown
    assert node.node_id not in shown


def test_it_is_the_retriever_of_a_query_engine(retriever: LlamaIndexRetriever) -> None:
    cut = SimilarityPostprocessor(similarity_cutoff=0.0)
    engine = RetrieverQueryEngine.from_args(retriever, llm=MockLLM(), node_postprocessors=[cut])
    answer = engine.query("What is a rope made of?")
    assert "A rope is made of hemp." in str(answer)  # MockLLM repeats its prompt
    assert answer.source_nodes[0].metadata["document"] == "rope.md"


def test_parameters_are_checked(prizes: KnowledgeGraph) -> None:
    only = LlamaIndexRetriever(prizes, only=Filter(documents=("rope.md",)))
    assert {each.metadata["document"] for each in only.retrieve(QUESTION)} == {"rope.md"}
    with pytest.raises(InputError, match="'similarity_top_k' is not a parameter of a search"):
        LlamaIndexRetriever(prizes, similarity_top_k=3)


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


def test_a_name_that_is_of_a_resource_of_the_users_is_that_resource(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    label = '<http://www.w3.org/2000/01/rdf-schema#label> "Petra Lang"'
    said = f"<http://a.example/p> a <http://a.example/Nurse> ; {label} ."
    (tmp_path / "in" / "staff.ttl").write_text(said, "utf-8")
    (tmp_path / "in" / "ward.md").write_text("# Ward\n\nThe ward is led by Petra Lang.\n", "utf-8")
    with closing(KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")) as graph:
        graph.ingest([tmp_path / "in"])
        store = LlamaIndexGraphStore(graph)
        nodes = store.get(ids=["Petra Lang"])
        assert nodes == store.get(ids=["http://a.example/p"])
        assert ("Ward", "mention", "Petra Lang") in edges(store.get_rel_map(nodes, depth=1))


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
