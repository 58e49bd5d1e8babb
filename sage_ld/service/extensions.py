"""Extensions: what rooms that may be left out add to the service.

An extension is a module with an `Extension` named `EXTENSION`; a line of `_MODULES` hangs it on. The service
imports them when it starts, and never anything else of their rooms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, cast

from sage_ld.foundation.lazy_imports import optional_module
from sage_ld.service.route import Surface

_MODULES: Final = (
    "sage_ld.lab.http.extension",
    "sage_ld.agents.http.extension",
    "sage_ld.service.views.extension",
)


class ExtensionState:
    """The state of an extension in a web process; each method does nothing unless it is overridden."""

    def begin(self, number: int) -> None:
        """Begins what will be asked of a revision once a page of the whole graph is shown."""

    def renew(self, number: int) -> None:
        """Makes of a new revision what was made of an earlier one."""

    def close(self) -> None:
        """Ends what the state has started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """The routes that a room adds, with the answers that they give and what it keeps."""

    name: str
    surfaces: tuple[Surface, ...]
    begin: Callable[[Any], ExtensionState]
    """Makes the state from the service, `context.Service`. Raises SageError for a wrong setting."""
    components: Mapping[str, Any] = field(default_factory=dict)
    """Its answers by the names of their schemas: records, or schemas."""
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """An answer for each of them."""


@cache
def installed() -> tuple[Extension, ...]:
    """The extensions that are there."""
    modules = (optional_module(name) for name in _MODULES)
    return tuple(cast(Extension, each.EXTENSION) for each in modules if each is not None)
