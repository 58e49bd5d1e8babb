"""The page of a document: its text with headings, tables and marks, its contents, and what links to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.rdf_values import iri_of, share_of, text_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names, Reference
from sage_ld.service.views import marked_text
from sage_ld.service.views.document_outlines import Outline, OutlinedSection
from sage_ld.service.views.passages import PassageReader, ShownPassage

_MOST_NAMES: Final = 40
"""Most entities that are listed as named in a text."""
_DEEPEST: Final = 8
"""Sections that are followed up to their document: chunks name it themselves."""
_MOST_WHOLES: Final = 8


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a document's text: a heading, or passages of one kind."""

    heading: OutlinedSection | None = None
    passages: tuple[ShownPassage, ...] = ()
    """One, or of a table those that have its rows."""
    columns: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """`heading`, or the kind of the passages."""
        return "heading" if self.heading is not None else str(self.passages[0].kind)


@dataclass(frozen=True, slots=True)
class NamedThing:
    """An entity, and how many passages shown here name it."""

    reference: Reference
    count: int


@dataclass(frozen=True, slots=True)
class LinkHere:
    """A link to a document."""

    document: Reference | None
    passage: Reference
    text: str
    """The words that link."""
    kind: str
    confidence: float | None
    edges: tuple[Reference, ...]
    """The same words may link more than once."""


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document, or a part of a long one, as its page shows it."""

    outline: Outline
    part: int
    blocks: tuple[Block, ...]
    named: tuple[NamedThing, ...]
    links: tuple[LinkHere, ...]
    more_links: int

    @property
    def passages(self) -> tuple[ShownPassage, ...]:
        """The passages of this part."""
        return tuple(each for block in self.blocks for each in block.passages)

    @property
    def is_cut(self) -> bool:
        """Whether a passage is longer than the page shows."""
        return any(each.cut for each in self.passages)


def document_page(
    iri: str, outline: Outline, part: int, reader: PassageReader, most_links: int
) -> DocumentPage:
    """One part of a document, counted from 1, with at most `most_links` of the links to it."""
    passages = [reader.passage(each) for each in outline.passages_of(part)]
    edges = _edges_to(reader.store, iri, reader.check)
    links = (_link(reader.store, each, reader.names) for each in edges)
    shown = _joined(islice((each for each in links if each is not None), most_links))
    return DocumentPage(
        outline,
        part,
        tuple(_blocks(passages, [each for each in outline.sections if each.part == part])),
        named_things(passages),
        tuple(sorted(shown, key=lambda each: (each.passage.label, each.text))),
        sum(1 for _ in edges),  # not read: there may be very many
    )


def _blocks(passages: Sequence[ShownPassage], sections: Sequence[OutlinedSection]) -> Iterator[Block]:
    """Headings and passages in the order of the text; the parts of one table as one block."""
    waiting = list(sections)[::-1]
    table: list[ShownPassage] = []
    for passage in passages:
        heads = []
        while waiting and waiting[-1].begin <= passage.begin:
            heads.append(waiting.pop())
        if table and (heads or passage.table is None or passage.table != table[0].table):
            yield _table(table)
            table = []
        yield from (Block(heading=each) for each in heads)
        if passage.kind is ChunkKind.TABLE:
            table.append(passage)
        else:
            yield Block(passages=(passage,))
    if table:
        yield _table(table)
    yield from (Block(heading=each) for each in reversed(waiting))


def _table(passages: Sequence[ShownPassage]) -> Block:
    longest = max(passages, key=lambda each: len(each.columns))
    return Block(passages=tuple(passages), columns=longest.columns)


def named_things(passages: Sequence[ShownPassage]) -> tuple[NamedThing, ...]:
    """The entities that passages name, those of most passages first."""
    counts: Counter[Reference] = Counter()
    for passage in passages:
        counts.update(
            {
                Reference(mark.iri, mark.label, mark.href)
                for mark in passage.marks
                if mark.kind == marked_text.MENTION
            }
        )
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0].label, each[0].iri))
    return tuple(NamedThing(reference, count) for reference, count in ordered[:_MOST_NAMES])


def _joined(links: Iterable[LinkHere]) -> list[LinkHere]:
    """Links as one where the same words of the same passage link several times."""
    joined: dict[tuple[str, str, str], LinkHere] = {}
    for link in links:
        key = link.passage.iri, link.text, link.kind
        before = joined.get(key)
        joined[key] = link if before is None else replace(before, edges=before.edges + link.edges)
    return list(joined.values())


def _edges_to(store: Store, document: str, check: Check) -> Iterator[NamedNode]:
    for quad in store.quads_for_pattern(None, node(v.TARGET), NamedNode(document)):
        check()
        if isinstance(quad.subject, NamedNode):
            yield quad.subject


def _link(store: Store, edge: NamedNode, names: Names) -> LinkHere | None:
    """The link that an edge states; None for one that begins nowhere."""
    by_predicate = {
        each.predicate.value: each.object
        for each in store.quads_for_pattern(edge, None, None)
        if each.predicate.value in _SHOWN
    }
    if (source := iri_of(by_predicate.get(v.SOURCE))) is None:
        return None
    return LinkHere(
        document_of(store, source, names),
        names.reference(source),
        text_of(by_predicate.get(v.ANCHOR_TEXT)),
        text_of(by_predicate.get(v.LINK_KIND)) or _relation(by_predicate.get(v.RELATION_TYPE), names),
        share_of(by_predicate.get(v.CONFIDENCE) or by_predicate.get(v.WEIGHT)),
        (Reference(edge.value, "edge", names.href(edge.value)),),
    )


def _relation(named: object, names: Names) -> str:
    iri = iri_of(named)
    return "relation" if iri is None else names.label(iri)


_SHOWN: Final = frozenset({v.SOURCE, v.ANCHOR_TEXT, v.LINK_KIND, v.CONFIDENCE, v.WEIGHT, v.RELATION_TYPE})


def document_of(store: Store, part: str, names: Names) -> Reference | None:
    """The document that a passage or a section stands in; None where the graph does not say."""
    level = {part}
    for _ in range(_DEEPEST):
        level = {iri for each in level for iri in _wholes(store, each)}
        for iri in sorted(level):
            typed = store.quads_for_pattern(NamedNode(iri), node(v.TYPE), node(v.DOCUMENT))
            if next(typed, None) is not None:
                return names.reference(iri)
    return None


def _wholes(store: Store, part: str) -> set[str]:
    """The wholes of which a resource is a part; of very many, some."""
    quads = islice(store.quads_for_pattern(NamedNode(part), node(v.IS_PART_OF), None), _MOST_WHOLES)
    return {iri for quad in quads if (iri := iri_of(quad.object)) is not None}
