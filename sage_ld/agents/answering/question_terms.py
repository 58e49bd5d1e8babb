"""The telling words of a question, each with its weight in the corpus."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sage_ld.build.languages.analysis import asked_words, terms
from sage_ld.graph import Snapshot

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

    def share(self, held: frozenset[str]) -> float:
        """The share of the weights that a text with these terms carries, in 0..1."""
        carried = sum(weight for word, weight in self.weights.items() if not held.isdisjoint(word))
        return carried / self.total if self.weights else 0.0


def question_terms(
    snapshot: Snapshot, question: str, question_language: str, most_terms: int
) -> QuestionTerms:
    """The telling words of a question among its first `most_terms` different ones.

    It is in `question_language`; empty: that of most chunks.
    """
    languages = list(snapshot.lexical.language_counts)
    asked = asked_words(question, languages, question_language or languages[0])
    matches = snapshot.lexical.matches(question, question_language or None)
    known = dict(zip(matches.terms, matches.idf.tolist(), strict=True))
    unknown = float(np.log1p((len(snapshot.vectors.iris) + 0.5) / 0.5))
    first = list(dict.fromkeys(asked))[:most_terms]
    telling = [each.terms for each in first if not each.is_function_word] or [each.terms for each in first]
    return QuestionTerms(
        {word: known.get(word, unknown) for word in telling},
        frozenset(_WORD.findall(question.casefold())),
    )


def terms_of(text: str, language: str) -> frozenset[str]:
    """The terms of a text in a language."""
    return frozenset(terms(text, language))
