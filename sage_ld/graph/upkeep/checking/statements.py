"""The check of what a graph says: the shapes, and the ends of edges."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Final

from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.progress import Progress
from sage_ld.graph.derivations.table import DERIVATIONS
from sage_ld.graph.store import reading
from sage_ld.graph.store.curated_edges import is_there
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.upkeep.checking.findings import Cure, Finding

if TYPE_CHECKING:
    from sage_ld.graph.shapes.shacl import Violation

_ENDS: Final = (v.SOURCE, v.TARGET, v.NEXT, v.LINKS_TO, v.SIMILAR_TO, v.ANALOGOUS_TO)
_RELINK: Final = "derives edges and labels again"


def shapes(store: Store, iris: Iris, most: int, progress: Progress) -> Iterator[Finding]:
    """A finding for each violation of the shapes; those beyond `most` are described as the last one."""
    from sage_ld.graph.shapes.shacl import validate

    report = validate(store, limit=most, progress=partial(progress, "shapes"))
    findings = [_broken(store, each, iris) for each in report.violations]
    yield from findings
    yield from chain.from_iterable(repeat(findings[-1:], report.count - len(findings)))


def _broken(store: Store, violation: Violation, iris: Iris) -> Finding:
    meaning = f"{violation.message} ({violation.rule})"
    if _is_derived(store, violation.focus, iris):
        return Finding("shapes", violation.focus, meaning, _RELINK, Cure.RELINK)
    remedy = "correct the statement by an update, or ingest its document again"
    return Finding("shapes", violation.focus, meaning, remedy)


def ends(store: Store, iris: Iris, chunks: set[str], progress: Progress) -> Iterator[Finding]:
    """The edges, but curated ones, that lead from or to a chunk or a document of ours that is not there."""
    known = chunks | {each.iri for each in reading.documents(store)}
    ours = tuple(f"{iris.base}{kind}/" for kind in ("chunk", "document"))
    derived, curated = _derived_graphs(iris), node(iris.curated_graph)
    for number, predicate in enumerate(_ENDS):
        progress("edges", number, len(_ENDS))
        for quad in store.quads_for_pattern(None, node(predicate), None, None):
            if quad.graph_name == curated and predicate in (v.SOURCE, v.TARGET):
                continue  # `loose_ends` has them
            gone = _end(quad.object, ours, known) or _end(quad.subject, ours, known)
            if gone is not None:
                yield _dangling(quad, gone, derived)
    progress("edges", len(_ENDS), len(_ENDS))


def loose_ends(store: Store, iris: Iris) -> Iterator[Finding]:
    """The ends of curated edges that are not there, in a store that has each named graph."""
    for role in (v.SOURCE, v.TARGET):
        for quad in store.quads_for_pattern(None, node(role), None, node(iris.curated_graph)):
            end = quad.object
            if isinstance(end, NamedNode) and not is_there(store, iris, end.value):
                meaning = (
                    f"it is an end of the curated edge {quad.subject}, and the graph has no such resource"
                )
                yield Finding("edges", end.value, meaning, "remove the edge (sage-ld edges remove)")


def _end(term: object, ours: tuple[str, ...], known: set[str]) -> str | None:
    """The IRI of a resource that should be there, and is not."""
    if isinstance(term, NamedNode) and term.value.startswith(ours) and term.value not in known:
        return term.value
    return None


def _dangling(quad: Quad, gone: str, derived: frozenset[str]) -> Finding:
    graph = quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else "the default graph"
    meaning = f"it is an end of {quad.subject} {quad.predicate}, and there is no such chunk or document"
    if graph in derived:
        return Finding("edges", gone, meaning, _RELINK, Cure.RELINK)
    return Finding("edges", gone, meaning, f"remove the statement from {graph}")


def _is_derived(store: Store, focus: str, iris: Iris) -> bool:
    """Whether all that is said of a node is derived."""
    graphs = {quad.graph_name for quad in store.quads_for_pattern(NamedNode(focus), None, None, None)}
    names = {each.value for each in graphs if isinstance(each, NamedNode)}
    return bool(names) and len(names) == len(graphs) and names <= _derived_graphs(iris)


def _derived_graphs(iris: Iris) -> frozenset[str]:
    """The graphs that a relink writes again."""
    return frozenset(each.graph(iris) for each in DERIVATIONS)
