"""The named queries: one `.rq` file each, readable, changeable and runnable on the endpoint.

A parameter is an empty `VALUES ?name { }` block, or `VALUES (?name ?other) { }`, which `bind` fills with
validated terms, or `LIMIT ?name`, which it gives an integer. Nothing else ever enters the text of a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation.errors import NotFoundError

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
