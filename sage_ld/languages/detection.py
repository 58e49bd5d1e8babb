"""Detection of a text's language, offline and always with the same result.

py3langid counts byte sequences and knows some hundred languages; a list of cities or a chemical formula is
the likeliest in one of them, too. So a second witness is asked: the function words of that language, without
which nobody writes a paragraph (and more of them than of English, which quotes foreign titles), or its
script.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from sage_ld.languages.function_words import has_function_words, is_function_word
from sage_ld.languages.tags import ENGLISH, indexed_language

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE: Final = 600
"""Characters of a text that are looked at."""
_LEAST_SHARE: Final = 0.15
"""Of the words of a text that are function words of its language; of real paragraphs it is 0.3 to 0.5."""
_FORMS: Final = 4
"""Of the likeliest languages, those among which another written form of the first one is looked for."""
_LAST_LATIN: Final = "\u024f"
_WORD: Final = re.compile(r"[^\W\d_]+")


@cache
def _identifier() -> LanguageIdentifier:
    """The model, 4.5 MB, loaded at first use (half a second)."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detected_language(text: str, certainty: float, letters: int) -> str | None:
    """The language of a text, if its sample has so many letters and the language so high a probability.

    >>> detected_language("Die Brücke über den Fluss wurde aus Stein gebaut, und sie steht noch.", 0.9, 40)
    'de'
    >>> detected_language("Hamburg; Berlin; Bremen; Lübeck; Kiel; Flensburg; Schwerin", 0.9, 40)
    """
    sample = text[:SAMPLE]
    words = [word.casefold() for word in _WORD.findall(sample)]
    if sum(map(len, words)) < letters:
        return None
    first = _identifier().rank(sample)[:_FORMS]
    best = indexed_language(first[0][0])
    share = sum(share for tag, share in first if indexed_language(tag) == best)
    return best if share >= certainty and _is_confirmed(best, words) else None


def detected_question_language(question: str, languages: Mapping[str, int], certainty: float) -> str:
    """The language of a question, of those of a graph's chunks (and how many are in each).

    Where no language is certain enough, it is the first one, which most chunks are in. That of a question of
    one word is never certain.
    """
    main = next(iter(languages))
    if len(languages) == 1 or len(_WORD.findall(question)) < 2:
        return main
    shares = _shares(question, languages)
    best = max(sorted(shares), key=shares.__getitem__, default=main)
    return best if shares.get(best, 0.0) >= certainty else main


def _shares(text: str, among: Collection[str]) -> dict[str, float]:
    """The probability of each language, of those that the model knows and that are `among` the candidates."""
    shares: dict[str, float] = {}
    for tag, share in _identifier().rank(text):
        if (language := indexed_language(tag)) in among:
            shares[language] = shares.get(language, 0.0) + share
    total = sum(shares.values())
    return {language: share / total for language, share in shares.items()} if total else {}


def _function_words(words: Collection[str], language: str) -> int:
    return sum(is_function_word(word, language) for word in words)


def _is_confirmed(language: str, words: Collection[str]) -> bool:
    if has_function_words(language):
        count = _function_words(words, language)
        enough = count >= _LEAST_SHARE * len(words)
        return enough and (language == ENGLISH or count > _function_words(words, ENGLISH))
    letters = "".join(words)
    return 2 * sum(letter > _LAST_LATIN for letter in letters) > len(letters)
