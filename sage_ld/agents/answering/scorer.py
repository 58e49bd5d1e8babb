"""The scorer of passages: how well each answers a question, beside the others of one retrieval.

A passage scores by its chunk's score in the retrieval and the path to it, by the words of the question that
say what is asked and by those that say of what, and by whether it holds the kind of answer that is asked for.
A feature is a name in `WEIGHTS` and its value in `Scorer.features`; `benchmarks/answer_weights.py` fits the
weights, and `docs/answers.md` says how they were found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from sage_ld.agents.answering.bridges import bridge_terms, followed_rows
from sage_ld.agents.answering.passages import Passage, passages
from sage_ld.agents.answering.question_parts import AskedKind, asked_kind, asked_noun, focus, holds
from sage_ld.build.languages.analysis import (
    BEFORE_NUMBER,
    ITEM,
    AskedWord,
    asked_identifiers,
    asked_names,
    asked_words,
    compared,
    heading_names,
    indexed_terms,
    numbered_names,
    terms,
)
from sage_ld.build.languages.groups import in_groups
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.question import Answer
from sage_ld.graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.reading import StoredChunk

_WORD: Final = re.compile(r"\w+")
_DIGITS: Final = re.compile(r"\d+")


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

    def part(self, held: frozenset[str]) -> QuestionTerms:
        """The question with nothing but the words that a part of it has; all of them where it has none."""
        weights = {word: weight for word, weight in self.weights.items() if not held.isdisjoint(word)}
        return replace(self, weights=weights or self.weights)


def question_terms(
    snapshot: Snapshot, question: str, question_language: str, most_terms: int
) -> QuestionTerms:
    """The telling words of a question among its first `most_terms` different ones.

    An identifier that a chunk has stands for the words that it is written with. The question is in
    `question_language`; empty: that of most chunks.
    """
    languages = list(snapshot.lexical.language_counts)
    spoken = question_language or languages[0]
    asked = asked_words(question, languages, spoken)
    asked += asked_names(question, len(languages))
    matches = snapshot.lexical.matches(question, question_language or None)
    known = dict(zip(matches.terms, matches.idf.tolist(), strict=True)) | dict(matches.names)
    unknown = float(np.log1p((len(snapshot.vectors.iris) + 0.5) / 0.5))
    spelled = {
        word
        for name, words in asked_identifiers(question, languages, spoken)
        if (name,) * len(languages) in known
        for word in words
    }
    said = [each for each in dict.fromkeys(asked) if each not in spelled]
    first = [each for each in said if not _is_unknown_name(each, known)][:most_terms]
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


WEIGHTS: Final = {
    "score": 3.0,
    "score_squared": 5.0,
    "linked_row": 1.5,
    "kind": 1.7,
    "date": 1.9,
    "noun": 1.4,
    "noun_of_column": 2.7,
    "focus": 2.2,
    "beyond_bridge": 3.2,
    "rest_on_path": 0.4,
    "more_than_name": 3.7,
    "end_of_path": 2.6,
    "only_passage": 2.1,
}
"""The weights of the features of passages; `benchmarks/answer_weights.py` fits them."""
NAMED: Final = 20.0
"""The weight of standing in the section that the question names by its number: more than all others."""
_LABEL: Final = 6
"""Characters of a passage in which the label of an item ends."""
_FEWEST_WORDS: Final = 3
"""Of a sentence: fewer are a heading, or a piece of a list."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """The scorer of passages, with everything but the passage."""

    asked: QuestionTerms
    focus: QuestionTerms
    """The words that say what is asked."""
    kind: AskedKind | None
    noun: frozenset[str]
    """The term of the noun for the answer, in each language of the results."""
    found: Sequence[FoundChunk]
    rows: frozenset[tuple[str, int]]
    """Chunk and row, from 0, of each step over a table."""
    items: frozenset[str]
    """The names of items that are asked for."""
    identifiers: frozenset[str]
    """The identifiers that are asked for, of those that a chunk has."""

    def score(self, passage: Passage) -> float:
        """The score of a passage as an answer; comparable within a question."""
        features = self.features(passage)
        return sum(WEIGHTS[name] * value for name, value in features.items()) + NAMED * (
            self.found[passage.rank].named + self.is_item(passage)
        )

    def is_item(self, passage: Passage) -> bool:
        """Whether a passage is an item that is asked for by its letter or number."""
        return bool(self.items) and not self.items.isdisjoint(numbered_names(passage.text[:_LABEL]))

    def is_identified(self, passage: Passage) -> bool | None:
        """Whether a passage has an identifier that is asked for, or has another like it; None: neither."""
        if not self.identifiers:
            return None
        held = {each for each in numbered_names(compared(passage.text)) if each.startswith(BEFORE_NUMBER)}
        if not held.isdisjoint(self.identifiers):
            return True
        alike = {_DIGITS.sub("", each) for each in self.identifiers}
        return None if alike.isdisjoint(_DIGITS.sub("", each) for each in held) else False

    def has_kind(self, passage: Passage) -> bool:
        """Whether a passage has the kind of answer that is asked for."""
        return holds(self.kind, passage.text, self.asked.words)

    def features(self, passage: Passage) -> dict[str, float]:
        """The features of a passage, each in 0..1.

        The words that are asked for stand in the answer; those that say of what stand in it, in the title
        above it, or in the row or sentence that leads to it. What a path leads to has fewer of them than
        what it leads from, and is more often the answer.
        """
        found = self.found[passage.rank]
        held = terms_of(passage.text, found.language)
        has_kind = self.has_kind(passage)
        return {
            "score": found.score,
            "score_squared": found.score**2,
            "linked_row": (passage.source.iri, passage.row) in self.rows,
            "kind": has_kind,
            "date": has_kind and self.kind is AskedKind.DATE,
            "noun": passage.row is None and not self.noun.isdisjoint(held),
            "noun_of_column": self._is_under_noun(passage, found.language),
            "focus": self.focus.share(held | found.title if passage.row is None else held),
            "beyond_bridge": self.focus.share(held, found.bridge) if found.bridge else 0.0,
            "rest_on_path": self.asked.share(held | found.title | found.bridge, found.focus),
            "more_than_name": self._more_than_name(found),
            "end_of_path": 1 - found.coverage if found.bridge else 0.0,
            "only_passage": 1 / found.passages,
        }

    def _more_than_name(self, found: FoundChunk) -> float:
        """1, less the more of the question a chunk's name carries, and the less of the rest its text does."""
        named = self.asked.share(found.title)
        return 1 - named * (1 - found.coverage) / (1 - named) if named < 1 else 1.0

    def _is_under_noun(self, passage: Passage, language: str) -> bool:
        """Whether a cell that says more than the question stands in a column with the noun for the answer."""
        return bool(self.noun) and any(
            not self.noun.isdisjoint(terms_of(name, language))
            and not self.asked.words.issuperset(value.casefold().split())
            for name, value in passage.cells
        )


class FoundChunk(NamedTuple):
    """A result, as far as the score of its passages needs it."""

    score: float
    """By the best one, in 0..1."""
    language: str
    passages: int
    """The number of its passages that may answer."""
    coverage: float
    """The share of the question's words that its chunk carries, heading and all."""
    title: frozenset[str]
    """The terms of the chunk's name."""
    bridge: frozenset[str]
    """The terms of what leads to it."""
    focus: frozenset[str]
    """The terms of what is asked, in its language."""
    named: bool
    """Whether it stands below a heading with a name with a number that is asked for."""


def scorer_of(snapshot: Snapshot, retrieval: Answer, most_terms: int) -> tuple[Scorer, list[list[Passage]]]:
    """The scorer of the passages of what was found, and those passages of each chunk that it is for."""
    iris = [result.view.iri for result in retrieval.results]
    passed = [
        chunk for result in retrieval.results for step in result.path for chunk in (step.seed, step.chunk)
    ]
    read = reading.chunks(snapshot.store, list(dict.fromkeys([*iris, *passed])), links=False)
    stored = {each.iri: each for each in read}
    results = [result for result in retrieval.results if result.view.iri in stored]
    sources = [stored[result.view.iri] for result in results]
    main = next(iter(snapshot.lexical.language_counts))
    languages = [each or main for each in snapshot.lexical.languages(each.iri for each in sources)]
    asked = question_terms(snapshot, retrieval.question, retrieval.question_language, most_terms)
    best = max([result.score for result in results], default=0.0)
    names = {term for word in asked.weights for term in word if BEFORE_NUMBER in term}
    focused, noun = focus(retrieval.question), asked_noun(retrieval.question)
    focuses = {language: terms_of(focused, language) for language in {main, *languages}}
    ranks = {source.iri: rank for rank, source in enumerate(sources)}
    cut = {
        iri: passages(chunk, ranks.get(iri, 0))
        for iri, chunk in stored.items()
        if iri in ranks or chunk.chunk.kind is ChunkKind.TABLE
    }
    answering = [list(filter(_is_whole, cut[source.iri])) for source in sources]
    bridges = bridge_terms(sources, results, cut, lambda text: terms_of(text, main), asked.share)
    found = [
        FoundChunk(
            max(result.score, 0.0) / best if best > 0 else 0.0,
            language,
            len(own),
            asked.share(_terms(source, language)),
            terms_of(source.chunk.name, language),
            bridge,
            focuses[language],
            not names.isdisjoint(heading_names(source.chunk.heading)),
        )
        for result, source, language, bridge, own in zip(
            results, sources, languages, bridges, answering, strict=True
        )
    ]
    scorer = Scorer(
        asked,
        asked.part(frozenset().union(*focuses.values())),
        asked_kind(retrieval.question),
        frozenset(each for language in focuses for each in terms(noun, language)[-1:]),
        found,
        frozenset().union(*map(followed_rows, results)),
        frozenset(each for each in names if each.startswith(ITEM)),
        frozenset(each for each in names if each.startswith(BEFORE_NUMBER)),
    )
    return scorer, answering


def _terms(source: StoredChunk, language: str) -> frozenset[str]:
    """The terms of a chunk and what it stands below."""
    chunk = source.chunk
    return frozenset().union(*(terms_of(text, language) for text in (chunk.name, chunk.heading, chunk.text)))


def _is_whole(passage: Passage) -> bool:
    """Whether a passage is more than a heading or a piece of a list."""
    words = in_groups(passage.quote).split(maxsplit=_FEWEST_WORDS)
    return not passage.is_sentence or len(words) >= _FEWEST_WORDS
