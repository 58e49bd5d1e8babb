"""The named queries: one `.rq` file each, readable, changeable and runnable on the endpoint.

A parameter is an empty `VALUES ?name { }` block, or `VALUES (?name ?other) { }`, which `bind` fills with
validated terms, or `LIMIT ?name`, which it gives an integer. Nothing else ever enters the text of a query.
`select` asks a store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode, QuerySolution, QuerySolutions, Variable

from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.rdf_values import iri_of, text_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import Term

_PARAMETER = re.compile(r"VALUES\s+(?:\?(\w+)|\(([?\w\s]+)\))\s*\{\s*\}|LIMIT\s+\?(\w+)")
Values: TypeAlias = Iterable[str | Literal] | Iterable[tuple[str | int | Literal, ...]] | int
"""IRIs or literals; rows of them and of integers, for a block of several variables; one integer."""


@cache
def text(name: str) -> str:
    """The text of the query `name`. Raises NotFoundError if there is none."""
    file = resources.files(__name__).joinpath(f"{name}.rq")
    if not file.is_file():
        raise NotFoundError(f"no query named {name!r}; the queries are {', '.join(names())}")
    return file.read_text(encoding="utf-8")


@cache
def names() -> tuple[str, ...]:
    """The names of all queries, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(file.name.removesuffix(".rq") for file in files if file.name.endswith(".rq")))


def bind(name: str, **parameters: Values | None) -> str:
    """The query `name` with each empty `VALUES` block filled: that of `?a` by `a`, of `(?a ?b)` by `a_b`.

    `LIMIT ?n` is that many rows, `n` being an integer.

    None leaves a block out altogether: the query then ranges over the whole graph. Raises ValueError for an
    invalid IRI, and KeyError for a block without a parameter.
    """
    blocks = {key: None if value is None else _rows(value) for key, value in parameters.items()}

    def block(match: re.Match[str]) -> str:
        one, several, limit = match.groups()
        if limit:
            return f"LIMIT {blocks[limit]}"
        rows = blocks[one or "_".join(several.replace("?", " ").split())]
        return "" if rows is None else f"VALUES {f'?{one}' if one else f'({several})'} {{ {rows} }}"

    return _PARAMETER.sub(block, text(name))


def _rows(value: Values) -> str:
    if isinstance(value, int):
        return str(value)
    return " ".join(
        f"({' '.join(map(_term, each))})" if isinstance(each, tuple) else _term(each) for each in value
    )


def _term(value: str | int | Literal) -> str:
    return str(value if isinstance(value, Literal | int) else NamedNode(value))


def select(store: Store, text: str, **bound: Term) -> Iterator[QuerySolution]:
    """The solutions of a SELECT over the union of all graphs, for the thread that asks.

    `bound` returns variables their values before the query is evaluated.
    """
    substitutions = {Variable(name): term for name, term in bound.items()}
    solutions = store.query(text, use_default_graph_as_union=True, substitutions=substitutions)
    if not isinstance(solutions, QuerySolutions):
        raise TypeError("only SELECT queries have solutions")
    return iter(solutions)


def first_rows(rows: Iterable[QuerySolution], name: str, *texts: str) -> list[QuerySolution]:
    """The first row of each IRI in the variable `name`, of the rows with something to read in `texts`."""
    first: dict[str, QuerySolution] = {}
    for row in rows:
        iri = iri_of(row[name])
        if iri is not None and all(text_of(row[each]) for each in texts):
            first[iri] = row if iri not in first else min(first[iri], row, key=_order)
    return list(first.values())


def _order(row: QuerySolution) -> list[str]:
    return [str(term) for term in row]
