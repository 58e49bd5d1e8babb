"""What ranking knows of the chunks of one revision, as arrays in the row order of the vector index."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode, Store

from sage_ld import vocabulary as v
from sage_ld.graph import Snapshot
from sage_ld.indexes.analysis import terms
from sage_ld.indexes.positions import Hashes, Spans, hashed, holding
from sage_ld.model import DoubleArray, IntArray
from sage_ld.store import queries
from sage_ld.store.reading import select
from sage_ld.store.terms import node


@dataclass(slots=True)
class Catalogue:
    """The chunks of a revision, their documents, and the documents' titles."""

    rows: dict[str, int]
    """IRI -> row."""
    documents: IntArray
    """(n,) a number for each chunk's document."""
    iris: list[str]
    """The documents' IRIs, by number."""
    numbers: dict[str, int]
    """Document's IRI -> its number."""
    titles: Hashes
    """The terms of all titles, each once a title, title after title."""
    title_bounds: IntArray
    """(documents + 1,) where each title begins in `titles`."""
    linked: dict[int, int] = field(default_factory=dict)
    """Document number -> how many links lead to it, counted up to a limit."""
    _order: IntArray = field(init=False)
    _bounds: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self._order = np.argsort(self.documents, kind="stable")
        self._bounds = np.searchsorted(self.documents[self._order], np.arange(len(self.iris) + 1))

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
        titles: list[Hashes] = []
        for each in select(snapshot.store, queries.text("catalogue")):
            row, iri = rows[each["chunk"].value], each["document"].value
            if iri not in numbers:
                numbers[iri] = len(numbers)
                titles.append(
                    hashed(sorted(set(terms("" if each["title"] is None else each["title"].value))))
                )
            documents[row] = numbers[iri]
        bounds = np.cumsum([0, *map(len, titles)])
        flat = np.concatenate([np.zeros(0, np.uint32), *titles])
        return cls(rows, documents, list(numbers), numbers, flat, bounds)

    def chunks(self, document: int) -> IntArray:
        """The rows of a document's chunks, ascending; the document is given by its number."""
        return self._order[self._bounds[document] : self._bounds[document + 1]]

    def in_titles(self, rows: IntArray, asked: Hashes) -> NDArray[np.bool_]:
        """(e, m) which of the m terms asked for is in the title of each row's document."""
        numbers, back = np.unique(self.documents[rows], return_inverse=True)
        spans = Spans(self.title_bounds[numbers], self.title_bounds[numbers + 1])
        return np.asarray(holding(self.titles, spans, asked)[back])

    def title_lengths(self, rows: IntArray) -> DoubleArray:
        """(e,) how many different terms the title of each row's document has; at least 1."""
        numbers = self.documents[rows]
        lengths = self.title_bounds[numbers + 1] - self.title_bounds[numbers]
        return np.asarray(np.maximum(lengths, 1), np.float64)

    def is_hub(self, store: Store, document: int, most: int) -> bool:
        """Whether more than `most` links lead to a document."""
        if document not in self.linked:
            target = NamedNode(self.iris[document])
            found = store.quads_for_pattern(None, node(v.LINKS_TO), target, None)
            self.linked[document] = sum(1 for _ in islice(found, most + 1))
        return self.linked[document] > most


_KEPT: Final[WeakKeyDictionary[Snapshot, Catalogue]] = WeakKeyDictionary()
_GUARD: Final = threading.Lock()
