"""The LangChain adapter: LangChain's standard tests, filters, batches, and an event loop that goes on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.integrations.langchain import LangChainRetriever

QUESTION = "Who has the Golden Heron?"


class TestStandard(RetrieversIntegrationTests):
    """What LangChain asks of every retriever."""

    @pytest.fixture(autouse=True)
    def _graph(self, prizes: KnowledgeGraph) -> None:
        self.graph = prizes

    @property
    def retriever_constructor(self) -> type[LangChainRetriever]:
        return LangChainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"graph": self.graph}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> LangChainRetriever:
    return LangChainRetriever(graph=prizes, k=3)


def test_documents_are_the_results_of_the_graph(
    prizes: KnowledgeGraph, retriever: LangChainRetriever
) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 2, 1).results
    documents = retriever.invoke(QUESTION)
    assert [each.id for each in documents] == [each.view.iri for each in results]
    for document, result in zip(documents, results, strict=True):
        assert document.page_content == result.view.text
        assert document.metadata["document"] == result.view.identifier
        assert document.metadata["parts"] == result.parts
        assert document.metadata["begin"] == result.view.begin
        assert [step["seed"] for step in document.metadata["path"]] == [step.seed for step in result.path]


def test_a_batch_gives_what_each_question_gives(retriever: LangChainRetriever) -> None:
    questions = [QUESTION, "What is a rope made of?"]
    alone = [retriever.invoke(each) for each in questions]
    assert retriever.batch(questions) == alone
    assert asyncio.run(retriever.abatch(questions)) == alone
    shorter = retriever.batch(questions, k=1)
    assert [len(each) for each in shorter] == [1, 1]


def test_an_error_in_a_batch_is_that_of_its_question_alone(retriever: LangChainRetriever) -> None:
    found, refused = retriever.batch([QUESTION, " "], return_exceptions=True)
    assert len(found) == 3
    assert isinstance(refused, InputError)
    with pytest.raises(InputError, match="questions/1"):
        retriever.batch([QUESTION, " "])


def test_a_filter_of_a_call_replaces_that_of_the_retriever(prizes: KnowledgeGraph) -> None:
    retriever = LangChainRetriever(graph=prizes, only=Filter(documents=("rope.md",)))
    assert {each.metadata["document"] for each in retriever.invoke(QUESTION)} == {"rope.md"}
    other = retriever.invoke(QUESTION, only=Filter(documents=("tolland.md",)))
    assert {each.metadata["document"] for each in other} == {"tolland.md"}


def test_wrong_parameters_are_named(retriever: LangChainRetriever, prizes: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="'top_k' is not a parameter of a search; give k, neighbours"):
        retriever.invoke(QUESTION, top_k=3)
    with pytest.raises(InputError, match="k: 0 results"):
        LangChainRetriever(graph=prizes, k=0)


def test_callbacks_see_the_documents(retriever: LangChainRetriever) -> None:
    class Seen(BaseCallbackHandler):
        documents: list[Document] | None = None

        def on_retriever_end(self, documents: Any, **_: Any) -> None:
            self.documents = documents

    seen = Seen()
    found = retriever.invoke(QUESTION, {"callbacks": [seen]})
    assert seen.documents == found


async def test_the_event_loop_goes_on_while_a_question_is_answered(retriever: LangChainRetriever) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await retriever.ainvoke(QUESTION)
    counting.cancel()
    assert turns > 2


def test_it_is_a_part_of_a_chain(retriever: LangChainRetriever) -> None:
    chain = retriever | RunnableLambda(lambda documents: [each.metadata["document"] for each in documents])
    assert chain.invoke("What is a rope made of?")[0] == "rope.md"
