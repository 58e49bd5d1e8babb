"""Validation of a whole graph against SHACL shapes of a user's own, by pySHACL.

They may say anything: paths over several nodes, closed shapes, SPARQL. So all statements are in memory at
once, unlike for our own shapes (`shacl`), and their number is limited. Nothing is fetched: imports are not
followed, and pySHACL refuses SERVICE.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

import pyshacl
from pyoxigraph import Triple
from pyshacl.errors import ShapeRecursionWarning
from pyshacl.shapes_graph import ShapesGraph
from rdflib import RDF, SH, BNode, Graph
from rdflib.term import Node

from sage_ld.build.readers.rdf import parse_rdf
from sage_ld.build.readers.source import Source, unreadable
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.shapes.shacl import MILDER, Report, Violation, violation_of
from sage_ld.graph.shapes.store_view import rdflib_term, rdflib_triple
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.user_statements import as_written


def read_shapes(path: Path, settings: Settings) -> Graph:
    """The shapes in an RDF file.

    Raises InputError if it cannot be read or has no shapes, LimitError over `max_shapes_bytes`.
    """
    source = Source(path, path.name)
    try:
        size, limit = path.stat().st_size, settings.max_shapes_bytes
        if size > limit:
            raise LimitError.of(f"{path.name}: the shapes", size, limit, "bytes", "max_shapes_bytes")
        statements, _ = parse_rdf(source, settings)
    except OSError as error:
        raise unreadable(source, error) from None
    shapes = _graph(each[:3] for each in statements)
    try:
        loaded = ShapesGraph(shapes).shapes
    except Exception as error:  # a shape may be wrong in any way, and pySHACL fails in as many
        raise InputError(f"{path.name}: pySHACL refuses the shapes: {reason(error)}; correct them") from None
    if not loaded:
        raise InputError(f"{path.name}: it contains no shape; see https://www.w3.org/TR/shacl/")
    return shapes


def validate_by(store: Store, shapes: Graph, settings: Settings, limit: int = 100) -> Report:
    """Checks all statements in `store` against the shapes, as SHACL asks of the merge of all graphs.

    Triple terms are left out: SHACL has none. At most `limit` violations are reported, all are counted.
    Raises LimitError over `max_validated_statements`, InputError where a shape cannot be evaluated.
    """
    data = _data(store, settings.max_validated_statements)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ShapeRecursionWarning)
            _, report, text = pyshacl.validate(data, shacl_graph=shapes)
        focus = {shape: len(shape.focus_nodes(data)) for shape in ShapesGraph(shapes).shapes}
    except Exception as error:  # also of a pattern or a query in a shape that is no pattern, no query
        raise InputError(f"the shapes cannot be evaluated: {reason(error)}; correct them") from None
    if not isinstance(report, Graph):
        raise InputError(f"the shapes cannot be evaluated: {reason(text)}; correct them")
    results = [violation_in(report, shapes, each) for each in report.subjects(RDF.type, SH.ValidationResult)]
    idle = tuple(
        sorted(
            _name(shape.node, shapes)
            for shape, count in focus.items()
            if _targets(shape.node, shapes) and not count
        )
    )
    milder = sorted(each for each in results if each.severity in MILDER)
    severe = sorted(each for each in results if each.severity not in MILDER)
    return Report(
        not severe,
        sum(focus.values()),
        len(severe),
        tuple(severe[:limit]),
        idle,
        tuple(milder[:limit]),
        len(milder),
    )


def _data(store: Store, limit: int) -> Graph:
    """All statements of the store. Raises LimitError."""
    graph = Graph(bind_namespaces="none")
    for count, quad in enumerate(as_written(store, store, merged=True), 1):
        if count > limit:
            raise LimitError(
                f"the graph has more than {limit:,} statements; to check it against shapes of your "
                "own in memory, raise the setting max_validated_statements"
            )
        if not isinstance(quad.object, Triple):
            graph.add(rdflib_triple(quad))
    return graph


def _graph(statements: Iterable[tuple[object, object, object]]) -> Graph:
    graph = Graph()
    for subject, predicate, value in statements:
        graph.add((rdflib_term(subject), rdflib_term(predicate), rdflib_term(value)))
    return graph


def _targets(shape: Node, shapes: Graph) -> bool:
    """Whether a shape names its focus nodes, and is not only a part of another."""
    kinds = (SH.targetClass, SH.targetNode, SH.targetSubjectsOf, SH.targetObjectsOf)
    return any(shapes.value(shape, kind) is not None for kind in kinds)


def violation_in(report: Graph, shapes: Graph, result: Node) -> Violation:
    """The violation that a result says, named after the shape, or the one around it, that has an IRI."""
    shape = report.value(result, SH.sourceShape)
    return violation_of("" if shape is None else _name(shape, shapes), report, result)


def _name(shape: Node, shapes: Graph) -> str:
    """The IRI of a shape; of one without, that of the shape around it."""
    passed = set()
    while isinstance(shape, BNode) and shape not in passed:
        passed.add(shape)
        shape = next(iter(shapes.subjects(None, shape)), shape)
    return str(shape)


def reason(error: object) -> str:
    """The reason that an error of pySHACL gives, in one line."""
    return " ".join(str(getattr(error, "message", error)).split())[:200]
