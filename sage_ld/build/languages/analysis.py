"""Text analysis by tantivy's chains: words of at most 40 bytes, lower case, stems of the text's language.

A term of English is its stem. A term of another language begins with the language's tag (`de:haus`), so that
the stems of two languages never meet by accident: an index of English texts alone holds nothing but stems.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from sage_ld.build.languages.function_words import ENGLISH_FUNCTION_WORDS, is_function_word
from sage_ld.build.languages.tags import ENGLISH, STEMMERS

LONGEST_TERM = 40
"""Bytes; longer words (hashes, base64) are noise that would only swell the dictionary."""
_NO_LANGUAGE: Final = ""


@cache
def _analyzer(language: str) -> TextAnalyzer:
    """The chain of a language; without stems where there is no stemmer for it."""
    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_TERM))
    builder = builder.filter(Filter.lowercase())
    stemmer = STEMMERS.get(language)
    return (builder.filter(Filter.stemmer(stemmer.name)) if stemmer else builder).build()


def _analysed(text: str, language: str) -> list[str]:
    return list(_analyzer(language if language in STEMMERS else _NO_LANGUAGE).analyze(text))


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """The terms of `text` in order; composed first, so that both spellings of é are one letter.

    >>> terms("Who created the series (2009)?")
    ['who', 'creat', 'the', 'seri', '2009']
    >>> terms("Häuser", "de")
    ['de:haus']
    """
    analysed = _analysed(unicodedata.normalize("NFC", text), language)
    return analysed if language == ENGLISH else [f"{language}:{term}" for term in analysed]


@cache
def _english_function_terms() -> frozenset[str]:
    return frozenset(term for word in ENGLISH_FUNCTION_WORDS for term in terms(word))


class AskedWord(NamedTuple):
    """A word of a question."""

    terms: tuple[str, ...]
    """Its term in each language of the index; empty in a language in which it is not looked for."""
    is_function_word: bool
    """Whether it says nothing of what is asked for, in the language of the question."""


def asked_words(question: str, languages: Sequence[str], asked_in: str) -> list[AskedWord]:
    """The words of a question that is asked in one language of an index with several, the main one first.

    How rare a word is says how much it tells, in the main language. Of the others there may be few texts, in
    which even `die` is rare: so in all other pairs of languages no function word of either is looked for,
    unless the question has no other words.

    >>> asked_words("die Brücken", ["en", "de"], "de")
    [AskedWord(terms=('brücken', 'de:bruck'), is_function_word=False)]
    """
    text = unicodedata.normalize("NFC", question)
    columns = [terms(text, language) for language in languages]
    if [asked_in] == [*languages] == [ENGLISH]:
        return [AskedWord((term,), term in _english_function_terms()) for term in columns[0]]
    words = _analysed(text, _NO_LANGUAGE)
    functions = _function_words(text, words, asked_in)
    kept = [
        [
            term if language == asked_in == languages[0] or not _is_silent(word, (asked_in, language)) else ""
            for word, term in zip(words, column, strict=True)
        ]
        for language, column in zip(languages, columns, strict=True)
    ]
    if not any(map(any, kept)):
        kept = columns
    asked = map(AskedWord, zip(*kept, strict=True), functions)
    return [word for word in asked if any(word.terms)]


def _is_silent(word: str, languages: Sequence[str]) -> bool:
    return any(is_function_word(word, language) for language in languages)


def _function_words(text: str, words: Sequence[str], language: str) -> list[bool]:
    if language == ENGLISH:
        return [term in _english_function_terms() for term in terms(text)]
    return [is_function_word(word, language) for word in words]
