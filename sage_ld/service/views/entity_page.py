"""The page of an entity or of a resource that texts name: where it is named, how, and beside whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.strings import text_number, text_numbers
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names, Reference
from sage_ld.service.views.document_page import NamedThing, document_of
from sage_ld.service.views.marked_text import MENTION, Mark, MarkedSpan, TextPiece, excerpt
from sage_ld.service.views.passages import PassageReader, ShownPassage

_AROUND: Final = 140
"""Characters of a passage on each side of a mention."""
_MOST_BESIDE: Final = 30
_MOST_DESCRIBED: Final = 5


@dataclass(frozen=True, slots=True)
class MentioningPassage:
    """A passage that names an entity, with the words around the name."""

    passage: Reference
    document: Reference | None
    words: tuple[TextPiece, ...]
    times: int


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity as its page shows it."""

    forms: tuple[tuple[str, int], ...]
    """The ways in which texts write it, and how many passages of those that were read do."""
    passages: tuple[MentioningPassage, ...]
    count: int
    """Passages that name it, in all."""
    beside: tuple[NamedThing, ...]
    """The entities that most of these passages name too, and how many do."""
    described: tuple[ShownPassage, ...]
    """Records that describe it."""


def entity_page(
    snapshot: Snapshot, iri: str, reader: PassageReader, most_passages: int, most_read: int
) -> EntityPage | None:
    """The page of a resource; None if no text names it, and no record describes it."""
    store, names = reader.store, reader.names
    described = sorted(
        {
            quad.subject.value
            for quad in islice(_naming(store, v.MAIN_ENTITY, iri), _MOST_DESCRIBED)
            if isinstance(quad.subject, NamedNode)
        }
    )
    edges = _edges_to(store, iri, reader.check)
    mentions = [
        each for each in map(partial(_mention, store), islice(edges, most_passages)) if each is not None
    ]
    if not mentions and not described:
        return None
    forms = Counter(each.form for each in mentions)
    forms.update(_form(store, edge) for edge in islice(edges, max(most_read - most_passages, 0)))
    del forms[""]
    passages = [each.passage(store, names) for each in mentions]
    return EntityPage(
        tuple(sorted(forms.items(), key=lambda each: (-each[1], each[0])))[:_MOST_BESIDE],
        tuple(
            sorted(
                passages, key=lambda each: (each.document.label if each.document else "", each.passage.iri)
            )
        ),
        max(_frequency(snapshot, iri), len(mentions)),
        _beside(snapshot, iri, names),
        tuple(map(reader.passage, described)),
    )


@dataclass(frozen=True, slots=True)
class _Mention:
    """A mention as the graph states it."""

    chunk: str
    form: str
    begin: int
    end: int
    times: int

    def passage(self, store: Store, names: Names) -> MentioningPassage:
        """The passage with the words around the mention."""
        subject = NamedNode(self.chunk)
        text = next(
            (text_of(each.object) for each in store.quads_for_pattern(subject, node(v.TEXT), None)), ""
        )
        begins = store.quads_for_pattern(subject, node(v.BEGIN_INDEX), None)
        begin = next((number for each in begins if (number := integer_of(each.object)) is not None), 0)
        mark = Mark(self.begin, self.end, MENTION, self.form, None)
        words = excerpt(text, begin, MarkedSpan(self.begin, self.end, (mark,)), _AROUND)
        return MentioningPassage(
            names.reference(self.chunk),
            document_of(store, self.chunk, names),
            words,
            self.times,
        )


def _naming(store: Store, predicate: str, iri: str) -> Iterator[Quad]:
    return store.quads_for_pattern(None, node(predicate), NamedNode(iri))


def _edges_to(store: Store, iri: str, check: Check) -> Iterator[NamedNode]:
    for quad in store.quads_for_pattern(None, node(v.TARGET), NamedNode(iri)):
        check()
        if isinstance(quad.subject, NamedNode):
            yield quad.subject


def _form(store: Store, mention: NamedNode) -> str:
    forms = store.quads_for_pattern(mention, node(v.SURFACE_FORM), None)
    return next((text_of(each.object) for each in forms), "")


def _mention(store: Store, edge: NamedNode) -> _Mention | None:
    """A mention or a link; None for an edge that has no place in a text."""
    by_predicate = {each.predicate.value: each.object for each in store.quads_for_pattern(edge, None, None)}
    chunk, form = (
        iri_of(by_predicate.get(v.SOURCE)),
        text_of(by_predicate.get(v.SURFACE_FORM) or by_predicate.get(v.ANCHOR_TEXT)),
    )
    begin, end = integer_of(by_predicate.get(v.BEGIN_INDEX)), integer_of(by_predicate.get(v.END_INDEX))
    if chunk is None or begin is None or end is None:
        return None
    return _Mention(chunk, form, begin, end, integer_of(by_predicate.get(v.COUNT)) or 1)


def evidence(store: Store, iri: str, names: Names) -> MentioningPassage | None:
    """The words in which a text says what an edge states; None for an edge that stands in no text."""
    mention = _mention(store, NamedNode(iri))
    return None if mention is None else mention.passage(store, names)


def _frequency(snapshot: Snapshot, iri: str) -> int:
    return int(snapshot.mentions.frequencies(text_numbers([iri]))[0])


def _beside(snapshot: Snapshot, iri: str, names: Names) -> tuple[NamedThing, ...]:
    """The entities that share most passages with one; counted in the index, which knows them by number."""
    rows = np.sort(snapshot.mentions.mentioning(text_numbers([iri])).rows)
    entities, places = snapshot.mentions.of_rows(rows)
    numbers, counts = np.unique(entities, return_counts=True)
    first = dict(zip(entities[::-1].tolist(), places[::-1].tolist(), strict=True))
    own = text_number(iri)
    order = np.lexsort((numbers, -counts))
    found = []
    for place in order[: _MOST_BESIDE + 1].tolist():
        number = int(numbers[place])
        if number != own and (other := _entity_in(snapshot, int(rows[first[number]]), number)) is not None:
            found.append(NamedThing(names.reference(other), int(counts[place])))
    return tuple(sorted(found, key=lambda each: (-each.count, each.reference.label)))[:_MOST_BESIDE]


def _entity_in(snapshot: Snapshot, row: int, number: int) -> str | None:
    """The IRI of the entity with a number that the passage of a row names."""
    for chunk in snapshot.mentions.iris(np.array([row])):
        for quad in snapshot.store.quads_for_pattern(NamedNode(chunk), node(v.MENTIONS), None):
            if (iri := iri_of(quad.object)) is not None and text_number(iri) == number:
                return iri
    return None
