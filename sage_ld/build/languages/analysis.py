"""Words: the language of a text, its words of at most 40 bytes, their stems, and words that say little.

Analysis is by tantivy's chains: lower case, stems of the text's language. A term of English is its stem. A
term of another language begins with the language's tag (`de:haus`), so that the stems of two languages never
meet by accident: an index of English texts alone holds nothing but stems.

Detection is offline and always has the same result. py3langid counts byte sequences and knows some hundred
languages; a list of cities or a chemical formula is the likeliest in one of them, too. So a second witness is
asked: the function words of that language, without which nobody writes a paragraph (and more of them than of
English, which quotes foreign titles), or its script.

Function words of English are our own list, by which the ranking was learned; those of other languages are
tantivy's (from the Snowball project), with the words that questions are asked with.
"""

from __future__ import annotations

import io
import re
import unicodedata
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from sage_ld.build.languages.groups import in_groups, is_silent_group
from sage_ld.build.languages.identifiers import keyed_identifiers
from sage_ld.build.languages.tags import ENGLISH, STEMMERS, indexed_language
from sage_ld.foundation.caches import keep

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from py3langid.langid import LanguageIdentifier

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
    if not word.isascii() and is_silent_group(word):
        return True
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
    if not text.isascii():
        text = in_groups(text)
    return list(_analyzer(language if language in STEMMERS else _NO_LANGUAGE).analyze(text))


def compared(text: str) -> str:
    r"""`text` as words are compared: a word is one whatever characters a file writes it in.

    Compatibility forms (NFKC) are those that they stand for, and signs that nobody sees are gone. A word that
    is cut at the end of a line is whole again, but in a list of words that share their end (`Vor- und
    Nachteile`). Positions in the result are not those in `text`.

    >>> compared("the light\u00adhouse, the light-\nhouse, a well-known \ufb01sh, 10\u2076, 3\u00bd")
    'the lighthouse, the lighthouse, a well-known fish, 10 6, 3 1⁄2'
    """
    if "-" in text or not text.isascii():
        text = _CUT_WORD.sub("", text)
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _GLUED_NUMBER.sub(" ", text.translate(_UNSEEN)))


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """The terms of `text` in order; `compared` first, so that both spellings of é are one letter.

    >>> terms("Who created the series (2009)?")
    ['who', 'creat', 'the', 'seri', '2009']
    >>> terms("Häuser", "de")
    ['de:haus']
    """
    return _word_terms(compared(text), language)


def indexed_terms(text: str, language: str = ENGLISH) -> list[str]:
    """The terms by which `text` is found: those of its words, and its names with numbers.

    >>> indexed_terms("See Article 12.")
    ['see', 'articl', '12', 'article#12', '§#12']
    """
    plain = compared(text)
    return [*_word_terms(plain, language), *numbered_names(plain)]


def _word_terms(plain: str, language: str) -> list[str]:
    """The terms of the words of a text that is `compared`, one for each word."""
    analysed = _analysed(plain, language)
    return analysed if language == ENGLISH else [f"{language}:{term}" for term in analysed]


def numbered_names(plain: str) -> list[str]:
    """The names with a number, and the identifiers, in a text that is `compared`.

    Each is one term beside those of its words. A number has up to three digits, so that no year is one, and
    no unit. A part of a text has the sign of sections, too, whatever it is called; an item has parentheses
    around its letter or number.

    >>> numbered_names("Wanderer 31 left; see Article 12 and § 5.2, in 12 days, at 31 March 1987, Room 4b")
    ['wanderer#31', 'article#12', '§#12', '§#5.2', 'room#4b']
    >>> numbered_names("In case (b) the owner(s) of Room 3 pay for KQ-5521.")
    ['room#3', '()#b', '#kq5521']
    """
    items = [f"{ITEM}{BEFORE_NUMBER}{each}" for each in _ITEM.findall(plain)] if "(" in plain else []
    items += (f"{BEFORE_NUMBER}{key}" for _, key in keyed_identifiers(plain))
    if not any(map(str.isdigit, plain)):
        return items
    found = ((each["word"] or each["sign"], each["number"]) for each in _NUMBERED.finditer(plain))
    names = []
    for word, number in found:
        folded = word.casefold()
        if folded not in ENGLISH_FUNCTION_WORDS:
            names.append(f"{folded}{BEFORE_NUMBER}{number}")
        if folded in _SECTION_WORDS:
            names.append(f"{_SECTION}{BEFORE_NUMBER}{number}")
    return names + items


def heading_names(heading: str) -> list[str]:
    """The names with a number of a heading and of those above it; a number that begins one is a section's.

    >>> heading_names("Norm — 2.1 Static loads"), heading_names("Rules — Article 12")
    (['§#2.1'], ['article#12', '§#12'])
    """
    plain = compared(heading)
    own = (f"{_SECTION}{BEFORE_NUMBER}{each}" for each in _SECTION_NUMBER.findall(plain))
    return [*own, *numbered_names(plain)]


@cache
def english_function_terms() -> frozenset[str]:
    """The terms of the words that say nothing of what an English text is about."""
    return frozenset(term for word in ENGLISH_FUNCTION_WORDS for term in terms(word))


def _is_silent_in_english(term: str) -> bool:
    return term in english_function_terms() or (not term.isascii() and is_silent_group(term))


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
    text = compared(question)
    columns = [_word_terms(text, language) for language in languages]
    if [asked_in] == [*languages] == [ENGLISH]:
        return [AskedWord((term,), _is_silent_in_english(term)) for term in columns[0]]
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


def asked_names(question: str, languages: int) -> list[AskedWord]:
    """The names with numbers of a question, which are the same in each of the languages of an index.

    >>> asked_names("Where is Room 12?", 2)
    [AskedWord(terms=('room#12', 'room#12'), is_function_word=False)]
    """
    return [AskedWord((name,) * languages, False) for name in numbered_names(compared(question))]


def asked_identifiers(
    question: str, languages: Sequence[str], asked_in: str
) -> Iterator[tuple[str, list[AskedWord]]]:
    """The name of each identifier of a question, and the words that it is written with there.

    >>> [(name, words)] = asked_identifiers("KQ-5521?", ["en"], "en")
    >>> name, [word.terms for word in words]
    ('#kq5521', [('kq',), ('5521',)])
    """
    for spelling, key in keyed_identifiers(compared(question)):
        yield f"{BEFORE_NUMBER}{key}", asked_words(spelling, languages, asked_in)


def _is_silent(word: str, languages: Sequence[str]) -> bool:
    return any(is_function_word(word, language) for language in languages)


def _function_words(text: str, words: Sequence[str], language: str) -> list[bool]:
    if language == ENGLISH:
        return [_is_silent_in_english(term) for term in _word_terms(text, ENGLISH)]
    return [is_function_word(word, language) for word in words]


_UNSEEN: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
"""Soft hyphens, and blanks and joiners without width."""
_CUT_WORD: Final = re.compile(
    r"(?<=[^\W\d_][^\W\d_])[-\u2010\u00ad]\s+"
    r"(?=[^\W\d_A-ZÀ-ÖØ-Þ]{2})(?!(?:und|oder|bzw|and|or|to|nor|as|bis|et|ou|y|o|e|en|of|och|og|i|lub)\b)"
)
"""A hyphen at the end of a line inside a word."""
BEFORE_NUMBER: Final = "#"
"""Between the word and the number of a term that is a name with a number; in no other term."""
_SECTION: Final = "§"
ITEM: Final = "()"
"""In place of the word, for an item of a list."""
_ITEM: Final = re.compile(r"(?<![\w)])\(([a-z]|[ivx]{1,5}|[0-9]{1,2})\)(?=\W|$)")
_SECTION_WORDS: Final = frozenset(
    {"section", "clause", "chapter", "article", "paragraph", "part", "rule"}
    | {"abschnitt", "kapitel", "artikel", "absatz", "ziffer", "klausel", "punkt"}
    | {"chapitre", "partie", "paragraphe", "sección", "capítulo", "artículo", "cláusula"}
    | {"sezione", "capitolo", "articolo"}
)
"""Words for a part of a text that has a number; a heading may have the number alone."""
_SECTION_NUMBER: Final = re.compile(r"(?:^|(?<=[—>:] ))([0-9]{1,3}(?:\.[0-9]{1,3})*)[.)]? (?=[^\W\d_])")
_NUMBERED: Final = re.compile(
    r"(?<!\w)(?:(?P<word>[^\W\d_]{2,})\.? |(?P<sign>§) ?)"
    r"(?P<number>[0-9]{1,3}(?:\.[0-9]{1,3})*[a-z]?)(?!\w|[.,:/–-][0-9]|\s?[%°])"
)
"""A word and the number after it."""
_GLUED_NUMBER: Final = re.compile(r"(?<=[0-9])(?=[⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞])")
"""Between two numbers which only their form keeps apart."""
SAMPLE: Final = 600
"""Characters of a text that are looked at."""
_LEAST_SHARE: Final = 0.15
"""Of the words of a text that are function words of its language; of real paragraphs it is 0.3 to 0.5."""
_USUAL_SHARE: Final = 0.3
_FORMS: Final = 4
"""Of the likeliest languages, those among which another written form of the first one is looked for."""
_LAST_LATIN: Final = "\u024f"
_WORD: Final = re.compile(r"[^\W\d_]+")


def detected_language(text: str, certainty: float, letters: int, folder: Path | None = None) -> str | None:
    """The language of a text, if its sample has so many letters and the language so high a probability.

    Half as many letters are enough for a sentence with as many function words as real paragraphs have.

    The model is kept in the cache folder `folder`, unpacked.

    >>> detected_language("Die Brücke über den Fluss wurde aus Stein gebaut, und sie steht noch.", 0.9, 40)
    'de'
    >>> detected_language("Hamburg; Berlin; Bremen; Lübeck; Kiel; Flensburg; Schwerin", 0.9, 40)
    """
    sample = text[:SAMPLE]
    words = [word.casefold() for word in _WORD.findall(sample)]
    count = sum(map(len, words))
    if 2 * count < letters:
        return None
    first = _identifier(folder).rank(sample)[:_FORMS]
    best = indexed_language(first[0][0])
    share = sum(share for tag, share in first if indexed_language(tag) == best)
    least = _LEAST_SHARE if count >= letters else _USUAL_SHARE
    return best if share >= certainty and _is_confirmed(best, words, least) else None


def detected_question_language(
    question: str, languages: Mapping[str, int], certainty: float, folder: Path | None = None
) -> str:
    """The language of a question, of those of a graph's chunks (and how many are in each).

    Where no language is certain enough, it is the first one, which most chunks are in. That of a question of
    one word is never certain. The model is kept in the cache folder `folder`, unpacked.
    """
    main = next(iter(languages))
    if len(languages) == 1 or len(_WORD.findall(question)) < 2:
        return main
    shares = _shares(_identifier(folder), question, languages)
    best = max(sorted(shares), key=shares.__getitem__, default=main)
    return best if shares.get(best, 0.0) >= certainty else _language_of_function_words(question, languages)


def _language_of_function_words(question: str, languages: Mapping[str, int]) -> str:
    """The language of which a question has the most function words, two at least; else the first one.

    >>> _language_of_function_words("Wann wurden die Brücken gebaut?", {"en": 9, "de": 1})
    'de'
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    counts = {each: sum(is_function_word(word, each) for word in words) for each in languages}
    main = next(iter(languages))
    best = max(languages, key=counts.__getitem__)
    return best if counts[best] >= max(2, counts[main] + 1) else main


@cache
def _identifier(folder: Path | None) -> LanguageIdentifier:
    """py3langid's model. Unpacking it takes 0.35 s, and reading it unpacked from the cache 0.04 s."""
    from py3langid import __version__
    from py3langid.langid import LanguageIdentifier

    path = None if folder is None else folder / f"py3langid-{__version__}.npz"
    arrays = None if path is None else _kept_arrays(path)
    if arrays is None:
        unpacked = _unpacked()
        arrays = _arrays(io.BytesIO(unpacked))
        if path is not None:
            keep(path, unpacked)
    return LanguageIdentifier(
        arrays["ptc"],
        arrays["pc"],
        arrays["classes"].tolist(),
        _flat(arrays["nextmove"]),
        arrays["out_feat"].tolist(),
        norm_probs=True,
        tk_row=_flat(arrays["nextmove_row"]),
    )


def _unpacked() -> bytes:
    """The model's arrays as an `.npz` file (68 MB)."""
    import lzma

    from py3langid.langid import MODEL_DIR, MODEL_FILE

    with lzma.open(MODEL_DIR / MODEL_FILE) as file:
        return file.read()


def _arrays(file: IO[bytes]) -> dict[str, NDArray[np.generic]]:
    with np.load(file, allow_pickle=False) as arrays:
        return dict(arrays)


def _kept_arrays(path: Path) -> dict[str, NDArray[np.generic]] | None:
    """The model's arrays from the cache; None where they are not there, or the file is damaged."""
    try:
        with path.open("rb") as file:
            return _arrays(file)
    except (OSError, ValueError, EOFError, BadZipFile):
        return None


def _flat(numbers: NDArray[np.generic]) -> array[int]:
    """The numbers in the type whose elements Python reads fastest."""
    flat = array(numbers.dtype.char)
    flat.frombytes(numbers.tobytes())
    return flat


def _shares(identifier: LanguageIdentifier, text: str, among: Collection[str]) -> dict[str, float]:
    """The probability of each language, of those that the model knows and that are `among` the candidates."""
    shares: dict[str, float] = {}
    for tag, share in identifier.rank(text):
        if (language := indexed_language(tag)) in among:
            shares[language] = shares.get(language, 0.0) + share
    total = sum(shares.values())
    return {language: share / total for language, share in shares.items()} if total else {}


def _function_word_count(words: Collection[str], language: str) -> int:
    return sum(is_function_word(word, language) for word in words)


def _is_confirmed(language: str, words: Collection[str], least: float) -> bool:
    if has_function_words(language):
        count = _function_word_count(words, language)
        enough = count >= least * len(words)
        return enough and (language == ENGLISH or count > _function_word_count(words, ENGLISH))
    letters = "".join(words)
    return 2 * sum(letter > _LAST_LATIN for letter in letters) > len(letters)
