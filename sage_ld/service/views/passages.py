"""Passages of documents as pages show them: paragraphs, rows of tables and fields, with their marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from pyoxigraph import NamedNode

from sage_ld.build.readers.tables import cells
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import CHUNK_KINDS
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names, Reference
from sage_ld.service.views import marked_text
from sage_ld.service.views.marked_text import Mark, MarkedSpan, TextPiece

Pieces: TypeAlias = tuple[TextPiece, ...]
Field: TypeAlias = tuple[str, Pieces]
_MOST_COLUMNS: Final = 500
_MOST_KEYWORDS: Final = 100


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A chunk of a document with what stands in it."""

    reference: Reference
    anchor: str
    """The fragment that leads to it on its document's page."""
    kind: ChunkKind
    begin: int
    end: int
    place: str
    """Where it stands in its file, in words; empty where nobody says."""
    topic: str
    keywords: tuple[str, ...]
    section: str | None
    """The IRI of the innermost section that it stands in."""
    document: str | None
    paragraphs: tuple[Pieces, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Pieces, ...], ...] = ()
    """Of a table: its cells, one for each column."""
    fields: tuple[Field, ...] = ()
    """Of a record."""
    table: int | None = None
    marks: tuple[Mark, ...] = ()
    cut: bool = False
    """Whether the text goes on beyond what a page shows."""


@dataclass(slots=True)
class PageBudget:
    """The budget of a page: characters of text, marks in it, and cells, most of which may be empty."""

    characters: int
    marks: int
    cells: int


@dataclass(frozen=True, slots=True)
class PassageReader:
    """Reads passages for one page."""

    store: Store
    names: Names
    budget: PageBudget
    check: Check = unchecked

    def passage(self, iri: str) -> ShownPassage:
        """A chunk, as far as the budget goes."""
        self.check()
        statements = _statements(self.store, iri)
        text = text_of(_first(statements, v.TEXT))
        begin = integer_of(_first(statements, v.BEGIN_INDEX)) or 0
        end = integer_of(_first(statements, v.END_INDEX)) or begin + len(text)
        shown = text[: self.budget.characters]
        self.budget.characters -= len(shown)
        marks = self.marks(iri)
        kind = _kind(statements)
        columns = self._columns(statements) if kind is ChunkKind.TABLE else ()
        wholes = [iri_of(each) for each in statements.get(v.IS_PART_OF, ())]
        marked = marked_text.spans(marks)
        rows = self._rows(shown, begin, marked, columns) if kind is ChunkKind.TABLE else ()
        return ShownPassage(
            reference=self.names.reference(iri),
            anchor=anchor(iri),
            kind=kind,
            begin=begin,
            end=end,
            place=text_of(_first(statements, v.PLACE)),
            topic=text_of(_first(statements, v.TOPIC)),
            keywords=tuple(sorted(set(filter(None, map(text_of, statements.get(v.KEYWORDS, ()))))))[
                :_MOST_KEYWORDS
            ],
            section=next((each for each in wholes if each and self._is_a(each, v.SECTION)), None),
            document=next((each for each in wholes if each and self._is_a(each, v.DOCUMENT)), None),
            paragraphs=_paragraphs(shown, begin, marked) if kind is ChunkKind.TEXT else (),
            columns=columns,
            rows=rows,
            fields=_fields(shown, begin, marked) if kind is ChunkKind.RECORD else (),
            table=integer_of(_first(statements, v.TABLE_NUMBER)),
            marks=tuple(marks),
            cut=len(shown) < len(text) or (kind is ChunkKind.TABLE and _is_longer(shown, len(rows))),
        )

    def _rows(
        self, text: str, begin: int, marked: Sequence[MarkedSpan], columns: tuple[str, ...]
    ) -> tuple[tuple[Pieces, ...], ...]:
        width = max(len(columns), 1)
        rows = tuple(islice(_rows(text, begin, marked, columns), max(self.budget.cells, 0) // width))
        self.budget.cells -= len(rows) * width
        return rows

    def marks(self, chunk: str) -> list[Mark]:
        """The mentions and resolved links of a chunk."""
        marks = []
        edges = self.store.quads_for_pattern(None, node(v.SOURCE), NamedNode(chunk))
        for quad in edges:
            if self.budget.marks <= 0:
                break
            if isinstance(quad.subject, NamedNode) and (mark := self._mark(quad.subject)) is not None:
                self.budget.marks -= 1
                marks.append(mark)
        return marks

    def _mark(self, edge: NamedNode) -> Mark | None:
        begin = self._number(edge, v.BEGIN_INDEX)
        if begin is None:  # another kind of edge, of which there may be many
            return None
        end = self._number(edge, v.END_INDEX)
        target = next(filter(None, (iri_of(each) for each in self._objects(edge, v.TARGET))), None)
        if end is None or target is None:
            return None
        kind = marked_text.LINK if self._is_a(edge.value, v.LINK) else marked_text.MENTION
        reference = self.names.reference(target)
        return Mark(begin, end, kind, reference.label, reference.href, target)

    def _objects(self, subject: NamedNode, predicate: str) -> Iterator[object]:
        return (each.object for each in self.store.quads_for_pattern(subject, node(predicate), None))

    def _number(self, subject: NamedNode, predicate: str) -> int | None:
        numbers = (integer_of(each) for each in self._objects(subject, predicate))
        return next((number for number in numbers if number is not None), None)

    def _is_a(self, iri: str, class_iri: str) -> bool:
        quads = self.store.quads_for_pattern(NamedNode(iri), node(v.TYPE), node(class_iri))
        return next(quads, None) is not None

    def _columns(self, statements: dict[str, list[object]]) -> tuple[str, ...]:
        """The names of a table's columns, in their order."""
        columns = []
        for column in islice(filter(None, map(iri_of, statements.get(v.COLUMN, ()))), _MOST_COLUMNS):
            number = self._number(NamedNode(column), v.COLUMN_NUMBER) or 0
            columns.append((number, self.names.own_label(column)))
        return tuple(dict.fromkeys(name for _, name in sorted(columns) if name))


def anchor(iri: str) -> str:
    """The fragment of a passage or a section on its document's page.

    >>> anchor("http://localhost:8000/id/chunk/61cb5da00fe29b96b8823633")
    'chunk-61cb5da00fe29b96b8823633'
    """
    return "-".join(iri.rstrip("/").split("/")[-2:])


def _statements(store: Store, iri: str) -> dict[str, list[object]]:
    statements: dict[str, list[object]] = {}
    for quad in store.quads_for_pattern(NamedNode(iri), None, None):
        if quad.predicate.value not in _MANY:
            statements.setdefault(quad.predicate.value, []).append(quad.object)
    return statements


_MANY: Final = frozenset({v.MENTIONS, v.SIMILAR_TO, v.LINKS_TO, v.ANALOGOUS_TO})
"""Properties of which a chunk may have very many values, and which a passage does not need."""


def _first(statements: dict[str, list[object]], predicate: str) -> object:
    return min(statements.get(predicate, ()), key=str, default=None)


def _kind(statements: dict[str, list[object]]) -> ChunkKind:
    classes = (iri_of(each) for each in statements.get(v.TYPE, ()))
    return next((CHUNK_KINDS[each] for each in classes if each in CHUNK_KINDS), ChunkKind.TEXT)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that say something, each with its offset."""
    at = 0
    for line in text.split("\n"):
        if line.strip():
            yield at, line
        at += len(line) + 1


def _paragraphs(text: str, begin: int, marked: Sequence[MarkedSpan]) -> tuple[Pieces, ...]:
    paragraphs, at = [], 0
    for part in text.split("\n\n"):
        if part.strip():
            paragraphs.append(marked_text.pieces(part, begin + at, marked))
        at += len(part) + 2
    return tuple(paragraphs)


def _rows(
    text: str, begin: int, marked: Sequence[MarkedSpan], columns: tuple[str, ...]
) -> Iterator[tuple[Pieces, ...]]:
    """The rows of a table; a line that is not a row stands in the first cell."""
    places = {name: place for place, name in enumerate(columns)}
    for at, line in _lines(text):
        row: list[Pieces] = [() for _ in columns] or [()]
        for name, first, last in cells(columns, line) if columns else [("", 0, len(line))]:
            if name in places:
                row[places[name]] = marked_text.pieces(line[first:last], begin + at + first, marked)
            else:
                row[0] = marked_text.pieces(line, begin + at, marked)
        yield tuple(row)


def _is_longer(text: str, lines: int) -> bool:
    """Whether a text has more than a number of lines that are not empty."""
    return next(islice(_lines(text), lines, None), None) is not None


def _fields(text: str, begin: int, marked: Sequence[MarkedSpan]) -> tuple[Field, ...]:
    fields = []
    for at, line in _lines(text):
        name, colon, _ = line.partition(": ")
        first = len(name) + len(colon) if colon else 0
        fields.append((name if colon else "", marked_text.pieces(line[first:], begin + at + first, marked)))
    return tuple(fields)
