"""The documents of a revision for browsing: a selection of them, counted by kind, folder and date."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import Literal

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.question import Filter
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.filtering import filters
from sage_ld.service.representations import lists

_DATES: Final = (v.MODIFIED, v.SCHEMA + "dateModified", v.SCHEMA + "datePublished", v.DATE_CREATED)
"""The days of the filters `since` and `until`."""
_DEEPEST: Final = 30
"""Most folders of one path that are named."""
_YEAR: Final = re.compile(r"\d{4}(?![0-9])", re.ASCII)
_FOLDER: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:/)?/?[^/]*/")
"""The first folder of an identifier: of an address its host, of an absolute path its first folder."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All documents of a revision, with what they are counted by."""

    documents: lists.KeyedList[StoredDocument]
    kinds: Mapping[str, tuple[str, ...]]
    """Document's IRI -> the kinds of its chunks."""
    years: Mapping[str, tuple[str, ...]]
    """Document's IRI -> the years in which it, or what its records describe, is dated."""

    @classmethod
    def of(cls, snapshot: Snapshot, settings: Settings) -> Shelf:
        """The documents of a revision: read once, and kept as long as the revision is open."""
        return snapshot.derived(lambda snapshot: _read(snapshot, settings), "document shelf")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, and how many documents of a selection lie below it."""

    name: str
    prefix: str
    """What the identifiers of these documents begin with."""
    count: int
    below: tuple[Folder, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Documents of a shelf, and how many of them have each value."""

    total: int
    documents: Sequence[StoredDocument]
    folders: tuple[Folder, ...]
    counts: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """`kinds`, `type`, `languages`, `year` -> the values with their counts."""


def select(shelf: Shelf, prefix: str, keep: Callable[[StoredDocument], bool] | None) -> Selection:
    """The documents whose identifiers begin with `prefix` and that `keep` lets through."""
    total, chosen = shelf.documents.page(prefix, 0, len(shelf.documents.keys), keep)
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("kinds", "type", "languages", "year")}
    counts["type"].update(each.media_type for each in chosen if each.media_type)
    counts["languages"].update(each.language for each in chosen if each.language)
    for each in chosen:
        counts["kinds"].update(shelf.kinds.get(each.iri, ()))
        counts["year"].update(shelf.years.get(each.iri, ()))
    return Selection(
        total,
        chosen,
        folders(prefix, [each.identifier for each in chosen]),
        {name: _ordered(name, found) for name, found in counts.items()},
    )


def all_counted(snapshot: Snapshot, shelf: Shelf) -> Selection:
    """All documents of a revision: what most people see, and what takes longest to count. Kept with it."""
    return snapshot.derived(lambda _: select(shelf, "", None), "all documents counted")


def folders(prefix: str, identifiers: Sequence[str], depth: int = 2) -> tuple[Folder, ...]:
    """The folders in which identifiers that begin with `prefix` lie, to some depth.

    >>> [(each.name, each.count) for each in folders("", ["a/b/1.md", "a/2.md", "https://x.org/c/3", "4.md"])]
    [('a', 2), ('https://x.org', 1)]
    """
    inside: dict[str, list[str]] = {}
    for identifier in identifiers:
        if (match := _FOLDER.match(identifier, len(prefix))) is not None:
            inside.setdefault(match[0].casefold(), []).append(identifier)
    found = []
    for members in inside.values():
        end = _FOLDER.match(members[0], len(prefix))
        whole = members[0][: end.end()] if end is not None else prefix
        below = folders(whole, members, depth - 1) if depth > 1 else ()
        found.append(Folder(whole[len(prefix) :].rstrip("/") or "/", whole, len(members), below))
    return tuple(sorted(found, key=lambda each: each.name.casefold()))


def path_of(prefix: str) -> tuple[Folder, ...]:
    """The folders from the top down to one that is given by what its identifiers begin with.

    >>> [(each.name, each.prefix) for each in path_of("films/a/b.md")]
    [('films', 'films/'), ('a', 'films/a/')]
    """
    found: list[Folder] = []
    at = 0
    while (match := _FOLDER.match(prefix, at)) is not None and len(found) < _DEEPEST:
        found.append(Folder(match[0].rstrip("/") or "/", prefix[: match.end()], 0))
        at = match.end()
    return tuple(found)


def _ordered(name: str, counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    if name == "year":
        return tuple(sorted(counts.items(), reverse=True))
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _read(snapshot: Snapshot, settings: Settings) -> Shelf:
    kinds: dict[str, tuple[str, ...]] = {}
    for kind in ChunkKind:
        for iri in filters.documents(snapshot, Filter(kinds=(kind,)), settings):
            kinds[iri] = (*kinds.get(iri, ()), str(kind))
    years: dict[str, set[str]] = {}
    for iri, year in _years(snapshot):
        years.setdefault(iri, set()).add(year)
    return Shelf(
        snapshot.derived(lists.all_documents),
        kinds,
        {iri: tuple(sorted(found)) for iri, found in years.items()},
    )


def _years(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Documents with the years of their dates, and of those of what their records describe."""
    table = ChunkTable.of(snapshot)
    for predicate in _DATES:
        for quad in snapshot.store.quads_for_pattern(None, node(predicate), None):
            match = _YEAR.match(quad.object.value) if isinstance(quad.object, Literal) else None
            if match is None or iri_of(quad.subject) is None:
                continue
            yield iri_of(quad.subject) or "", match[0]
            for record in snapshot.store.quads_for_pattern(None, node(v.MAIN_ENTITY), quad.subject):
                if (chunk := iri_of(record.subject)) is not None and chunk in table.rows:
                    yield table.iris[int(table.documents[table.rows[chunk]])], match[0]
