"""Mixed files to a knowledge graph in RDF; questions to answers in JSON-LD that say why.

What is listed here is the public interface. Each name is imported when it is first used, so that
`import sage_ld` and the command line start without the libraries behind them.

>>> import sage_ld
>>> sage_ld.Mode("hybrid"), sage_ld.Settings().max_results
(<Mode.HYBRID: 'hybrid'>, 1000)
>>> issubclass(sage_ld.NotFoundError, sage_ld.SageError)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sage_ld.errors import (
        ConflictError,
        InputError,
        LimitError,
        NotFoundError,
        ResultLimitError,
        SageError,
        TimeLimitError,
        UnavailableError,
    )
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.model import Filter, Mode
    from sage_ld.retrieval import Retriever
    from sage_ld.settings import Settings

    __version__: str

__all__ = [
    "ConflictError",
    "Filter",
    "InputError",
    "KnowledgeGraph",
    "LimitError",
    "Mode",
    "NotFoundError",
    "ResultLimitError",
    "Retriever",
    "SageError",
    "Settings",
    "TimeLimitError",
    "UnavailableError",
    "__version__",
]

_HOMES = {
    "Filter": "sage_ld.model",
    "KnowledgeGraph": "sage_ld.graph",
    "Mode": "sage_ld.model",
    "Retriever": "sage_ld.retrieval",
    "Settings": "sage_ld.settings",
}
"""The module of each name; those not listed are errors."""


def __getattr__(name: str) -> object:
    """The public name, imported from its module."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("sage-ld")
    else:
        value = getattr(import_module(_HOMES.get(name, "sage_ld.errors")), name)
    globals()[name] = value  # the next use finds it without asking here
    return value


def __dir__() -> list[str]:
    """The public names, for completion in an interactive session."""
    return sorted(__all__)
