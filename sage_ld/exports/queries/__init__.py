"""The queries behind `validate` and the VoID description, each over the union of all named graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolution, QuerySolutions, Store, Triple, Variable

Term = NamedNode | BlankNode | Literal | Triple


@cache
def text(name: str) -> str:
    """The text of the query `name`."""
    return resources.files(__name__).joinpath(f"{name}.rq").read_text(encoding="utf-8")


def select(store: Store, name: str, focus: NamedNode | None = None) -> Iterator[QuerySolution]:
    """The solutions of the query `name`, streamed; only the thread that asks may read them.

    With `focus` only those in which its variable ?focus is that node.
    """
    bound: dict[Variable, Term] = {} if focus is None else {Variable("focus"): focus}
    solutions = store.query(text(name), use_default_graph_as_union=True, substitutions=bound)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError(f"{name}.rq is not a SELECT query")
    return iter(solutions)
