"""The document index: what linking looks up of the documents, by their names, places, and first words.

Each document has a record, and numbers that stand for the words of its title and of its text's beginning, for
its names, for the references that lead to it, and for the labels of entities that its title has. The files
that documents came from are listed in order, so that those below a folder lie together.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np

from sage_ld.build.annotators.labels import bare_title, entity_label
from sage_ld.build.annotators.targets import Target, lead_words, other_places
from sage_ld.build.annotators.titles import aliases, forms
from sage_ld.foundation.model import Chunk
from sage_ld.graph.indexes.files import Arrays, Manifest, within
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.segments import Segment, SegmentDirectory, live_keys
from sage_ld.graph.indexes.strings import (
    Dictionary,
    HashedLists,
    Keys,
    array_names,
    chained_number,
    graded,
    listed,
    lists_fit,
    pack,
    text_number,
)
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store

TITLE, LEAD, NAME, PLACE, LABEL = LISTS = ("title_", "lead_", "name_", "place_", "label_")
"""The lists of an index: words of titles, of beginnings, names, references, labels."""
PREFIXES: Final = "prefixes"
"""The array of the numbers of the beginnings of names of several words."""
IDENTIFIER: Final = 0
"""The grade of a document's identifier among the references that lead to it; the others have 1."""
_RECORDS: Final = ("records", "record_offsets")
_FILES: Final = ("files", "file_offsets")
_FILE_ROWS: Final = "file_rows"
_GRADED: Final = (NAME, PLACE)
_ARRAYS: Final = (
    *_RECORDS,
    *_FILES,
    _FILE_ROWS,
    PREFIXES,
    *(array for name in LISTS for array in array_names(name)),
    *(f"{name}grades" for name in _GRADED),
)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as a target of links."""

    target: Target
    lead: str | None = None
    """The IRI of its first chunk, which is what its text begins with."""
    root: str = ""
    """The name of the root that its file lies below; empty where the graph does not say."""
    path: str = ""
    """The path of its file below that root, with `/`; empty where the graph does not say."""


class DocumentIndex(SegmentIndex):
    """The documents of a graph by IRI. One process writes; any number read its published copies."""

    kind = "documents"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return _ARRAYS

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether records and lists belong together by their lengths."""
        return _fits(segment)

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return _join(segments)

    @property
    def directory(self) -> SegmentDirectory:
        """Its segments as they are now, with the arrays of its lists over their stored rows."""
        return self._directory

    def every(self) -> dict[str, IndexedDocument]:
        """All documents by IRI, sorted by identifier."""
        found = [
            (segment.keys[row], record(segment, row))
            for segment in self._directory.segments
            for row in np.flatnonzero(segment.live).tolist()
        ]
        return dict(sorted(found, key=lambda each: each[1].target.identifier))

    def among(self, iris: Iterable[str]) -> set[str]:
        """The documents among some IRIs that are in the index."""
        wanted = list(iris)
        return {
            iri for iri, row in zip(wanted, self._directory.rows(wanted).tolist(), strict=True) if row >= 0
        }

    def titled(self, entity: str) -> list[str]:
        """The documents (IRIs) whose title, with or without its qualifier, is a form of an entity's label."""
        found = []
        for segment in self._directory.segments:
            lists = HashedLists.of(segment.arrays, LABEL)
            rows = lists.rows[lists.find(text_number(_name(entity)))]
            found += [segment.keys[row] for row in rows[segment.live[rows]].tolist()]
        return sorted(found)

    def files_below(self, root: str, folder: str) -> list[tuple[str, str]]:
        """The files that documents came from, of those at or below a folder of a root: path, document's IRI.

        `folder` is empty for the root itself.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as temporary:
        ...     index = DocumentIndex.create(temporary)
        ...     places = {"x:1": "a.md", "x:2": "films/b.md", "x:3": "films-of-1987.md"}
        ...     add = {iri: IndexedDocument(Target(at, ""), None, "1", at) for iri, at in places.items()}
        ...     index.update(add, [])
        ...     len(index.files_below("1", "")), index.files_below("1", "films")
        (3, [('films/b.md', 'x:2')])
        """
        begin = _file(root)
        wanted = (_file(root, folder), begin + f"{folder}/".encode()) if folder else (begin,)
        found = []
        for segment in self._directory.segments:
            files = Dictionary.of(*(segment.arrays[name] for name in _FILES))
            rows = segment.arrays[_FILE_ROWS]
            for at in chain.from_iterable(_beginning(files, each) for each in wanted):
                if segment.live[rows[at]]:
                    found.append((files[at][len(begin) : -1].decode(), segment.keys[rows[at]]))
        return found

    def update(self, add: Mapping[str, IndexedDocument], remove: Iterable[str]) -> None:
        """Take `remove` out, put `add` (by IRI) in, replacing what those IRIs had: all or nothing.

        An IRI to remove that is not indexed is no error.
        """
        iris = sorted(add)
        arrays = _built([add[iri] for iri in iris])
        self._replace(iris, arrays, remove)


def record(segment: Segment, row: int) -> IndexedDocument:
    """The document of one row of a segment."""
    fields = json.loads(Keys(*(segment.arrays[each] for each in _RECORDS))[row])
    identifier, title, text, url, lead, root, path = fields
    return IndexedDocument(Target(identifier, title, text, url), lead, root, path)


def _built(documents: Sequence[IndexedDocument]) -> Arrays:
    targets = [each.target for each in documents]
    named, prefixes, placed = [], set[int](), []
    for row, target in enumerate(targets):
        for name, kind in aliases(target.title, target.text).items():
            *begun, whole = _chain(name)
            prefixes.update(begun)
            named.append((whole, row, int(kind)))
        places = dict.fromkeys(other_places(target), 1) | {target.identifier: IDENTIFIER}
        placed += [(text_number(place), row, grade) for place, grade in places.items()]
    records = pack(_packed(each) for each in documents)
    files = sorted((_file(each.root, each.path), row) for row, each in enumerate(documents) if each.path)
    entities = [[Iris().entity(label) for label in title_labels(each.title)] for each in targets]
    return {
        **dict(zip(_RECORDS, records, strict=True)),
        **dict(zip(_FILES, pack(file.decode() for file, _ in files), strict=True)),
        _FILE_ROWS: np.array([row for _, row in files], np.int32),
        PREFIXES: np.array(sorted(prefixes), np.uint64),
        **listed([list(map(text_number, forms(each.title))) for each in targets], TITLE),
        **listed([list(map(text_number, lead_words(each.text))) for each in targets], LEAD),
        **listed([[text_number(_name(iri)) for iri in each] for each in entities], LABEL),
        **graded(named, NAME),
        **graded(placed, PLACE),
    }


def title_labels(title: str) -> list[str]:
    """The labels of entities that a title has: with its qualifier, and without it."""
    return list(dict.fromkeys(filter(None, map(entity_label, (title, bare_title(title))))))


def _name(entity: str) -> str:
    """The part of an entity's IRI below the base, which may change."""
    return entity.rpartition("/")[2]


def _file(root: str, *path: str) -> bytes:
    """A root, or a root and a path below it, as files are sorted: none is the beginning of another."""
    return "".join(f"{each}\0" for each in (root, *path)).encode()


def _beginning(files: Dictionary, prefix: bytes) -> Iterator[int]:
    """The places of the strings that begin with a prefix."""
    for at in range(bisect_left(files, prefix), len(files)):
        if not files[at].startswith(prefix):
            return
        yield at


def _packed(document: IndexedDocument) -> str:
    target = document.target
    where = (document.lead, document.root, document.path)
    return json.dumps((target.identifier, target.title, target.text, target.url, *where))


def _chain(name: Sequence[str]) -> list[int]:
    """The numbers of the first word of a name, of the first two and so on."""
    numbers, number = [], 0
    for word in name:
        number = chained_number(number, word)
        numbers.append(number)
    return numbers


def _join(segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
    keys = live_keys(segments)
    documents = [record(each, row) for each in segments for row in np.flatnonzero(each.live).tolist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [keys[at] for at in order], _built([documents[at] for at in order])


def _fits(segment: Segment) -> bool:
    arrays, count = segment.arrays, len(segment.keys)
    rows = arrays[_FILE_ROWS]
    return (
        _packed_fit(arrays, _RECORDS, count)
        and _packed_fit(arrays, _FILES, len(rows))
        and within(rows, 0, count - 1)
        and arrays[PREFIXES].ndim == 1
        and all(lists_fit(arrays, count, name) for name in LISTS)
        and all(arrays[f"{name}grades"].shape == arrays[array_names(name)[2]].shape for name in _GRADED)
    )


def _packed_fit(arrays: Arrays, names: tuple[str, str], count: int) -> bool:
    """Whether two arrays are of so many packed strings."""
    blob, offsets = (arrays[name] for name in names)
    return bool(offsets.shape == (count + 1,) and blob.shape == (int(offsets[-1]),))


def indexed_document(
    document: Target, chunks: Iterable[tuple[str, Chunk]], root: str, path: str
) -> IndexedDocument:
    """A document as a target of links, with the text of its first chunk; `chunks` are pairs with IRIs.

    `root` and `path` say which file it came from.
    """
    iri, lead = min(chunks, key=lambda each: (each[1].position, each[0]), default=(None, None))
    target = document if lead is None else replace(document, text=lead.text)
    return IndexedDocument(target, iri, root, path)


def indexed_documents(store: Store, iris: Iterable[str]) -> dict[str, IndexedDocument]:
    """The documents among some IRIs that the store has, by IRI."""
    documents = reading.documents(store, sorted(iris))
    parts = [chunk for each in documents for chunk in reading.chunks_of(store, each.iri)]
    leads: dict[str, tuple[int, str, str]] = {}
    for each in reading.chunks(store, parts, links=False):
        lead = (each.chunk.position, each.iri, each.chunk.text)
        leads[each.document] = min(lead, leads.get(each.document, lead))
    found = {}
    for document in documents:
        _, iri, text = leads.get(document.iri, (0, None, ""))
        target = Target(document.identifier, document.name, text, document.url)
        found[document.iri] = IndexedDocument(target, iri, document.root, document.path)
    return found
