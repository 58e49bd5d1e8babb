"""The regrouping of the terms that a change touches, which gives what grouping all of them gives.

What complete linkage makes of a term depends on its connected component alone: the terms that rules, the
thesaurus or earlier judgements join to it, directly or over others. So the components of the terms that come,
go or are counted otherwise are grouped again, and no others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import numpy as np

from sage_ld.build.concepts.candidates import crowded, sharing
from sage_ld.build.concepts.grouping import MOST_RELATED, Encode, rule_pairs
from sage_ld.build.concepts.terms import term_form
from sage_ld.graph.derivations.concept_indexes import of_aliases, of_entities, of_thesaurus, term_row
from sage_ld.graph.derivations.concept_vocabulary import (
    Term,
    ThesaurusConcept,
    concept_labels,
    entity_name,
    introduces,
    keyword_chunks,
    mentioning_chunks,
    thesaurus,
)
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.indexes.terms import IndexedTerm, TermIndex
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.store import reading
from sage_ld.graph.writing.writer import Writer

Terms: TypeAlias = Mapping[str, IndexedTerm]
"""Terms by their text in lower case."""


@dataclass(frozen=True, slots=True)
class TouchedTerms:
    """The terms that are to be grouped again after a change."""

    terms: Mapping[str, Term]
    """By their texts: all of each component with more than one term."""
    compared: Collection[tuple[str, str]]
    """The pairs of their texts that share a key which says something among all terms of the graph."""
    thesaurus: Sequence[ThesaurusConcept]
    """The user's concepts of which they are labels."""
    former: Collection[str]
    """The texts of all terms that may have had a concept: these, and those that are alone or gone now."""


@dataclass(frozen=True, slots=True)
class TermFollower:
    """Brings the term index to the state after a change, and finds the terms to group again."""

    writer: Writer
    index: TermIndex
    least_chunks: int
    encode: Encode
    judged: Sequence[Set[str]]
    """Groups of terms, in lower case, that a judge took for aliases."""
    _chunks: dict[IndexedTerm, set[str]] = field(default_factory=dict)
    """Of the terms that have been read: one may be compared with many."""

    def touched(self, changes: Changes) -> TouchedTerms:
        """The terms whose grouping a change may touch; the index knows the change afterwards."""
        users = thesaurus(self.writer.store, self.writer.iris) if changes.resources else None
        keys = self._keys(changes, users)
        before = self.index.among(keys)
        after = self._now(keys, before, changes, users)
        formerly_beside = {key: term for key, term in self._joined(before)[0].items() if key not in keys}
        new = {key: term for key, term in after.items() if term != before.get(key)}
        gone = before.keys() - after.keys()
        if new or gone:
            self.index.update({key: term_row(term_form(each.text), each) for key, each in new.items()}, gone)
        start = after | formerly_beside
        component, compared = self._connected(start)
        return TouchedTerms(
            {
                term.text: Term(
                    term.text, chunks=self._read(term), entities=set(term.entities), stated=term.stated
                )
                for term in component.values()
            },
            {
                (component[one].text, component[other].text)
                for one, other in compared
                if one in component and other in component
            },
            self._stated(component, users),
            {term.text for each in (before, start, component) for term in each.values()},
        )

    def _keys(self, changes: Changes, users: Sequence[ThesaurusConcept] | None) -> set[str]:
        """The terms, new and former ones, whose chunks, entities or concepts of a thesaurus change."""
        store, iris = self.writer.store, self.writer.iris
        keys = set(changes.keywords)
        for chunk in changes.chunks:
            keys |= reading.keywords(store, chunk)
        keys.update(entity_name(store, iris, entity).casefold() for entity in changes.entities)
        keys.update(self.index.found(of_entities(sorted(changes.entities))))
        if users is not None:
            keys.update(self.index.found(of_thesaurus()))
            keys.update(label.casefold() for each in users for label in each.labels)
        return keys - {""}

    def _now(
        self,
        keys: Collection[str],
        before: Terms,
        changes: Changes,
        users: Sequence[ThesaurusConcept] | None,
    ) -> dict[str, IndexedTerm]:
        """The terms among some that are part of the vocabulary now."""
        store, iris = self.writer.store, self.writer.iris
        named: dict[str, dict[str, str]] = {key: {} for key in keys}
        for entity in changes.entities.union(*(term.entities for term in before.values())):
            name = entity_name(store, iris, entity)
            if name.casefold() in named and self._any(mentioning_chunks(store, entity), 1):
                named[name.casefold()][entity] = name
        if users is None:
            stated = {key: (term.text, term.stated) for key, term in before.items() if term.stated}
        else:
            stated = {label.casefold(): (label, each.iri) for each in users for label in each.labels}
        terms = {}
        for key, entities in named.items():
            if key in stated or entities or self._any(keyword_chunks(store, key), self.least_chunks):
                text, concept = stated.get(key) or (min(entities.values(), default=key), "")
                terms[key] = IndexedTerm(text, tuple(sorted(entities)), concept)
        return terms

    def _any(self, chunks: Iterable[str], least: int) -> bool:
        """Whether at least a number of some chunks are indexed."""
        names: set[str] = set()
        for chunk in chunks:
            if self.writer.vectors.rows([chunk])[0] >= 0:
                names.add(chunk)
                if len(names) >= least:
                    return True
        return False

    def _connected(self, terms: Terms) -> tuple[dict[str, IndexedTerm], set[tuple[str, str]]]:
        """All terms of the components of some, but those that nothing joins to another.

        With the pairs that `_joined` compared: among these terms alone, too many keys would say something.
        """
        connected: dict[str, IndexedTerm] = {}
        compared: set[tuple[str, str]] = set()
        seen, waiting = set(terms), terms
        while waiting:
            joined, pairs = self._joined(waiting)
            connected |= joined
            compared |= pairs
            waiting = {key: term for key, term in joined.items() if key not in seen}
            seen |= waiting.keys()
        return connected, compared

    def _joined(self, terms: Terms) -> tuple[dict[str, IndexedTerm], set[tuple[str, str]]]:
        """Of all pairs that something joins and that have one of some terms, both terms.

        And those of keys that say nothing, but may do so without these terms. With all pairs that share a key
        and have one of the terms.
        """
        if not terms:
            return {}, set()
        judged = [keys for keys in self.judged if not keys.isdisjoint(terms)]
        numbers = [of_aliases(term_form(each.text), each.stated) for each in terms.values()]
        every = {
            **self.index.found(np.concatenate(numbers)),
            **self.index.among(key for keys in judged for key in keys),
            **terms,
        }
        keys = sorted(every)
        texts = [every[key].text for key in keys]
        forms = [term_form(each) for each in texts]
        near = [pair for pair in sharing(forms) if keys[pair[0]] in terms or keys[pair[1]] in terms]

        def introduced(one: str, other: str) -> bool:
            ours, theirs = (self._read(every[text.casefold()]) for text in (one, other))
            return introduces(self.writer.store, ours & theirs, one, other)

        joined = rule_pairs(texts, forms, near, self.encode, introduced)
        ends = {keys[place] for pair in joined for place in pair}
        ends |= {keys[place] for place in crowded(forms, len(terms))}
        stated = {term.stated for term in terms.values()} - {""}
        together = [{key for key in keys if every[key].stated == each} for each in stated]
        for group in (*together, *judged):
            if len(group & every.keys()) > 1:
                ends |= group & every.keys()
        return {key: every[key] for key in ends}, {(keys[one], keys[other]) for one, other in near}

    def _read(self, term: IndexedTerm) -> set[str]:
        """The indexed chunks (IRIs) of a term."""
        if term not in self._chunks:
            store = self.writer.store
            chunks = set(keyword_chunks(store, term.text.casefold()))
            chunks.update(chunk for each in term.entities for chunk in mentioning_chunks(store, each))
            ordered = sorted(chunks)
            rows = self.writer.vectors.rows(ordered).tolist()
            self._chunks[term] = {chunk for chunk, row in zip(ordered, rows, strict=True) if row >= 0}
        return self._chunks[term]

    def _stated(self, terms: Terms, users: Sequence[ThesaurusConcept] | None) -> list[ThesaurusConcept]:
        """The concepts of the thesaurus that have some of the terms."""
        wanted = sorted({term.stated for term in terms.values()} - {""})
        if users is not None:
            return [each for each in users if each.iri in wanted]
        store, iris = self.writer.store, self.writer.iris
        labels = {iri: tuple(concept_labels(store, iri, iris)) for iri in wanted}
        own = {key: term.stated for key, term in terms.items()}
        return [
            ThesaurusConcept(iri, tuple(each for each in labels[iri] if own.get(each.casefold()) == iri))
            for iri in wanted
        ]


class NearConcepts:
    """The neighbours of some concepts, by the vectors of preferred labels at the time of the call."""

    def __init__(self, labels: VectorIndex, threshold: float) -> None:
        self._labels, self._threshold = labels, threshold

    def of(self, names: Sequence[str]) -> set[str]:
        """The preferred labels that are near to one of some, these too."""
        return {other for _, near in self._near(names) for other in near} | set(names)

    def misses(self, names: Sequence[str]) -> Iterator[tuple[str, str, float]]:
        """The near misses (`concepts.grouping.Grouping`) that have one of some preferred labels."""

        @cache
        def nearest(name: str) -> list[str]:
            rows, _ = self._labels.search(self._labels.vectors([name])[0], MOST_RELATED + 1)
            return [each for each in rows if each != name][:MOST_RELATED]

        for name, near in self._near(names):
            few = len(near) <= MOST_RELATED
            for other, cosine in near.items():
                if few or other in nearest(name) or name in nearest(other):
                    yield name, other, cosine

    def _near(self, names: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
        """Each of some preferred labels with the others that are near, and their cosines."""
        iris = self._labels.iris
        for name, vector in zip(names, self._labels.vectors(names), strict=True):
            scores = self._labels.scores(vector)
            rows = np.flatnonzero((scores >= self._threshold) & (scores > 0)).tolist()
            yield name, {iris[row]: float(scores[row]) for row in rows if iris[row] != name}
