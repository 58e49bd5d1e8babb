"""The facets of a revision: how many chunks have each kind, format, language, year, class, and metadata.

Which documents and chunks have a value is read once for a revision. What a filter leaves of each is counted
over arrays, so that a count is the number of chunks which the value's own filter would let through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final

import numpy as np
from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import ChunkKind, IntArray
from sage_ld.foundation.question import Filter
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.filtering.filters import Mask, allowed
from sage_ld.retrieval.filtering.key_conditions import metadata_keys, properties_of, read_key_condition

FORMAT_PATH: Final = "schema:isPartOf/schema:encodingFormat"
CLASS_PATH: Final = "schema:mainEntity/a"
_DATES: Final = (
    v.MODIFIED,
    *(v.SCHEMA + name for name in ("dateModified", "datePublished", "dateCreated")),
)
_OTHERS: Final = frozenset(
    (*_DATES, v.IN_LANGUAGE, v.ENCODING_FORMAT, v.NAME, v.URL, v.ABSTRACT, v.DESCRIPTION, v.TEXT)
)
"""Properties that have a facet of their own, or name and describe a thing instead of dividing things."""
_MOST_KEYS: Final = 40
_YEAR: Final = re.compile(r"[1-9]\d{3}", re.ASCII)
_RANGE: Final = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to divide the chunks, with its values, and the documents and chunks that have each."""

    name: str
    """`kind`, `format`, `language`, `year` or `class`; or a key of metadata."""
    is_metadata: bool
    values: tuple[str, ...]
    documents: IntArray
    """(p,) the number of a document whose chunks all have the value of `document_values` (p,)."""
    document_values: IntArray
    chunks: IntArray
    """(q,) the row of a chunk that has the value of `chunk_values` (q,) by itself."""
    chunk_values: IntArray

    def counts(self, mask: Mask, of_documents: IntArray) -> IntArray:
        """(values,) how many chunks have each: of `mask` (n,), and for each document how many of these."""
        size = len(self.values)
        there = of_documents[self.documents]
        whole = np.bincount(self.document_values, weights=there, minlength=size).astype(np.int64)
        return whole + np.bincount(self.chunk_values[mask[self.chunks]], minlength=size)


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a facet under a filter."""

    value: str
    chunks: int
    """The number of chunks with it."""
    filter: Mapping[str, Any]
    """The parameters of a request that let these through alone."""


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """The values of a facet that occur, the most frequent first; years from the last one on."""

    name: str
    is_metadata: bool
    values: tuple[FacetValue, ...]
    more: int
    """How many values occur beyond these."""


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of a revision under a filter."""

    chunks: int
    """The number of chunks that pass the filter."""
    complete: bool
    """False where the facets are made from a part of the graph: it has more statements than may be read."""
    facets: tuple[FacetCounts, ...]


def facets(
    snapshot: Snapshot, given: Filter, settings: Settings, limit: int, check: Check = unchecked
) -> Facets:
    """The facets of the chunks that a filter lets through, each with at most `limit` values.

    The values of a facet are counted without what the filter says of it, so that the other choices stay
    visible. Raises as `filters.allowed` does.
    """
    table, found = ChunkTable.of(snapshot), snapshot.derived(partial(_read, settings=settings), "facets")
    counted = []
    for facet in found.facets:
        check()
        mask = allowed(snapshot, _without(given, facet), settings, check)
        of_documents = np.bincount(table.documents[mask], minlength=len(table.iris))
        counted.append(_shown(facet, facet.counts(mask, of_documents), limit))
    whole = int(allowed(snapshot, given, settings, check).sum())
    return Facets(whole, found.complete, tuple(each for each in counted if each.values))


def _shown(facet: Facet, counts: IntArray, limit: int) -> FacetCounts:
    there = [int(number) for number in np.flatnonzero(counts)]
    if facet.name == "year" and not facet.is_metadata:
        there.sort(key=lambda number: facet.values[number], reverse=True)
    else:
        there.sort(key=lambda number: (-counts[number], facet.values[number]))
    values = tuple(
        FacetValue(facet.values[number], int(counts[number]), filter_of(facet, facet.values[number]))
        for number in there[:limit]
    )
    return FacetCounts(facet.name, facet.is_metadata, values, max(len(there) - limit, 0))


def filter_of(facet: Facet, value: str) -> dict[str, Any]:
    """The parameters of a request that let through only the chunks with a value."""
    if facet.is_metadata:
        return {"metadata": {facet.name: value}}
    if facet.name == "year":
        return {"since": value, "until": value}
    if facet.name == "format":
        return {"where": [f"{FORMAT_PATH} {json.dumps(value, ensure_ascii=False)}"]}
    if facet.name == "class":
        return {"where": [f"{CLASS_PATH} <{value}>"]}
    return {f"{facet.name}s": [value]}


def _without(given: Filter, facet: Facet) -> Filter:
    """The filter without what it says of a facet."""
    fields: dict[str, Any] = {name: getattr(given, name) for name in given.__slots__}
    if facet.is_metadata:
        fields["where"] = tuple(each for each in given.where if not _is_of(each, facet.name))
    elif facet.name == "year":
        fields |= {"since": "", "until": ""}
    elif facet.name in ("format", "class"):
        path = FORMAT_PATH if facet.name == "format" else CLASS_PATH
        fields["where"] = tuple(each for each in given.where if not each.startswith(path + " "))
    else:
        fields[f"{facet.name}s"] = ()
    return Filter(**fields)


def _is_of(condition: str, key: str) -> bool:
    read = read_key_condition(condition)
    return read is not None and read.key == key


# --- reading ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    facets: tuple[Facet, ...]
    complete: bool


class _FacetStatements:
    """The statements that may still be read."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.complete = True

    def select(
        self, snapshot: Snapshot, name: str, **bound: Any
    ) -> Iterator[tuple[str, NamedNode | Literal]]:
        """The rows of a query as far as there are enough left: what has a value, and the value."""
        rows = select(snapshot.store, queries.bind(name, n=self.left + 1, **bound))
        for row in islice(rows, self.left):
            self.left -= 1
            if isinstance(row["found"], NamedNode) and isinstance(row["value"], NamedNode | Literal):
                yield row["found"].value, row["value"]
        if next(rows, None) is not None:
            self.complete = False


def _read(snapshot: Snapshot, settings: Settings) -> _Read:
    statements = _FacetStatements(settings.max_facet_statements)
    by_property = partial(statements.select, snapshot, "filter_metadata")
    longest = settings.max_filter_length
    table = ChunkTable.of(snapshot)
    found = [_kinds(snapshot, settings)]
    formats = (row for row in by_property(property=[v.ENCODING_FORMAT]) if row[0] in table.numbers)
    found.append(_facet(table, "format", _plain(formats)))
    found.append(_facet(table, "language", _ranges(by_property(property=[v.IN_LANGUAGE]))))
    found.append(_facet(table, "year", _years(by_property(property=list(_DATES)))))
    classes = statements.select(snapshot, "facet_classes")
    found.append(
        _facet(table, "class", ((iri, term.value) for iri, term in classes if isinstance(term, NamedNode)))
    )
    keys = snapshot.derived(metadata_keys)
    statements.complete &= len(keys) <= _MOST_KEYS
    for key in keys[:_MOST_KEYS]:
        names = properties_of(snapshot, key)
        if _OTHERS.isdisjoint(names):
            facet = _facet(table, key, _plain(by_property(property=names)), is_metadata=True, longest=longest)
            found += [facet] if _repeats(facet) else []
    return _Read(tuple(found), statements.complete)


def _repeats(facet: Facet) -> bool:
    """Whether any two things have one value: a facet of titles would divide nothing."""
    return len(facet.values) < len(facet.documents) + len(facet.chunks)


def _plain(rows: Iterable[tuple[str, NamedNode | Literal]]) -> Iterator[tuple[str, str]]:
    return ((iri, term.value) for iri, term in rows)


def _ranges(rows: Iterable[tuple[str, NamedNode | Literal]]) -> Iterator[tuple[str, str]]:
    """Each language tag with the ranges that it is in: en-GB is en, too."""
    for iri, term in rows:
        if _RANGE.fullmatch(term.value):
            parts = term.value.split("-")
            yield from ((iri, "-".join(parts[:end])) for end in range(1, len(parts) + 1))


def _years(rows: Iterable[tuple[str, NamedNode | Literal]]) -> Iterator[tuple[str, str]]:
    return ((iri, match[0]) for iri, term in rows if (match := _YEAR.match(term.value)))


def _kinds(snapshot: Snapshot, settings: Settings) -> Facet:
    kinds = tuple(map(str, ChunkKind))
    rows = [np.flatnonzero(allowed(snapshot, Filter(kinds=(kind,)), settings)) for kind in kinds]
    none = np.zeros(0, np.int64)
    numbers = np.repeat(np.arange(len(kinds)), [len(each) for each in rows])
    return Facet("kind", False, kinds, none, none, np.concatenate(rows), numbers)


def _facet(
    table: ChunkTable,
    name: str,
    rows: Iterable[tuple[str, str]],
    *,
    is_metadata: bool = False,
    longest: int = 0,
) -> Facet:
    """A facet of pairs of a document or chunk with a value; without values too long for a filter."""
    numbers: dict[str, int] = {}
    documents: set[tuple[int, int]] = set()
    chunks: set[tuple[int, int]] = set()
    for iri, value in rows:
        if not value or (longest and len(json.dumps([name, value], ensure_ascii=False)) > longest):
            continue
        if (document := table.numbers.get(iri)) is not None:
            documents.add((document, numbers.setdefault(value, len(numbers))))
        elif (row := table.rows.get(iri)) is not None:
            chunks.add((row, numbers.setdefault(value, len(numbers))))
    alone = sorted((row, value) for row, value in chunks if (table.documents[row], value) not in documents)
    of_documents, of_chunks = _pairs(sorted(documents)), _pairs(alone)
    return Facet(name, is_metadata, tuple(numbers), *of_documents, *of_chunks)


def _pairs(pairs: list[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    array = np.array(pairs, np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]
