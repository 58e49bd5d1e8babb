"""Statements of a document's named graph: its sections, chunks, mentions and links."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import (
    WHOLE_DOCUMENT,
    Annotation,
    CellValue,
    Chunk,
    ChunkKind,
    Document,
    Hyperlink,
    Mention,
    Table,
)
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import (
    LineCollector,
    Resource,
    constant,
    double,
    integer,
    line,
    minted,
    string,
    typed_literal,
    uri_literal,
)
from sage_ld.graph.store.terms import moment, property_value
from sage_ld.graph.store.user_statements import document_quads, users_quads

CHUNK_CLASS = {
    ChunkKind.TEXT: v.TEXT_CHUNK,
    ChunkKind.TABLE: v.TABLE_CHUNK,
    ChunkKind.RECORD: v.RECORD_CHUNK,
}


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with all that the pipeline found out about it, ready to be stored.

    `chunks`, `iris` and `annotations` are parallel; `next_weights` has one similarity fewer.
    """

    document: Document
    chunks: tuple[Chunk, ...]
    iris: tuple[str, ...]
    annotations: tuple[Annotation, ...]
    next_weights: tuple[float, ...]
    abstracts: Mapping[int, str] = field(default_factory=dict)
    """Of sections by number, and of the document under `WHOLE_DOCUMENT`; those that there are."""
    skeletons: Mapping[int, str] = field(default_factory=dict)
    """Of chunks by number; those that there are."""
    build: str | None = None
    """The IRI of the build by which all of it was made; None where it is not known."""
    goes_on: bool = False
    """Whether it only adds chunks to a document whose first part has said the rest."""


def document_lines(prepared: PreparedDocument, iris: Iris, *, targets: bool = True) -> Iterator[str]:
    """N-Quads of all that the document says; without `targets`, `mention_edges` gives those of its mentions.

    In the order document, sections, columns, chunks, order, what its file states. A stream: the lines of a
    large document take many times its size.
    """
    document = prepared.document
    iri = iris.document(document.identifier)
    out = LineCollector(iris.document_graph(iri))
    sections = [minted(iris.section(iri, i)) for i in range(len(document.sections))]
    if not prepared.goes_on:
        _head(out, prepared, iri, sections, iris)
        yield from out.take()
    parts = zip(prepared.iris, prepared.chunks, prepared.annotations, strict=True)
    values = _CellWriter(document, iri, iris)
    for number, (name, chunk, annotation) in enumerate(parts):
        _chunk(out, name, chunk, iri, sections, iris)
        _annotation(out, name, annotation, iris, targets=targets)
        values.write(out, minted(name), chunk)
        out.text(minted(name), v.SKELETON, prepared.skeletons.get(number))
        out.text(minted(name), v.TEXT, chunk.text, document.stated_language)
        yield from out.take()
    ordered = zip(pairwise(prepared.chunks), pairwise(prepared.iris), prepared.next_weights, strict=False)
    for chunks, (first, second), weight in ordered:
        if _are_apart(*chunks):
            continue
        reifier = minted(iris.order(first, second))
        out.edge(reifier, v.ADJACENCY, minted(first), v.NEXT, minted(second))
        out.add(reifier, v.WEIGHT, double(weight))
        yield from out.take()
    if not prepared.goes_on:
        yield from map(line, document_quads(document, iris))


def _head(
    out: LineCollector, prepared: PreparedDocument, iri: str, sections: Sequence[Resource], iris: Iris
) -> None:
    document, subject, graph = prepared.document, minted(iri), iris.document_graph(iri)
    out.add(minted(graph), v.GENERATED_BY, None if prepared.build is None else minted(prepared.build))
    _document(out, subject, document)
    _description(out, subject, document)
    _metadata(out, subject, document, iris)
    for number, section in enumerate(document.sections):
        node = sections[number]
        out.typed(node, v.SECTION)
        out.text(node, v.NAME, section.name)
        out.add(node, v.POSITION, integer(number))
        out.add(node, v.IS_PART_OF, subject if section.parent is None else sections[section.parent])
        out.add(node, v.BEGIN_INDEX, integer(section.begin))
        out.add(node, v.END_INDEX, integer(section.end))
    for number, text in prepared.abstracts.items():
        node = subject if number == WHOLE_DOCUMENT else sections[number]
        out.text(node, v.ABSTRACT, text, document.stated_language)
    _columns(out, prepared, iri, iris)


def _are_apart(first: Chunk, second: Chunk) -> bool:
    """Whether two chunks describe two resources of RDF, which has no order."""
    return bool(first.subject and second.subject) and first.subject != second.subject


def file_quads(document: str, root: str, path: str, graph: str) -> list[Quad]:
    """The statements about which file a document (an IRI) came from; none where that is unknown."""
    out = LineCollector(graph)
    _file(out, NamedNode(document), root, path)
    return out.quads()


def shareable(document: Document, iris: Iris) -> Iterator[Quad]:
    """The statements of a document that another graph may make too: one of ours, or a user's."""
    yield from users_quads(document, iris.base)
    subject = iris.document(document.identifier)
    out = LineCollector(iris.document_graph(subject))
    _metadata(out, minted(subject), document, iris)
    yield from (each for each in out.quads() if isinstance(each.object, NamedNode))


def description_quads(document: Document, iris: Iris) -> list[Quad]:
    """The metadata of a document that decides nothing else: description, keywords, date and the rest."""
    subject = iris.document(document.identifier)
    out = LineCollector(iris.document_graph(subject))
    _description(out, minted(subject), document)
    _metadata(out, minted(subject), document, iris)
    return out.quads()


def _metadata(out: LineCollector, subject: Resource, document: Document, iris: Iris) -> None:
    for each in document.metadata:
        out.add(subject, each.key, property_value(each, iris.base))


def _document(out: LineCollector, subject: Resource, document: Document) -> None:
    out.typed(subject, v.DOCUMENT, *document.types)
    out.text(subject, v.IDENTIFIER, document.identifier)
    out.text(subject, v.NAME, document.title)
    out.text(subject, v.ENCODING_FORMAT, document.media_type)
    out.text(subject, v.CONTENT_HASH, document.content_hash)
    _file(out, subject, document.root, document.path)
    for key in document.patched_keys:
        out.add(subject, v.PATCHED_KEY, string(key))
    out.text(subject, v.IN_LANGUAGE, document.language)
    if document.url:
        out.add(subject, v.URL, uri_literal(document.url))


def _file(out: LineCollector, subject: Resource, root: str, path: str) -> None:
    out.text(subject, v.FILE_PATH, path)
    out.text(subject, v.FILE_ROOT, root)


def _description(out: LineCollector, subject: Resource, document: Document) -> None:
    out.text(subject, v.DESCRIPTION, document.description, document.stated_language)
    for keyword in document.keywords:
        out.text(subject, v.KEYWORDS, keyword)
    if document.modified:
        out.add(subject, v.MODIFIED, moment(document.modified))


def _chunk(
    out: LineCollector,
    iri: str,
    chunk: Chunk,
    document: str,
    sections: Sequence[Resource],
    iris: Iris,
) -> None:
    node = minted(iri)
    out.typed(node, v.CHUNK, CHUNK_CLASS[chunk.kind])
    out.text(node, v.NAME, chunk.name)
    out.text(node, v.HEADING, chunk.heading)
    out.add(node, v.POSITION, integer(chunk.position))
    out.add(node, v.IS_PART_OF, minted(document))
    if chunk.section is not None:
        out.add(node, v.IS_PART_OF, sections[chunk.section])
    out.add(node, v.BEGIN_INDEX, integer(chunk.begin))
    out.add(node, v.END_INDEX, integer(chunk.end))
    out.text(node, v.PLACE, chunk.place)
    if chunk.subject:
        out.add(node, v.MAIN_ENTITY, NamedNode(chunk.subject))
    _table(out, node, chunk, document, iris)
    for link in chunk.links:
        _hyperlink(out, iri, link, iris)


def _annotation(out: LineCollector, chunk: str, annotation: Annotation, iris: Iris, *, targets: bool) -> None:
    node = minted(chunk)
    out.text(node, v.TOPIC, annotation.topic)
    for keyword in annotation.keywords:
        out.text(node, v.KEYWORDS, keyword)
    for mention in annotation.mentions:
        entity = iris.entity(mention.label)
        if targets:
            add_mention(out, chunk, mention, minted(entity), iris)
        else:
            _surface(out, minted(iris.mention(chunk, entity)), mention)


def _table(out: LineCollector, node: Resource, chunk: Chunk, document: str, iris: Iris) -> None:
    if (part := chunk.table) is None:
        return
    out.add(node, v.TABLE_NUMBER, integer(part.table))
    out.add(node, v.FIRST_ROW, integer(part.first_row))
    out.add(node, v.LAST_ROW, integer(part.last_row))
    for name in part.columns:
        out.add(node, v.COLUMN, minted(iris.column(document, part.table, name)))


def _columns(out: LineCollector, prepared: PreparedDocument, document: str, iris: Iris) -> None:
    """The columns of the document's tables that chunks have, each once, however many chunks share it."""
    tables = [block for block in prepared.document.blocks if isinstance(block, Table)]
    shared: defaultdict[int, set[str]] = defaultdict(set)
    for chunk in prepared.chunks:
        if (part := chunk.table) is not None:
            shared[part.table].update(part.columns)
    for table, names in shared.items():
        for number, name in enumerate(tables[table].columns):
            if name in names:
                column = minted(iris.column(document, table, name))
                out.typed(column, v.CSVW_COLUMN)
                out.text(column, v.CSVW_NAME, name)
                out.add(column, v.COLUMN_NUMBER, integer(number))


class _CellWriter:
    """Writes the values of a document's cells, each once, however many chunks show a part of it."""

    def __init__(self, document: Document, iri: str, iris: Iris) -> None:
        tables = [block for block in document.blocks if isinstance(block, Table)]
        self._values = [table.values for table in tables]
        self._document, self._iris = iri, iris
        self._before: frozenset[tuple[int, CellValue]] = frozenset()
        """Tables and values of the chunk before: the row that it ends with may go on."""

    def write(self, out: LineCollector, chunk_node: Resource, chunk: Chunk) -> None:
        """Adds the values of the cells that a chunk shows."""
        if (part := chunk.table) is None or not (values := self._values[part.table]):
            return
        begin = bisect_left(values, part.first_row, key=_row)
        end = bisect_right(values, part.last_row, key=_row)
        columns = frozenset(part.columns)
        shown = [value for value in values[begin:end] if value.column in columns]
        for value in shown:
            self._cell(out, chunk_node, part.table, value)
        self._before = frozenset((part.table, value) for value in shown)

    def _cell(self, out: LineCollector, chunk_node: Resource, table: int, value: CellValue) -> None:
        cell = minted(self._iris.cell(self._document, table, value.row, value.column))
        out.add(chunk_node, v.CELL, cell)
        if (table, value) not in self._before:
            out.typed(cell, v.CSVW_CELL)
            out.add(cell, v.ROW, integer(value.row))
            out.text(cell, v.COLUMN_NAME, value.column)
            out.add(cell, v.CELL_VALUE, typed_literal(value.value, v.XSD + value.datatype))


def _row(value: CellValue) -> int:
    return value.row


def add_mention(out: LineCollector, chunk: str, mention: Mention, entity: Resource, iris: Iris) -> None:
    """Adds the statements of an entity that a chunk mentions."""
    reifier = minted(iris.mention(chunk, str(entity)[1:-1]))
    out.edge(reifier, v.MENTION, minted(chunk), v.MENTIONS, entity)
    _surface(out, reifier, mention)


def mentioned(prepared: PreparedDocument, iris: Iris) -> Iterator[tuple[str, str]]:
    """The chunks of a document with the entities that they mention, by their IRIs."""
    for chunk, annotation in zip(prepared.iris, prepared.annotations, strict=True):
        for mention in annotation.mentions:
            yield chunk, iris.entity(mention.label)


def mention_edges(
    mentions: Iterable[tuple[str, str]], graph: str, replaced: Mapping[str, str], iris: Iris
) -> Iterator[str]:
    """N-Quads in a document's graph of what its mentions are of: entities, or those in `replaced`."""
    out = LineCollector(graph)
    for chunk, entity in mentions:
        reifier, minted_entity = minted(iris.mention(chunk, entity)), minted(entity)
        resource = replaced.get(entity)
        target = minted_entity if resource is None else NamedNode(resource)
        out.edge(reifier, v.MENTION, minted(chunk), v.MENTIONS, target)
        out.add(reifier, v.BY_LABEL, None if resource is None else minted_entity)
        yield from out.take()


def _surface(out: LineCollector, reifier: Resource, mention: Mention) -> None:
    out.text(reifier, v.SURFACE_FORM, mention.surface)
    if mention.count > 1:
        out.add(reifier, v.COUNT, integer(mention.count))
    if mention.class_name is not None:
        out.add(reifier, v.ENTITY_CLASS, constant(v.SCHEMA + mention.class_name))
    _place(out, reifier, mention.begin, mention.end, mention.row, mention.column)


def _hyperlink(out: LineCollector, chunk: str, link: Hyperlink, iris: Iris) -> None:
    reifier = minted(iris.hyperlink(chunk, link.target, link.begin, link.end))
    out.typed(reifier, v.LINK)
    out.add(reifier, v.LINK_KIND, string("hyperlink"))
    out.add(reifier, v.SOURCE, minted(chunk))
    out.add(reifier, v.HREF, uri_literal(link.target))
    out.text(reifier, v.ANCHOR_TEXT, link.text)
    _place(out, reifier, link.begin, link.end, link.row, link.column)


def _place(
    out: LineCollector, reifier: Resource, begin: int, end: int, row: int | None, column: str | None
) -> None:
    out.add(reifier, v.BEGIN_INDEX, integer(begin))
    out.add(reifier, v.END_INDEX, integer(end))
    if row is not None:
        out.add(reifier, v.ROW, integer(row))
    out.text(reifier, v.COLUMN_NAME, column)
