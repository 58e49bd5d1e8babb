"""Selection of links: which of the places that may name a document become links to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class PossibleLink(NamedTuple):
    """A place in a chunk that names a target."""

    target: int
    begin: int
    end: int
    """Offsets into the document's text."""
    confidence: float
    """The probability that this target is meant, 0..1."""
    row: int | None
    column: str | None


def select_links(places: Iterable[PossibleLink], least: float, rivals: int) -> list[PossibleLink]:
    """The places that become links: one a row and target, at most `rivals` over the same words.

    >>> one, other = PossibleLink(7, 0, 4, 0.9, 1, "a"), PossibleLink(8, 0, 4, 0.2, 1, "a")
    >>> select_links([other, one, one._replace(begin=9, end=13, confidence=0.5)], 0.3, 1) == [one]
    True
    """
    kept: list[PossibleLink] = []
    seen: set[tuple[int | None, int]] = set()
    spans: dict[int | None, list[tuple[int, int]]] = {}
    for each in sorted(places, key=lambda each: (-each.confidence, each.begin, each.end, each.target)):
        there = spans.setdefault(each.row, [])
        overlapping = sum(begin < each.end and each.begin < end for begin, end in there)
        if each.confidence < least or (each.row, each.target) in seen or overlapping >= rivals:
            continue
        seen.add((each.row, each.target))
        there.append((each.begin, each.end))
        kept.append(each)
    return sorted(kept, key=lambda each: (each.begin, each.end, each.target))
