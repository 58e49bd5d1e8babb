"""LangChain: a retriever with filters, batches and a native coroutine, and tools (extra `langchain`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from sage_ld.agents import Toolbox
from sage_ld.agents.integrations import tool_calls
from sage_ld.agents.integrations.search import Passage, Search
from sage_ld.agents.integrations.sources import GraphLike, PassageSource, source_of
from sage_ld.foundation import extras
from sage_ld.foundation.errors import SageError

with extras.imports(extras.LANGCHAIN):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from pydantic import ConfigDict, field_validator, model_validator


class LangChainRetriever(BaseRetriever):
    """The passages of a graph as LangChain's documents: the id is the chunk's IRI.

    `graph` is what `source_of` takes: a path, the address of a service, a `KnowledgeGraph` … The other
    parameters are those of `Search`; each call may give others, `retriever.invoke(question, k=3)`. The
    metadata of a document is its result in flat JSON, without the text. `batch` and `abatch` encode the
    questions together and answer all of them from one revision. Raises what `Retriever.retrieve` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="allow")

    graph: Any
    k: int = 10

    @field_validator("graph")
    @classmethod
    def _opened(cls, graph: GraphLike) -> PassageSource:
        return source_of(graph)

    @model_validator(mode="after")
    def _checked(self) -> LangChainRetriever:
        self._search()
        return self

    def batch(
        self,
        inputs: list[str],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[list[Document]]:
        """The documents for each question; with `return_exceptions`, the questions are asked one by one."""
        if return_exceptions:
            return super().batch(inputs, config, return_exceptions=True, **kwargs)
        search = partial(self._all, **kwargs)
        return self._batch_with_config(search, inputs, config, run_type="retriever")

    async def abatch(
        self,
        inputs: list[str],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[list[Document]]:
        """The result of `batch`, from a coroutine."""
        if return_exceptions:
            return await super().abatch(inputs, config, return_exceptions=True, **kwargs)
        search = partial(self._aall, **kwargs)
        return await self._abatch_with_config(search, inputs, config, run_type="retriever")

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **changes: Any
    ) -> list[Document]:
        return self._all([query], **changes)[0]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **changes: Any
    ) -> list[Document]:
        return (await self._aall([query], **changes))[0]

    def _all(self, questions: list[str], **changes: Any) -> list[list[Document]]:
        return [_documents(each) for each in self.graph.search(questions, self._search(**changes))]

    async def _aall(self, questions: list[str], **changes: Any) -> list[list[Document]]:
        return [_documents(each) for each in await self.graph.asearch(questions, self._search(**changes))]

    def _search(self, **changes: Any) -> Search:
        return Search().changed(**{"k": self.k, **(self.model_extra or {}), **changes})


def _documents(passages: list[Passage]) -> list[Document]:
    return [Document(each.pop("text"), id=each["chunk"], metadata=each) for each in passages]


def langchain_tools(toolbox: Toolbox) -> list[BaseTool]:
    """The tools of a toolbox for agents of LangChain, with the schemas of their arguments.

    The result is JSON. What the toolbox refuses, and why, is given to the model as the result of its call.
    """
    return [_tool(toolbox, each["function"]) for each in toolbox.openai_tools()]


def _tool(toolbox: Toolbox, function: dict[str, Any]) -> BaseTool:
    name = function["name"]

    def run(**arguments: Any) -> str:
        try:
            return tool_calls.call(toolbox, name, arguments)
        except SageError as error:
            raise ToolException(str(error)) from error

    async def arun(**arguments: Any) -> str:
        try:
            return await tool_calls.acall(toolbox, name, arguments)
        except SageError as error:
            raise ToolException(str(error)) from error

    return StructuredTool(
        name=name,
        description=function["description"],
        args_schema=function["parameters"],
        func=run,
        coroutine=arun,
        handle_tool_error=True,
    )
