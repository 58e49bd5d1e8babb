"""Mixed files to a knowledge graph in RDF; questions to answers in JSON-LD that say why.

`KnowledgeGraph` and `Retriever` are imported when they are first used: a command that needs neither starts
without their libraries.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.retrieval import Retriever

__all__ = ["KnowledgeGraph", "Retriever", "__version__"]
__version__ = version("sage-ld")

_HOMES = {"KnowledgeGraph": "sage_ld.graph", "Retriever": "sage_ld.retrieval"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
