"""Names in running text, found by how they are written.

A name is a sequence of capitalised words, with the small words, initials and numerals that belong to it
("Bank of the West", "J. K. Rowling", "World War II", "1998 Winter Olympics"), what stands in quotation marks
and begins with a capital, or an identifier, which is no part of a longer name. A word that is capitalised
only because it begins a sentence is no name.
Where every noun has a capital, as in German, `sage_ld.build.annotators.noun_capitals` finds the names among
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from sage_ld.build.annotators import noun_capitals
from sage_ld.build.annotators.words import (
    ABBREVIATIONS,
    CONNECTORS,
    ELIDING,
    STOP_WORDS,
    is_date_word,
    is_ordinary,
)
from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.identifiers import find_identifiers, find_numbered

_TOKEN = re.compile(r"\w+(?:[-–'’&/]\w+)*|\n|[^\w\s]")
_ELIDED_TOKEN = re.compile(r"\w+(?:[-–&/]\w+)*|\n|[^\w\s]")
_QUOTED = re.compile(r"[\"“„«]\s?([^\"“”„«»\n]{2,80}?)\s?[\"”»]")
_ENDS = frozenset('.!?\n:;•*"“”()')
_CENTURIES = frozenset(("17", "18", "19", "20"))
_MAX_WORDS = 10
_MAX_CONNECTORS = 2
_MASK = "\N{BROKEN BAR}"


class Span(NamedTuple):
    """A name's place in the text that was given."""

    begin: int
    end: int


class _Token(NamedTuple):
    text: str
    begin: int
    end: int
    name: bool
    """Capitalised, and not a date's part."""
    first: bool
    """Begins a sentence, so that its capital says nothing."""


def find_names(text: str, known: Set[str] = frozenset(), language: str = ENGLISH) -> list[Span]:
    """The names in `text`, in order; a quoted title may hold another name.

    `known` are words, in lower case, that are names even where they begin a sentence (those of the title).

    >>> text = "In 1998 the Bank of England hired J. K. Rowling. She wrote about World War II."
    >>> [text[span.begin : span.end] for span in find_names(text)]
    ['Bank of England', 'J. K. Rowling', 'World War II']
    >>> text = "Fixes AB-3401: the Gasket KQ-5521 leaks."
    >>> [text[span.begin : span.end] for span in find_names(text)]
    ['AB-3401', 'Gasket', 'KQ-5521']
    """
    codes = [Span(*place) for place in find_identifiers(text)]
    tokens = _tokens(_masked(text, codes), language)
    spans: set[Span | None]
    if language in noun_capitals.LANGUAGES:
        names = noun_capitals.names([token[:4] for token in tokens], known, language)
        spans = {Span(begin, end) for begin, end in names}
    else:
        inner = {token.text.casefold() for token in tokens if token.name and not token.first} | known
        spans = {_trimmed(run, inner, language) for run in _runs(tokens)}
    spans |= {Span(*match.span(1)) for match in _QUOTED.finditer(text) if _is_title(match[1])}
    numbered = (Span(*place) for place in find_numbered(text))
    return sorted({*codes, *numbered, *(span for span in spans if span is not None)})


def _masked(text: str, codes: Sequence[Span]) -> str:
    """The text with signs that are no part of a name in place of identifiers, which stand in order."""
    pieces, at = list[str](), 0
    for begin, end in codes:
        pieces += text[at:begin], _MASK * (end - begin)
        at = end
    return "".join([*pieces, text[at:]])


def _tokens(text: str, language: str) -> list[_Token]:
    tokens: list[_Token] = []
    first = True
    pattern = _ELIDED_TOKEN if language in ELIDING else _TOKEN
    for match in pattern.finditer(text):
        word = match[0]
        name = word[0].isupper() and not is_date_word(word.casefold(), language)
        tokens.append(_Token(word, match.start(), match.end(), name, first))
        if word == ".":
            first = not (len(tokens) > 1 and _takes_dot(tokens[-2]))
        elif word[0].isalnum() or word not in "'’":
            first = word in _ENDS
    return tokens


def _takes_dot(token: _Token) -> bool:
    """Whether a dot after this word belongs to it: an initial or an abbreviation."""
    return token.name and (len(token.text) == 1 or token.text.casefold() in ABBREVIATIONS)


def _runs(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """The longest sequences of tokens that are written as one name."""
    end = 0
    for position, token in enumerate(tokens):
        if position < end:
            continue
        if token.name or (_is_year(token.text) and _two_names_at(tokens, position + 1)):
            end = _run_end(tokens, position)
            yield tokens[position:end]


def _run_end(tokens: list[_Token], position: int) -> int:
    end = position + 1
    while end < len(tokens) and end - position < _MAX_WORDS:
        step = _step(tokens, end)
        if not step:
            break
        end += step
    return end


def _step(tokens: list[_Token], at: int) -> int:
    """The number of tokens from `at` on that continue the name that ends before it; 0 if it ends there."""
    token, before = tokens[at], tokens[at - 1]
    if token.name:
        return 0 if token.first and before.text not in "." else 1
    if token.text == "." and _takes_dot(before):
        return 2 if _name_at(tokens, at + 1) else 1
    if token.text.isdigit() and len(token.text) <= 3 and before.name:
        return int(before.text.casefold() not in STOP_WORDS)
    for length in range(1, _MAX_CONNECTORS + 1):
        joined = [each.text for each in tokens[at : at + length]]
        if not joined or joined[-1] not in CONNECTORS:
            return 0
        if _name_at(tokens, at + length):
            return length + 1
    return 0


def _name_at(tokens: list[_Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].name


def _two_names_at(tokens: list[_Token], at: int) -> bool:
    """A year belongs to a name of two words ("1998 Winter Olympics"), not to one ("a 1962 American film")."""
    return _name_at(tokens, at) and _name_at(tokens, at + 1)


def _is_year(word: str) -> bool:
    return word[:2] in _CENTURIES and len(word) in (4, 7) and word[:4].isdigit()


def _trimmed(run: list[_Token], inner: Set[str], language: str) -> Span | None:
    """The run without what its place in the sentence capitalised; None if nothing is left."""
    while run and is_ordinary(run[0].text.casefold(), language) and run[0].text != "US":
        run = run[1:]
    if not run or (len(run) == 1 and not _is_name_alone(run[0], inner)):
        return None
    return Span(run[0].begin, run[-1].end)


def _is_name_alone(token: _Token, inner: Set[str]) -> bool:
    word = token.text
    if len(word) < 2:
        return False
    return not token.first or word.casefold() in inner or (word.isupper() and word.isalpha())


def _is_title(quoted: str) -> bool:
    words = quoted.split()
    return bool(words) and words[0][0].isupper() and len(words) <= _MAX_WORDS
