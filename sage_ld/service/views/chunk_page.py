"""The page of a chunk: the passage in its place, and its neighbours by channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.rdf_values import text_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.service.representations.labels import Names, Reference
from sage_ld.service.representations.neighbours import Neighbour
from sage_ld.service.views.document_outlines import Outline
from sage_ld.service.views.document_page import NamedThing, named_things
from sage_ld.service.views.marked_text import opening
from sage_ld.service.views.passages import PassageReader, ShownPassage

_OPENING: Final = 220
"""Characters of the passages before and after."""


@dataclass(frozen=True, slots=True)
class PassageBeside:
    """The passage before or after another one, and its first words."""

    reference: Reference
    words: str


@dataclass(frozen=True, slots=True)
class ChannelNeighbours:
    """The neighbours over one channel, strongest first."""

    channel: str
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class ChunkPage:
    """A chunk as its page shows it."""

    passage: ShownPassage
    document: Reference | None
    section: Reference | None
    number: int
    """Its place among the passages of its document, counted from 1; 0 if it is in none."""
    count: int
    part: int
    """The part of its document's page that shows it."""
    before: PassageBeside | None
    after: PassageBeside | None
    named: tuple[NamedThing, ...]
    channels: tuple[ChannelNeighbours, ...]


def chunk_page(
    passage: ShownPassage, outline: Outline | None, neighbours: Sequence[Neighbour], reader: PassageReader
) -> ChunkPage:
    """A passage in the outline of its document, which is None if it is in none."""
    iri, names = passage.reference.iri, reader.names
    ordered = () if outline is None else outline.passages
    place = ordered.index(iri) if iri in ordered else -1
    return ChunkPage(
        passage,
        None if passage.document is None else names.reference(passage.document),
        None if passage.section is None else names.reference(passage.section),
        place + 1,
        len(ordered),
        1 if outline is None else outline.part_of(iri),
        _beside(ordered[place - 1], reader.store, names) if place > 0 else None,
        _beside(ordered[place + 1], reader.store, names) if 0 <= place < len(ordered) - 1 else None,
        named_things([passage]),
        by_channel(neighbours),
    )


def by_channel(neighbours: Sequence[Neighbour]) -> tuple[ChannelNeighbours, ...]:
    """Neighbours by the channel that leads to them, in the order of the channels."""
    groups = (
        (name, tuple(each for each in neighbours if each.step.channel == name)) for name in CHANNEL_NAMES
    )
    return tuple(ChannelNeighbours(name, found) for name, found in groups if found)


def _beside(iri: str, store: Store, names: Names) -> PassageBeside:
    texts = store.quads_for_pattern(NamedNode(iri), node(v.TEXT), None)
    text = next((text_of(each.object) for each in texts), "")
    return PassageBeside(names.reference(iri), opening(text, _OPENING))
