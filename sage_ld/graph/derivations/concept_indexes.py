"""The indexes by which concepts follow a change: the vocabulary, and the vectors of preferred labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from sage_ld.build.concepts.candidates import keys
from sage_ld.build.concepts.terms import TermForm
from sage_ld.foundation.errors import SageError
from sage_ld.foundation.model import FloatArray
from sage_ld.graph.indexes.strings import Numbers, text_number
from sage_ld.graph.indexes.terms import IndexedTerm, TermIndex, TermRow
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.store.durable_files import remove

_TERMS: Final = "terms"
_LABELS: Final = "concepts"
CONCEPT_PARTS: Final = frozenset((_TERMS, _LABELS))
"""The names of the two indexes: of the terms, and of the vectors of concepts by their preferred labels."""
_STATED: Final = text_number("stated")


class ConceptIndexes:
    """The two indexes of a writer; none where no concepts are derived, or one of the two is lost."""

    def __init__(self, live: Path) -> None:
        self._live = live
        self.terms: TermIndex | None = None
        self.labels: VectorIndex | None = None
        try:
            self.terms = TermIndex.open(live / _TERMS, read_only=False)
            self.labels = VectorIndex.open(live / _LABELS, read_only=False)
        except SageError:
            self.drop()

    @property
    def digest(self) -> str:
        """A digest of the sets of their keys; empty without indexes."""
        if self.terms is None or self.labels is None:
            return ""
        return f"{self.terms.digest}-{self.labels.digest}"

    def drop(self) -> None:
        """Removes them: the next change groups the whole vocabulary and builds them."""
        self.terms = self.labels = None
        for part in CONCEPT_PARTS:
            remove(self._live / part)

    def build(self, rows: Mapping[str, TermRow], names: Sequence[str], vectors: FloatArray) -> None:
        """Builds both: of all terms by their keys, and of the (n, d) vectors of preferred labels."""
        self.terms = TermIndex.create(self._live / _TERMS)
        self.terms.update(rows, ())
        self.labels = VectorIndex.create(self._live / _LABELS, vectors.shape[1])
        self.labels.update(names, vectors, ())


def term_row(form: TermForm, term: IndexedTerm) -> TermRow:
    """A row of the term index: a term, and its numbers for each of the look-ups below."""
    lookups = [_key_number(key, asks=asks) for key, asks in keys(form)]
    lookups += map(_entity_number, term.entities)
    return TermRow(term, [*lookups, _STATED, _stated_number(term.stated)] if term.stated else lookups)


def of_entities(entities: Sequence[str]) -> Numbers:
    """A query for the terms that are names of some entities (IRIs)."""
    return np.array([_entity_number(each) for each in entities], np.uint64)


def of_thesaurus() -> Numbers:
    """A query for all terms of a thesaurus."""
    return np.array([_STATED], np.uint64)


def of_aliases(form: TermForm, stated: str) -> Numbers:
    """A query for the terms that a rule may join to one, and those of the same concept of a thesaurus."""
    return np.array([*_asked_by(form), *([_stated_number(stated)] if stated else [])], np.uint64)


def _asked_by(form: TermForm) -> Iterator[int]:
    for key, asks in keys(form):
        yield _key_number(key, asks=True)
        if asks:
            yield _key_number(key, asks=False)


def _key_number(key: Sequence[str], *, asks: bool) -> int:
    """The number of a rule's key, odd for a term that asks for others by it."""
    return text_number("\0".join(key)) & ~1 | asks


def _entity_number(iri: str) -> int:
    return text_number(f"entity {iri}")


def _stated_number(iri: str) -> int:
    return text_number(f"stated {iri}")
