"""The search of the adapters, whose budget is one number, as frameworks have it, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, Unpack

from sage_ld.foundation import arguments
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Filter, Question, QuestionOptions

Passage: TypeAlias = dict[str, Any]
"""A result in flat JSON (`retrieval.answers.plain`): `rank`, `score`, `role`, `document`, `chunk`,
`kind`, `name`, `title`, `url`, `place`, `begin`, `end`, `text`, `parts`, `path`."""


@dataclass(frozen=True, slots=True, init=False)
class Search:
    """The parameters of a search: its budget, and the options of a question by name.

    >>> Search(k=7).budget, Search(k=7, neighbours=0).budget
    ((4, 3), (7, 0))
    """

    k: int
    """The number of results."""
    neighbours: int | None
    """The budget of neighbours among them; None for half of them, rounded down."""
    options: Mapping[str, Any]
    """The options that are given (`QuestionOptions`)."""

    def __init__(
        self, k: int = 10, neighbours: int | None = None, **options: Unpack[QuestionOptions]
    ) -> None:
        if arguments.whole_number(k, "k") < 1:
            raise InputError(f"k: {k} results; give at least 1")
        if neighbours is not None and not 0 <= arguments.whole_number(neighbours, "neighbours") < k:
            raise InputError(f"neighbours: {neighbours} of {k} results (k); give at least 0, and less than k")
        if not isinstance(only := options.get("only") or Filter(), Filter):
            raise InputError(f"only: a value of type {type(only).__name__}; give a sage_ld.Filter")
        for name, value in {"k": k, "neighbours": neighbours, "options": options}.items():
            object.__setattr__(self, name, value)

    @property
    def budget(self) -> tuple[int, int]:
        """The budgets of seeds and of neighbours, as `Retriever.retrieve` has them."""
        neighbours = self.k // 2 if self.neighbours is None else self.neighbours
        return self.k - neighbours, neighbours

    def changed(self, **changes: Any) -> Search:
        """A search with other values by name. Raises InputError for a name that is not a parameter."""
        names = ["k", "neighbours", *QuestionOptions.__annotations__]
        for name in changes:
            if name not in names:
                raise InputError(f"{name[:40]!r} is not a parameter of a search; give {', '.join(names)}")
        return Search(**{"k": self.k, "neighbours": self.neighbours, **self.options, **changes})

    def parameters(self) -> dict[str, Any]:
        """The parameters of `/v1/retrieve`, by POST."""
        k, neighbours = self.budget
        only = self.options.get("only")
        given = {name: value for name, value in self.options.items() if name != "only"}
        sent = {parameters(Question)[name].http: value for name, value in given.items()}
        sent |= asdict(only) if isinstance(only, Filter) else {}
        return {name: value for name, value in sent.items() if value} | {"k": k, "neighbours": neighbours}
