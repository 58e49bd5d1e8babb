"""The check against the shapes: of curated RDF before a document is stored, and of what a writer has changed.

What readers make of files conforms by construction, and what other files may not say is left out
(`incoming_documents.py`, `readers/statements.py`). A curated file speaks of the graph's own resources, so
each of them that it speaks of is validated as it would be then, in a small store of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyoxigraph import NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import EVIDENT
from sage_ld.foundation.errors import InputError, LimitError, ShapeError
from sage_ld.foundation.model import Document
from sage_ld.graph.store import reading
from sage_ld.graph.store.documents import PreparedDocument, document_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.relations import TableSize, table_size
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import users_quads
from sage_ld.graph.writing.writer import Writer

if TYPE_CHECKING:
    from sage_ld.graph.shapes.shacl import Violation

_SHOWN: Final = 3
_LONGEST_SHOWN: Final = 300
"""Characters of a violation in a message; the report has it whole."""
_MOST_VIOLATIONS: Final = 100
_SLICE: Final = "a chunk is a slice of its document: change the document, and not its chunk"


def refusal(document: Document, store: Store, iris: Iris) -> str:
    """The reason to refuse a document: its statements break the shapes; empty where they do not.

    It costs in proportion to the resources of ours that the statements speak of, and to what is said of them.
    """
    nodes = _own_nodes(document, iris.base)
    if not nodes:
        return ""
    from sage_ld.graph.shapes.shacl import validate

    named = NamedNode(iris.document_graph(iris.document(document.identifier)))
    own = quads_of(document_lines(PreparedDocument(document, (), (), (), ()), iris))
    after = in_memory()
    after.extend(own)
    after.extend(_around(store, nodes, named))
    violations = validate(after, nodes=nodes).violations
    if not violations:
        return ""
    before = set(validate(store, nodes=nodes).violations)
    new = [str(each) for each in violations if each not in before]
    if not new:
        return ""
    more = f" and {len(new) - _SHOWN} more" if len(new) > _SHOWN else ""
    return (
        f"{document.identifier}: what it says of the graph's own resources breaks the shapes: "
        f"{'; '.join(new[:_SHOWN])}{more}; correct the statements"
    )


def check_change(writer: Writer, nodes: set[str]) -> None:
    """Raises ShapeError if what a writer has changed breaks the shapes; the caller then publishes nothing.

    `nodes` are the resources (IRIs) that the change is about, and those that point to one whose class it
    changed. What was broken before may stay so.
    """
    if found := _new_violations(writer, nodes) + _changed_slices(writer, nodes):
        raise _refused("the shapes", found)


def check_own_shapes(writer: Writer, folder: Path, changed: Iterable[Quad] | None) -> list[str]:
    """Checks a change by the shapes of a user's own, which the setting `shapes` names.

    `folder` is that of the graph, `changed` are the statements that came or went; None: any may have. Returns
    a line for each new result that is less severe than the setting `shapes_refuse`. What was broken before
    may stay so. Raises ShapeError for the others, InputError for invalid shapes.
    """
    settings = writer.settings
    if not settings.shapes:
        return []
    from sage_ld.graph.shapes.guard import SEVERITIES, guard

    least = settings.shapes_refuse.capitalize()
    if least not in SEVERITIES:
        names = ", ".join(each.lower() for each in SEVERITIES)
        raise InputError(f"shapes_refuse={settings.shapes_refuse[:40]!r}: no severity; choose from {names}")
    own = guard(settings, folder, writer.store, writer.iris)
    if own is None:
        return [f"the graph of shapes <{settings.shapes}> is empty: nothing is checked"]
    found = own.new_violations(writer.published_store(), writer.store, changed)
    lesser = SEVERITIES[: SEVERITIES.index(least)]
    if severe := [each for each in found if each.severity not in lesser]:
        raise _refused("the graph's own shapes", severe)
    return [f"{each.severity.lower()}: {each}"[:_LONGEST_SHOWN] for each in found][:_MOST_VIOLATIONS]


def _refused(shapes: str, found: list[Violation]) -> ShapeError:
    from sage_ld.graph.shapes.validation_report import made_result, report_text

    places = f"{len(found)} places" if len(found) > 1 else "one place"
    shown = found[:_MOST_VIOLATIONS]
    lines = [str(each) for each in shown]
    results = (
        each.result or made_result(each.focus, each.rule, each.severity, each.message) for each in shown
    )
    message = f"the change breaks {shapes} in {places}, {lines[0][:_LONGEST_SHOWN]}; nothing was changed"
    return ShapeError(message, lines, report_text(results))


def check_relation_types(writer: Writer) -> None:
    """Raises LimitError if a change leaves a larger table of relation types than a graph may have.

    One that was larger before may become smaller.
    """
    settings, after = writer.settings, table_size(writer.store, writer.iris)
    limits = TableSize(settings.max_relation_types, settings.max_relation_types_bytes)
    if after.types <= limits.types and after.bytes <= limits.bytes:
        return
    before = TableSize(0, 0) if writer.is_first else table_size(writer.published_store(), writer.iris)
    table = "the graph's table of relation types"
    if after.types > max(limits.types, before.types):
        raise LimitError.of(table, after.types, limits.types, "types", "max_relation_types")
    if after.bytes > max(limits.bytes, before.bytes):
        raise LimitError.of(table, after.bytes, limits.bytes, "bytes", "max_relation_types_bytes")


def _changed_slices(writer: Writer, nodes: set[str]) -> list[Violation]:
    """The chunks whose text or place has changed, while the content of their document has not."""
    if writer.is_first or not reading.chunk_iris(writer.store, nodes):
        return []
    from sage_ld.graph.shapes.shacl import Violation

    before = reading.slices(writer.published_store(), nodes)
    after = reading.slices(writer.store, nodes & before.keys())
    return [
        Violation("chunk_not_slice", iri, "", "", "", _SLICE)
        for iri, each in sorted(after.items())
        if each.content == before[iri].content and each != before[iri]
    ]


def _new_violations(writer: Writer, nodes: set[str]) -> list[Violation]:
    """The violations of the nodes that a change has added."""
    from sage_ld.graph.shapes.shacl import validate

    after = validate(writer.store, nodes=nodes, limit=sys.maxsize).violations
    if not after or writer.is_first:
        return list(after)
    before = set(validate(writer.published_store(), nodes=nodes, limit=sys.maxsize).violations)
    return [each for each in after if each not in before]


def _own_nodes(document: Document, base: str) -> set[str]:
    """The resources of ours about which a document states something, as subjects or inside triple terms."""
    nodes: set[str] = set()
    for quad in users_quads(document, base):
        subject, value = quad.subject, quad.object
        subjects = [subject, value.subject] if isinstance(value, Triple) else [subject]
        nodes.update(
            each.value for each in subjects if isinstance(each, NamedNode) and each.value.startswith(base)
        )
    return nodes


def _around(store: Store, nodes: set[str], without: NamedNode) -> Iterator[Quad]:
    """The statements about some nodes in other graphs than one, with others that the shapes need."""
    for iri in sorted(nodes):
        for quad in store.quads_for_pattern(NamedNode(iri), None, None, None):
            if quad.graph_name == without:
                continue
            yield quad
            if isinstance(quad.object, NamedNode):
                yield from store.quads_for_pattern(quad.object, node(v.TYPE), None, None)
            if quad.predicate.value in EVIDENT:
                yield from store.quads_for_pattern(None, node(v.REIFIES), quad.triple, None)
            if isinstance(quad.object, Triple):
                inner = quad.object
                yield from store.quads_for_pattern(inner.subject, inner.predicate, inner.object, None)
