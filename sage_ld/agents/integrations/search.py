"""The search of the adapters, whose budget is one number, as frameworks have it, and its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeAlias

from sage_ld.foundation import arguments
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Filter
from sage_ld.retrieval.retriever import RetrievalOptions

Passage: TypeAlias = dict[str, Any]
"""A result in flat JSON (`retrieval.answers.plain`): `rank`, `score`, `role`, `document`, `chunk`,
`kind`, `name`, `title`, `url`, `place`, `begin`, `end`, `text`, `parts`, `path`."""


@dataclass(frozen=True, slots=True)
class Search:
    """The parameters of a search.

    >>> Search(k=7).budget, Search(k=7, neighbours=0).budget
    ((4, 3), (7, 0))
    """

    k: int = 10
    """The number of results."""
    neighbours: int | None = None
    """How many of them are the budget of neighbours; None for half of them, rounded down."""
    mode: str = "sage"
    channels: Sequence[str] | None = None
    """The channels that are followed; None for those of the recipe."""
    window: int = 0
    """How many chunks before and after each result come with it (`before`, `after`)."""
    question_language: str | None = None
    only: Filter = field(default_factory=Filter)

    def __post_init__(self) -> None:
        if arguments.whole_number(self.k, "k") < 1:
            raise InputError(f"k: {self.k} results; give at least 1")
        given = self.neighbours
        if given is not None and not 0 <= arguments.whole_number(given, "neighbours") < self.k:
            raise InputError(
                f"neighbours: {self.neighbours} of {self.k} results (k); give at least 0, and less than k"
            )
        if not isinstance(self.only, Filter):
            raise InputError(f"only: a value of type {type(self.only).__name__}; give a sage_ld.Filter")

    @property
    def budget(self) -> tuple[int, int]:
        """The budgets of seeds and of neighbours, as `Retriever.retrieve` has them."""
        neighbours = self.k // 2 if self.neighbours is None else self.neighbours
        return self.k - neighbours, neighbours

    def changed(self, **changes: Any) -> Search:
        """A search with other values by name. Raises InputError for a name that is not a parameter."""
        names = [each.name for each in fields(self)]
        for name in changes:
            if name not in names:
                raise InputError(f"{name[:40]!r} is not a parameter of a search; give {', '.join(names)}")
        return replace(self, **changes)

    def options(self) -> RetrievalOptions:
        """The arguments of `Retriever.retrieve` that are given by name."""
        return RetrievalOptions(
            mode=self.mode,
            channels=self.channels,
            window=self.window,
            question_language=self.question_language,
            only=self.only,
        )

    def parameters(self) -> dict[str, Any]:
        """The parameters of `/v1/retrieve`, by POST."""
        k, neighbours = self.budget
        given = asdict(self) | asdict(self.only)
        del given["only"]
        return {name: value for name, value in given.items() if value} | {"k": k, "neighbours": neighbours}
