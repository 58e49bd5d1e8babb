"""Text with the places marked that name an entity or link to a document, as pieces that do not overlap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

LINK: Final = "link"
MENTION: Final = "mention"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a document's text that names something: its offsets, and what it leads to."""

    begin: int
    end: int
    kind: str
    """`mention` of an entity, or `link` to a document."""
    label: str
    """The name of what it leads to."""
    href: str | None
    """Where that has a page; None if there is nothing to follow."""
    iri: str = ""


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A part of a text with all marks that begin in it; the first is the one to follow."""

    begin: int
    end: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text, marked or not."""

    text: str
    marks: tuple[Mark, ...] = ()


def spans(marks: Iterable[Mark]) -> list[MarkedSpan]:
    """Marks as spans that do not overlap, in order; one that begins inside another joins it.

    Links come before mentions. It takes as long as sorting.

    >>> mention, link = Mark(0, 9, MENTION, "Nils Garrow", "/e"), Mark(5, 9, LINK, "Garrow", "/d")
    >>> [(each.begin, each.end, [mark.kind for mark in each.marks]) for each in spans([link, mention])]
    [(0, 9, ['link', 'mention'])]
    """
    joined: list[tuple[int, int, dict[tuple[str, str | None], Mark]]] = []
    for mark in sorted(marks, key=lambda mark: (mark.begin, -mark.end, mark.kind, mark.label)):
        if mark.end <= mark.begin:
            continue
        if not joined or mark.begin >= joined[-1][1]:
            joined.append((mark.begin, mark.end, {}))
        joined[-1][2].setdefault((mark.kind, mark.href), mark)
    return [
        MarkedSpan(begin, end, tuple(sorted(found.values(), key=lambda mark: mark.kind)))
        for begin, end, found in joined
    ]


def pieces(text: str, begin: int, marked: Sequence[MarkedSpan]) -> tuple[TextPiece, ...]:
    """A text that begins at the offset `begin` of its document, cut at its marked spans.

    A span that goes beyond the text is marked as far as it goes.

    >>> marked = spans([Mark(14, 20, MENTION, "Osmere", "/e")])
    >>> [(each.text, len(each.marks)) for each in pieces("In Osmere it rains.", 11, marked)]
    [('In ', 0), ('Osmere', 1), (' it rains.', 0)]
    """
    return tuple(_pieces(text, begin, marked))


def _pieces(text: str, begin: int, marked: Sequence[MarkedSpan]) -> Iterator[TextPiece]:
    end, at = begin + len(text), begin
    first = bisect_right(marked, begin, key=lambda span: span.end)
    for number in range(first, len(marked)):
        span = marked[number]
        if span.begin >= end:
            break
        start, stop = max(span.begin, at), min(span.end, end)
        if start > at:
            yield TextPiece(text[at - begin : start - begin])
        yield TextPiece(text[start - begin : stop - begin], span.marks)
        at = stop
    if at < end:
        yield TextPiece(text[at - begin :])


def excerpt(text: str, begin: int, span: MarkedSpan, around: int) -> tuple[TextPiece, ...]:
    """The words around a marked span, at most `around` characters on each side of it.

    >>> span = spans([Mark(3, 9, MENTION, "Osmere", "/e")])[0]
    >>> "".join(each.text for each in excerpt("In Osmere it rains all day.", 0, span, 9))
    'In Osmere it…'
    """
    first, last = span.begin - begin, span.end - begin
    if not 0 <= first < last <= len(text):
        return (TextPiece(opening(text, 2 * around)),)
    left, right = text[max(first - around, 0) : first], text[last : last + around]
    if first > around:
        left = "…" + (left.partition(" ")[2] or left)
    if last + around < len(text):
        right = (right.rpartition(" ")[0] or right) + "…"
    return (TextPiece(left), TextPiece(text[first:last], span.marks), TextPiece(right))


def opening(text: str, most: int) -> str:
    """The first words of a text, at most `most` characters.

    >>> opening("In Osmere it rains.", 10)
    'In Osmere…'
    """
    return text if len(text) <= most else (text[:most].rpartition(" ")[0] or text[:most]) + "…"
