"""Highlights: the words of a question and of a chunk that match, as the indexes analyse them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.analysis import asked_words, terms
from sage_ld.foundation.deadline import Check, each_checked, unchecked
from sage_ld.foundation.model import ChunkView
from sage_ld.graph import Snapshot

_WORD: Final = re.compile(r"[^\W_]+")


class MatchedWord(NamedTuple):
    """A word of a text that matches: offsets in code points, the end exclusive, and its term."""

    begin: int
    end: int
    term: str
    """The form in which the indexes have the word: its stem, after a tag where that is not English."""


@dataclass(frozen=True, slots=True)
class Highlights:
    """The words that a question and a chunk share, function words left out."""

    question: tuple[MatchedWord, ...] = ()
    name: tuple[MatchedWord, ...] = ()
    text: tuple[MatchedWord, ...] = ()
    language: str = ENGLISH
    """The language in which the chunk is analysed."""

    @property
    def terms(self) -> frozenset[str]:
        """The terms that match."""
        return frozenset(span.term for span in (*self.name, *self.text))


def highlights(
    snapshot: Snapshot,
    question: str,
    views: Sequence[ChunkView],
    question_language: str = "",
    check: Check = unchecked,
) -> dict[str, Highlights]:
    """Chunk IRI -> what of it matches the question; takes time in proportion to the texts and what matches.

    `question_language` is the one in which the question was taken; empty: that of most chunks. `check` ends
    the work by raising an error.
    """
    languages = list(snapshot.lexical.language_counts)
    asked = _asked(question, languages, question_language or languages[0])
    spoken = [each or languages[0] for each in snapshot.lexical.languages(view.iri for view in views)]
    places = {language: _places(marked(question, language, asked, check)) for language in set(spoken)}
    return {
        view.iri: _of(view, language, asked, places[language], check)
        for view, language in zip(views, spoken, strict=True)
    }


def marked(
    text: str, language: str, wanted: Collection[str], check: Check = unchecked
) -> tuple[MatchedWord, ...]:
    """The words of a text that have one of the wanted terms in a language; `check` ends the work by an error.

    >>> marked("The bridges", "en", {"bridg"})
    (MatchedWord(begin=4, end=11, term='bridg'),)
    """
    found = []
    for match in each_checked(_WORD.finditer(text), check):
        term = _term(match.group(), language)
        if term and term in wanted:
            found.append(MatchedWord(match.start(), match.end(), term))
    return tuple(found)


def _of(
    view: ChunkView,
    language: str,
    asked: Collection[str],
    places: Mapping[str, Sequence[MatchedWord]],
    check: Check,
) -> Highlights:
    name, text = (marked(each, language, asked, check) for each in (view.name, view.text))
    shared = {span.term for span in (*name, *text)}
    return Highlights(tuple(sorted(span for term in shared for span in places[term])), name, text, language)


def _places(words: Sequence[MatchedWord]) -> Mapping[str, Sequence[MatchedWord]]:
    """The words of a question by their terms."""
    places: defaultdict[str, list[MatchedWord]] = defaultdict(list)
    for word in words:
        places[word.term].append(word)
    return places


def _asked(question: str, languages: Sequence[str], asked_in: str) -> frozenset[str]:
    """The terms of the question's words in each language; of function words only where there is no other."""
    words = asked_words(question, languages, asked_in)
    content = [word for word in words if not word.is_function_word] or words
    return frozenset(term for word in content for term in word.terms if term)


@lru_cache(maxsize=1 << 16)
def _term(word: str, language: str) -> str:
    """The term of a word; empty if it has none, as one that is too long has."""
    return next(iter(terms(word, language)), "")
