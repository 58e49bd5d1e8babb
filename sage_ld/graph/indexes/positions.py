"""The position index: the terms of each chunk by position, and so the text around an offset.

A chunk is kept as its tokens, one number a token: the hash of the term that the lexical index has for the
word. Each token knows its offset in the document, and whether a *unit* (a row of a table, a sentence of
prose) or a cell begins with it. Hashes of 32 bits let a question's few terms be looked for without a
dictionary; that one of them meets the hash of another term in a unit happens once in ten million times.
Each chunk also knows its document, and the terms of the document's title.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.analysis import terms
from sage_ld.foundation.model import Chunk, IntArray
from sage_ld.graph.indexes.layout import ArrayChain, Layout, RunIndex, concatenated_ranges
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import Arrays, IriTable, Numbers, begins_of, pack, text_numbers, unpack

Hashes: TypeAlias = NDArray[np.uint32]

_LAYOUT: Final = Layout(
    {
        "lengths": np.int32,
        "headings": np.int32,
        "tables": np.uint8,
        "title_lengths": np.int32,
        "document_lengths": np.int32,
    },
    {
        "hashes": ("lengths", np.uint32),
        "offsets": ("lengths", np.int32),
        "marks": ("lengths", np.uint8),
        "titles": ("title_lengths", np.uint32),
        "documents": ("document_lengths", np.uint8),
    },
)
WINDOW: Final = 6
"""Words on each side of an offset that are its window in prose."""

_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE_END: Final = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"(])")
_OTHER_SENTENCE_END: Final = re.compile(r"(?<=[.?!…»])\s+(?=[^\W\d_a-zß-öø-ÿ]|[\"(„“«¿¡])")
"""In languages other than English, whose sentences begin with other letters and marks, too."""
_ROW_END: Final = re.compile("\n")
_CELL_END: Final = re.compile("\n|; ")  # of a table's row as text, see sage_ld.build.readers.tables
_UNIT: Final = np.uint8(1)
_CELL: Final = np.uint8(2)
_NOWHERE: Final = -1  # the offset of a heading's tokens


@lru_cache(maxsize=1 << 18)
def _word_hash(word: str, language: str) -> int:
    """The hash of a word's term; 0 if it has none."""
    word_terms = terms(word, language)
    return term_hash(word_terms[0]) if word_terms else 0


@lru_cache(maxsize=1 << 16)
def term_hash(term: str) -> int:
    """The number that stands for a term; never 0."""
    return zlib.crc32(term.encode()) or 1


def hashed(texts: Iterable[str]) -> Hashes:
    """The numbers of several terms, in their order."""
    return np.array([term_hash(term) for term in texts], np.uint32)


@dataclass(frozen=True, slots=True)
class AskedTerms:
    """The terms of a question's m words as numbers; a word has a term in each language of the index."""

    hashes: Hashes
    """(u,) each once."""
    words: NDArray[np.bool_] | None
    """(u, m) which is a term of which word; None: there is one for each word, in their order."""

    @classmethod
    def of(cls, words: Sequence[tuple[str, ...]]) -> AskedTerms:
        """The word positions of given terms; empty terms are skipped."""
        if all(len(each) == 1 for each in words):
            return cls(hashed(each[0] for each in words), None)
        distinct = sorted({term for each in words for term in each if term})
        members = [[term in each for each in words] for term in distinct]
        return cls(hashed(distinct), np.array(members, np.bool_).reshape(len(distinct), len(words)))

    def by_word(self, presence: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(e, m) which words are present, of (e, u) which terms are."""
        return presence if self.words is None else presence @ self.words


@dataclass(frozen=True, slots=True)
class ChunkInDocument:
    """A chunk with the document that it is in."""

    chunk: Chunk
    document: str
    """The document's IRI."""
    title: str
    language: str = ENGLISH
    """The language in which its words are analysed."""
    topic: str = ""
    """What it is about, in a few words."""
    url: str | None = None
    """The document's URL."""
    skeleton: str = ""
    """What it says without the words of its domain, where the graph has analogies."""


@dataclass(frozen=True, slots=True)
class TokenRanges:
    """Runs of tokens, as arrays of length e: from `begin` to before `end`."""

    begin: IntArray
    end: IntArray


def term_presence(tokens: Hashes | ArrayChain, spans: TokenRanges, asked: Hashes) -> NDArray[np.bool_]:
    """(e, m) which of the runs of `tokens` holds which of the m terms asked for.

    >>> spans = TokenRanges(np.array([0, 1]), np.array([1, 3]))
    >>> term_presence(np.array([7, 8, 9], np.uint32), spans, np.array([9, 7], np.uint32)).tolist()
    [[False, True], [True, False]]
    """
    count = len(spans.begin)
    presence = np.zeros((count, len(asked)), np.bool_)
    lengths = np.maximum(spans.end - spans.begin, 0)
    if not lengths.any() or not len(asked):
        return presence
    here = tokens[concatenated_ranges(spans.begin, lengths)]
    order = np.argsort(asked)
    place = np.minimum(np.searchsorted(asked[order], here), len(asked) - 1)
    hit = asked[order][place] == here
    presence[np.repeat(np.arange(count), lengths)[hit], order[place[hit]]] = True
    return presence


@dataclass(frozen=True, slots=True)
class SegmentDocuments:
    """The documents of the rows of a segment, removed ones too."""

    table: IriTable
    """Their IRIs, in the order of their first rows."""
    places: IntArray
    """(n,) the place of each stored row's document in the table."""
    numbers: Numbers
    """The numbers of the IRIs, ascending."""
    by_number: IntArray
    """The place in the table of each of `numbers`."""

    @classmethod
    def of(cls, arrays: Arrays) -> SegmentDocuments:
        """The positions of a segment, from its arrays."""
        names = unpack(arrays["documents"], _bounds(arrays["document_lengths"]))
        table = IriTable(list(dict.fromkeys(names)))
        numbers = text_numbers(table.iris)
        order = np.argsort(numbers, kind="stable")
        places = np.array([table.place_of[name] for name in names], np.int64)
        return cls(table, places, numbers[order], order)

    def find(self, numbers: Numbers) -> IntArray:
        """(m,) the place in the table of the document with each number; -1 where there is none."""
        at = np.searchsorted(self.numbers, numbers)
        at[at == len(self.numbers)] = 0
        return np.where(self.numbers[at] == numbers, self.by_number[at], -1)


@dataclass(frozen=True, slots=True)
class _SegmentTokens:
    """The positions of a segment's rows, removed ones too, in its arrays."""

    bounds: IntArray
    """(n + 1,) in the arrays of tokens."""
    title_bounds: IntArray
    """(n + 1,) in `titles`."""
    units: IntArray
    """The first token of each unit."""
    cells: IntArray

    @classmethod
    def of(cls, arrays: Arrays) -> _SegmentTokens:
        return cls(
            _bounds(arrays["lengths"]),
            _bounds(arrays["title_lengths"]),
            np.flatnonzero(arrays["marks"] & _UNIT),
            np.flatnonzero(arrays["marks"] & _CELL),
        )


def _bounds(lengths: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


class Positions:
    """The tokens of all live rows, in row order. Nothing is copied: tokens have their stored places."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = segments
        places = [each.computed(_SegmentTokens.of) for each in segments]
        self._hashes = ArrayChain([each.arrays["hashes"] for each in segments])
        self._offsets = ArrayChain([each.arrays["offsets"] for each in segments])
        self._titles = ArrayChain([each.arrays["titles"] for each in segments])
        self._units, self._cells = [each.units for each in places], [each.cells for each in places]
        live = [each.live for each in segments]
        self._begins, self._ends = _live_ranges([each.bounds for each in places], live)
        self._title_begins, self._title_ends = _live_ranges([each.title_bounds for each in places], live)
        self._bodies = self._begins + _live_values("headings", segments)
        self._tables = _live_values("tables", segments).astype(np.bool_)

    def headings(self, rows: IntArray) -> TokenRanges:
        """The heading of each row."""
        return TokenRanges(self._begins[rows], self._bodies[rows])

    def texts(self, rows: IntArray) -> TokenRanges:
        """The text of each row."""
        return TokenRanges(self._bodies[rows], self._ends[rows])

    def units(self, rows: IntArray, offsets: IntArray) -> tuple[TokenRanges, TokenRanges]:
        """The unit and the window around an offset of the document, in each row.

        The window is the cell with its column's name; in prose, the words next to the offset.
        """
        token = self._token(rows, offsets)
        begin, end = self._bodies[rows], self._ends[rows]
        unit = self._around(self._units, token, begin, end)
        cell = self._around(self._cells, token, begin, end)
        table = self._tables[rows]
        return unit, TokenRanges(
            np.where(table, cell.begin, np.maximum(token - WINDOW, begin)),
            np.where(table, cell.end, np.minimum(token + WINDOW + 1, end)),
        )

    def term_presence(self, spans: TokenRanges, asked: Hashes) -> NDArray[np.bool_]:
        """(e, m) which run holds which of the m terms asked for."""
        return term_presence(self._hashes, spans, asked)

    def title_presence(self, rows: IntArray, asked: Hashes) -> NDArray[np.bool_]:
        """(e, m) which row's document's title holds which of the m terms asked for."""
        return term_presence(
            self._titles, TokenRanges(self._title_begins[rows], self._title_ends[rows]), asked
        )

    def title_lengths(self, rows: IntArray) -> IntArray:
        """(e,) how many different terms the title of each row's document has."""
        return np.asarray(self._title_ends[rows] - self._title_begins[rows])

    def _around(
        self, starts: Sequence[IntArray], token: IntArray, begin: IntArray, end: IntArray
    ) -> TokenRanges:
        """The run between two of `starts` that each token is in, within its text."""
        first, last = begin.copy(), end.copy()
        numbers = np.searchsorted(self._hashes.begins, token, side="right") - 1
        for number, own in enumerate(starts):
            here = np.flatnonzero((numbers == number) & (begin < end)) if len(own) else ()
            if len(here):
                begins = self._hashes.begins[number]
                after = np.searchsorted(own, token[here] - begins, side="right")
                first[here] = np.maximum(own[after - 1] + begins, begin[here])
                next_start = own[np.minimum(after, len(own) - 1)] + begins
                last[here] = np.where(after < len(own), np.minimum(next_start, end[here]), end[here])
        return TokenRanges(first, last)

    def _token(self, rows: IntArray, offsets: IntArray) -> IntArray:
        """The last token of each row's text that begins at or before the offset, or else the first."""
        low: IntArray = self._bodies[rows]
        high: IntArray = self._ends[rows]
        while (open_ := high - low > 1).any():
            middle = (low + high) // 2
            right = open_ & (self._offsets[np.minimum(middle, len(self._offsets) - 1)] <= offsets)
            low = np.where(right, middle, low)
            high = np.where(open_ & ~right, middle, high)
        return low


class PositionIndex(RunIndex[ChunkInDocument]):
    """The tokens of all chunks."""

    kind = "positions"
    layout = _LAYOUT

    @staticmethod
    def build(values: Sequence[ChunkInDocument]) -> Arrays:
        """The arrays of a segment with a row for each chunk."""
        built = [_tokens(each.chunk, each.language) for each in values]
        hashes, offsets, marks = (
            np.concatenate([np.zeros(0, kind), *(each[at] for each in built)])
            for at, kind in enumerate((np.uint32, np.int32, np.uint8))
        )
        titles = [hashed(sorted(set(terms(each.title, each.language)))) for each in values]
        documents, bounds = pack(each.document for each in values)
        return {
            "lengths": np.array([len(each[0]) for each in built], np.int32),
            "headings": np.array([np.count_nonzero(each[1] == _NOWHERE) for each in built], np.int32),
            "tables": np.array([each.chunk.table is not None for each in values], np.uint8),
            "title_lengths": np.array([len(each) for each in titles], np.int32),
            "document_lengths": np.diff(bounds).astype(np.int32),
            "hashes": hashes,
            "offsets": offsets,
            "marks": marks,
            "titles": np.concatenate([np.zeros(0, np.uint32), *titles]),
            "documents": documents,
        }

    def positions(self) -> Positions:
        """The tokens as they are now."""
        return Positions(self._directory.segments)


def _live_ranges(bounds: Sequence[IntArray], live: Sequence[NDArray[np.bool_]]) -> tuple[IntArray, IntArray]:
    """The begin and end of the live rows of several segments, in arrays that lie one after another."""
    moved = begins_of([int(each[-1]) for each in bounds])
    begins, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for begin, each, rows in zip(moved, bounds, live, strict=False):
        begins.append(each[:-1][rows] + begin)
        ends.append(each[1:][rows] + begin)
    return np.concatenate(begins), np.concatenate(ends)


def _live_values(name: str, segments: Sequence[Segment]) -> IntArray:
    return np.concatenate([np.zeros(0, np.int64), *(each.arrays[name][each.live] for each in segments)])


def _tokens(chunk: Chunk, language: str) -> tuple[Hashes, NDArray[np.int32], NDArray[np.uint8]]:
    """The tokens of the heading, then those of the text: hashes, offsets, marks."""
    heading = [_word_hash(word, language) for word in _WORD.findall(chunk.heading)]
    words = list(_WORD.finditer(chunk.text))
    starts = np.array([match.start() for match in words], np.int64)
    sentence_end = _SENTENCE_END if language == ENGLISH else _OTHER_SENTENCE_END
    ends = (_ROW_END, _CELL_END) if chunk.table is not None else (sentence_end, sentence_end)
    marks = np.zeros(len(heading) + len(words), np.uint8)
    for mark, end in zip((_UNIT, _CELL), ends, strict=True):
        borders = np.array([0, *(match.end() for match in end.finditer(chunk.text))])
        first = np.unique(np.searchsorted(starts, borders))
        marks[len(heading) + first[first < len(words)]] |= mark
    hashes = np.array([*heading, *(_word_hash(match.group(), language) for match in words)], np.uint32)
    offsets = np.concatenate([np.full(len(heading), _NOWHERE), starts + chunk.begin]).astype(np.int32)
    return hashes, offsets, marks
