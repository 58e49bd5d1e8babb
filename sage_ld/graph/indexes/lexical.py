"""BM25 over all chunks at once, with exact statistics whatever has been added and deleted before.

    score(q, d) = sum over terms t of q:  idf(t) * f * (k1 + 1) / (f + k1 * (1 - b + b * |d| / average))
    idf(t) = ln(1 + (N - n(t) + 1/2) / (n(t) + 1/2))

f is how often t occurs in d, |d| the number of terms of d, n(t) the number of chunks with t, N of all
chunks (Robertson and Zaragoza 2009, with Lucene's 1 + in the logarithm). N, n(t) and the average are
counted over the live chunks at every question: an index from which a document was deleted gives the
scores, to the last bit, of an index that never had it.

A chunk is analysed in its own language. t is a word of the question; it occurs in a chunk where its term in
the chunk's language does (`sage_ld.build.languages.analysis`), so f and n(t) are counted over all languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.analysis import (
    BEFORE_NUMBER,
    asked_identifiers,
    asked_names,
    asked_words,
    indexed_terms,
)
from sage_ld.foundation.arrays import top_k
from sage_ld.foundation.model import DoubleArray, FloatArray, IntArray
from sage_ld.foundation.settings import Settings
from sage_ld.graph.indexes.files import Manifest, ascending, damaged
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.segments import Segment, SegmentDirectory, live_keys
from sage_ld.graph.indexes.strings import Arrays, Dictionary, begins_of, pack, unpack

Occurrences: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]
"""The rows that hold a term, ascending, and how often each does."""

NAMES = (
    *("lengths", "terms", "term_offsets", "starts", "rows", "counts", "languages"),
    *("distinct", "row_terms"),
)
FORMERLY_MISSING = {"languages": np.bytes_(ENGLISH), "distinct": np.int32(0), "row_terms": np.int32(0)}
"""Arrays that earlier releases did not write, and what every row of theirs has in them."""
_LANGUAGE = "S3"
_LONG_NUMBER = re.compile(r"(?!(?:1[5-9]|20)..$)[0-9]{4,}")


@dataclass(frozen=True, slots=True)
class Postings:
    """The occurrences of t terms in n rows, term by term, the terms in code point order."""

    lengths: NDArray[np.int32]
    """(n,) terms of each row, repetitions included."""
    terms: Dictionary
    starts: NDArray[np.int64]
    """(t + 1,) where each term's occurrences begin in `rows` and `counts`."""
    rows: NDArray[np.int32]
    counts: NDArray[np.int32]
    languages: NDArray[np.bytes_]
    """(n,) the language in which each row was analysed."""
    row_terms: NDArray[np.int32]
    """The numbers of the different terms of each row, row by row."""

    @classmethod
    def of(cls, arrays: Arrays) -> Postings:
        """The view of a segment's arrays."""
        terms = Dictionary.of(arrays["terms"], arrays["term_offsets"])
        starts, rows, counts = arrays["starts"], arrays["rows"], arrays["counts"]
        return cls(arrays["lengths"], terms, starts, rows, counts, arrays["languages"], arrays["row_terms"])

    def holding(self, term: int) -> NDArray[np.int32]:
        """The rows, removed ones too, that hold a term, which is given by its number."""
        return self.rows[self.starts[term] : self.starts[term + 1]]

    def find(self, term: str) -> Occurrences | None:
        """The occurrences of `term`; None if no row holds it."""
        index = self.terms.find(term)
        if index is None:
            return None
        here = slice(self.starts[index], self.starts[index + 1])
        return self.rows[here], self.counts[here]


def fit(arrays: Arrays, rows: int) -> bool:
    """Whether the arrays of a segment with so many rows belong together, each term with its occurrences."""
    lengths, blob, offsets, starts, holders, counts, languages, distinct, row_terms = (
        arrays[name] for name in NAMES
    )
    if any(arrays[name].ndim != 1 for name in NAMES) or not (len(offsets) == len(starts) > 0):
        return False
    ends = len(blob) == offsets[-1] and len(holders) == len(counts) and ascending(starts, len(holders))
    of_former_release = not distinct.any() and len(row_terms) == rows
    listed = of_former_release or len(row_terms) == distinct.sum()
    return bool(len(lengths) == len(languages) == len(distinct) == rows and ends and listed)


def build(texts: Iterable[Sequence[str]], languages: Sequence[str]) -> Arrays:
    """The arrays of rows whose terms are `texts`, each analysed in its language."""
    numbers: dict[str, int] = {}
    lengths: list[int] = []
    term_of: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    for row, text in enumerate(texts):
        lengths.append(len(text))
        counted = Counter(text)
        term_of.extend(numbers.setdefault(term, len(numbers)) for term in counted)
        counts.extend(counted.values())
        rows.extend([row] * len(counted))
    found = (np.array(each) for each in (lengths, term_of, rows, counts))
    return {**_arrays(list(numbers), *found), "languages": np.array(languages, _LANGUAGE)}


def join(parts: Sequence[tuple[Arrays, NDArray[np.int64]]]) -> Arrays:
    """Several segments as one: each with the new row of each of its rows, -1 for a row that is dropped."""
    size = sum(int(np.count_nonzero(new >= 0)) for _, new in parts)
    lengths = np.zeros(size, np.int64)
    languages = np.zeros(size, _LANGUAGE)
    numbers: dict[str, int] = {}
    columns: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]] = []
    for arrays, new in parts:
        lengths[new[new >= 0]] = arrays["lengths"][new >= 0]
        languages[new[new >= 0]] = arrays["languages"][new >= 0]
        names = unpack(arrays["terms"], arrays["term_offsets"])
        number = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        rows = new[arrays["rows"]]
        kept = rows >= 0
        columns.append(
            (np.repeat(number, np.diff(arrays["starts"]))[kept], rows[kept], arrays["counts"][kept])
        )
    term_of, rows_of, counts = (np.concatenate(column) for column in zip(*columns, strict=True))
    return {**_arrays(list(numbers), lengths, term_of, rows_of, counts), "languages": languages}


def _arrays(
    names: list[str],
    lengths: NDArray[Any],
    term_of: NDArray[Any],
    rows: NDArray[Any],
    counts: NDArray[Any],
) -> Arrays:
    """Sort occurrences by term, then row; drop terms that occur nowhere."""
    used = np.zeros(len(names), dtype=np.bool_)
    used[term_of.astype(np.int64)] = True
    kept = [number for number in sorted(range(len(names)), key=names.__getitem__) if used[number]]
    rank = np.zeros(len(names), dtype=np.int64)
    rank[kept] = np.arange(len(kept))
    ranks = rank[term_of.astype(np.int64)]
    order, by_row = np.lexsort((rows, ranks)), np.lexsort((ranks, rows))
    starts = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(np.bincount(ranks, minlength=len(kept)), out=starts[1:])
    blob, offsets = pack(names[number] for number in kept)
    return {
        "lengths": lengths.astype(np.int32),
        "terms": blob,
        "term_offsets": offsets,
        "starts": starts,
        "rows": rows[order].astype(np.int32),
        "counts": counts[order].astype(np.int32),
        "distinct": np.bincount(rows.astype(np.int64), minlength=len(lengths)).astype(np.int32),
        "row_terms": ranks[by_row].astype(np.int32),
    }


K1: Final = 1.2
B: Final = 0.75


@dataclass(frozen=True, slots=True)
class _Part:
    """One segment as a question reads it."""

    segment: Segment
    postings: Postings
    norm: FloatArray
    """(n,) k1 * (1 - b + b * |d| / average)."""

    def live_count(self, rows: NDArray[np.int32]) -> int:
        """The number of live rows among `rows`."""
        return len(rows) if self.segment.whole else int(np.count_nonzero(self.segment.live[rows]))

    def live_rows(self, rows: NDArray[np.int32]) -> IntArray:
        """The numbers of those of `rows` that are live, among the live ones."""
        numbers = rows.astype(np.int64)
        return numbers if self.segment.whole else self.segment.ranks[numbers[self.segment.live[rows]]]

    def terms_of(self, row: int) -> IntArray:
        """The numbers of the terms of a row, which is given by its number among the live ones."""
        stored = row if self.segment.whole else int(np.searchsorted(self.segment.ranks, row))
        bounds = self.segment.computed(_row_bounds)
        return self.postings.row_terms[bounds[stored] : bounds[stored + 1]].astype(np.int64)


WordTerms: TypeAlias = tuple[str, ...]
"""The terms of a question's word, one for each language of the index; empty where it is not looked for."""


class _AskedWord(NamedTuple):
    """A word of a question that some row holds."""

    terms: WordTerms
    is_function_word: bool
    idf: float
    weight: np.float32
    """idf * (k1 + 1), times how often it is asked for."""
    places: list[list[Occurrences]]
    """In each segment, the occurrences of those of its terms that are there: a row has one language."""

    @property
    def is_name(self) -> bool:
        """Whether it is a name with a number."""
        return any(BEFORE_NUMBER in each for each in self.terms)

    @property
    def is_identifier(self) -> bool:
        """Whether it is a code or a number, no year, of one thing, and not of a kind of things."""
        return any(each.startswith(BEFORE_NUMBER) or _LONG_NUMBER.fullmatch(each) for each in self.terms)


@dataclass(frozen=True, slots=True)
class Matches:
    """The words of a question that the index knows."""

    terms: tuple[WordTerms, ...]
    """The terms of each of the m words; sorted."""
    function_words: NDArray[np.bool_]
    """(m,) which of them say nothing of what is asked for."""
    idf: DoubleArray
    """(m,) the inverse document frequencies, as in BM25."""
    term_presence: NDArray[np.bool_]
    """(n, m) which row holds which word."""
    scores: FloatArray
    """(n,) what `all_scores` returns."""
    names: Mapping[WordTerms, float] = field(default_factory=dict)
    """The names with numbers that the index knows (`Article 12`), beside their words, with their IDF."""


class LexicalIndex(SegmentIndex):
    """The BM25 index in a directory. One process writes; any number read its published copies.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = LexicalIndex.create(folder)
    ...     index.update([("x:1", "The Beatles"), ("x:2", "Rolling Stones")], remove=[])
    ...     index.search("who are the beatles?", 10)[0]
    ['x:1']
    """

    kind = "lexical"
    formerly_missing = FORMERLY_MISSING

    def __init__(self, directory: SegmentDirectory, settings: Settings | None = None) -> None:
        super().__init__(directory)
        self._max_query_terms = (settings or Settings()).max_query_terms
        self._read()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the arrays of a segment."""
        return NAMES

    @classmethod
    def fits(cls, segment: Segment, manifest: Manifest) -> bool:
        """Whether postings and rows belong together by their lengths."""
        return fit(segment.arrays, len(segment.keys))

    @classmethod
    def join(cls, segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
        """The live rows of all segments as those of one, in order of key."""
        return _join(segments)

    @classmethod
    def create(cls, path: str | Path, dimension: int = 0, *, settings: Settings | None = None) -> Self:
        """An empty index in `path`, as `SegmentIndex.create` makes it; `settings` limit its questions."""
        return cls(SegmentDirectory.create(Path(path), cls.kind, dimension), settings)

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = True, settings: Settings | None = None) -> Self:
        """The index in `path`, as `SegmentIndex.open` returns it; `settings` limit its questions."""
        return cls(cls._opened(path, read_only), settings)

    @property
    def outdated(self) -> bool:
        """Whether a part of it was written by a release that took every text for English."""
        return any(segment.filled for segment in self._directory.segments)

    def languages(self, iris: Iterable[str]) -> list[str]:
        """The language in which each of some chunks was analysed; empty for one that is not indexed."""
        every = [view.languages[segment.live] for segment, view in self._views()]
        names = np.concatenate([np.zeros(0, "S3"), *every, np.zeros(1, "S3")])
        return [name.decode() for name in names[self.rows(iris)].tolist()]

    def update(
        self,
        add: Iterable[tuple[str, str]],
        remove: Iterable[str],
        languages: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take `remove` out, put `add` (IRI, text) in, replacing what those IRIs had: all or nothing.

        `languages` are those of texts that are not English. An IRI to remove that is not indexed is no
        error. Raises ValueError for an IRI added twice.
        """
        added = sorted(add)
        iris = [iri for iri, _ in added]
        if len(set(iris)) < len(iris):
            raise ValueError("an IRI is added twice in one update")
        spoken = [languages.get(iri, ENGLISH) for iri in iris]
        analysed = (indexed_terms(text, language) for (_, text), language in zip(added, spoken, strict=True))
        arrays = build(analysed, spoken)
        self._replace(iris, arrays, remove)
        self._read()

    def merge(self) -> None:
        """Bring all rows into one segment in order of IRI: the form of a fresh build."""
        super().merge()
        self._read()

    def all_scores(self, query: str, asked_in: str | None = None) -> FloatArray:
        """(n,) the BM25 score of every row; 0 if it holds no word of the question.

        `query` is plain text: nothing in it is syntax. Of a long one the first `max_query_terms`
        different words count; a word given twice weighs twice. `asked_in` is its language, which is that of
        most rows unless given. Raises InputError where an occurrence is in a row that is not there.
        """
        with self._within_rows():
            return self._scored(self._asked(query, asked_in))

    def matches(self, query: str, asked_in: str | None = None) -> Matches:
        """The rows that contain each word of the question, from which features beyond BM25 are computed.

        A row that has an identifier of the question in another spelling contains its words. Raises
        InputError as `all_scores` does.
        """
        with self._within_rows():
            every = self._asked(query, asked_in)
            asked = self._in_every_spelling(every, query, asked_in)
            held = (
                _holding(part, [each.places[number] for each in asked])
                for number, part in enumerate(self._parts)
            )
            return Matches(
                tuple(each.terms for each in asked),
                np.array([each.is_function_word for each in asked], np.bool_),
                np.array([each.idf for each in asked], dtype=np.float64),
                np.concatenate([np.zeros((0, len(asked)), np.bool_), *held]),
                self._scored(every),
                {each.terms: each.idf for each in every if each.is_name},
            )

    def identified(self, query: str, asked_in: str | None = None) -> NDArray[np.bool_] | None:
        """(n,) the rows with most of the identifiers of a question; None where it names none of a row.

        Raises InputError as `all_scores` does.
        """
        if not any(map(str.isdigit, query)) and not asked_names(query, 1):
            return None
        with self._within_rows():
            asked = [each for each in self._asked(query, asked_in) if each.is_identifier]
            if not asked:
                return None
            held = np.concatenate(
                [
                    _holding(part, [each.places[at] for each in asked]).sum(axis=1)
                    for at, part in enumerate(self._parts)
                ]
            )
            return np.asarray(held == held.max())

    @contextmanager
    def _within_rows(self) -> Iterator[None]:
        """Names the index as damaged where it leads to a row that it does not have."""
        try:
            yield
        except IndexError as error:
            raise damaged(self._directory.folder, f"rows: {error}") from None

    def rare_terms(self, row: int, most: int) -> dict[str, IntArray]:
        """The terms of a row that others have too, but at most `most` rows: each with its rows, ascending.

        None where an earlier release wrote the row, until the graph is next written.
        """
        with self._within_rows():
            begins = begins_of([part.segment.size for part in self._parts])
            number = int(np.searchsorted(begins, row, side="right")) - 1
            own, found = self._parts[number], dict[str, IntArray]()
            for term in own.terms_of(row - begins[number]).tolist():
                here, text = own.postings.holding(term), own.postings.terms[term].decode()
                if own.segment.whole and len(here) > most:
                    continue
                rows = [own.live_rows(here) + begins[number]]
                for other, part in enumerate(self._parts):
                    if other != number and (hit := part.postings.find(text)) is not None:
                        rows.append(part.live_rows(hit[0]) + begins[other])
                if 1 < sum(map(len, rows)) <= most:
                    found[text] = np.sort(np.concatenate(rows)) if len(rows) > 1 else rows[0]
            return found

    def scores(self, query: str, iris: Iterable[str]) -> FloatArray:
        """The BM25 scores of the given chunks; 0 for one that is not indexed."""
        rows = self.rows(iris)
        every = np.append(self.all_scores(query), np.float32(0))
        return every[rows]

    def search(self, query: str, limit: int) -> tuple[list[str], FloatArray]:
        """The IRIs and scores of the `limit` best chunks that hold a term of the question.

        Best first; equal scores in order of IRI.
        """
        every = self.all_scores(query)
        rows = top_k(every, self.iris, limit, above=0.0)
        return [self.iris[row] for row in rows], every[rows]

    def _views(self) -> list[tuple[Segment, Postings]]:
        return [(segment, Postings.of(segment.arrays)) for segment in self._directory.segments]

    def _read(self) -> None:
        """Take up the directory's state: live counts and lengths, which every score depends on."""
        views = self._views()
        self._size = sum(segment.size for segment, _ in views)
        total = sum(int(view.lengths[segment.live].sum(dtype=np.int64)) for segment, view in views)
        average = total / self._size if total else 1.0
        self._parts = [
            _Part(segment, view, (K1 * (1 - B + B * view.lengths / average)).astype(np.float32))
            for segment, view in views
        ]
        self.language_counts = _language_counts(self._directory.segments)
        """How many rows each language has, that of most first; English in an empty index."""

    def _scored(self, asked: Sequence[_AskedWord]) -> FloatArray:
        scores = (
            _scores(part, [(each.places[number], each.weight) for each in asked])
            for number, part in enumerate(self._parts)
        )
        return np.concatenate([np.zeros(0, np.float32), *scores])

    def _asked(self, query: str, asked_in: str | None) -> list[_AskedWord]:
        """The question's words that rows hold, sorted, those with the same terms as one."""
        languages = list(self.language_counts)
        times: Counter[WordTerms] = Counter()
        content: set[WordTerms] = set()
        names = asked_names(query, len(languages))
        for word, is_function_word in [*asked_words(query, languages, asked_in or languages[0]), *names]:
            times[word] += 1
            if not is_function_word:
                content.add(word)
        asked = []
        for word in sorted(list(times)[: self._max_query_terms]):
            places = [_hits(part, word) for part in self._parts]
            parts = zip(self._parts, places, strict=True)
            frequency = sum(part.live_count(rows) for part, hits in parts for rows, _ in hits)
            idf = np.log1p((self._size - frequency + 0.5) / (frequency + 0.5))
            if frequency:
                weight = np.float32(idf * (K1 + 1) * times[word])
                shown = float(weight / ((K1 + 1) * times[word]))
                asked.append(_AskedWord(word, word not in content, shown, weight, places))
        return asked

    def _in_every_spelling(
        self, every: Sequence[_AskedWord], query: str, asked_in: str | None
    ) -> list[_AskedWord]:
        """The words of a question, sorted, with the rows that have the identifier that they spell."""
        languages = list(self.language_counts)
        names = {each.terms[0]: each for each in every if each.is_name}
        words = {each.terms: each for each in every if not each.is_name}
        for name, parts in asked_identifiers(query, languages, asked_in or languages[0]):
            if (held := names.get(name)) is None:
                continue
            for terms, is_function_word in parts:
                if (word := words.get(terms)) is None:
                    words[terms] = held._replace(terms=terms, is_function_word=is_function_word)
                else:
                    places = [[*own, *more] for own, more in zip(word.places, held.places, strict=True)]
                    words[terms] = word._replace(places=places)
        return [words[terms] for terms in sorted(words)]


def _language_counts(segments: Iterable[Segment]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for segment in segments:
        names, numbers = segment.computed(_numbered_languages)
        sizes = np.bincount(numbers[segment.live], minlength=len(names)).tolist()
        counts.update({name: size for name, size in zip(names, sizes, strict=True) if size})
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))) or {ENGLISH: 0}


def _numbered_languages(arrays: Arrays) -> tuple[list[str], IntArray]:
    """The languages of a segment, and the number of each row's among them."""
    names, numbers = np.unique(arrays["languages"], return_inverse=True)
    return [name.decode() for name in names.tolist()], numbers


def _row_bounds(arrays: Arrays) -> IntArray:
    """(n + 1,) where the terms of each row begin in `row_terms`."""
    return np.concatenate([[0], np.cumsum(arrays["distinct"], dtype=np.int64)])


def _hits(part: _Part, word: WordTerms) -> list[Occurrences]:
    postings = (part.postings.find(term) for term in word if term)
    return [hit for hit in postings if hit is not None]


def _scores(part: _Part, weighted: Iterable[tuple[Iterable[Occurrences], np.float32]]) -> FloatArray:
    """The scores of one segment's live rows; each row's words are summed in the order of `weighted`."""
    scores = np.zeros(len(part.norm), dtype=np.float32)
    for hits, weight in weighted:
        for rows, counts in hits:
            frequencies = counts.astype(np.float32)
            scores[rows] += weight * (frequencies / (frequencies + part.norm[rows]))
    return scores if part.segment.whole else scores[part.segment.live]


def _holding(part: _Part, places: Sequence[Iterable[Occurrences]]) -> NDArray[np.bool_]:
    held = np.zeros((len(part.norm), len(places)), dtype=np.bool_)
    for number, hits in enumerate(places):
        for rows, _ in hits:
            held[rows, number] = True
    return held if part.segment.whole else held[part.segment.live]


def _join(segments: Sequence[Segment]) -> tuple[list[str], Arrays]:
    keys = sorted(live_keys(segments))
    row_of = {key: row for row, key in enumerate(keys)}
    parts = [
        (
            segment.arrays,
            np.where(segment.live, np.array([row_of.get(key, -1) for key in segment.keys], np.int64), -1),
        )
        for segment in segments
    ]
    return keys, join(parts)
