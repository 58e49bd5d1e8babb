"""Extraction: the passages of retrieved chunks that answer a question best, as they stand in the documents.

A passage scores by its chunk's score in the retrieval and the path to it, by the telling words of the
question that it carries, and by whether it holds the kind of answer that is asked for.
`docs/answers.md` says how the weights and the thresholds were found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from sage_ld.agents.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.agents.answering.passages import Passage, passages
from sage_ld.build.annotators.words import MONTHS_AND_DAYS
from sage_ld.build.languages.analysis import (
    BEFORE_NUMBER,
    ITEM,
    AskedWord,
    asked_names,
    asked_words,
    heading_names,
    indexed_terms,
    numbered_names,
)
from sage_ld.build.languages.groups import in_groups
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.model import Result, Role
from sage_ld.foundation.question import Answer, Mode
from sage_ld.graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.reading import StoredChunk


class AskedKind(StrEnum):
    """The kind of answer that a question asks for."""

    NAME = "name"
    PLACE = "place"
    DATE = "date"
    NUMBER = "number"
    MEASURE = "measure"
    """A number with a unit."""


_QUESTIONS: Final = (
    (AskedKind.MEASURE, re.compile(r"\bhow (heavy|wide|deep|thick)\b|\bhow much (do|does|did)\b.* weigh\b",
                                   re.I)),
    (AskedKind.NUMBER, re.compile(r"\bhow (many|much|old|tall|long|far|high|large|big|fast)\b", re.I)),
    (AskedKind.NUMBER, re.compile(r"\b(what|which) (is |was |were |are )?(the )?(\w+ )?"
                                  r"(number|population|percentage|height|length|area|score|age)\b", re.I)),
    (AskedKind.DATE, re.compile(r"\bwhen\b|\b(what|which|in what|in which) (\w+ )?"
                                r"(year|date|day|month|decade|century)\b", re.I)),
    (AskedKind.PLACE, re.compile(r"\bwhere\b|\b(what|which) (\w+ )?(city|town|village|country|county|state|"
                                 r"district|province|region|place|location|river|island)\b", re.I)),
    (AskedKind.NAME, re.compile(r"\b(who|whom|whose)\b|\b(what|which) (\w+ )?(person|actor|actress|director|"
                                r"singer|band|team|company|name|author|player)\b", re.I)),
)  # fmt: skip
_YEAR: Final = re.compile(r"\b1\d{3}\b|\b20\d{2}\b")
_NUMBER: Final = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|"
    r"billion|once|twice|first|second|third)\b",
    re.I,
)
_MEASURE: Final = re.compile(
    r"\d\s?(?:kg|g|mg|lbs?|oz|mm|cm|m|km|ft|in|kilograms?|kilos?|grams?|tons?|tonnes?|pounds?|ounces?|stone|"
    r"(?:milli|centi|kilo)?met(?:er|re)s?|feet|foot|inch(?:es)?|yards?|miles?)\b"
)
_NAME: Final = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'’-]+")
_PLACE: Final = re.compile(r"\b(?:in|at|near|from|of|to) (?:the )?([A-Z][\w'’-]+)")


def asked_kind(question: str) -> AskedKind | None:
    """The kind of answer that a question asks for; None where its words do not say.

    >>> asked_kind("Who wrote Saltings?"), asked_kind("In which year was it?"), asked_kind("Tell me more")
    (<AskedKind.NAME: 'name'>, <AskedKind.DATE: 'date'>, None)
    """
    return next((kind for kind, pattern in _QUESTIONS if pattern.search(question)), None)


def holds(kind: AskedKind | None, text: str, question_words: Collection[str]) -> bool:
    """Whether a text holds something of a kind that is not among the question's words, in lower case.

    >>> holds(AskedKind.DATE, "It opened in 1931.", ()), holds(AskedKind.DATE, "It opened.", ())
    (True, False)
    """
    if kind is AskedKind.DATE:
        years = set(_YEAR.findall(text))
        return not years <= set(question_words) or not MONTHS_AND_DAYS.isdisjoint(text.casefold().split())
    if kind is AskedKind.MEASURE:
        return _MEASURE.search(text) is not None
    if kind is AskedKind.NUMBER:
        return _NUMBER.search(text) is not None
    if kind is AskedKind.PLACE:
        return any(name.casefold() not in question_words for name in _PLACE.findall(text))
    if kind is AskedKind.NAME:
        return any(name.casefold() not in question_words for name in _NAME.findall(text))
    return False


_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """The words of a question without its function words, unless it has no other."""

    weights: Mapping[tuple[str, ...], float]
    """By a word's terms, one for each language of the graph: its inverse document frequency, as in BM25; that
    of a word that no chunk has is the highest."""
    words: frozenset[str]
    """All words of the question in lower case."""

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return sum(self.weights.values())

    def share(self, held: frozenset[str], without: frozenset[str] = frozenset()) -> float:
        """The share of the weights that a text with these terms carries, in 0..1, but for some terms."""
        carried = sum(
            weight
            for word, weight in self.weights.items()
            if not held.isdisjoint(word) and without.isdisjoint(word)
        )
        return carried / self.total if self.weights else 0.0


def question_terms(
    snapshot: Snapshot, question: str, question_language: str, most_terms: int
) -> QuestionTerms:
    """The telling words of a question among its first `most_terms` different ones.

    It is in `question_language`; empty: that of most chunks.
    """
    languages = list(snapshot.lexical.language_counts)
    asked = asked_words(question, languages, question_language or languages[0])
    asked += asked_names(question, len(languages))
    matches = snapshot.lexical.matches(question, question_language or None)
    known = dict(zip(matches.terms, matches.idf.tolist(), strict=True)) | dict(matches.names)
    unknown = float(np.log1p((len(snapshot.vectors.iris) + 0.5) / 0.5))
    first = [each for each in dict.fromkeys(asked) if not _is_unknown_name(each, known)][:most_terms]
    telling = [each.terms for each in first if not each.is_function_word] or [each.terms for each in first]
    return QuestionTerms(
        {word: known.get(word, unknown) for word in telling},
        frozenset(_WORD.findall(question.casefold())),
    )


def _is_unknown_name(word: AskedWord, known: Mapping[tuple[str, ...], float]) -> bool:
    """Whether it is a name with a number that no chunk has: its words count, which may be names of others."""
    return BEFORE_NUMBER in word.terms[0] and word.terms not in known


def terms_of(text: str, language: str) -> frozenset[str]:
    """The terms of a text in a language."""
    return frozenset(indexed_terms(text, language))


_WEIGHTS: Final = {
    "score": 4.7,
    "score_squared": 3.6,
    "concentration": 1.5,
    "named_only": -5.7,
    "new": 7.8,
    "kind": 2.2,
    "text": 1.0,
    "linked_row": 1.3,
    "depth": -1.2,
    "begins": -1.4,
}
"""The weights of the features of `_Scorer.features`; docs/answers.md says how they were fitted."""
NAMED: Final = 20.0
"""The weight of standing in the section that the question names by its number: more than all others."""
LEAST_COVERAGE: Final = 0.40
"""Share of the question's telling words, by their weights, that one chunk has to carry."""
LEAST_EVIDENCE: Final = 0.47
"""Likewise of the mean of this share and the highest cosine, where the encoder is one of `_MEASURED`."""
_MEASURED: Final = ("minilm",)
"""Encoders of whose cosines the threshold was measured."""
ALIKE: Final = 0.8
"""Share of common terms, of all terms of two passages, from which the second one is left out."""
_LABEL: Final = 6
"""Characters of a passage in which the label of an item ends."""
_FEWEST_WORDS: Final = 3
"""Of a sentence: fewer are a heading, or a piece of a list."""


class _RankedPassages(NamedTuple):
    """The passages that were looked at, and whether they carry what is asked for."""

    passages: list[Passage]
    in_graph: bool


@dataclass(frozen=True, slots=True)
class _Scorer:
    """The scorer of passages, with everything but the passage."""

    asked: QuestionTerms
    kind: AskedKind | None
    scores: Sequence[float]
    """Of each result, by the best one, in 0..1."""
    coverages: Sequence[float]
    """Of each result: the share of the question's words that its chunk carries, heading and all."""
    titles: Sequence[float]
    """Likewise that the chunk's title carries."""
    passed: Sequence[frozenset[str] | None]
    """Of each result: the terms of the chunks on the path to it; None for a seed."""
    rows: frozenset[tuple[str, int]]
    """Chunk and row, from 0, of each step over a table."""
    languages: Sequence[str]
    """Of each result."""
    named: Sequence[bool]
    """Of each result: whether it stands below a heading with a name with a number that is asked for."""
    items: frozenset[str]
    """The names of items that are asked for."""

    def score(self, passage: Passage) -> float:
        """The score of a passage as an answer; comparable within a question."""
        features = self.features(passage)
        return sum(_WEIGHTS[name] * value for name, value in features.items()) + NAMED * (
            self.named[passage.rank] + self.is_item(passage)
        )

    def is_item(self, passage: Passage) -> bool:
        """Whether a passage is an item that is asked for by its letter or number."""
        return bool(self.items) and not self.items.isdisjoint(numbered_names(passage.text[:_LABEL]))

    def features(self, passage: Passage) -> dict[str, float]:
        """The features of a passage, each about 0 to 1.

        A chunk that the question names by its title, without the other words of the question, holds the
        answer less often than one to which a path leads, with words that the chunks on the path have not.
        """
        rank = passage.rank
        held = terms_of(passage.text, self.languages[rank])
        own, coverage, passed = self.asked.share(held), self.coverages[rank], self.passed[rank]
        return {
            "score": self.scores[rank],
            "score_squared": self.scores[rank] ** 2,
            "concentration": own / coverage if coverage else 0.0,
            "named_only": self._lack(rank),
            "new": 0.0 if passed is None else self.asked.share(held, passed),
            "kind": holds(self.kind, passage.text, self.asked.words),
            "text": passage.is_sentence,
            "linked_row": (passage.source.iri, passage.row) in self.rows,
            "depth": math.log1p(passage.number),
            "begins": 1 / (1 + passage.number),
        }

    def _lack(self, rank: int) -> float:
        """The share of the question that a title carries, times that of the rest which its chunk lacks."""
        title = self.titles[rank]
        if title >= 1:
            return 0.0
        return title * (1 - (self.coverages[rank] - title) / (1 - title))


def extracted_answer(
    snapshot: Snapshot, retrieval: Answer, sentences: int, most_terms: int, check: Check = unchecked
) -> CitedAnswer:
    """The at most `sentences` passages that answer best, from what was retrieved from a revision.

    Of the question, the first `most_terms` different words count. None, where no chunk carries enough of the
    question's telling words. `check` ends the work by raising an error.
    """
    ranked, is_in_graph = _ranked(snapshot, retrieval, most_terms, check)
    views = {result.view.iri: result.view for result in retrieval.results}
    return CitedAnswer(
        tuple(
            CitedSentence(
                each.text,
                (Citation(views[each.source.iri], each.begin, each.end, each.quote),),
                each.cells,
            )
            for each in (_distinct(ranked, sentences) if is_in_graph else ())
        ),
        retrieval,
    )


def _ranked(snapshot: Snapshot, retrieval: Answer, most_terms: int, check: Check) -> _RankedPassages:
    """All passages, that which answers best first."""
    iris = [result.view.iri for result in retrieval.results]
    passed = [step.seed for result in retrieval.results for step in result.path]
    read = reading.chunks(snapshot.store, list(dict.fromkeys([*iris, *passed])), links=False)
    stored = {each.iri: each for each in read}
    results = [result for result in retrieval.results if result.view.iri in stored]
    sources = [stored[result.view.iri] for result in results]
    main = next(iter(snapshot.lexical.language_counts))
    languages = [each or main for each in snapshot.lexical.languages(each.iri for each in sources)]
    asked = question_terms(snapshot, retrieval.question, retrieval.question_language, most_terms)
    pairs = list(zip(sources, languages, strict=True))
    coverages = [asked.share(_terms(*each)) for each in pairs]
    best = max([result.score for result in results], default=0.0)
    names = {term for word in asked.weights for term in word if BEFORE_NUMBER in term}
    named = [not names.isdisjoint(heading_names(each.chunk.heading)) for each in sources]
    scorer = _Scorer(
        asked,
        asked_kind(retrieval.question),
        [max(result.score, 0.0) / best if best > 0 else 0.0 for result in results],
        coverages,
        [asked.share(terms_of(each.chunk.name, language)) for each, language in pairs],
        [_passed(result, stored, main) for result in results],
        frozenset(
            (chunk, step.row)
            for result in results
            for step in result.path
            if step.row is not None
            for chunk in (step.seed, step.chunk)
        ),
        languages,
        named,
        frozenset(each for each in names if each.startswith(ITEM)),
    )
    scored: list[tuple[float, Passage]] = []
    for rank, source in enumerate(sources):
        check()
        scored += [(scorer.score(each), each) for each in passages(source, rank) if _is_whole(each)]
    ordered = sorted(scored, key=lambda each: (-each[0], each[1].rank, each[1].number))
    is_named = any(named) or sum(scorer.is_item(each) for _, each in scored) == 1
    in_graph = is_named or _answers(snapshot, retrieval, coverages)
    return _RankedPassages([each for _, each in ordered], in_graph)


def _answers(snapshot: Snapshot, retrieval: Answer, coverages: Iterable[float]) -> bool:
    """Whether what was found carries enough of the question."""
    coverage = max(coverages, default=0.0)
    cosines = [result.parts[Mode.DENSE] for result in retrieval.results if Mode.DENSE in result.parts]
    if cosines and snapshot.configuration.encoder.partition(":")[0] in _MEASURED:
        return (coverage + max(cosines)) / 2 >= LEAST_EVIDENCE
    return coverage >= LEAST_COVERAGE


def _terms(source: StoredChunk, language: str) -> frozenset[str]:
    """The terms of a chunk and what it stands below."""
    chunk = source.chunk
    return frozenset().union(*(terms_of(text, language) for text in (chunk.name, chunk.heading, chunk.text)))


def _passed(result: Result, stored: Mapping[str, StoredChunk], language: str) -> frozenset[str] | None:
    """The terms of the chunks on the path to a result; None for a seed."""
    if result.role is Role.SEED:
        return None
    chunks = [stored[step.seed] for step in result.path if step.seed in stored]
    return frozenset().union(*(_terms(each, language) for each in chunks))


def _is_whole(passage: Passage) -> bool:
    words = in_groups(passage.quote).split(maxsplit=_FEWEST_WORDS)
    return not passage.is_sentence or len(words) >= _FEWEST_WORDS


def _distinct(ranked: Iterable[Passage], most: int) -> Iterator[Passage]:
    """The first `most` passages of which none says again what one before it says."""
    chosen: list[frozenset[str]] = []
    for passage in ranked:
        if len(chosen) == most:
            return
        words = frozenset(passage.text.casefold().split())
        if all(len(words & other) < ALIKE * len(words | other) for other in chosen):
            chosen.append(words)
            yield passage
