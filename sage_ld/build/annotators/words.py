"""Closed lists of words, of English where nothing else is said: none is a name or keyword by itself."""

from __future__ import annotations

from typing import Final

from sage_ld.build.languages import ENGLISH
from sage_ld.build.languages.analysis import ENGLISH_FUNCTION_WORDS, is_function_word

_MONTHS_AND_DAYS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
"""
_GERMAN_MONTHS_AND_DAYS = """
januar jänner februar märz april mai juni juli august september oktober november dezember
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
"""
_CONNECTORS = """
of the de del della delle dei di da das dos du la le les las los van von der den ter zu zur al el bin af
"""
_ABBREVIATIONS = "st dr mr mrs ms jr sr mt ft no vs lt col gen sgt rev prof capt gov sen rep"
_EMPTY_CELLS = """
yes no n/a na none unknown tba tbd tbc total totals win won loss lost draw drawn tie tied w l d t
home away neutral nominated various dnf dns dnq did not qualify bye n y x v vs ret retired
"""

STOP_WORDS: Final = ENGLISH_FUNCTION_WORDS
"""Function words of English, and the verbs and adverbs that begin many sentences."""

MONTHS_AND_DAYS: Final = frozenset(_MONTHS_AND_DAYS.split())
"""Parts of dates, which are no names."""

NO_NAMES: Final = STOP_WORDS | MONTHS_AND_DAYS
"""Words that make no name by themselves."""

_OTHER_MONTHS_AND_DAYS: Final = {"de": frozenset(_GERMAN_MONTHS_AND_DAYS.split())}
"""In languages that write them with capitals, too."""


def is_ordinary(word: str, language: str) -> bool:
    """Whether a word, in lower case, is a function word of the language or of English, or part of a date.

    >>> is_ordinary("und", "de"), is_ordinary("und", "en"), is_ordinary("mai", "de")
    (True, False, True)
    """
    if word in NO_NAMES or word in _OTHER_MONTHS_AND_DAYS.get(language, ()):
        return True
    return language != ENGLISH and is_function_word(word, language)


def is_date_word(word: str, language: str) -> bool:
    """Whether a word, in lower case, is a month or a day."""
    return word in MONTHS_AND_DAYS or word in _OTHER_MONTHS_AND_DAYS.get(language, ())


ELIDING: Final = frozenset(("ca", "fr", "it", "oc"))
"""Languages in which an apostrophe joins a noun to the word before it: l'Espagne."""

CONNECTORS: Final = frozenset(_CONNECTORS.split())
"""Words in lower case that join the parts of one name: Bank of the West, Vasco da Gama. Not "and", "for" or
"in", which stand between two names as often."""

ABBREVIATIONS: Final = frozenset(_ABBREVIATIONS.split())
"""Words whose dot does not end a sentence."""

EMPTY_CELLS: Final = frozenset(_EMPTY_CELLS.split())
"""Contents of table cells that stand for no value."""
