"""Decomposition: a question that asks of two things, or asks twice, as several questions, fused afterwards.

The rules are those of one language each; a question in a language without rules stays whole. They look at
words once, from left to right, so a long question costs no more than its length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sage_ld.retrieval.rankings.method import Ranked

MOST_PARTS: Final = 4
"""Questions that one is split into; of one with more parts the whole is asked."""
DEPTH: Final = 100
"""Results of each part that are fused, at least, so that pages of an answer fit together."""
_MARKS: Final = " .,;:!?\"'()"
_ASKING: Final = frozenset(
    {
        *("who", "whom", "whose", "what", "which", "when", "where", "why", "how"),
        *("is", "are", "was", "were", "do", "does", "did", "has", "have", "had"),
        *("can", "could", "will", "would", "should"),
    }
)
"""Words that a question begins with: a question mark may also stand in a name."""
_JOINING: Final = frozenset({"and", "or", "but", "then", "also", "in", "at", "on", "by", "for", "from", "to"})
_VERSUS: Final = frozenset({"vs", "versus"})
_COMPARE: Final = frozenset({"compare", "contrast"})
_COMPARED: Final = frozenset({"and", "with", "to"})
_BETWEEN: Final = frozenset(
    {
        *("difference", "differences", "distinction", "comparison", "similarity", "similarities"),
        *("relation", "relationship", "connection", "contrast"),
    }
)
"""Nouns after which `between A and B` names two things, and not a span of time."""


def parts(question: str, language: str | None) -> tuple[str, ...]:
    """The questions that a question consists of; the question itself where it is one.

    >>> parts("What is the difference between a raft and a ferry?", "en")
    ('a raft', 'a ferry')
    >>> parts("Who built it? When did it sink?", "en")
    ('Who built it?', 'When did it sink?')
    >>> parts("Welche Fähre fuhr zwischen 1950 und 1960?", "de")
    ('Welche Fähre fuhr zwischen 1950 und 1960?',)
    """
    rules = _RULES.get((language or "").partition("-")[0])
    split = rules(question) if rules else ()
    return tuple(split) if 2 <= len(split) <= MOST_PARTS else (question,)


def fused(rankings: Sequence[Sequence[Ranked]], constant: int) -> list[Ranked]:
    """One ranking of several by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).

    The score of a chunk is the sum of `1 / (constant + rank)`, scaled so that one that is first in all has 1.
    Its parts and path are those of the ranking in which it stands highest.
    """
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, Ranked]] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, 1):
            scores[each.iri] = scores.get(each.iri, 0.0) + 1 / (constant + rank)
            if each.iri not in best or rank < best[each.iri][0]:
                best[each.iri] = rank, each
    highest = len(rankings) / (constant + 1)
    order = sorted(scores, key=lambda iri: (-scores[iri], best[iri][0], iri))
    return [replace(best[iri][1], score=scores[iri] / highest) for iri in order]


def _english(question: str) -> Sequence[str]:
    questions = [each.strip() for each in question.split("?") if each.strip(_MARKS)]
    if len(questions) > 1:
        return [f"{each}?" for each in questions] if all(map(_asks, questions[1:])) else ()
    written = question.rstrip(" ?.!").split()
    words = _words(question)
    for rule in (_versus, _compare, _between):
        if (cut := rule(words)) is not None:
            begin, middle = cut
            pair = [" ".join(written[begin:middle]), " ".join(written[middle + 1 :])]
            pair = [each.strip(_MARKS) for each in pair]
            return pair if all(pair) else ()
    return ()


def _words(text: str) -> list[str]:
    """The words of a text in small letters, one for each stretch without white space."""
    return [each.lower().strip(_MARKS) for each in text.rstrip(" ?.!").split()]


def _asks(text: str) -> bool:
    """Whether a text begins as a question does, with or without a joining word before."""
    words = _words(text)
    return len(words) > 1 and (words[0] in _ASKING or (words[0] in _JOINING and words[1] in _ASKING))


def _versus(words: Sequence[str]) -> tuple[int, int] | None:
    """The begin of the first thing, and the word between the two: `compare A vs B`."""
    at = [place for place, word in enumerate(words) if word in _VERSUS]
    return (int(words[0] in _COMPARE), at[0]) if len(at) == 1 and words[0] not in _ASKING else None


def _compare(words: Sequence[str]) -> tuple[int, int] | None:
    """Likewise: `compare A and B`."""
    return _pair(words, 0, _COMPARED) if words and words[0] in _COMPARE else None


def _between(words: Sequence[str]) -> tuple[int, int] | None:
    """Likewise: `the difference between A and B`."""
    for place in range(1, len(words)):
        if words[place] == "between" and words[place - 1] in _BETWEEN:
            return _pair(words, place, frozenset({"and"}))
    return None


def _pair(words: Sequence[str], place: int, joints: frozenset[str]) -> tuple[int, int] | None:
    """The pair that follows the word at a place, if one of the `joints` stands between."""
    for middle in range(place + 2, len(words) - 1):
        if words[middle] in joints:
            return place + 1, middle
    return None


_RULES: Final[Mapping[str, Callable[[str], Sequence[str]]]] = {"en": _english}
"""The rules of a language, by its tag: from a question to its parts."""
