"""Packing of runs that are too long: cut at paragraphs or sentences, into parts of even length."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from sage_ld.build.chunkers.runs import CELL, LINE, SENTENCE_OR_PARAGRAPH, WORD, Run, Span, cut, slices
from sage_ld.build.encoders import Encoder
from sage_ld.foundation.model import ChunkKind

BYTES_A_TOKEN = 10
"""A word piece stands for at most so many bytes of UTF-8, or a long string without a blank, which a tokenizer
may read as one unknown word, would pass for short."""
MOST_BYTES_A_CHARACTER = 4

CUTS: dict[ChunkKind, tuple[re.Pattern[str], ...]] = {
    ChunkKind.TEXT: (SENTENCE_OR_PARAGRAPH, LINE, WORD),
    ChunkKind.TABLE: (CELL, SENTENCE_OR_PARAGRAPH, WORD),
    ChunkKind.RECORD: (LINE, SENTENCE_OR_PARAGRAPH, WORD),
}
"""Where a piece that is too long is cut, the best place first; in the end, between any two characters."""

Weigh: TypeAlias = Callable[[Sequence[str]], list[int]]


class Piece(NamedTuple):
    """A span and its weight in word pieces."""

    begin: int
    end: int
    weight: int


def weigher(encoder: Encoder) -> Weigh:
    """A function that gives each text's weight: its word pieces, and no less than its length asks."""

    def weigh(texts: Sequence[str]) -> list[int]:
        sizes = [len(text.encode("utf-8", "replace")) for text in texts]
        counts = zip(encoder.count_tokens(texts), sizes, strict=True)
        return [max(count, -(-size // BYTES_A_TOKEN)) for count, size in counts]

    return weigh


def over_limit(texts: Sequence[str], limits: Sequence[int], weigh: Weigh) -> list[int]:
    """The numbers of the texts that weigh more than the limit of their number.

    One with too many characters is known to, and is not weighed: counting the word pieces of a long table
    takes as long as counting those of all its rows, which comes next.

    >>> over_limit(["a b", "a b c", "a" * 40], [2, 2, 3], lambda texts: [len(each.split()) for each in texts])
    [1, 2]
    """
    long = [len(text) > BYTES_A_TOKEN * limit for text, limit in zip(texts, limits, strict=True)]
    weights = iter(weigh([text for text, is_long in zip(texts, long, strict=True) if not is_long]))
    return [number for number, limit in enumerate(limits) if long[number] or next(weights) > limit]


def pieces_within(
    texts: Sequence[str], runs: Sequence[Run], limits: Sequence[int], weigh: Weigh
) -> list[list[Piece]]:
    """For each run, which stands in the text of its number, pieces of at most its limit of word pieces."""
    lists = [[Piece(*span, weight=0) for span in run.pieces] for run in runs]
    lists = _replace(lists, [[[span] for span in run.pieces] for run in runs], texts, weigh)
    for level in range(3):
        finer = [
            [_finer(text, piece, limit, CUTS[run.kind][level]) for piece in pieces]
            for text, run, limit, pieces in zip(texts, runs, limits, lists, strict=True)
        ]
        lists = _replace(lists, finer, texts, weigh)
    return [
        [part for piece in pieces for part in _characters(text, piece, limit)]
        for text, limit, pieces in zip(texts, limits, lists, strict=True)
    ]


def pack(pieces: Sequence[Piece], limit: int, target: int) -> list[Span]:
    """Neighbouring pieces together, in spans of about equal weight: near `target`, never above `limit`.

    >>> pack([Piece(0, 9, 60), Piece(10, 19, 60), Piece(20, 29, 60), Piece(30, 39, 60)], 200, 190)
    [(0, 19), (20, 39)]
    """
    spans = []
    left = sum(piece.weight for piece in pieces)
    parts = max(1, -(-left // target))
    begin, end, weight = pieces[0]
    for piece in pieces[1:]:
        if weight + piece.weight > limit or weight + piece.weight / 2 > left / parts:
            spans.append((begin, end))
            left -= weight
            parts = max(1, parts - 1)
            begin, weight = piece.begin, 0
        end = piece.end
        weight += piece.weight
    return [*spans, (begin, end)]


def _finer(text: str, piece: Piece, limit: int, separator: re.Pattern[str]) -> list[Span]:
    """The piece's parts where it is over the limit; nothing if it may stay."""
    return cut(text, (piece.begin, piece.end), separator) if piece.weight > limit else []


def _replace(
    lists: list[list[Piece]], finer: list[list[list[Span]]], texts: Sequence[str], weigh: Weigh
) -> list[list[Piece]]:
    """Each piece for which there are finer spans replaced by them, all weighed in one call."""
    spans = [
        (text, span) for text, parts in zip(texts, finer, strict=True) for part in parts for span in part
    ]
    weights = iter(weigh([text[begin:end] for text, (begin, end) in spans]))
    return [
        [
            new
            for piece, part in zip(pieces, parts, strict=True)
            for new in ([Piece(*span, next(weights)) for span in part] if part else [piece])
        ]
        for pieces, parts in zip(lists, finer, strict=True)
    ]


def _characters(text: str, piece: Piece, limit: int) -> list[Piece]:
    """A word over the limit in slices, each as heavy as its bytes: no tokenizer makes more of it."""
    if piece.weight <= limit:
        return [piece]
    width = max(1, limit // MOST_BYTES_A_CHARACTER)
    return [
        Piece(begin, end, len(text[begin:end].encode("utf-8", "replace")))
        for begin, end in slices((piece.begin, piece.end), width)
    ]
