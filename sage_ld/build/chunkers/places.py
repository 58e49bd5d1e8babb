"""The place of a chunk in its file, as a person looks for it there: its pages, slides, lines or cells."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Final

from sage_ld.foundation.model import Chunk, Document, Place, PlaceKind, Table

_BREAK: Final = re.compile("\n")
_PLAIN_SHEET: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class PlaceFinder:
    """The places of a document, looked up by offsets into its text.

    >>> text = "one" + chr(10) + "two" + chr(10) + "three"
    >>> marks = (Place(0, len(text), PlaceKind.LINE, 7, 9),)
    >>> PlaceFinder(Document("a", "", text, (), "text/plain", "", places=marks)).of(4, len(text))
    'lines 8–9'
    >>> marks = (Place(0, len(text), PlaceKind.PAGE, 7, 7, printed="iii"),)
    >>> PlaceFinder(Document("a", "", text, (), "text/plain", "", places=marks)).of(4, len(text))
    'page 7 (printed iii)'
    """

    def __init__(self, document: Document) -> None:
        self._places = document.places
        self._breaks = [each.start() for each in _BREAK.finditer(document.text)] if document.places else []
        self._heads = [each.head for each in document.blocks if isinstance(each, Table)]

    def of_chunk(self, chunk: Chunk) -> str:
        """The place of a chunk, and of one of a table, which rows were taken to name its columns."""
        head = self._heads[chunk.table.table] if chunk.table is not None else ""
        return "; ".join(filter(None, (self.of(chunk.begin, chunk.end), head)))

    def of(self, begin: int, end: int) -> str:
        """The place of a slice of the text; empty where the file's format counts none."""
        parts = [self._part(each, begin, end) for each in self._overlapping(begin, end)]
        groups = groupby(parts, key=lambda each: (each.kind, each.sheet, each.columns))
        return ", ".join(_named(list(group)) for _, group in groups)

    def _overlapping(self, begin: int, end: int) -> Iterator[Place]:
        number = max(bisect_right(self._places, begin, key=lambda each: each.begin) - 1, 0)
        for place in islice(self._places, number, None):
            if place.begin >= end:
                break
            if place.end > begin:
                yield place

    def _part(self, place: Place, begin: int, end: int) -> Place:
        """The part of a place that a slice of the text overlaps."""
        if self._lines(place.begin, place.end) != place.last - place.first:
            return place
        begin, end = max(begin, place.begin), min(end, place.end)
        first = place.first + self._lines(place.begin, begin)
        return replace(place, first=first, last=first + self._lines(begin, end))

    def _lines(self, begin: int, end: int) -> int:
        """The number of line breaks in a slice of the text."""
        return bisect_left(self._breaks, end) - bisect_left(self._breaks, begin)


def _named(places: Sequence[Place]) -> str:
    """One name for places of one kind, one after the other."""
    kind, first, last = places[0].kind, places[0].first, places[-1].last
    if kind is PlaceKind.CELLS:
        return f"{_quoted(places[0].sheet)}!{_cells(places[0].columns, first, last)}"
    name = f"{kind} {first}" if first == last else f"{kind}s {first}–{last}"
    printed = [each.printed for each in places if each.printed]
    if not printed:
        return name
    return f"{name} (printed {printed[0] if printed[0] == printed[-1] else f'{printed[0]}–{printed[-1]}'})"


def _quoted(sheet: str) -> str:
    """The name of a sheet as a formula writes it (ISO/IEC 29500-1, §18.17.2.3)."""
    return sheet if _PLAIN_SHEET.fullmatch(sheet) else "'" + sheet.replace("'", "''") + "'"


def _cells(columns: tuple[str, str] | None, first: int, last: int) -> str:
    left, right = columns or ("", "")
    return f"{left}{first}" if (left, first) == (right, last) else f"{left}{first}:{right}{last}"
