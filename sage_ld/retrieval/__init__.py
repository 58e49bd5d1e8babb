"""Retrieval: seeds by text scores, expansion over the graph, fusion, filters."""

from sage_ld.model import Filter, Mode
from sage_ld.retrieval.retriever import Retriever

__all__ = ["Filter", "Mode", "Retriever"]
