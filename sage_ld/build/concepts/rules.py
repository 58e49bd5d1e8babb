"""Rules that say whether two terms name the same thing: from their letters alone, without a model.

A rule that tells two terms apart comes before any that says they are the same: numbers and part numbers,
negation, opposites, endings that carry meaning. What no rule decides is open.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Final, NamedTuple

from sage_ld.build.concepts.terms import LONG_WORD, TermForm, american


class Decision(StrEnum):
    """A decision about two terms."""

    SAME = "same"
    DIFFERENT = "different"
    OPEN = "open"


class AliasVerdict(NamedTuple):
    """A decision about two terms, and the rule that made it."""

    decision: Decision
    reason: str


_NEGATING: Final = ("un", "non", "in", "im", "il", "ir", "dis", "anti", "an", "a")
_OPPOSED_BEGINNINGS: Final = (
    ("hyper", "hypo"), ("sub", "super"), ("sub", "hyper"), ("super", "hyper"), ("en", "de"), ("in", "out"),
    ("im", "ex"), ("up", "down"), ("pro", "eu"), ("pre", "post"), ("intra", "inter"), ("micro", "macro"),
    ("mono", "poly"), ("over", "under"), ("endo", "exo"), ("homo", "hetero"), ("maxi", "mini"),
)  # fmt: skip
_OPPOSED_ENDINGS: Final = (
    ("or", "ee"), ("er", "ee"), ("or", "ress"), ("er", "ress"), ("less", "ful"),
    ("ide", "ite"), ("ide", "ate"), ("ite", "ate"), ("ane", "ene"), ("ane", "yne"), ("ene", "yne"),
    ("ane", "anol"), ("ene", "anol"), ("ane", "ol"), ("one", "olone"), ("ine", "osine"), ("ous", "ic"),
)  # fmt: skip
_OPPOSITES: Final = (
    "north south east west central", "northern southern eastern western", "left right",
    "upper lower", "top bottom",
    "high low", "higher lower", "maximum minimum", "max min", "major minor", "leading trailing", "front rear",
    "input output", "inner outer", "internal external", "primary secondary", "positive negative", "home away",
    "men women", "man woman", "male female", "boy girl", "boys girls", "king queen", "prince princess",
    "laminar turbulent", "acute chronic", "benign malignant", "serial parallel", "big little", "old new",
    "young old", "actor actress", "junior senior", "before after", "gold silver bronze", "black white",
    "import export",
    "spring summer autumn winter", "day night", "buy sell", "with without", "open closed", "fixed variable",
    "net gross", "civil criminal", "liberal conservative", "anode cathode",
)  # fmt: skip
_SCALES: Final = tuple(frozenset(words.split()) for words in _OPPOSITES)


def compare(left: TermForm, right: TermForm) -> AliasVerdict:
    """The verdict of the rules on two terms; symmetric.

    >>> from sage_ld.build.concepts.terms import term_form
    >>> compare(term_form("20th century"), term_form("twentieth century"))
    AliasVerdict(decision=<Decision.SAME: 'same'>, reason='spelling')
    >>> compare(term_form("steady flow"), term_form("unsteady flow")).reason
    'negation'
    """
    if apart := _difference(left, right):
        return AliasVerdict(Decision.DIFFERENT, apart)
    if alike := _sameness(left, right):
        return AliasVerdict(Decision.SAME, alike)
    return AliasVerdict(Decision.OPEN, "")


def alias_rule(left: TermForm, right: TermForm) -> str:
    """The rule by which `compare` says that two terms are the same; '' where it does not.

    It looks for what tells them apart only where something joins them, which is what takes longer.
    """
    alike = _sameness(left, right)
    return "" if alike and _difference(left, right) else alike


def _difference(left: TermForm, right: TermForm) -> str:
    """The rule by which two terms differ; '' if there is none."""
    if left.identifiers != right.identifiers:
        return "numbers"
    if left.negative != right.negative:
        return "negation"
    ours, theirs = _rest(left.words, right.words)
    for one in ours:
        for other in theirs:
            if _is_negated(one, other) or _is_negated(other, one):
                return "negation"
            if _are_opposed(one, other):
                return "opposites"
    return ""


def _sameness(left: TermForm, right: TermForm) -> str:
    """The rule by which two terms are the same; '' if there is none."""
    if left.spellings & right.spellings:
        return "spelling"
    if left.stems == right.stems and left.stems:
        return "inflection"
    if _abbreviates(left, right) or _abbreviates(right, left):
        return "abbreviation"
    if _is_acronym(left, right) or _is_acronym(right, left):
        return "acronym"
    ours, theirs = _rest(left.words, right.words)
    if len(ours) == len(theirs) == 1 and _is_slip(american(ours[0]), american(theirs[0])):
        return "one edit"
    return ""


def _rest(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The words that each of two terms has and the other lacks."""
    ours, theirs = Counter(left), Counter(right)
    return list((ours - theirs).elements()), list((theirs - ours).elements())


def _is_negated(word: str, plain: str) -> bool:
    return any(word == prefix + plain for prefix in _NEGATING if len(plain) > 2)


def _are_opposed(one: str, other: str) -> bool:
    if any(one in scale and other in scale for scale in _SCALES):
        return True
    return any(
        _differ_by(one, other, *pair, begin=True) or _differ_by(other, one, *pair, begin=True)
        for pair in _OPPOSED_BEGINNINGS
    ) or any(
        _differ_by(one, other, *pair, begin=False) or _differ_by(other, one, *pair, begin=False)
        for pair in _OPPOSED_ENDINGS
    )


def _differ_by(one: str, other: str, ours: str, theirs: str, *, begin: bool) -> bool:
    """Whether two words are the same but for two beginnings, or endings."""
    if begin:
        return one.startswith(ours) and other.startswith(theirs) and one[len(ours) :] == other[len(theirs) :]
    one, other = one.removesuffix("s"), other.removesuffix("s")
    return one.endswith(ours) and other.endswith(theirs) and one[: -len(ours)] == other[: -len(theirs)]


def _abbreviates(short: TermForm, long: TermForm) -> bool:
    """Whether each word of `short` is that of `long`, or a dotted abbreviation of it; one word is whole.

    A single letter at the end (`Tony M.`) may stand for too many names.
    """
    if not short.abbreviated or len(short.words) != len(long.words) or len(short.words[-1]) == 1:
        return False
    whole = [word for place, word in enumerate(short.words) if place not in short.abbreviated]
    if not any(len(word) > 2 and word.isalpha() for word in whole):
        return False
    return all(
        one == other or (place in short.abbreviated and _is_short_for(one, other))
        for place, (one, other) in enumerate(zip(short.words, long.words, strict=True))
    )


def _is_acronym(short: TermForm, long: TermForm) -> bool:
    """Whether `short` is written with the initials of `long`; two letters without dots fit too many names."""
    is_telling = len(short.acronym) > 2 or len(short.words) > 1
    return is_telling and short.acronym in long.initials


def _is_short_for(short: str, word: str) -> bool:
    """Whether `short` begins like a word and has only letters of it, in their order."""
    letters = iter(word)
    return word[:1] == short[:1] and len(short) < len(word) and all(each in letters for each in short)


def _is_slip(one: str, other: str) -> bool:
    """Whether one edit inside makes one long word of the other; first and last letters carry meaning."""
    if min(len(one), len(other)) < LONG_WORD - 1 or max(len(one), len(other)) < LONG_WORD:
        return False
    return one[:1] == other[:1] and one[-1:] == other[-1:] and is_one_edit(one, other)


def is_one_edit(one: str, other: str) -> bool:
    """Whether two words differ by one letter more, less, other, or by two neighbours exchanged.

    >>> is_one_edit("entrepreneur", "enterpreneur"), is_one_edit("iran", "iraq"), is_one_edit("a", "abc")
    (True, True, False)
    """
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    begin = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[begin:] == other[begin + 1 :]
    swapped = other[begin + 1 : begin + 2] + other[begin : begin + 1]
    return one[begin + 1 :] == other[begin + 1 :] or (
        one[begin : begin + 2] == swapped and one[begin + 2 :] == other[begin + 2 :]
    )
