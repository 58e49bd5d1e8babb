"""Function words by language: articles, pronouns, prepositions, question words. None is a keyword by itself.

Those of English are our own list, by which the ranking was learned; those of other languages are tantivy's
(from the Snowball project), with the words that questions are asked with, which it leaves out.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from sage_ld.build.languages.tags import ENGLISH, STEMMERS

_ENGLISH = """
a about above across after again against all almost along already also although always am among an and
another any are as at away back be became because become been before began behind being below between both
but by came can cannot could did do does doing done down during each either else even ever every few for
from further gave get given go goes had has have having he her here hers herself him himself his how however
i if in including indeed instead into is it its itself just last later less like made make many may me might
mine more moreover most much must my myself near nearly neither never nevertheless next no nor not now of
off often on once one only onto or other others our ours out over own per perhaps rather same several shall
she should since so some something sometimes soon still such than that the their theirs them themselves then
there therefore these they this those though through throughout thus to together too toward towards under
unless until up upon us used very via was we well went were what whatever when where whether which while who
whom whose why will with within without would yet you your yours yourself
"""
ENGLISH_FUNCTION_WORDS: Final = frozenset(_ENGLISH.split())
"""Function words of English, and the verbs and adverbs that begin many sentences."""

_QUESTION_WORDS: Final = {
    "da": "hvem hvad hvornår hvor hvorfor hvordan hvilken hvilket hvilke blev",
    "de": "wer wen wem wessen wann wo woher wohin warum wieso weshalb wofür womit wieviel wurde wurden "
    "worden beim gibt gab",
    "es": "quién quiénes cuándo dónde adónde cómo cuál cuáles cuánto cuánta cuántos cuántas porqué fueron",
    "fr": "quand où comment pourquoi combien quel quelle quels quelles est été sont était étaient fut",
    "it": "quando perché quanto quanta quanti quante cosa quale quali",
    "nl": "wanneer waar waarom hoe hoeveel welke welk werd werden",
    "no": "hvem hva når hvor hvorfor hvordan hvilken hvilket hvilke ble",
    "pt": "onde porquê quanto quanta quantos quantas qual quais foram",
    "sv": "vem vad när var varför hur vilken vilket vilka blev",
}
"""And the forms of *to be* and *to become* that stand in most questions."""


@cache
def has_function_words(language: str) -> bool:
    """Whether there is a list for a language."""
    return (stemmer := STEMMERS.get(language)) is not None and stemmer.function_words


@lru_cache(maxsize=1 << 16)
def is_function_word(word: str, language: str) -> bool:
    """Whether a word, in lower case, is one of the language; never, where there is no list of it.

    >>> is_function_word("die", "de"), is_function_word("die", "en"), is_function_word("die", "pl")
    (True, False, False)
    """
    if language == ENGLISH:
        return word in ENGLISH_FUNCTION_WORDS
    if not has_function_words(language):
        return False
    return word in _question_words(language) or not _remover(language).analyze(word)


@cache
def _question_words(language: str) -> frozenset[str]:
    return frozenset(_QUESTION_WORDS.get(language, "").split())


@cache
def _remover(language: str) -> TextAnalyzer:
    """The chain that leaves nothing of a function word."""
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.stopword(STEMMERS[language].name)).build()
