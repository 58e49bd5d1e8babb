"""The LlamaIndex adapter: nodes with their source and scores, coroutines, query engines."""

from __future__ import annotations

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.integrations.llama_index import LlamaIndexRetriever

QUESTION = "Who has the Golden Heron?"


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> LlamaIndexRetriever:
    return LlamaIndexRetriever(prizes, k=3)


def test_nodes_are_the_results_of_the_graph(prizes: KnowledgeGraph, retriever: LlamaIndexRetriever) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 2, 1).results
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
