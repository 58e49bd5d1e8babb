"""Where a chunk names a target, before it is settled which of the places become links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Found(NamedTuple):
    """A place in a chunk that names a target."""

    target: int
    begin: int
    end: int
    """Offsets into the document's text."""
    confidence: float
    """The probability that this target is meant, 0..1."""
    row: int | None
    column: str | None


def settle(found: Iterable[Found], least: float, rivals: int) -> list[Found]:
    """The places that become links: one a row and target, at most `rivals` over the same words.

    >>> one, other = Found(7, 0, 4, 0.9, 1, "a"), Found(8, 0, 4, 0.2, 1, "a")
    >>> settle([other, one, one._replace(begin=9, end=13, confidence=0.5)], 0.3, 1) == [one]
    True
    """
    kept: list[Found] = []
    seen: set[tuple[int | None, int]] = set()
    spans: dict[int | None, list[tuple[int, int]]] = {}
    for each in sorted(found, key=lambda each: (-each.confidence, each.begin, each.end, each.target)):
        there = spans.setdefault(each.row, [])
        overlapping = sum(begin < each.end and each.begin < end for begin, end in there)
        if each.confidence < least or (each.row, each.target) in seen or overlapping >= rivals:
            continue
        seen.add((each.row, each.target))
        there.append((each.begin, each.end))
        kept.append(each)
    return sorted(kept, key=lambda each: (each.begin, each.end, each.target))
