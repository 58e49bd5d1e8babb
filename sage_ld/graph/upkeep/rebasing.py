"""Moving a graph to another base IRI: every IRI below the old base, in statements and in indexes.

Most IRIs keep what comes after the base. Those that are minted from other IRIs (`_MINTED`) get the hash that
they have in a graph which was made below the new base; what they were minted from is read from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, product
from typing import Final

import numpy as np
from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import ANALOGOUS, EDGE_KINDS
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.progress import Progress
from sage_ld.graph.changes.summaries import RebaseSummary
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.terms import Term, node
from sage_ld.graph.writing.writer import Writer

_BATCH = 4096  # chunks indexed between two reports of progress
_QUADS = 100_000  # statements moved between two reports of progress
_KEPT = 1 << 16  # IRIs whose new form is kept: statements about one resource stand together
_MOST_ORIGINS = 64  # what one IRI may have been minted from, where a user says more of it than we do


def rebase(graph: OpenGraph, base_iri: str, progress: Progress) -> RebaseSummary:
    """Moves every IRI below the graph's base to another base, and publishes the result."""
    graph.directory.metadata_terms(base_iri)
    former = graph.directory.configuration().base_iri
    if graph.configure_while_empty(lambda before: replace(before, base_iri=base_iri)):
        return RebaseSummary(former, base_iri, 0, None)
    with graph.writer() as writer:
        former = writer.iris.base
        statements = move(writer, Iris(base_iri), progress)
        summary = RebaseSummary(former, base_iri, statements, writer.publish())
    graph.reread_configuration()
    return summary


def move(writer: Writer, target: Iris, progress: Progress) -> int:
    """Moves all of the writer's graph below the base of `target`; returns how many statements changed.

    Raises InputError if an IRI that is not ours is below that base: it would count as ours from then on.
    """
    source = writer.published_store()
    moved = Move(source, writer.iris, target)
    chunks = writer.vectors.iris
    matrix = writer.vectors.take(np.arange(len(chunks)))
    writer.start_over(_counted(moved.quads(), len(source), progress), target)
    for graph in source.named_graphs():
        writer.store.add_graph(moved.graph(graph))
    iris = [moved.iri(each) for each in chunks]
    for begin in range(0, len(iris), _BATCH):
        progress("indexing", begin, len(iris))
        part = slice(begin, begin + _BATCH)
        writer.index(dict(zip(iris[part], matrix[part], strict=True)))
    writer.merge_indexes()
    writer.compact()
    progress("indexing", len(iris), len(iris))
    return moved.changed


def _counted(quads: Iterable[Quad], total: int, progress: Progress) -> Iterator[Quad]:
    for number, quad in enumerate(quads):
        if number % _QUADS == 0:
            progress("moving", number, total)
        yield quad
    progress("moving", total, total)


@dataclass
class Move:
    """The move of the statements of a store from one base to another."""

    store: Store
    before: Iris
    after: Iris
    changed: int = 0
    """The number of statements changed so far."""
    iri: Callable[[str], str] = field(init=False)
    """From an IRI to the one that takes its place: the same, if it is not below the base.

    Raises InputError for one that is below the new base only.
    """

    def __post_init__(self) -> None:
        self.iri = lru_cache(maxsize=_KEPT)(self._iri)

    def quads(self) -> Iterator[Quad]:
        """All statements of the store as they are afterwards."""
        for quad in self.store:
            moved = Quad(
                self._term(quad.subject),  # type: ignore[arg-type]  # `_term` returns a term of the same kind
                self._term(quad.predicate),  # type: ignore[arg-type]  # as above
                self._term(quad.object),
                self.graph(quad.graph_name),
            )
            self.changed += moved != quad
            yield moved

    def graph(self, name: GraphName) -> GraphName:
        """The name of a graph afterwards."""
        return NamedNode(self.iri(name.value)) if isinstance(name, NamedNode) else name

    def _term(self, term: Term) -> Term:
        if isinstance(term, NamedNode):
            return NamedNode(self.iri(term.value))
        if isinstance(term, Literal) and term.datatype.value.startswith(self.before.base):
            return Literal(term.value, datatype=NamedNode(self.iri(term.datatype.value)))
        if isinstance(term, Triple):
            parts = (self._term(each) for each in (term.subject, term.predicate, term.object))
            return Triple(*parts)  # type: ignore[arg-type]  # each part keeps its kind
        return term

    def _iri(self, iri: str) -> str:
        if not iri.startswith(self.before.base):
            if iri.startswith(self.after.base):
                raise InputError(
                    f"{self.after.base} does not fit: the graph holds <{iri[:200]}>, which is not its own "
                    "and would count as such; choose a base IRI below which there is nothing of yours"
                )
            return iri
        rest = iri.removeprefix(self.before.base)
        for each in _MINTED.get(rest.partition("/")[0], ()):
            for origin in islice(each.origins(self.store, NamedNode(iri)), _MOST_ORIGINS):
                parts = [term.value for term in origin]
                if each.mint(self.before, *parts) == iri:
                    return each.mint(self.after, *(self._part(term) for term in origin))
        return self.after.base + rest

    def _part(self, term: NamedNode | Literal) -> str:
        return self.iri(term.value) if isinstance(term, NamedNode) else term.value


Origin = Sequence[NamedNode | Literal]
"""The arguments that an IRI is minted from, in the order in which a method of `Iris` takes them."""


@dataclass(frozen=True, slots=True)
class _Minted:
    """A kind of IRI that is minted from other IRIs."""

    mint: Callable[..., str]
    """The method of `Iris` that mints it; it takes numbers as text, too."""
    origins: Callable[[Store, NamedNode], Iterator[Origin]]
    """The possible origins of an IRI of this kind, as far as the store states them."""


def _values(store: Store, subject: NamedNode, predicate: str) -> list[NamedNode | Literal]:
    quads = store.quads_for_pattern(subject, node(predicate), None, None)
    return [quad.object for quad in quads if isinstance(quad.object, NamedNode | Literal)]


def _subjects(store: Store, predicate: str, value: NamedNode) -> list[NamedNode]:
    quads = store.quads_for_pattern(None, node(predicate), value, None)
    return [quad.subject for quad in quads if isinstance(quad.subject, NamedNode)]


def _said(*predicates: str) -> Callable[[Store, NamedNode], Iterator[Origin]]:
    """The values of some properties of the resource itself."""
    return lambda store, iri: product(*(_values(store, iri, each) for each in predicates))


def _section(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The document above a section, and the section's number."""
    above, reached = [iri], {iri}
    while above:
        parts = _values(store, above.pop(), v.IS_PART_OF)
        above += [each for each in parts if isinstance(each, NamedNode) and each not in reached]
        reached.update(above)
    yield from product(sorted(reached - {iri}, key=str), _values(store, iri, v.POSITION))


def _column(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The document, the number of the table and the name of a column, by the chunks that have it."""
    for chunk in _subjects(store, v.COLUMN, iri):
        documents, tables = _values(store, chunk, v.IS_PART_OF), _values(store, chunk, v.TABLE_NUMBER)
        yield from product(documents, tables, _values(store, iri, v.CSVW_NAME))


def _cell(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The document, the number of the table, the row and the column of a cell, by the chunks that show it."""
    for chunk in _subjects(store, v.CELL, iri):
        documents, tables = _values(store, chunk, v.IS_PART_OF), _values(store, chunk, v.TABLE_NUMBER)
        yield from product(documents, tables, _values(store, iri, v.ROW), _values(store, iri, v.COLUMN_NAME))


def _similarity(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The kind of a similar or analogous edge, and its two chunks."""
    classes = {each.value for each in _values(store, iri, v.TYPE)}
    kinds = [Literal(str(kind)) for kind, each in EDGE_KINDS.items() if each.edge_class in classes]
    kinds += [Literal(ANALOGOUS)] if v.ANALOGOUS_EDGE in classes else []
    return product(kinds, _values(store, iri, v.SOURCE), _values(store, iri, v.TARGET))


def _relation(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The statement of a curated edge, and since when it holds."""
    since = _values(store, iri, v.VALID_FROM) or [Literal("")]
    return product(*(_values(store, iri, each) for each in (v.SOURCE, v.RELATION_TYPE, v.TARGET)), since)


def _annotated(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The chunk or document of whose topic, keywords or title a model's annotation is the reifier."""
    for quad in store.quads_for_pattern(iri, node(v.REIFIES), None, None):
        if isinstance(quad.object, Triple) and isinstance(quad.object.subject, NamedNode):
            yield (quad.object.subject,)


def _threshold(store: Store, iri: NamedNode) -> Iterator[Origin]:
    """The build of a threshold, the kind of edge and the signal."""
    builds = _subjects(store, v.HAS_THRESHOLD, iri)
    return product(builds, _values(store, iri, v.EDGE_KIND), _values(store, iri, v.SIGNAL))


_MINTED: Final[dict[str, tuple[_Minted, ...]]] = {
    "section": (_Minted(Iris.section, _section),),
    "column": (_Minted(Iris.column, _column),),
    "cell": (_Minted(Iris.cell, _cell),),
    "mention": (
        _Minted(Iris.mention, _said(v.SOURCE, v.TARGET)),
        _Minted(Iris.mention, _said(v.SOURCE, v.BY_LABEL)),
    ),
    "annotation": (_Minted(Iris.annotation, _annotated),),
    "order": (_Minted(Iris.order, _said(v.SOURCE, v.TARGET)),),
    "link": (
        _Minted(Iris.hyperlink, _said(v.SOURCE, v.HREF, v.BEGIN_INDEX, v.END_INDEX)),
        _Minted(Iris.title_link, _said(v.SOURCE, v.TARGET, v.BEGIN_INDEX, v.END_INDEX)),
    ),
    "edge": (_Minted(Iris.edge, _similarity),),
    "relation": (_Minted(Iris.relation, _relation),),
    "build": (_Minted(Iris.build, _threshold),),
}
"""By the first part of the IRI below the base. `document`, `chunk`, `entity` and the builds themselves are
minted from texts alone; what happened once, such as a call of a model, is never minted again."""
