"""The pages of resources: which template shows a resource, and what of the revision it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.caches import BoundedCache
from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.rdf_values import text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import documents
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.channels.relations import followed_relations
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.service.context import service
from sage_ld.service.representations.labels import Names, Reference
from sage_ld.service.representations.neighbours import (
    Neighbour,
    NeighbourLimits,
    best_steps,
    named,
    strongest_steps,
)
from sage_ld.service.representations.resource_statements import types_of
from sage_ld.service.requests import current_check
from sage_ld.service.views.document_outlines import Outline, OutlineReader
from sage_ld.service.views.document_page import NamedThing, document_of, document_page, named_things
from sage_ld.service.views.document_shelf import path_of
from sage_ld.service.views.entity_page import entity_page, evidence
from sage_ld.service.views.marked_text import opening
from sage_ld.service.views.media_names import media_name
from sage_ld.service.views.passages import PageBudget, PassageReader, ShownPassage, anchor
from sage_ld.service.views.resource_views import (
    SHOWN_IN_CHUNKS,
    SHOWN_IN_DOCUMENTS,
    SHOWN_IN_ENTITIES,
    ResourcePage,
    resource_page,
)

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


_KEPT_OUTLINES: Final = 16
"""Outlines of the documents that were looked at last, for readers who turn pages."""
_CELL: Final = 10
"""Characters that a cell of a table counts for, since each takes room, though most may be empty."""
_CONNECTED: Final = 20
"""Passages of one page whose neighbours it shows, some 10 ms each in a dense graph."""
_SHOWN_OF_EACH: Final = 12
"""Neighbours of each passage on the page of its document; the passage's own page shows more."""


@dataclass(frozen=True, slots=True)
class ResourcePages:
    """Makes the pages of the resources of a store; the chunks are those of the revision."""

    snapshot: Snapshot
    store: Store
    names: Names

    def page(self, iri: str, part: int) -> tuple[str, dict[str, Any]]:
        """The name of a template, and what it shows of a resource."""
        types = types_of(self.store, iri)
        if v.DOCUMENT in types:
            return "document.html", self._document(iri, part)
        if v.CHUNK in types:
            return "chunk.html", self._chunk(iri)
        settings, reader = service().settings, self._reader()
        entity = entity_page(self.snapshot, iri, reader, settings.max_shown_passages, settings.max_incoming)
        if entity is not None:
            return "entity.html", {"it": self._resource(iri, SHOWN_IN_ENTITIES), "entity": entity}
        whole = document_of(self.store, iri, self.names)
        return "resource.html", {
            "it": self._resource(iri),
            "document": whole,
            "place": self._place_of_section(whole, iri) if v.SECTION in types else None,
            "evidence": evidence(self.store, iri, self.names),
        }

    def _document(self, iri: str, part: int) -> dict[str, Any]:
        settings, outline = service().settings, self._outline(iri)
        if part > outline.parts:
            raise NotFoundError(
                f"part={part}: the document has {outline.parts} parts; give a number up to it"
            )
        shown = document_page(iri, outline, part, self._reader(), settings.max_shown_neighbours)
        passages = [each.reference.iri for each in shown.passages][:_CONNECTED]
        steps = strongest_steps(self.store, passages, self._reach(_SHOWN_OF_EACH), check=current_check())
        stored = next(iter(documents(self.store, [iri])), None)
        return {
            "it": self._resource(iri, SHOWN_IN_DOCUMENTS),
            "page": shown,
            "stored": stored,
            "folders": () if stored is None else path_of(stored.identifier),
            "media_name": media_name,
            "neighbours": {
                each: by_channel(named(steps[each], self.names)) for each in passages if each in steps
            },
            "most": _SHOWN_OF_EACH,
            "connected": len(passages),
        }

    def _chunk(self, iri: str) -> dict[str, Any]:
        reader = self._reader()
        passage = reader.passage(iri)
        outline = None if passage.document is None else self._outline(passage.document)
        steps = best_steps(
            self.store, iri, self._reach(service().settings.max_shown_neighbours), check=current_check()
        )
        shown = chunk_page(passage, outline, named(steps, self.names), reader)
        return {
            "it": self._resource(iri, SHOWN_IN_CHUNKS),
            "page": shown,
            "place": None if shown.document is None else _place(shown.document, shown.part, passage.anchor),
        }

    def _resource(self, iri: str, shown: frozenset[str] = frozenset()) -> ResourcePage:
        return resource_page(self.store, iri, self.names, service().settings.max_incoming, shown)

    def _place_of_section(self, document: Reference | None, section: str) -> str | None:
        """The address of a section on the page of its document."""
        if document is None:
            return None
        sections = self._outline(document.iri).sections
        part = next((each.part for each in sections if each.iri == section), 1)
        return _place(document, part, anchor(section))

    def _outline(self, document: str) -> Outline:
        kept = self.snapshot.derived(lambda _: BoundedCache[str, Outline](_KEPT_OUTLINES), "outlines")
        outline = kept.get(document)
        if outline is None:
            outline = self._read_outline(document)
            kept.keep({document: outline})
        return outline

    def _read_outline(self, document: str) -> Outline:
        settings = service().settings
        graph = NamedNode(Iris(self.names.base).document_graph(document))
        store, most = self.snapshot.stores.named, settings.max_shown_sections
        return OutlineReader(store, graph, self.names, most, settings.max_shown_passages).outline(document)

    def _reader(self) -> PassageReader:
        settings = service().settings
        budget = PageBudget(
            settings.max_shown_text, settings.max_shown_marks, settings.max_shown_text // _CELL
        )
        return PassageReader(self.store, self.names, budget, current_check())

    def _reach(self, most: int) -> NeighbourLimits:
        hubs = service().graph.recipe.retrieval.hubs
        return NeighbourLimits(
            ChunkTable.of(self.snapshot).rows, hubs, most, followed_relations(self.snapshot)
        )


def _place(document: Reference, part: int, fragment: str) -> str:
    """The address of a place on the page of a document."""
    address = document.href or ""
    if part > 1:
        address += f"{'&' if '?' in address else '?'}part={part}"
    return f"{address}#{fragment}"
