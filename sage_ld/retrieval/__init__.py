"""Retrieval: seeds by text scores, expansion over the graph, fusion."""

from sage_ld.retrieval.retriever import Mode, Retriever

__all__ = ["Mode", "Retriever"]
