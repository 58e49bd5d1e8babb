"""A term as the rules of alias detection read it: its words, stems, numbers, and the keys that aliases share.

Nothing here needs a model or other terms.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sage_ld.build.languages.analysis import terms as stemmed

_TOKEN = re.compile(r"\w+")
_POSSESSIVE = re.compile(r"['’]s?\b")
_NUMBER = re.compile(r"(\d+)(st|nd|rd|th|s)?")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))


def _words(text: str) -> list[str]:
    return text.split()


FUNCTION_WORDS: Final = frozenset(_words("a an and at by for from in of on or the to with"))
LEGAL_FORMS: Final = frozenset(_words("co corp gmbh inc llc ltd plc"))
LONG_WORD: Final = 8
"""Letters from which one edit in a word may be a slip; shorter words that differ by one are many."""
LONGEST_TERM: Final = 200
"""Characters of a term that the rules read at most: what is longer names nothing, and takes its square."""
_SHORT: Final = 4
"""Letters up to which a word has one spelling: `roe` is not `re`."""
_UNITS: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_ORDINALS: Final = _words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ROMAN: Final = _words("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")
_ORDINAL: Final = "th"
_WORD_NUMBERS: Final = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: f"{value}{_ORDINAL}" for value, word in enumerate(_ORDINALS, 1)},
    **{word: str(value) for value, word in enumerate(_ROMAN, 1) if len(word) > 1},
}
_LAST_LETTERS: Final = {"i": "1", "v": "5", "x": "10"}
_BRITISH: Final = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"ae|oe", "e"),
        (r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)\b)", "iz"),
        (r"ys(?=(?:e|ed|es|er|ing)\b)", "yz"),
        (r"(?<=\w\w)our", "or"),
        (r"(?<=[tb])re(?=s?\b)", "er"),
        (r"(?<=\w)ogue(?=s?\b)", "og"),
        (r"(?<=\w)mme(?=s?\b)", "m"),
        (r"lume?inium", "luminum"),
        (r"sulph", "sulf"),
        (r"plough", "plow"),
        (r"(?<=\w\w)ence(?=s?\b)", "ense"),
        (r"ll(?=(?:ed|er|ers|ing)\b)", "l"),
    )
)


@dataclass(frozen=True, slots=True)
class TermForm:
    """The parts of a term that the rules compare."""

    text: str
    words: tuple[str, ...]
    """Its words without function words, in lower case and without diacritics; numbers in digits."""
    stems: tuple[str, ...]
    """Their stems, sorted."""
    identifiers: tuple[str, ...]
    """Numbers, part numbers, and single letters that tell one thing from the next (`hepatitis B`), sorted."""
    spellings: frozenset[str]
    """Its letters and digits without anything between, in each spelling; aliases by spelling share one."""
    acronym: str
    """Its letters, if it is written like an acronym; else ''."""
    initials: frozenset[str]
    """The acronyms that its words may have."""
    abbreviated: frozenset[int]
    """The places in `words` of those that a dot follows."""

    @property
    def negative(self) -> frozenset[str]:
        """The words that say no."""
        return NEGATIONS.intersection(self.words)


NEGATIONS: Final = frozenset(_words("no non not never without nor"))


def term_form(text: str) -> TermForm:
    """The form of a term; without any part where it is longer than `LONGEST_TERM`, so no rule joins it.

    >>> term_form("the Second World War").words, term_form("World War II").stems
    (('2th', 'world', 'war'), ('2', 'war', 'world'))
    >>> sorted(term_form("World Health Organization").initials), term_form("U.S.").acronym
    (['who'], 'us')
    """
    if len(text) > LONGEST_TERM:
        return TermForm(text, (), (), (), frozenset(), "", frozenset(), frozenset())
    composed = unicodedata.normalize("NFKC", text).translate(_DASHES)
    plain = _unmarked(composed.casefold().replace("&", " and "))
    tokens, dotted, identifiers = _tokens(_POSSESSIVE.sub("", plain))
    telling = [place for place, each in enumerate(tokens) if place in dotted or each not in FUNCTION_WORDS]
    kept = telling or list(range(len(tokens)))
    words = tuple(tokens[place] for place in kept)
    numbers = {word for word in words if any(map(str.isdigit, word))}
    abbreviated = {number for number, place in enumerate(kept) if place in dotted}
    return TermForm(
        text,
        words,
        tuple(sorted(stem for word in words for stem in _stems(word))),
        tuple(sorted(numbers | identifiers)),
        _spellings(composed.casefold(), words),
        _acronym(composed, tokens),
        _initials(plain, words),
        frozenset(abbreviated),
    )


@lru_cache(maxsize=1 << 16)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stemmed(word))


@lru_cache(maxsize=1 << 16)
def american(text: str) -> str:
    """A text in lower case with American in place of British spellings; for comparing, not for reading.

    >>> american("colour theatre") == american("color theater")
    True
    """
    for pattern, to in _BRITISH:
        text = pattern.sub(to, text)
    return text


def _unmarked(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.translate(_LETTERS))
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def _tokens(text: str) -> tuple[list[str], set[int], set[str]]:
    """The tokens with numbers in digits, which of them a dot follows, and letters that identify."""
    tokens: list[str] = []
    dotted: set[int] = set()
    identifiers: set[str] = set()
    matches = list(_TOKEN.finditer(text))
    for place, match in enumerate(matches):
        token, end, begin = match.group(), match.end(), match.start()
        is_dotted = text[end : end + 1] == "." and not token.isdigit()
        is_last = place == len(matches) - 1 and place > 0
        if (number := _NUMBER.fullmatch(token)) is not None:
            ending = _ORDINAL if number.group(2) not in (None, "s") else number.group(2) or ""
            token = (number.group(1).lstrip("0") or "0") + ending
        elif token in _WORD_NUMBERS:
            token = _WORD_NUMBERS[token]
        elif len(token) == 1 and token.isalpha() and not is_dotted and place > 0:
            if is_last and token in _LAST_LETTERS and text[begin - 1] == " ":
                token = _LAST_LETTERS[token]
            elif is_last or text[begin - 1] == "-":
                identifiers.add(token)
        if is_dotted:
            dotted.add(place)
        tokens.append(token)
    return tokens, dotted, identifiers


def _spellings(text: str, words: tuple[str, ...]) -> frozenset[str]:
    expanded = _unmarked(text.translate(_UMLAUTS))
    variants = {"".join(words), "".join(american(word) if len(word) > _SHORT else word for word in words)}
    if any(mark in text for mark in "äöüøå"):
        variants.add("".join(_TOKEN.findall(expanded)))
    if len(words) > 1 and words[-1] in LEGAL_FORMS:
        variants.add("".join(words[:-1]))
    return frozenset(variants - {""})


def _acronym(text: str, tokens: list[str]) -> str:
    if len(tokens) > 1 and all(len(token) == 1 and token.isalpha() for token in tokens):
        return "".join(tokens)
    bare = text.replace(".", "").strip()
    return bare.casefold() if bare.isalpha() and bare.isupper() and 2 <= len(bare) <= 6 else ""


def _initials(plain: str, words: tuple[str, ...]) -> frozenset[str]:
    """Of the words with and without function words, and with and without what follows a hyphen."""
    split = [[token for token in _TOKEN.findall(part)] for part in plain.split()]
    whole = [tokens[0] for tokens in split if tokens]
    if len(words) < 2 or any(map(str.isdigit, plain)):
        return frozenset()
    parts = [token for tokens in split for token in tokens]
    variants = (
        [token for token in tokens if keep or token not in FUNCTION_WORDS]
        for tokens in (whole, parts)
        for keep in (False, True)
    )
    return frozenset("".join(token[0] for token in each) for each in variants if 2 <= len(each) <= 6)
