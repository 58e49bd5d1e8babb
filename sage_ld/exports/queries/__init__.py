"""The queries behind `validate` and the VoID description, each over the union of all named graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources

from pyoxigraph import QuerySolution, QuerySolutions, Store


@cache
def text(name: str) -> str:
    """The text of the query `name`."""
    return resources.files(__name__).joinpath(f"{name}.rq").read_text(encoding="utf-8")


def select(store: Store, name: str) -> Iterator[QuerySolution]:
    """The solutions of the query `name`, streamed; only the thread that asks may read them."""
    solutions = store.query(text(name), use_default_graph_as_union=True)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError(f"{name}.rq is not a SELECT query")
    return iter(solutions)
