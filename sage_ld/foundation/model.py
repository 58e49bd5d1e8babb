"""The data that flows between the packages: frozen dataclasses, nothing else.

Offsets are code points into `Document.text`, begin inclusive, end exclusive. One invariant holds for
every chunk of every kind: `chunk.text == document.text[chunk.begin:chunk.end]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from sage_ld.foundation.errors import InputError

if TYPE_CHECKING:  # the command line reads its choices from here, and answers `--help` without NumPy
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float32]"
DoubleArray: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"


class ChunkKind(StrEnum):
    """The kinds of chunk, by the part of a document that they are cut from."""

    TEXT = "text"
    TABLE = "table"
    RECORD = "record"


# --- what a reader returns ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A link that a file carries, at its place in the text."""

    target: str
    """The reference as written in the file (`part2.md`, `/wiki/Pittsburgh`, `https://…`)."""
    text: str
    """The anchor's text, which may be empty."""
    begin: int
    end: int
    row: int | None = None
    """The row of the table, counted from 0 over the whole table."""
    column: str | None = None
    """The name of the column."""


WHOLE_DOCUMENT: Final = -1
"""The number that stands for the document itself where its sections are numbered."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of its level or above."""

    name: str
    level: int
    parent: int | None
    """Index in `Document.sections` of the section around it."""
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Prose:
    """Running text: a paragraph, a list, a block of code."""

    begin: int
    end: int
    section: int | None = None


class CellValue(NamedTuple):
    """The value of a cell of a table, where its text does not say it."""

    row: int
    """Counted from 0 over the whole table."""
    column: str
    value: str
    """As XML Schema writes it."""
    datatype: str
    """The local name of its datatype in XML Schema: `integer`, `decimal`, `double`, `date`, …"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: in the document's text each row is one line of `column: value` pairs."""

    begin: int
    end: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """The cells of each row, as many as there are columns."""
    row_spans: tuple[tuple[int, int], ...]
    """Begin and end of each row's line in the document's text."""
    caption: str = ""
    section: int | None = None
    head: str = ""
    """Which rows of the file were taken to name the columns, where it does not mark them."""
    values: tuple[CellValue, ...] = ()
    """What cells store that show something else, by row."""


@dataclass(frozen=True, slots=True)
class Record:
    """One object: in the document's text one `field: value` a line."""

    begin: int
    end: int
    name: str
    fields: tuple[tuple[str, str], ...]
    subject: str | None = None
    """The IRI of the resource that the record describes, where the file gives one."""
    section: int | None = None


Block: TypeAlias = Prose | Table | Record


class PlaceKind(StrEnum):
    """The units in which a file's format counts its places."""

    PAGE = "page"
    SLIDE = "slide"
    LINE = "line"
    ROW = "row"
    CELLS = "cells"
    NOTEBOOK_CELL = "cell"


@dataclass(frozen=True, slots=True)
class Place:
    """The place in its file of a stretch of a document's text: `first` to `last`, counted from 1.

    Where the stretch has as many lines as there are units, each line is one of them.
    """

    begin: int
    end: int
    kind: PlaceKind
    first: int
    last: int
    sheet: str = ""
    columns: tuple[str, str] | None = None
    """Of cells: the letters of the first and of the last column."""
    printed: str = ""
    """Of a page: the number that it shows, where that is another one."""


@dataclass(frozen=True, slots=True)
class Property:
    """A statement of a file, or of the program that brings it, about its document: a key with one value."""

    key: str
    """As it is written there (`team`, `og:title`, `author.name`), or an absolute IRI."""
    value: str
    """The value as XML Schema writes it."""
    datatype: str = "string"
    """The local name of an XML Schema datatype, or the IRI of another; `anyURI` for the IRI of a resource."""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One document, read: its plain text, the blocks that make it up, and what the file says about it."""

    identifier: str
    """The record's `_id`, or the path of its file below a root, with `/`."""
    title: str
    text: str
    blocks: tuple[Block, ...]
    media_type: str
    content_hash: str
    """SHA-256, hexadecimal, of what the file says about this document: its bytes, or its JSON line."""
    sections: tuple[Section, ...] = ()
    links: tuple[Hyperlink, ...] = ()
    url: str | None = None
    language: str | None = None
    stated_language: str | None = None
    """The tag of `language` where the file names it, and it was not detected; the graph gives it."""
    modified: str | None = None
    """`xsd:dateTime` or `xsd:date` where the file itself states it; never the file system's time."""
    types: tuple[str, ...] = ()
    """IRIs of further classes (schema.org) that the file's format or content makes certain."""
    description: str = ""
    keywords: tuple[str, ...] = ()
    statements: tuple[tuple[object, object, object], ...] = field(default=(), repr=False)
    """The RDF triples that an RDF file states, as pyoxigraph terms."""
    named_statements: tuple[tuple[object, object, object, object], ...] = field(default=(), repr=False)
    """The quads that it states in named graphs, each with the name of its graph."""
    reserved: int = 0
    """How many more an RDF file states in our own vocabulary, which were left out."""
    places: tuple[Place, ...] = ()
    """In the order of the text; they do not overlap, and need not cover it."""
    metadata: tuple[Property, ...] = ()
    """What the file states of it beside what the other fields hold; of a list, one for each value."""
    warnings: tuple[str, ...] = ()
    """What of the file was read otherwise than it seems to be meant; each begins with the file's name."""
    passed_over: tuple[tuple[str, int], ...] = ()
    """What the file has and the text has not: of each kind, such as `chart`, how many."""
    passed_over_places: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Of each of these kinds, the first places, such as `page 3`, in the order of the file."""
    root: str = ""
    """The name of the root that its file lies below; the graph gives it, and not the reader."""
    path: str = ""
    """The path of its file below that root."""
    patched_keys: tuple[str, ...] = ()
    """Keys of metadata that a patch has changed, over what the file says; the graph gives them."""


# --- what an ingest is told ---------------------------------------------------------------------------


class Duplicates(StrEnum):
    """The treatment of a document whose content a document of another name has."""

    KEEP = "keep"
    SKIP = "skip"

    @classmethod
    def named(cls, name: str) -> Duplicates:
        """The choice called `name`. Raises InputError if there is none of that name."""
        try:
            return cls(name)
        except ValueError:
            raise InputError(f"duplicates: {name!r} is not a choice; give {' or '.join(cls)}") from None


# --- what a chunker returns -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TablePart:
    """The table, and its rows, that a table chunk contains."""

    table: int
    """Number of the table in its document, counted from 0."""
    columns: tuple[str, ...]
    """All columns of the table; in a chunk that holds no whole row, those of which it shows a cell."""
    first_row: int
    last_row: int
    """Row numbers, counted from 0 over the whole table, both inclusive."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is retrieved as a unit."""

    document: str
    """The document's identifier."""
    kind: ChunkKind
    position: int
    """Counted from 0 in the document."""
    name: str
    """The name for people: the record's name, or the document's title and the section's."""
    heading: str
    """The context that goes before the text when it is encoded: title, section path, table caption."""
    text: str
    begin: int
    end: int
    section: int | None = None
    table: TablePart | None = None
    subject: str | None = None
    links: tuple[Hyperlink, ...] = ()
    place: str = ""
    """The place in its file: `page 3`, `lines 10–24`, `Budget!A3:F20`; of rows, what names the columns."""


# --- what an annotator returns --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity named in a chunk; the first place where it is named, and how often it is."""

    label: str
    """The entity's label as normalised for identity: same label, same entity."""
    surface: str
    """As written at the first place."""
    begin: int
    end: int
    """Offsets into the document's text, as the chunk's own."""
    count: int = 1
    row: int | None = None
    column: str | None = None
    class_name: str | None = None
    """The class of schema.org that the text gives the entity here, such as Person."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """The topic, keywords and mentions of one chunk."""

    topic: str
    keywords: tuple[str, ...]
    mentions: tuple[Mention, ...]


class LinkKind(StrEnum):
    """The way in which a link between a chunk and a document was found."""

    HYPERLINK = "hyperlink"
    TITLE = "title"


class LinkEvidence(NamedTuple):
    """The target, confidence and position of a link in the graph."""

    target: str
    """The document's IRI."""
    confidence: float
    begin: int
    """Its offset in the chunk's document."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a chunk to a document, both given as positions in the arrays that the linker was given."""

    chunk: int
    document: int
    kind: LinkKind
    anchor: str
    confidence: float
    begin: int
    end: int
    row: int | None = None
    column: str | None = None
    href: str | None = None
    """Of a hyperlink: the reference as the file has it (`Hyperlink.target`)."""


# --- what the edge builders give -------------------------------------------------------------------


class EdgeKind(StrEnum):
    """The names of the kinds of similarity edge; `sage_ld.foundation.edge_kinds` has a row for each."""

    DOCUMENT_DOCUMENT = "DocumentDocument"
    TABLE_TABLE = "TableTable"
    TABLE_DOCUMENT = "TableDocument"
    RECORD_RECORD = "RecordRecord"
    RECORD_DOCUMENT = "RecordDocument"
    RECORD_TABLE = "RecordTable"


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of the values that a threshold cuts, over the pairs that a sample of chunks find."""

    values: tuple[float, ...]
    """The values at 0, 1, …, 100 %, ascending."""
    percentile: float
    """The percentile of these values that the threshold is at, in 0..100."""


@dataclass(frozen=True, slots=True)
class EdgeSet:
    """Similarity edges of one kind, as parallel arrays of length n; each pair once, source < target."""

    kind: EdgeKind
    source: IntArray
    target: IntArray
    """Positions in the arrays that the builder was given."""
    weight: DoubleArray
    """In 0..1, rounded to six decimals so that the last bits of a matrix product do not show."""
    signals: dict[str, DoubleArray]
    """Signal name (`topicSimilarity`, …) to its values, rounded likewise."""
    percentile: float | None
    """The percentile of the recipe, in 0..100; None if the recipe gives the threshold itself."""
    thresholds: dict[str, float]
    """Signal name to the least value that was kept."""
    candidates: int
    """The number of pairs compared, over which a percentile was taken."""
    distributions: Mapping[str, Distribution] = field(default_factory=dict)
    """Signal name to what its threshold cuts: by it, a later graph is compared with this one."""


# --- arguments and results of retrieval -------------------------------------------------------------


class Role(StrEnum):
    """The origin of a result: a seed or a neighbour."""

    SEED = "seed"
    NEIGHBOUR = "neighbour"


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop over the graph, from a chunk to a chunk: over an edge, or over several with nodes between."""

    seed: str
    """IRI of the chunk that the hop starts from."""
    chunk: str
    """IRI of the chunk that it leads to."""
    channel: str
    """The name of a channel, as `sage_ld.foundation.channels` lists them."""
    kind: str
    """The kind of the edge, within its channel: `TableDocument`, `links to`, `linked from`, `next` …"""
    weight: float
    """The edge's evidence, in 0..1."""
    edges: tuple[str, ...] = ()
    """IRIs of the reifiers of the edges that it goes over, in their order from the seed."""
    via: tuple[str, ...] = ()
    """IRIs of the nodes between the two chunks, in their order from the seed: an entity that both mention."""
    row: int | None = None
    """The row of the table that holds the link, in channel `link`."""
    properties: tuple[str, ...] = ()
    """IRIs of the properties that lead from node to node, `^` before one that is followed backward; empty
    where channel and kind say it."""
    index: str = field(default="", compare=False)
    """The index with the results of the channel's query that it was read from; empty where the query ran."""


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk as a person reads it, with its document. `iri`, `document` and `section` are IRIs."""

    iri: str
    kind: ChunkKind
    name: str
    text: str
    document: str
    identifier: str
    title: str
    url: str | None = None
    section: str | None = None
    section_name: str | None = None
    place: str | None = None
    """The place in its file: `page 3`, `lines 10–24`, `Budget!A3:F20`."""
    mentions: tuple[tuple[str, str], ...] = ()
    """IRI and preferred label of each entity that it mentions."""
    document_abstract: str | None = None
    """The abstract of its document, if it has one and the view of the answer is `summary`."""
    section_abstract: str | None = None
    """Likewise that of its section."""
    begin: int | None = None
    """Offset into its document's text; None where the graph has none of a user's chunk."""
    end: int | None = None
    """Likewise; exclusive."""


@dataclass(frozen=True, slots=True)
class Result:
    """One chunk of an answer, and why it is there."""

    rank: int
    """Counted from 1."""
    role: Role
    score: float
    parts: dict[str, float]
    """The parts of the score: `bm25`, `dense`, `hybrid`, `graph`, and more (`docs/ranking.md`)."""
    path: tuple[PathStep, ...]
    """The hops that led here, from a seed; empty for a seed."""
    view: ChunkView
    before: tuple[ChunkView, ...] = ()
    """The chunks before it in its document, in order, as many as the window has; no results themselves."""
    after: tuple[ChunkView, ...] = ()
    """Likewise those after it."""


_IN_QUESTION: Final = ("Answer", "AnswerView", "Filter", "Mode")


def __getattr__(name: str) -> object:
    """A name that moved to `question`, for programs that still import it from here."""
    if name not in _IN_QUESTION:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("sage_ld.foundation.question"), name)
