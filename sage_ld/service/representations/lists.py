"""Ordered lists of a revision's documents and entities, cached as long as it is the newest."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pyoxigraph import Literal

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import best_label, integer_of, iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.exports import jsonld_context
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.reading import StoredDocument, documents
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.answers.results import answer_context
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

T = TypeVar("T")
_LAST: Final = "\U0010ffff"
_MORE_TERMS: Final = ("Entity", "chunkFrequency", "contentHash")


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as a list shows it."""

    iri: str
    label: str
    frequency: int


@dataclass(frozen=True, slots=True)
class KeyedList(Generic[T]):
    """A list sorted by keys, the casefolded names of its things."""

    keys: Sequence[str]
    things: Sequence[T]

    @classmethod
    def of(cls, things: Sequence[T], name: Callable[[T], str]) -> KeyedList[T]:
        """The things by their names; of equal ones, in the order given."""
        ordered = sorted(things, key=lambda thing: name(thing).casefold())
        return cls([name(thing).casefold() for thing in ordered], ordered)

    def page(
        self,
        prefix: str,
        offset: int,
        limit: int,
        keep: Callable[[T], bool] | None = None,
        begin: int = 0,
    ) -> tuple[int, Sequence[T]]:
        """The number of names that begin with `prefix`, and `limit` of their things after the first `offset`.

        With `keep` only of the things for which it is true. `offset` counts from the place `begin`.

        >>> KeyedList.of(["Osmere", "Hask", "hare"], str).page("ha", 1, 5)
        (2, ['Hask'])
        """
        start = bisect_left(self.keys, prefix.casefold())
        end = bisect_left(self.keys, prefix.casefold() + _LAST)
        first = min(max(start, begin), end)
        if keep is not None:
            before = [thing for thing in self.things[start:first] if keep(thing)]
            kept = [thing for thing in self.things[first:end] if keep(thing)]
            return len(before) + len(kept), kept[offset : offset + limit]
        first = min(first + offset, end)
        return end - start, self.things[first : min(first + limit, end)]


def place_after(shelf: KeyedList[StoredDocument], identifier: str) -> int:
    """The place in a list of documents behind an identifier, whether there is a document of it or not."""
    place = bisect_left(shelf.keys, identifier.casefold())
    while place < len(shelf.keys) and shelf.keys[place] == identifier.casefold():
        if shelf.things[place].identifier > identifier:
            break
        place += 1
    return place


def begins_with(text: str) -> Callable[[StoredDocument], bool]:
    """Whether the title of a document, or the last name of its path, begins with a text, in whatever case."""
    wanted = text.casefold()

    def begins(document: StoredDocument) -> bool:
        last = document.identifier.rstrip("/").rpartition("/")[2]
        return document.name.casefold().startswith(wanted) or last.casefold().startswith(wanted)

    return begins


def all_documents(snapshot: Snapshot) -> KeyedList[StoredDocument]:
    """All documents of a revision, by identifier."""
    return KeyedList.of(documents(snapshot.store), lambda document: document.identifier)


def all_chunks(snapshot: Snapshot) -> KeyedList[str]:
    """The IRIs of the indexed ones, by their documents' identifiers, in a document as they stand in it."""
    indexed = ChunkTable.of(snapshot).rows
    places: dict[str, tuple[str, int]] = {}
    found = select(snapshot.store, queries.text("chunks_in_order"))
    for row in (row for row in found if integer_of(row["position"]) is not None):
        if (iri := text_of(row["chunk"])) in indexed:
            place = text_of(row["identifier"]), int(row["position"].value)
            places[iri] = min(place, places.get(iri, place))
    ordered = sorted(
        ((*place, iri) for iri, place in places.items()), key=lambda row: (row[0].casefold(), *row)
    )
    return KeyedList([row[0].casefold() for row in ordered], [row[2] for row in ordered])


def all_entities(snapshot: Snapshot) -> KeyedList[Entity]:
    """All entities of a revision, by preferred label."""
    counts: dict[str, int] = {}
    labels: dict[str, list[Literal]] = {}
    for quad in snapshot.store.quads_for_pattern(None, node(v.CHUNK_FREQUENCY), None):
        if (iri := iri_of(quad.subject)) and (count := integer_of(quad.object)) is not None:
            counts[iri] = max(count, counts.get(iri, 0))
    for quad in snapshot.store.quads_for_pattern(None, node(v.PREF_LABEL), None):
        if (iri := iri_of(quad.subject)) and isinstance(quad.object, Literal):
            labels.setdefault(iri, []).append(quad.object)
    known = sorted(labels.keys() & counts.keys())
    found = [Entity(iri, best_label(labels[iri]), counts[iri]) for iri in known]
    return KeyedList.of(found, lambda entity: entity.label)


def plain_document(document: StoredDocument) -> dict[str, object]:
    """A document in flat JSON."""
    return {name: value for name, value in document_node(document).items() if name != "type"}


def plain_entity(entity: Entity) -> dict[str, object]:
    """An entity in flat JSON."""
    return {"id": entity.iri, "label": entity.label, "chunkFrequency": entity.frequency}


def document_node(document: StoredDocument) -> dict[str, object]:
    """A document in JSON-LD."""
    said: dict[str, object] = {
        "id": document.iri,
        "type": ["Document"],
        "identifier": document.identifier,
        "contentHash": document.content_hash,
    }
    if document.name:
        said["name"] = document.name
    return said if document.url is None else said | {"url": document.url}


def entity_node(entity: Entity) -> dict[str, object]:
    """An entity in JSON-LD."""
    return {
        "id": entity.iri,
        "type": ["Entity"],
        "prefLabel": entity.label,
        "chunkFrequency": entity.frequency,
    }


def item_list(items: Sequence[Mapping[str, Any]], total: int | None = None) -> dict[str, Any]:
    """A `schema:ItemList` with its context."""
    return {
        "@context": answer_context() | jsonld_context.inline(_MORE_TERMS),
        "type": ["ItemList"],
        "numberOfItems": len(items) if total is None else total,
        "itemListElement": list(items),
    }
