"""Haystack, versions 2 and 3: a retriever for pipelines, which can be saved (extra `haystack`)."""

from __future__ import annotations

from typing import Any

from sage_ld.agents.integrations.haystack_filters import filter_of
from sage_ld.agents.integrations.search import Passage, Search
from sage_ld.agents.integrations.sources import GraphLike, LocalGraph, RemoteGraph, source_of
from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError

with extras.imports(extras.HAYSTACK):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import Secret, deserialize_secrets_inplace


@component
class HaystackRetriever:
    """The passages of a graph as Haystack's documents: the id is the chunk's IRI.

    `graph` is what `source_of` takes: a path, the address of a service, a `KnowledgeGraph` …; `token` is for
    a service that needs one. `top_k` is the number of results; `parameters` are those of `Search`, without
    `k` and `only`, in whose place `filters` stand in Haystack's language (`haystack_filters.filter_of`). The
    metadata of a document is its result in flat JSON, without text and score.
    """

    def __init__(
        self,
        graph: GraphLike,
        *,
        token: Secret | None = None,
        top_k: int = 10,
        filters: dict[str, Any] | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        source = source_of(graph)
        if token is not None:
            if not isinstance(source, RemoteGraph):
                raise InputError(
                    "token: a graph in this process takes no token; give the address of a service"
                )
            source = RemoteGraph(source.address, token.resolve_value(), source.timeout)
        self.source, self.token = source, token
        self.top_k, self.filters, self.parameters = top_k, filters, parameters
        self._search(None, None)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """The documents for a question; `filters` and `top_k` replace those of the component."""
        (passages,) = self.source.search([query], self._search(filters, top_k))
        return {"documents": _documents(passages)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """The result of `run`, from a coroutine."""
        (passages,) = await self.source.asearch([query], self._search(filters, top_k))
        return {"documents": _documents(passages)}

    def to_dict(self) -> dict[str, Any]:
        """The component as plain data. Raises InputError for a graph that no name can open again."""
        return default_to_dict(
            self,
            graph=self._name(),
            token=self.token.to_dict() if self.token else None,
            top_k=self.top_k,
            filters=self.filters,
            parameters=self.parameters,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HaystackRetriever:
        """The component that `to_dict` described; the graph is opened."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["token"])
        return default_from_dict(cls, data)

    def _name(self) -> str:
        if isinstance(self.source, RemoteGraph):
            if self.source.has_token and self.token is None:
                raise InputError(
                    "token: that of a RemoteGraph is not saved; give token=Secret.from_env_var(…)"
                )
            return self.source.address
        if isinstance(self.source, LocalGraph) and self.source.is_plain:
            return str(self.source.folder)
        raise InputError(
            "graph: a retriever with parameters of its own cannot be saved; give a path or an address"
        )

    def _search(self, filters: dict[str, Any] | None, top_k: int | None) -> Search:
        chosen = self.filters if filters is None else filters
        k = self.top_k if top_k is None else top_k
        return Search().changed(**(self.parameters or {}), k=k, only=filter_of(chosen))


def _documents(passages: list[Passage]) -> list[Document]:
    return [
        Document(id=each["chunk"], content=each.pop("text"), score=each.pop("score"), meta=each)
        for each in passages
    ]
