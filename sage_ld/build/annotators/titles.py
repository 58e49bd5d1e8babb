"""Titles as sequences of plain words, and the other names under which a target is known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from sage_ld.build.annotators.labels import bare_title
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.build.languages.identifiers import leading_identifier

_WORD = re.compile(r"(?:\b[^\W\d_]\.\s?){2,20}(?!\w)|\w+|&")
_LETTERS = str.maketrans("øłđðħıŋœæß", "oldohinoas")
_LEAD_NAME = re.compile(r"\s+(?:\(|is\b|was\b|are\b|were\b|,|has\b)|,|\(|$|[.;:](?=\s|$)")
_ALSO_KNOWN = re.compile(
    r"\b(?:known (?:simply |locally )?as|abbreviated(?: as| to)?|nicknamed|formerly|short for|"
    r"styli[sz]ed as|initialised as)\s+(?:the\s+)?[\"“'`]*\s?((?:[A-Z0-9][\w.&'’-]*\s?){1,6})"
)
_ACRONYM = re.compile(r"[(,;]\s?([A-Z][A-Z0-9][A-Z0-9&.-]{0,6})\s?[),;]")
_ARTICLE = re.compile(r"^(?:The|A|An)\s+")
_MAX_LEAD_WORDS = 8


class Word(NamedTuple):
    """A folded word, by which titles are compared, and its place in the text."""

    form: str
    begin: int
    end: int


class AliasKind(IntEnum):
    """The source of a target's name, surest first."""

    TITLE = 0
    """The title as a whole, or the identifier with which it begins: "WI-114" of "WI-114 Drying the racks"."""
    BARE = 1
    """The title without its qualifier: "Bath" of "Bath, Somerset", "Casablanca" of "Casablanca (film)"."""
    LEAD = 2
    """The name with which the target's text begins."""
    OTHER = 3
    """Another name that the text's beginning gives: "also known as …", an acronym in brackets."""


@lru_cache(maxsize=1 << 17)
def fold(word: str) -> str:
    """A word without case, diacritics and dots.

    >>> fold("Łódź"), fold("F.C.")
    ('lodz', 'fc')
    """
    if word.isascii():
        return word.lower() if word.isalnum() else "".join(filter(str.isalnum, word.lower())) or "and"
    plain = unicodedata.normalize("NFKD", word).casefold().translate(_LETTERS)
    return "".join(filter(str.isalnum, plain)) or word


def words(text: str) -> list[Word]:
    """The words of a text with their places; initials in a row are one word.

    >>> [word.form for word in words("J. R. R. Tolkien 's F.C. & Co")]
    ['jrr', 'tolkien', 's', 'fc', 'and', 'co']
    """
    return [Word(fold(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


def forms(text: str) -> list[str]:
    """The words of a text, without their places."""
    return [fold(match) for match in _WORD.findall(text)]


def aliases(title: str, text: str) -> dict[tuple[str, ...], AliasKind]:
    """The names of a target, each as its words, with the surest kind that gives it.

    >>> found = aliases("Wasps RFC", "Wasps Rugby Football Club , known as Wasps , is a team .")
    >>> sorted((" ".join(name), kind.name) for name, kind in found.items())
    [('wasps', 'OTHER'), ('wasps rfc', 'TITLE'), ('wasps rugby football club', 'LEAD')]
    """
    kinds: dict[tuple[str, ...], AliasKind] = {}
    for name, kind in _names(title, text):
        key = tuple(forms(name))
        if len(key) > 1 and key[0] == "the":
            key = key[1:]
        if key and not all(word in STOP_WORDS for word in key):
            kinds.setdefault(key, kind)
    return kinds


def _names(title: str, lead: str) -> Iterator[tuple[str, AliasKind]]:
    bare = bare_title(title)
    yield title, AliasKind.TITLE
    yield bare, AliasKind.BARE
    yield bare.split(",")[0], AliasKind.BARE
    for identifier in leading_identifier(title):
        yield identifier, AliasKind.TITLE
    head = lead.split(" . ")[0]
    match = _LEAD_NAME.search(head, 1)
    first = _ARTICLE.sub("", head[: match.start()] if match else "")
    if _is_name_of(first, title):
        yield first, AliasKind.LEAD
    for match in _ALSO_KNOWN.finditer(head):
        yield match[1], AliasKind.OTHER
    for match in _ACRONYM.finditer(head):
        if fold(match[1]) in _initials(bare, first) or head[: match.start()].strip() in (first, bare):
            yield match[1], AliasKind.OTHER


def _is_name_of(first: str, title: str) -> bool:
    """Whether the words with which a text begins are another form of its title, or the only name it has."""
    first_words = forms(first)
    if (
        not first[:1].isupper()
        or not first_words
        or len(first_words) > _MAX_LEAD_WORDS
        or first_words[0] in STOP_WORDS
    ):
        return False
    whole = forms(title)
    if set(first_words) < set(
        whole
    ):  # only a part of the title: "United States" of "Climate of the United States"
        return whole[: len(first_words)] == first_words
    return not whole or bool(set(first_words) & set(whole) - STOP_WORDS)


def _initials(*names: str) -> set[str]:
    """The first letters of each name's words, with and without its small words."""
    return {
        "".join(word[0] for word in forms(name) if word not in skipped)
        for name in names
        for skipped in (STOP_WORDS, frozenset[str]())
    }
