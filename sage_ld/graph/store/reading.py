"""Reading from the store into the model: what deriving edges and rebuilding indexes need.

A statement may say anything of anything. What lacks what it needs to be a document, a chunk or a link is
left out; where there are several values, the first in the order of their terms counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode, QuerySolution

from sage_ld.build.languages import normalised_tag
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Chunk, Hyperlink, LinkEvidence, TablePart
from sage_ld.foundation.rdf_values import integer_of, iri_of, share_of, text_of
from sage_ld.graph.store import queries
from sage_ld.graph.store.documents import CHUNK_CLASS
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.terms import Term, node

_BATCH: Final = 2_000
"""Resources that one query is asked for."""
_MANY: Final = 2_000
"""Chunks beyond which reading all of them takes less time than looking up each."""
CHUNK_KINDS = {iri: kind for kind, iri in CHUNK_CLASS.items()}


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the graph knows it."""

    iri: str
    identifier: str
    name: str
    url: str | None
    content_hash: str
    media_type: str
    root: str = ""
    """The name of the root that its file lies below; empty where the graph does not say."""
    path: str = ""
    """The path of its file below that root; empty where the graph does not say."""
    language: str | None = None
    """A tag (BCP 47)."""
    patched: bool = False
    """Whether a patch has changed its metadata since they were stored with its content."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as the graph knows it. Its `Chunk.section` is not restored: the heading says it."""

    iri: str
    document: str
    """The document's IRI."""
    chunk: Chunk
    topic: str
    entities: tuple[str, ...]
    """IRIs of the entities that it mentions, sorted."""
    skeleton: str
    """What it says without the words of its domain; empty where the graph has none."""


class Slice(NamedTuple):
    """The place of a chunk in its document, and what it says."""

    document: str
    """The document's IRI."""
    content: str
    """The hash of the document's content."""
    begin: int
    end: int
    text: str


def documents(store: Store, iris: Iterable[str] | None = None) -> list[StoredDocument]:
    """The documents of the graph (or those asked for), sorted by identifier."""
    if iris is None:
        wanted = sorted({subject.value for subject in _subjects(store, v.TYPE, node(v.DOCUMENT))})
    else:
        wanted = sorted({iri for iri in iris if _is_any(store, NamedNode(iri), v.DOCUMENT)})
    rows = _batches(store, "documents", "document", wanted)
    stored = [_document(iri, said) for (iri,), said in _first_values(rows, "document").items()]
    return sorted((each for each in stored if each.identifier), key=lambda document: document.identifier)


def _document(iri: str, said: Mapping[str, Term]) -> StoredDocument:
    def text(property_iri: str) -> str:
        return text_of(said.get(property_iri))

    return StoredDocument(
        iri,
        text(v.IDENTIFIER),
        text(v.NAME),
        text(v.URL) or None,
        text(v.CONTENT_HASH),
        text(v.ENCODING_FORMAT),
        text(v.FILE_ROOT),
        text(v.FILE_PATH),
        normalised_tag(text(v.IN_LANGUAGE)),
        patched=v.PATCHED_KEY in said,
    )


def _batches(store: Store, query: str, name: str, iris: Sequence[str]) -> Iterator[QuerySolution]:
    """The rows of a named query for some resources, which it takes by a parameter, some at a time."""
    for begin in range(0, len(iris), _BATCH):
        yield from select(store, queries.bind(query, **{name: iris[begin : begin + _BATCH]}))


def _first_values(rows: Iterable[QuerySolution], *names: str) -> dict[tuple[str, ...], dict[str, Term]]:
    """The first value of each property (IRI) of each resource, of the values that fit the property.

    The variables `names` have the resource; more than one where it is a resource of another one.
    """
    first: dict[tuple[str, ...], dict[str, Term]] = {}
    for row in rows:
        iris = tuple(filter(None, (iri_of(row[name]) for name in names)))
        key, value = row["property"].value, row["value"]
        if len(iris) < len(names) or (key in _FITS and not _FITS[key](value)):
            continue
        said = first.setdefault(iris, {})
        said[key] = value if key not in said else min(said[key], value, key=str)
    return first


def chunk_iris(store: Store, among: Iterable[str] | None = None) -> list[str]:
    """The IRIs of all chunks (or of those among some resources), sorted."""
    if among is not None:
        return sorted({iri for iri in among if _is_chunk(store, NamedNode(iri))})
    return sorted({subject.value for subject in _subjects(store, v.TYPE, node(v.CHUNK))})


def abstracts(store: Store, among: Iterable[str] | None = None) -> dict[str, str]:
    """The abstracts of all documents and sections, or of those asked for, by IRI and in its order.

    Of several, the first in order.
    """
    wanted = (None,) if among is None else tuple(map(NamedNode, among))
    texts: dict[str, str] = {}
    for subject in wanted:
        for quad in store.quads_for_pattern(subject, node(v.ABSTRACT), None, None):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal):
                iri, text = quad.subject.value, quad.object.value
                if iri in texts or _is_any(store, quad.subject, v.DOCUMENT, v.SECTION):
                    texts[iri] = min(text, texts.get(iri, text))
    return dict(sorted(texts.items()))


def chunks_of(store: Store, document: str) -> list[str]:
    """The IRIs of the chunks of one document, given by its IRI, sorted."""
    parts = _subjects(store, v.IS_PART_OF, NamedNode(document))
    return sorted({part.value for part in parts if _is_chunk(store, part)})


def has_instances(store: Store, class_iri: str) -> bool:
    """Whether any graph states of anything that it is of a class."""
    return next(store.quads_for_pattern(None, node(v.TYPE), NamedNode(class_iri), None), None) is not None


def slices(store: Store, nodes: Iterable[str]) -> dict[str, Slice]:
    """The place and the text of those of some resources (IRIs) that are chunks with both."""
    by_chunk = {}
    for chunk in chunks(store, nodes, links=False):
        hashes = store.quads_for_pattern(NamedNode(chunk.document), node(v.CONTENT_HASH), None, None)
        content = min((str(quad.object) for quad in hashes), default="")
        each = chunk.chunk
        by_chunk[chunk.iri] = Slice(chunk.document, content, each.begin, each.end, each.text)
    return by_chunk


def _is_chunk(store: Store, subject: NamedNode) -> bool:
    return _is_any(store, subject, v.CHUNK)


def _is_any(store: Store, subject: NamedNode, *classes: str) -> bool:
    """Whether a resource has one of some classes (IRIs)."""
    quads = (store.quads_for_pattern(subject, node(v.TYPE), node(each), None) for each in classes)
    return any(next(each, None) is not None for each in quads)


def _subjects(store: Store, predicate: str, value: NamedNode | Literal) -> Iterator[NamedNode]:
    for quad in store.quads_for_pattern(None, node(predicate), value, None):
        if isinstance(quad.subject, NamedNode):
            yield quad.subject


def chunks(store: Store, iris: Iterable[str] | None = None, *, links: bool = True) -> list[StoredChunk]:
    """The chunks of the graph (or those asked for), sorted by IRI; without `links`, bare of theirs.

    A chunk is part of a document, and has a kind, a position and a place in the document's text.
    """
    wanted = chunk_iris(store, iris)
    few = wanted if iris is not None and len(wanted) <= _MANY else None
    carried = _hyperlinks(store, few) if links else {}
    columns, mentioned = _columns(store, few), entities(store, few)
    rows = _PartRows(_batches(store, "chunk_contents", "chunk", wanted))
    contents = {iri: said for (iri,), said in _first_values(rows, "chunk").items() if said.keys() >= _NEEDED}
    whole = {each.iri: each.identifier for each in documents(store, set().union(*rows.parts.values()))}
    stored = []
    for iri, said in contents.items():
        document = min(rows.parts.get(iri, set()) & whole.keys(), default=None)
        if document is not None:
            chunk = _chunk(said, whole[document], columns.get(iri, ()), carried.get(iri, ()))
            topic, skeleton = text_of(said.get(v.TOPIC)), text_of(said.get(v.SKELETON))
            stored.append(StoredChunk(iri, document, chunk, topic, mentioned.get(iri, ()), skeleton))
    return sorted(stored, key=lambda chunk: chunk.iri)


class _PartRows:
    """Rows of chunks' values, of which those that say what a chunk is part of are taken out on the way."""

    def __init__(self, rows: Iterable[QuerySolution]) -> None:
        self._rows = rows
        self.parts: defaultdict[str, set[str]] = defaultdict(set)
        """Chunk -> what it is part of, once all rows have been read."""

    def __iter__(self) -> Iterator[QuerySolution]:
        for row in self._rows:
            if row["property"].value != v.IS_PART_OF:
                yield row
            elif (chunk := iri_of(row["chunk"])) is not None and (whole := iri_of(row["value"])) is not None:
                self.parts[chunk].add(whole)


def links(store: Store, chunks: Iterable[str] | None = None) -> dict[str, list[LinkEvidence]]:
    """Chunk -> its links, of those of the chunks (IRIs) that have some.

    A link has a confidence in 0..1 and an offset.
    """
    by_chunk: dict[str, list[LinkEvidence]] = defaultdict(list)
    wanted = None if chunks is None else sorted(set(chunks))
    for row in select(store, queries.bind("chunk_links", source=wanted)):
        source, target = iri_of(row["source"]), iri_of(row["target"])
        confidence, begin = share_of(row["confidence"]), integer_of(row["begin"])
        if source is not None and target is not None and confidence is not None and begin is not None:
            by_chunk[source].append(LinkEvidence(target, confidence, begin))
    return dict(by_chunk)


def mentions(store: Store, chunks: Iterable[str] | None = None) -> dict[str, set[str]]:
    """Chunk -> the entities (IRIs) that it mentions, of those of the chunks (IRIs) that mention some."""
    wanted = chunk_iris(store, chunks)
    subjects = [None] if chunks is None else [NamedNode(iri) for iri in wanted]
    by_chunk: dict[str, set[str]] = {}
    once: dict[str, str] = {}  # of the IRI of an entity that many chunks mention, one string
    among = set(wanted)
    for subject in subjects:
        for quad in store.quads_for_pattern(subject, node(v.MENTIONS), None, None):
            chunk, entity = iri_of(quad.subject), iri_of(quad.object)
            if chunk in among and entity is not None:
                by_chunk.setdefault(chunk, set()).add(once.setdefault(entity, entity))
    return by_chunk


def keywords(store: Store, chunk: str) -> set[str]:
    """The keywords of a chunk (IRI), in lower case."""
    quads = store.quads_for_pattern(NamedNode(chunk), node(v.KEYWORDS), None, None)
    return {quad.object.value.casefold() for quad in quads if isinstance(quad.object, Literal)}


def concept_names(store: Store) -> set[str]:
    """The preferred labels of the concepts that are derived."""
    concepts = {quad.subject for quad in store.quads_for_pattern(None, node(v.CHUNKS_ABOUT), None, None)}
    labels = (store.quads_for_pattern(each, node(v.PREF_LABEL), None, None) for each in concepts)
    return {quad.object.value for each in labels for quad in each if isinstance(quad.object, Literal)}


def mentioned_entities(store: Store) -> list[str]:
    """The IRIs of all entities that chunks mention, sorted."""
    rows = select(store, queries.text("mentioned_entities"))
    return sorted(filter(None, (iri_of(row["entity"]) for row in rows)))


def surface_forms(store: Store, entities: Iterable[str]) -> dict[str, dict[str, int]]:
    """Entity IRI -> surface form -> number of chunks that write it so."""
    forms: dict[str, dict[str, int]] = defaultdict(dict)
    for row in select(store, queries.bind("surface_forms", entity=entities)):
        entity, surface = iri_of(row["entity"]), text_of(row["surface"])
        if entity is not None and surface:  # an aggregate over nothing has one empty row
            forms[entity][surface] = forms[entity].get(surface, 0) + int(row["chunks"].value)
    return dict(forms)


def entity_classes(store: Store, entities: Iterable[str]) -> dict[str, dict[str, int]]:
    """Entity IRI -> class that the text of mentions gives it -> number of these mentions."""
    classes: dict[str, dict[str, int]] = defaultdict(dict)
    for row in select(store, queries.bind("entity_classes", entity=entities)):
        entity, name = iri_of(row["entity"]), iri_of(row["class"])
        if entity is not None and name is not None and name in v.ENTITY_CLASSES:
            classes[entity][name] = int(row["mentions"].value)
    return dict(classes)


def _chunk(
    said: Mapping[str, Term], identifier: str, columns: tuple[str, ...], links: tuple[Hyperlink, ...]
) -> Chunk:
    numbers = (v.POSITION, v.BEGIN_INDEX, v.END_INDEX, v.TABLE_NUMBER, v.FIRST_ROW, v.LAST_ROW)
    position, begin, end, table, first, last = (integer_of(said.get(each)) for each in numbers)
    part = None
    if table is not None and first is not None and last is not None:
        part = TablePart(table, columns, first, last)
    return Chunk(
        document=identifier,
        kind=CHUNK_KINDS[text_of(said[v.TYPE])],
        position=position or 0,
        name=text_of(said.get(v.NAME)),
        heading=text_of(said.get(v.HEADING)),
        text=text_of(said.get(v.TEXT)),
        begin=begin or 0,
        end=end or 0,
        table=part,
        subject=text_of(said.get(v.MAIN_ENTITY)) or None,
        links=links,
    )


def _columns(store: Store, iris: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Chunk -> the names of its table's columns, in their order."""
    by_chunk: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in select(store, queries.bind("chunk_columns", chunk=iris)):
        chunk, number = iri_of(row["chunk"]), integer_of(row["number"])
        if chunk is not None and number is not None:
            by_chunk[chunk].append((number, text_of(row["name"])))
    return {iri: tuple(name for _, name in sorted(each)) for iri, each in by_chunk.items()}


def entities(store: Store, iris: list[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Chunk, of all or of some (IRIs) -> the IRIs of the entities that it mentions, sorted."""
    once: dict[str, str] = {}  # of the IRI of an entity that many chunks mention, one string
    return {
        row["chunk"].value: tuple(
            once.setdefault(each, each) for each in sorted(set(row["entities"].value.split()))
        )
        for row in select(store, queries.bind("chunk_entities", chunk=iris))
        if row["chunk"] is not None  # an aggregate over nothing has one empty row
    }


def _hyperlinks(store: Store, iris: list[str] | None) -> dict[str, tuple[Hyperlink, ...]]:
    by_chunk: dict[str, list[Hyperlink]] = defaultdict(list)
    rows = select(store, queries.bind("hyperlinks", chunk=iris))
    for (chunk, _), said in _first_values(rows, "chunk", "link").items():
        target, column = text_of(said.get(v.HREF)), text_of(said.get(v.COLUMN_NAME)) or None
        begin, end, row = (integer_of(said.get(each)) for each in (v.BEGIN_INDEX, v.END_INDEX, v.ROW))
        if target and begin is not None and end is not None:
            anchor = text_of(said.get(v.ANCHOR_TEXT))
            by_chunk[chunk].append(Hyperlink(target, anchor, begin, end, row, column))
    return {
        iri: tuple(sorted(each, key=lambda link: (link.begin, link.end, link.target)))
        for iri, each in by_chunk.items()
    }


def _is_whole_number(value: Term) -> bool:
    return integer_of(value) is not None


_NUMBERS: Final = (v.POSITION, v.BEGIN_INDEX, v.END_INDEX)
_FITS: Final[Mapping[str, Callable[[Term], bool]]] = {
    **dict.fromkeys(_NUMBERS, _is_whole_number),
    v.TYPE: lambda value: text_of(value) in CHUNK_KINDS,
    v.IDENTIFIER: lambda value: bool(text_of(value)),
}
"""Property -> whether a value may be one, where not any may."""
_NEEDED: Final = frozenset((*_NUMBERS, v.TYPE))
"""The properties without which nothing is a chunk."""
