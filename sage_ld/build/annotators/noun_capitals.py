"""Names in languages that write every noun with a capital: German and Luxembourgish.

A capital says little there, so that what stands around the word must say it. Nouns in succession are a name
("Lucan Amery", "Deutsche Bank"). A noun alone is one if it is part of such a name or of the title, or stands
right behind a preposition as places and people do ("in Bremen"), and nowhere in the text behind an article or
an adjective, as common nouns do ("die alte Brücke"). What is written in capitals is an abbreviation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, TypeAlias

from sage_ld.build.annotators.words import is_ordinary

Token: TypeAlias = tuple[str, int, int, bool]
"""A word or mark, where it begins and ends in the text, and whether it has a capital and is no date."""

LANGUAGES: Final = frozenset(("de", "lb"))
_CONNECTORS: Final = frozenset(("von", "van", "de", "del", "della", "di", "da", "du", "la", "le"))
_PREPOSITIONS: Final = frozenset(("in", "nach", "bei", "von"))
"""Behind which a name stands without an article."""
_ENDINGS: Final = ("e", "en", "er", "es", "em")
"""Of adjectives before a noun."""
_WORDS = """
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines im am zum zur
vom beim ins ans aufs dieser diese dieses diesen diesem jeder jede jedes jeden jedem sein seine seinen seinem
seiner seines ihr ihre ihren ihrem ihrer ihres mein meine unser unsere
"""
_DETERMINERS: Final = frozenset(_WORDS.split())
"""Articles, also those that are joined with a preposition, and the pronouns that stand in their place."""


def names(tokens: Sequence[Token], known: Set[str], language: str) -> list[tuple[int, int]]:
    """Begin and end of each name; `known` are the words of the title, in lower case.

    >>> words = "Die Brücke in Bremen entwarf Lucan Amery .".split()
    >>> tokens = [(word, number, number + 1, word[0].isupper()) for number, word in enumerate(words)]
    >>> [" ".join(words[begin:end]) for begin, end in names(tokens, frozenset(), "de")]
    ['Bremen', 'Lucan Amery']
    """
    runs = [trimmed for run in _runs(tokens) if (trimmed := _trimmed(tokens, run, language))]
    long = [run for run in runs if len(run) > 1 and not _is_counted(tokens, run)]
    parts = {tokens[at][0].casefold() for run in long for at in run} | known
    common = {tokens[run[0]][0] for run in runs if len(run) == 1 and _follows_article(tokens, run[0])}
    alone = [run for run in runs if len(run) == 1 and _is_name_alone(tokens, run[0], parts, common)]
    return sorted((tokens[run[0]][1], tokens[run[-1]][2]) for run in (*long, *alone))


def _runs(tokens: Sequence[Token]) -> Iterator[list[int]]:
    """The longest sequences of words with capitals, and the small words that join names."""
    run: list[int] = []
    for at, (word, _, _, name) in enumerate(tokens):
        joins = word in _CONNECTORS and at + 1 < len(tokens) and tokens[at + 1][3]
        if name or (run and joins):
            run.append(at)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _trimmed(tokens: Sequence[Token], run: list[int], language: str) -> list[int]:
    """The run without the function words with which a sentence begins."""
    while run and is_ordinary(tokens[run[0]][0].casefold(), language):
        run = run[1:]
    return run


def _is_counted(tokens: Sequence[Token], run: Sequence[int]) -> bool:
    """Whether a run is a noun with what belongs to it: "die Zahl von Menschen", "40 Meter Höhe"."""
    joined = any(tokens[at][0] in _CONNECTORS for at in run[1:2])
    before = tokens[run[0] - 1][0] if run[0] else ""
    return before[-1:].isdigit() or (joined and (not before or _follows_article(tokens, run[0])))


def _follows_article(tokens: Sequence[Token], at: int) -> bool:
    """Whether an article or a pronoun stands before a word, or an adjective behind one."""
    before = _lower(tokens, at - 1)
    if before in _DETERMINERS:
        return True
    if not before.endswith(_ENDINGS):
        return False
    first = _lower(tokens, at - 2)
    return first in _DETERMINERS or first in _PREPOSITIONS


def _lower(tokens: Sequence[Token], at: int) -> str:
    return tokens[at][0].casefold() if at >= 0 else ""


def _is_name_alone(tokens: Sequence[Token], at: int, parts: Set[str], common: Set[str]) -> bool:
    word = tokens[at][0]
    if len(word) < 2:
        return False
    if word.isupper() and word.isalpha():
        return True
    behind = _lower(tokens, at - 1) in _PREPOSITIONS
    return word not in common and (behind or word.casefold() in parts)
