"""The outline of a document: its sections as a tree, and its passages in order, cut into parts.

It is read by a few index ranges of the document's named graph, so that a page of a long document costs what
it shows, and a short look at each of its sections and passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import integer_of, iri_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names
from sage_ld.service.views.passages import anchor

_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class OutlinedSection:
    """A section of a document."""

    iri: str
    name: str
    anchor: str
    begin: int
    depth: int
    """1 for one that stands in the document itself."""
    part: int
    """The part of the document in which its heading stands, counted from 1."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of a document, and its passages cut into parts."""

    sections: tuple[OutlinedSection, ...]
    more_sections: int
    """Sections beyond those that are listed."""
    passages: tuple[str, ...]
    """IRIs in order."""
    size: int
    """Passages of a part."""

    @property
    def parts(self) -> int:
        """The number of parts; one, if there is nothing."""
        return max(-(-len(self.passages) // self.size), 1)

    def passages_of(self, part: int) -> tuple[str, ...]:
        """The passages of one part, counted from 1."""
        return self.passages[(part - 1) * self.size : part * self.size]

    def part_of(self, passage: str) -> int:
        """The part that a passage stands in; 1 for one of another document."""
        return self.passages.index(passage) // self.size + 1 if passage in self.passages else 1


@dataclass(frozen=True, slots=True)
class OutlineReader:
    """Reads the outline of a document from its named graph, in a store that has each named graph."""

    store: Store
    graph: NamedNode
    names: Names
    most_sections: int
    passages: int
    """Passages of a part."""

    def outline(self, document: str) -> Outline:
        """The outline of the document with this IRI."""
        positions = self._numbers(v.POSITION)
        ordered = sorted(self._instances(v.CHUNK), key=lambda iri: (positions.get(iri, 0), iri))
        sections = sorted(self._instances(v.SECTION), key=lambda iri: (positions.get(iri, 0), iri))
        size = self.passages
        lasts = [ordered[min(begin + size, len(ordered)) - 1] for begin in range(0, len(ordered), size)]
        ends = [self._number(iri, v.END_INDEX) for iri in lasts]
        listed = sections[: self.most_sections]
        return Outline(
            tuple(self._sections(document, listed, ends)),
            len(sections) - len(listed),
            tuple(ordered),
            self.passages,
        )

    def _sections(
        self, document: str, listed: Sequence[str], ends: Sequence[int]
    ) -> Iterator[OutlinedSection]:
        depths = {document: 0}
        for iri in listed:
            wholes = self.store.quads_for_pattern(NamedNode(iri), node(v.IS_PART_OF), None, self.graph)
            above = max((depths.get(iri_of(each.object) or "", 0) for each in wholes), default=0)
            depths[iri] = min(above + 1, _DEEPEST)
            begin = self._number(iri, v.BEGIN_INDEX)
            part = min(bisect_right(ends, begin), max(len(ends) - 1, 0)) + 1
            yield OutlinedSection(iri, self.names.label(iri), anchor(iri), begin, depths[iri], part)

    def _instances(self, class_iri: str) -> set[str]:
        quads = self.store.quads_for_pattern(None, node(v.TYPE), node(class_iri), self.graph)
        return {each.subject.value for each in quads if isinstance(each.subject, NamedNode)}

    def _numbers(self, predicate: str) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for quad in self.store.quads_for_pattern(None, node(predicate), None, self.graph):
            if isinstance(quad.subject, NamedNode) and (number := integer_of(quad.object)) is not None:
                numbers[quad.subject.value] = number
        return numbers

    def _number(self, iri: str, predicate: str) -> int:
        quads = self.store.quads_for_pattern(NamedNode(iri), node(predicate), None, self.graph)
        return next((number for each in quads if (number := integer_of(each.object)) is not None), 0)
