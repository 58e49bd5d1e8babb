"""The named queries: one `.rq` file each, readable, changeable and runnable on the endpoint.

A parameter is an empty `VALUES ?name { }` block, which `bind` fills with validated terms. Nothing else ever
enters the text of a query.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from pyoxigraph import Literal, NamedNode

from sage_ld.errors import NotFoundError

_EMPTY_VALUES = re.compile(r"VALUES\s+\?(\w+)\s*\{\s*\}")


@cache
def text(name: str) -> str:
    """The text of the query `name`. Raises NotFoundError where there is none."""
    file = resources.files(__name__).joinpath(f"{name}.rq")
    if not file.is_file():
        raise NotFoundError(f"no query named {name!r}; the queries are {', '.join(names())}")
    return file.read_text(encoding="utf-8")


@cache
def names() -> tuple[str, ...]:
    """The names of all queries, sorted."""
    files = resources.files(__name__).iterdir()
    return tuple(sorted(file.name.removesuffix(".rq") for file in files if file.name.endswith(".rq")))


def bind(name: str, **parameters: Iterable[str | Literal] | int | None) -> str:
    """The query `name` with each empty `VALUES ?parameter { }` filled with IRIs, literals or one integer.

    None leaves a block out altogether: the query then ranges over the whole graph. Raises ValueError for an
    IRI that is none, and KeyError for a block without a parameter.
    """
    blocks = {key: None if value is None else _values(key, value) for key, value in parameters.items()}
    return _EMPTY_VALUES.sub(lambda match: blocks[match.group(1)] or "", text(name))


def _values(variable: str, value: Iterable[str | Literal] | int) -> str:
    terms = [str(value)] if isinstance(value, int) else [_term(each) for each in value]
    return f"VALUES ?{variable} {{ {' '.join(terms)} }}"


def _term(value: str | Literal) -> str:
    return str(value if isinstance(value, Literal) else NamedNode(value))
