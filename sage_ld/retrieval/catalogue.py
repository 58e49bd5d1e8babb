"""What ranking knows of the chunks of one revision, as arrays in the row order of the vector index."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from pyoxigraph import NamedNode, QuerySolution, Store

from sage_ld import vocabulary as v
from sage_ld.graph import Snapshot
from sage_ld.indexes.analysis import terms
from sage_ld.model import DoubleArray, IntArray
from sage_ld.store import queries
from sage_ld.store.reading import select
from sage_ld.store.terms import node

_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"(])")
_WORD = re.compile(r"\w+")
_CELL_SEPARATOR = "; "  # of a table's row as text, see sage_ld.readers.tables
_WINDOW_WORDS = 6
_WINDOW_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Unit:
    """What stands around a link: the edge's own text, as sets of terms."""

    terms: frozenset[str]
    """Of the row, or of the sentence, with the chunk's heading."""
    window: frozenset[str]
    """Of the cell with its column, or of the words next to the link."""


@dataclass(slots=True)
class Catalogue:
    """The chunks of a revision. Units are read when a link is first met, and kept."""

    rows: dict[str, int]
    """IRI -> row."""
    documents: IntArray
    """(n,) a number for each chunk's document."""
    iris: list[str]
    """The documents' IRIs, by number."""
    titles: list[frozenset[str]]
    """The terms of the documents' titles, by number."""
    title_lengths: DoubleArray
    """(documents,) at least 1."""
    units: dict[str, Unit] = field(default_factory=dict)
    linked: dict[int, int] = field(default_factory=dict)
    """Document number -> how many links lead to it, counted up to a limit."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> Catalogue:
        """The catalogue of a revision: read once, and kept as long as the revision is open."""
        with _GUARD:
            if snapshot not in _KEPT:
                _KEPT[snapshot] = cls._read(snapshot)
            return _KEPT[snapshot]

    @classmethod
    def _read(cls, snapshot: Snapshot) -> Catalogue:
        rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}
        documents = np.zeros(len(rows), np.int64)
        numbers: dict[str, int] = {}
        titles: list[frozenset[str]] = []
        for each in select(snapshot.store, queries.text("catalogue")):
            row, iri = rows[each["chunk"].value], each["document"].value
            if iri not in numbers:
                numbers[iri] = len(numbers)
                titles.append(frozenset(terms("" if each["title"] is None else each["title"].value)))
            documents[row] = numbers[iri]
        lengths = np.array([max(len(title), 1) for title in titles], np.float64)
        return cls(rows, documents, list(numbers), titles, lengths)

    def unit(self, store: Store, edges: Iterable[str]) -> list[Unit]:
        """The unit of each link (IRI)."""
        wanted = list(edges)
        missing = sorted({edge for edge in wanted if edge not in self.units})
        if missing:
            for row in select(store, queries.bind("link_places", edge=missing)):
                self.units[row["edge"].value] = _unit(row)
        return [self.units.get(edge, _NOTHING) for edge in wanted]

    def is_hub(self, store: Store, document: int, most: int) -> bool:
        """Whether more than `most` links lead to a document."""
        if document not in self.linked:
            target = NamedNode(self.iris[document])
            found = store.quads_for_pattern(None, node(v.LINKS_TO), target, None)
            self.linked[document] = sum(1 for _ in islice(found, most + 1))
        return self.linked[document] > most


_KEPT: Final[WeakKeyDictionary[Snapshot, Catalogue]] = WeakKeyDictionary()
_GUARD: Final = threading.Lock()
_NOTHING = Unit(frozenset(), frozenset())


def _unit(row: QuerySolution) -> Unit:
    text, offset = row["text"].value, int(row["offset"].value)
    begin, end = int(row["begin"].value) - offset, int(row["end"].value) - offset
    heading = "" if row["heading"] is None else row["heading"].value
    find = _in_row if row["table"] is not None else _in_prose
    unit, window = find(text, begin, end)
    return Unit(frozenset(terms(f"{heading}. {unit}")), frozenset(terms(window)))


def _in_row(text: str, begin: int, end: int) -> tuple[str, str]:
    """The line that a link stands in, and its cell with the column's name."""
    line_begin = text.rfind("\n", 0, begin) + 1
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    cell_begin = max(line_begin, text.rfind(_CELL_SEPARATOR, line_begin, begin) + len(_CELL_SEPARATOR))
    cell_end = text.find(_CELL_SEPARATOR, end, line_end)
    cell_end = line_end if cell_end < 0 else cell_end
    return text[line_begin:line_end], text[cell_begin:cell_end]


def _in_prose(text: str, begin: int, end: int) -> tuple[str, str]:
    """The sentence that a link stands in, and the words next to it."""
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))]
    number = max(i for i, start in enumerate(starts) if start <= max(begin, 0))
    sentence = text[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(text)]
    before = _WORD.findall(text[max(0, begin - _WINDOW_CHARACTERS) : max(begin, 0)])[-_WINDOW_WORDS:]
    after = _WORD.findall(text[end : end + _WINDOW_CHARACTERS])[:_WINDOW_WORDS]
    return sentence, " ".join(before + after)
