"""Named graphs of sage-ld's own in RDF that it has exported (`docs/architecture.md` lists them).

An export gives its base IRI away where such a graph says something, in our vocabulary, of a resource below
the same base. Only graphs that are named as ours are: one statement of a stranger in a dataset takes no other
graph out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from pyoxigraph import NamedNode

from sage_ld.build.readers.statements import is_reserved

_Quad = TypeVar("_Quad", bound=Any)
"""A quad, or its four terms."""
_NAMES: Final = (
    *("builds", "concepts", "curated", "document", "edges", "entities"),
    *("forms", "inferred", "relations", "resources", "sources"),
)
"""The beginnings of the graphs' IRIs below `{base}graph/`."""


def without_derived(quads: Sequence[_Quad]) -> Sequence[_Quad]:
    """The quads without what stands in sage-ld's own graphs of a graph that was exported among them."""
    names = {each[3] for each in quads}
    known = {name: base for name in names if (base := _base(name))}
    if not known:
        return quads
    bases = {known[each[3]] for each in quads if each[3] in known and _is_ours(each, known[each[3]])}
    return [each for each in quads if known.get(each[3]) not in bases]


def left_out(count: int) -> str:
    """The note of a report that says how many statements `without_derived` has left out."""
    return f"{count:,} statements that sage-ld derived were left out; they are derived again"


def _base(graph: object) -> str:
    """The base of a graph whose IRI is like those of ours; empty for any other one."""
    if not isinstance(graph, NamedNode):
        return ""
    base, _, name = graph.value.rpartition("graph/")
    return base if name.partition("/")[0] in _NAMES else ""


def _is_ours(quad: _Quad, base: str) -> bool:
    subject, predicate, value, _ = quad
    is_below = isinstance(subject, NamedNode) and subject.value.startswith(base)
    return is_below and (is_reserved(predicate) or is_reserved(value))
