"""Shapes of a user's own that guard writes: what a change has made invalid, in proportion to the change."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final, cast

import pyshacl
from pyoxigraph import NamedNode, Quad, Triple
from pyshacl.errors import ShapeRecursionWarning
from pyshacl.graph_abstraction import DataGraph
from pyshacl.rdfutil.stringify import stringify_blank_node
from pyshacl.validator import Validator
from rdflib import SH, Graph
from rdflib.term import IdentifiedNode, Node, URIRef

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.shapes.dependencies import ShapeDependencies, Statement
from sage_ld.graph.shapes.shacl import MILDER, VIOLATION, Violation
from sage_ld.graph.shapes.store_view import rdflib_triple, view
from sage_ld.graph.shapes.user_shapes import read_shapes, reason, violation_in
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.user_statements import as_written

SEVERITIES: Final = (*MILDER, VIOLATION)
"""The severities of SHACL, the least first."""
_NAMES_A_GRAPH: Final = ("://", "urn:")
_BATCH: Final = 1_000
"""Focus nodes that are validated at once."""
_NOBODY: Final = URIRef("urn:sage-ld:nobody")
_MOST: Final = 1_000
"""New violations of one severity or another after which no more are looked for."""


class Guard:
    """The shapes that the setting `shapes` names.

    Statements that are derived, and resources of the graph's own, are no matter of theirs.
    """

    def __init__(self, shapes: Graph, iris: Iris) -> None:
        """Raises InputError for shapes that pySHACL refuses."""
        self._shapes, self._base = shapes, iris.base
        self._derived = iris.derived_graphs
        try:
            pyshacl.validate(Graph(), shacl_graph=shapes)
            self._validator = Validator(DataGraph.from_rdflib_graph(Graph()), shacl_graph=shapes, options={})
            found = self._validator.shacl_graph.shapes
            self._dependencies = [ShapeDependencies.of(each, shapes) for each in found]
            for each in self._dependencies:  # what is wrong inside a shape, only evaluating it shows
                self._results(each, Graph(), [_NOBODY])
        except Exception as error:  # a shape may be wrong in any way, and pySHACL fails in as many
            raise InputError(f"the shapes: pySHACL refuses them: {reason(error)}; correct them") from None

    def new_violations(self, before: Store, after: Store, changed: Iterable[Quad] | None) -> list[Violation]:
        """The results, of any severity, that a change has added; `changed` None is any statement.

        Raises InputError where a shape cannot be evaluated.
        """
        stringify_blank_node.dict_cache.clear()  # which knows graphs by their place in memory
        statements = None
        if changed is not None:
            stated = [each for each in changed if not isinstance(each.object, Triple)]
            written = (as_written(store, stated, merged=True) for store in (before, after))
            statements = [rdflib_triple(each) for each in dict.fromkeys(chain(stated, *written))]
        were, are = view(before, self._derived), view(after, self._derived)
        new: list[Violation] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", ShapeRecursionWarning)
                for each in self._dependencies:
                    for focus in self._batches(each, are, statements):
                        if found := self._results(each, are, focus):
                            former = [one for one in focus if each.targets.include(were, one)]
                            known = set(map(_place, self._results(each, were, former)))
                            new += [one for one in found if _place(one) not in known]
                        if len(new) >= _MOST:
                            return sorted(new)
        except Exception as error:  # also of a pattern or a query in a shape that is no pattern, no query
            raise InputError(f"the shapes cannot be evaluated: {reason(error)}; correct them") from None
        return sorted(new)

    def _batches(
        self, shape: ShapeDependencies, data: Graph, changed: list[Statement] | None
    ) -> Iterator[list[Node]]:
        found = shape.focus_nodes(data, changed)
        focus = iter(sorted((each for each in found if not self._is_own(each)), key=str))
        while batch := list(islice(focus, _BATCH)):
            yield batch

    def _is_own(self, focus: Node) -> bool:
        return isinstance(focus, URIRef) and focus.startswith(self._base)

    def _results(self, shape: ShapeDependencies, data: Graph, focus: list[Node]) -> list[Violation]:
        conforms, results = shape.shape.validate(
            self._validator.make_executor(), data, focus=cast("list[IdentifiedNode]", focus)
        )
        if conforms:
            return []
        report, _ = Validator.create_validation_report(shape.shape.sg, conforms, results)
        return [violation_in(report, self._shapes, each) for each in report.objects(None, SH.result)]


def _place(violation: Violation) -> Violation:
    """A violation without its message, which quotes all that is said of a blank node."""
    return replace(violation, message="")


def guard(settings: Settings, folder: Path, store: Store, iris: Iris) -> Guard | None:
    """The guard of the graph in a folder; None without one, or while the graph of shapes is empty.

    Raises InputError for a file that is not in that folder, or has no shapes, LimitError.
    """
    name = settings.shapes
    if not name:
        return None
    if not any(each in name for each in _NAMES_A_GRAPH):
        file = (folder / name).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise InputError(f"shapes={name[:100]!r}: a file outside the graph; move it into {folder}")
        return Guard(read_shapes(file, settings), iris)
    shapes, size = Graph(), 0
    for quad in store.quads_for_pattern(None, None, None, NamedNode(name)):
        size += len(str(quad.triple))
        if size > settings.max_shapes_bytes:
            limit = settings.max_shapes_bytes
            raise LimitError.of(f"the shapes in <{name}>", size, limit, "characters", "max_shapes_bytes")
        if not isinstance(quad.object, Triple):
            shapes.add(rdflib_triple(quad))
    return Guard(shapes, iris) if size else None
