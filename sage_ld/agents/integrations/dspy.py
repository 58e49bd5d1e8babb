"""DSPy: a retrieval module (extra `dspy`)."""

from __future__ import annotations

from typing import Any

from sage_ld.agents.integrations.search import Passage, Search
from sage_ld.agents.integrations.sources import GraphLike, source_of
from sage_ld.foundation import extras

with extras.imports(extras.DSPY):
    from dspy import Module, Prediction


class DSPyRetriever(Module):
    """A module that gives the passages of a graph: `retriever(question).passages` are their texts.

    `results` beside them has each one in flat JSON. `graph` is what `source_of` takes: a path, the address of
    a service, a `KnowledgeGraph` … `parameters` are those of `Search`; each call may give others,
    `retriever(question, k=3)`. Raises what `Retriever.retrieve` raises.
    """

    def __init__(self, graph: GraphLike, **parameters: Any) -> None:
        super().__init__()
        self.source = source_of(graph)
        self.options = Search().changed(**parameters)

    def forward(self, query: str, **changes: Any) -> Prediction:
        """The passages for a question."""
        (passages,) = self.source.search([query], self.options.changed(**changes))
        return _prediction(passages)

    async def aforward(self, query: str, **changes: Any) -> Prediction:
        """The same, from a coroutine (`acall`)."""
        (passages,) = await self.source.asearch([query], self.options.changed(**changes))
        return _prediction(passages)


def _prediction(passages: list[Passage]) -> Prediction:
    return Prediction(passages=[each["text"] for each in passages], results=passages)
