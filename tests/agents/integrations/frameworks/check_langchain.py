"""The LangChain adapter: LangChain's standard tests, filters, batches, and an event loop that goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.agents import Toolbox
from sage_ld.agents.integrations.langchain import LangChainRetriever, langchain_tools

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


class StandardTool:
    """The tool that searches, for the standard tests."""

    @pytest.fixture(autouse=True)
    def _tools(self, tools: dict[str, BaseTool]) -> None:
        self.tools = tools

    @property
    def tool_constructor(self) -> BaseTool:
        return self.tools["search"]

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"question": QUESTION}


class TestStandardToolUnits(StandardTool, ToolsUnitTests):
    """What LangChain asks of every tool's definition."""


class TestStandardTool(StandardTool, ToolsIntegrationTests):
    """What LangChain asks of every tool's calls."""


@pytest.fixture
def toolbox(prizes: KnowledgeGraph) -> Iterator[Toolbox]:
    with Toolbox(prizes) as made:
        yield made


@pytest.fixture
def tools(toolbox: Toolbox) -> dict[str, BaseTool]:
    return {each.name: each for each in langchain_tools(toolbox)}


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> LangChainRetriever:
    return LangChainRetriever(graph=prizes, k=3)


def test_documents_are_the_results_of_the_graph(
    prizes: KnowledgeGraph, retriever: LangChainRetriever
) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 3, 1).results
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
    with pytest.raises(InputError, match="'top_k' is not a parameter of a search; give k, from_graph"):
        retriever.invoke(QUESTION, top_k=3)
    with pytest.raises(InputError, match="k is 0"):
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


def test_a_model_is_shown_the_schemas_of_the_toolbox(toolbox: Toolbox, tools: dict[str, BaseTool]) -> None:
    shown = {each["function"]["name"]: each["function"] for each in toolbox.openai_tools()}
    assert tools.keys() == shown.keys()
    for name, tool in tools.items():
        function = convert_to_openai_tool(tool)["function"]
        assert function["parameters"]["properties"] == shown[name]["parameters"]["properties"]
        assert function["description"] == shown[name]["description"]


async def test_a_tool_gives_what_the_toolbox_gives(toolbox: Toolbox, tools: dict[str, BaseTool]) -> None:
    arguments = {"question": "What is a rope made of?", "k": 1, "from_graph": 0}
    found = toolbox.call("search", arguments)
    assert json.loads(tools["search"].invoke(arguments)) == found
    assert json.loads(await tools["search"].ainvoke(arguments)) == found


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("search", {"question": QUESTION, "kk": 3}, "kk"),
        ("delete_document", {"name": "rope.md"}, "a person has to approve"),
    ],
)
async def test_what_is_refused_is_told_to_the_model(
    tools: dict[str, BaseTool], name: str, arguments: dict[str, Any], why: str
) -> None:
    asked = {"name": name, "args": arguments, "id": "1", "type": "tool_call"}
    for answer in (tools[name].invoke(asked), await tools[name].ainvoke(asked)):
        assert answer.status == "error"
        assert why in answer.content
