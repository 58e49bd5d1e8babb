"""The search of the adapters, whose budget is one number, as frameworks have it, and its results."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, Unpack

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Filter, Question, QuestionOptions

Passage: TypeAlias = dict[str, Any]
"""A result in flat JSON (`retrieval.answers.plain`): `rank`, `score`, `role`, `document`, `chunk`,
`kind`, `name`, `title`, `url`, `place`, `begin`, `end`, `text`, `parts`, `path`."""


@dataclass(frozen=True, slots=True, init=False)
class Search:
    """The parameters of a search: its budget, and the options of a question by name.

    >>> Search(k=7).parameters(), Search(k=7, from_graph=0).parameters()
    ({'k': 7}, {'k': 7, 'from_graph': 0})
    """

    k: int
    """The number of results."""
    from_graph: int | None
    """How many of them the graph may add; None for half of them."""
    options: Mapping[str, Any]
    """The options that are given (`QuestionOptions`)."""

    def __init__(
        self, k: int = 10, from_graph: int | None = None, **options: Unpack[QuestionOptions]
    ) -> None:
        if "neighbours" in options:
            from_graph = options.pop("neighbours")
            warnings.warn("neighbours is called from_graph now", DeprecationWarning, stacklevel=2)
        Question("a", k, from_graph)
        if not isinstance(only := options.get("only") or Filter(), Filter):
            raise InputError(f"only: a value of type {type(only).__name__}; give a sage_ld.Filter")
        for name, value in {"k": k, "from_graph": from_graph, "options": options}.items():
            object.__setattr__(self, name, value)

    def changed(self, **changes: Any) -> Search:
        """A search with other values by name. Raises InputError for a name that is not a parameter."""
        names = ["k", "from_graph", *QuestionOptions.__annotations__]
        for name in changes:
            if name not in names:
                raise InputError(f"{name[:40]!r} is not a parameter of a search; give {', '.join(names)}")
        return Search(**{"k": self.k, "from_graph": self.from_graph, **self.options, **changes})

    def parameters(self) -> dict[str, Any]:
        """The parameters of `/v1/retrieve`, by POST."""
        only = self.options.get("only")
        given = {name: value for name, value in self.options.items() if name != "only"}
        sent = {parameters(Question)[name].http: value for name, value in given.items()}
        sent |= asdict(only) if isinstance(only, Filter) else {}
        budget = {"k": self.k} if self.from_graph is None else {"k": self.k, "from_graph": self.from_graph}
        return {name: value for name, value in sent.items() if value} | budget
