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

from typing import TYPE_CHECKING

from sage_ld.foundation import old_names
from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.foundation.errors import (
        BusyError,
        ConflictError,
        ForbiddenError,
        InputError,
        LimitError,
        NotFoundError,
        PreconditionError,
        ResultLimitError,
        SageError,
        ShapeError,
        StorageError,
        TimeLimitError,
        UnavailableError,
    )
    from sage_ld.foundation.question import Filter, Mode
    from sage_ld.foundation.settings import Settings
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.retrieval import Retriever

    __version__: str

__all__ = [
    "BusyError",
    "ConflictError",
    "Filter",
    "ForbiddenError",
    "InputError",
    "KnowledgeGraph",
    "LimitError",
    "Mode",
    "NotFoundError",
    "PreconditionError",
    "ResultLimitError",
    "Retriever",
    "SageError",
    "Settings",
    "ShapeError",
    "StorageError",
    "TimeLimitError",
    "UnavailableError",
    "__version__",
]

old_names.install()
_imported = lazy_names(
    globals(),
    {
        "Filter": "foundation.question",
        "KnowledgeGraph": "graph",
        "Mode": "foundation.question",
        "Retriever": "retrieval",
        "Settings": "foundation.settings",
    }
    | dict.fromkeys((name for name in __all__ if name.endswith("Error")), "foundation.errors"),
)


def __getattr__(name: str) -> object:
    """The public name, imported from its module."""
    if name != "__version__":
        return _imported(name)
    from importlib.metadata import version

    globals()[name] = value = version("sage-ld")
    return value


def __dir__() -> list[str]:
    """The public names, for completion in an interactive session."""
    return sorted(__all__)
