"""LlamaIndex: a retriever with a native coroutine (extra `llama-index`)."""

from __future__ import annotations

from typing import Any

from sage_ld.agents.integrations.search import Passage, Search
from sage_ld.agents.integrations.sources import GraphLike, source_of
from sage_ld.foundation import extras

with extras.imports(extras.LLAMA_INDEX):
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )

_UNSEEN = (
    "chunk",
    "score",
    "rank",
    "role",
    "parts",
    "path",
    "begin",
    "end",
    "kind",
    "url",
    "before",
    "after",
)
"""Keys of a node's metadata that neither a language model nor an encoder is shown."""


class LlamaIndexRetriever(BaseRetriever):
    """The passages of a graph as LlamaIndex's nodes: the id is the chunk's IRI, the source its document.

    `graph` is what `source_of` takes: a path, the address of a service, a `KnowledgeGraph` … `parameters` are
    those of `Search`. The metadata of a node is its result in flat JSON, without the text; of it, templates
    for language models show document, name, title and place. Raises what `Retriever.retrieve` raises.
    """

    def __init__(
        self, graph: GraphLike, *, callback_manager: CallbackManager | None = None, **parameters: Any
    ) -> None:
        self.source = source_of(graph)
        self.options = Search().changed(**parameters)
        super().__init__(callback_manager=callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        (passages,) = self.source.search([query_bundle.query_str], self.options)
        return _nodes(passages)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        (passages,) = await self.source.asearch([query_bundle.query_str], self.options)
        return _nodes(passages)


def _nodes(passages: list[Passage]) -> list[NodeWithScore]:
    return [NodeWithScore(node=text_node(each), score=each["score"]) for each in passages]


def text_node(passage: Passage) -> TextNode:
    """The node of a passage."""
    metadata = {name: value for name, value in passage.items() if name != "text"}
    return TextNode(
        id_=passage["chunk"],
        text=passage["text"],
        metadata=metadata,
        start_char_idx=passage["begin"],
        end_char_idx=passage["end"],
        excluded_llm_metadata_keys=list(_UNSEEN),
        excluded_embed_metadata_keys=list(_UNSEEN),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=passage["document"])},
    )
