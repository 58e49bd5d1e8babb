"""Names of a list, found in texts word for word, whatever their case."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from sage_ld.build.annotators.labels import entity_label
from sage_ld.build.annotators.words import is_ordinary

_MARKS: Final = r"\u0300-\u036F\u0591-\u05BD\u0610-\u061A\u064B-\u065F\u0900-\u0963\u0970-\u0DF3"
"""Accents of their own, and vowel signs of Hebrew, Arabic and Indic scripts, which `\\w` leaves out."""
_WORD: Final = re.compile(rf"[\w{_MARKS}]+")
_JOINT: Final = re.compile(r"[^\S\n]*\n?[^\S\n]*|[-‐‑–'’/]|\.[^\S\n]?|[^\S\n]?&[^\S\n]?")
_MOST_WORDS: Final = 6
_LEAST_LETTERS: Final = 3


class NamedPlace(NamedTuple):
    """A place in a text, and what is named there."""

    target: str
    begin: int
    end: int


def name_key(name: str) -> str:
    """The words of a name, by which it is looked up: case, Unicode form (NFKC) and signs do not count.

    >>> name_key("Hurdy-Gurdy"), name_key("Vielle à roue")
    ('hurdy gurdy', 'vielle à roue')
    """
    return " ".join(_folded(match[0]) for match in _WORD.finditer(name))


def label_keys(text: str) -> list[str]:
    """The labels that a name in a text may be: that of its entity, and the key of a listed name.

    >>> label_keys("the Wheel-fiddle"), label_keys("Mira Tolland")
    (['wheel-fiddle', 'wheel fiddle'], ['mira tolland'])
    """
    return list(dict.fromkeys((entity_label(text), name_key(text).removeprefix("the "))))


def is_telling(key: str, language: str) -> bool:
    """Whether a name in a language tells something where it stands in small letters.

    It has at most six words, of which one has three letters, and is neither a number nor a function word.

    >>> is_telling("shawm", "en"), is_telling("it", "en"), is_telling("und", "de"), is_telling("1912", "en")
    (True, False, False, False)
    """
    words = key.split()
    return len(words) <= _MOST_WORDS and any(
        sum(map(str.isalpha, word)) >= _LEAST_LETTERS and not is_ordinary(word, language) for word in words
    )


def find_listed(text: str, target_of: Callable[[str], str | None]) -> Iterator[NamedPlace]:
    r"""The names in a text, in order; `target_of` gives what a key names. At each place the longest counts.

    >>> named = {"shawm": "x:shawm", "alto shawm": "x:alto"}.get
    >>> [tuple(place) for place in find_listed("A shawm, or an\nAlto-Shawm.", named)]
    [('x:shawm', 2, 7), ('x:alto', 15, 25)]
    """
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        found, step = None, 1
        for number, key in _runs(text, words, at):
            if (target := target_of(key)) is not None:
                found, step = NamedPlace(target, words[at].start(), words[at + number - 1].end()), number
        if found is not None:
            yield found
        at += step


def _runs(text: str, words: list[re.Match[str]], at: int) -> Iterator[tuple[int, str]]:
    """The runs of words from one on that may be one name: how many, and their key."""
    key = _folded(words[at][0])
    yield 1, key
    for number, (one, other) in enumerate(pairwise(words[at : at + _MOST_WORDS]), 2):
        if not _JOINT.fullmatch(text, one.end(), other.start()):
            return
        key = f"{key} {_folded(other[0])}"
        yield number, key


@lru_cache(1 << 16)
def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
