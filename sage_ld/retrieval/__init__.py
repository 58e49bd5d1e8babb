"""Retrieval: seeds by text scores, expansion over the graph, fusion, filters."""

from sage_ld.model import Filter
from sage_ld.retrieval.retriever import Mode, Retriever

__all__ = ["Filter", "Mode", "Retriever"]
