"""A question on its way through: seeds by text scores, expansion over the graph, one ranking, the reasons.

`scoring` scores all chunks, `channels` are the ways over the graph, `rankings` make one list of both,
`answers` say why each result is there. Scores and rankings are functions of arrays; only `channels` ask
SPARQL. Imports from `foundation`, `build` and `graph`.

Begin with `Retriever` in `retrieval.retriever`; then `inquiry`, what one question needs to be ranked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.foundation.question import Filter, Mode
    from sage_ld.retrieval.retriever import Retriever

__all__ = ["Filter", "Mode", "Retriever"]

__getattr__ = lazy_names(
    globals(),
    {"Filter": "retriever", "Mode": "retriever", "Retriever": "retriever"},
)
