"""English for questions: the words of the grammar, and roots by which words of one family are compared.

These are words of the language, not of any graph: what a question is about is bound to the labels of the
graph's own vocabulary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from sage_ld.build.readers.written_values import MONTH_NUMBERS

_WORD: Final = re.compile(r"\w+", re.UNICODE)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORTEST_ROOT: Final = 3
_SHARED: Final = 0.5
"""The part of a word that its beginning has to be to stand for it, as `expect` does for `expectancy`."""

_QUESTION_WORDS = """
which what who whom whose when where how list show give tell name find get display me us all
"""
QUESTION_WORDS: Final = frozenset(_QUESTION_WORDS.split())
_FUNCTION_WORDS = """
a an the this that these those there it its their his her is are was were be been being am do does
did has have had having of in on at by for from to with as and or not no any some every each both so
than then please can could would will shall may i you we they he she them him my your our into about
according data dataset table file different distinct various one ones if same many much also ever
still just only exactly
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
_LIGHT_WORDS = """
make made come came go went get got release released appear appeared exist exists contain contains
include includes included belong belongs lie lies live lives call called out up ago old big number
amount value code type kind sort level long take took see seen occur occurred happen happened known
find found record recorded measured marked put work works worked
"""
LIGHT_WORDS: Final = frozenset(_LIGHT_WORDS.split())
"""Words that say little beside what they join."""
FLAGS: Final = (
    (frozenset({"x"}), frozenset({""})),
    (
        frozenset({"yes", "true", "y", "ja", "oui", "sí", "wahr"}),
        frozenset({"no", "false", "n", "nein", "non", "falsch"}),
    ),
)
"""The words by which columns say yes and no, in lower case."""
IRREGULAR: Final = {
    form: base
    for base, forms in {
        "write": "wrote written",
        "sing": "sang sung",
        "make": "made",
        "come": "came",
        "give": "gave given",
        "take": "took taken",
        "found": "founded",
        "draw": "drew drawn",
        "speak": "spoke spoken",
        "drive": "drove driven",
        "build": "built",
        "buy": "bought",
        "sell": "sold",
        "teach": "taught",
        "lead": "led",
        "win": "won",
        "lose": "lost",
        "grow": "grew grown",
        "know": "knew known",
        "bear": "bore born",
        "begin": "began begun",
        "hold": "held",
        "pay": "paid",
        "send": "sent",
        "spend": "spent",
        "shoot": "shot",
        "run": "ran",
        "wear": "wore worn",
        "weigh": "weight",
        "temp": "temperature",
        "person": "people",
        "child": "children",
        "man": "men",
        "woman": "women",
        "datum": "data",
        "medium": "media",
        "life": "lives",
        "foot": "feet",
        "sex": "sexes",
    }.items()
    for form in forms.split()
}
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
)
NUMBERS: Final = {word: number for number, word in enumerate(_NUMBER_WORDS.split())} | {
    "twenty": 20,
    "thirty": 30,
    "fifty": 50,
    "hundred": 100,
}
MULTIPLES: Final = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 10**6, "billion": 10**9}
PERIODS: Final = frozenset({*MONTH_NUMBERS, "spring", "summer", "autumn", "winter"})
"""Names of parts of a year."""
ORDINALS: Final = {
    form: place
    for place, forms in enumerate(
        ("second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th"), 2
    )
    for form in forms.split()
}
LESS, MORE = "<", ">"
DATED_VERBS: Final = frozenset({"dated", "held", "issued", "placed", "played", "sent", "written"})
"""Verbs for which a column that is only called `date` stands."""
PLACES: Final = ("place", "location", "site", "address", "venue", "city", "town", "shelf")
"""Nouns of columns that `where` asks for."""
_OUTGOINGS: Final = """
charge charges cost costs debit debits debt debts decline declines decrease decreases deficit deficits
drop drops expenditure expenditures expense expenses expensive fee fees lose loses loss losses lost
outflow outflows outgoing outgoings outlay outlays overdraft owe owed owes paid pay payment payments pays
spend spending spends spent withdrawal withdrawals cheap cheaper cheapest
"""
OUTGOINGS: Final = frozenset(_OUTGOINGS.split())
"""Words for amounts that some tables write as negative numbers: the highest cost is then the least one."""
PLAIN_MORE: Final = {"more": MORE, "less": LESS, "fewer": LESS}
"""Comparatives that have no adjective."""
AMOUNTS: Final = ((("price", "cost", "amount", "total", "fee", "sum"), ""),)
"""Nouns of columns that `how much` asks for, where nothing else is named."""


class Quality(NamedTuple):
    """A quantity with adjectives: the nouns that may name it, and words for much and little of it."""

    nouns: tuple[str, ...]
    much: tuple[str, ...]
    little: tuple[str, ...]
    verbs: tuple[str, ...] = ()


DIMENSIONS: Final = (
    Quality(
        ("length", "duration", "runtime", "time"), ("long",), ("short", "brief"), ("last", "run", "take")
    ),
    Quality(
        ("date", "year", "day", "time", "founded", "born"),
        ("new", "late", "recent", "young"),
        ("old", "early", "ancient"),
    ),
    Quality(("weight", "mass"), ("heavy",), ("light",), ("weigh",)),
    Quality(("height", "altitude", "elevation"), ("tall", "high"), ("low", "short")),
    Quality(("speed", "velocity", "acceleration"), ("fast", "quick"), ("slow",)),
    Quality(("price", "cost", "budget", "fee"), ("expensive", "costly"), ("cheap",), ("cost",)),
    Quality(("temperature", "temp"), ("hot", "warm"), ("cold", "cool")),
    Quality(("population", "size", "area", "inhabitants"), ("large", "big", "great"), ("small", "little")),
    Quality(("population", "inhabitants"), ("populous",), ()),
    Quality(("power", "horsepower"), ("powerful", "strong"), ("weak",)),
    Quality(("precipitation", "rain"), ("wet", "rainy"), ("dry",)),
    Quality(("wealth", "income", "fortune"), ("rich",), ("poor",)),
    Quality(("thickness", "pages"), ("thick",), ("thin",)),
    Quality(("depth",), ("deep",), ("shallow",)),
    Quality(("width",), ("wide", "broad"), ("narrow",)),
    Quality(("age",), ("old",), ("young",)),
    Quality(("rating", "score"), ("good",), ("bad",)),
    Quality(("goals", "points", "score"), (), (), ("score",)),
    Quality(("salary", "wage", "pay", "earnings"), (), (), ("earn",)),
)
_DEGREES: Final = {
    "best": "good", "better": "good", "worst": "bad", "worse": "bad", "latest": "late", "last": "late",
    "first": "early", "newest": "new", "furthest": "far", "later": "late",
}  # fmt: skip
PLAIN_MOST: Final = {
    **dict.fromkeys(
        ("most", "highest", "largest", "greatest", "biggest", "maximum", "maximal", "max", "top"), MORE
    ),
    **dict.fromkeys(("fewest", "least", "lowest", "smallest", "minimum", "minimal", "min", "bottom"), LESS),
}
"""Words for the most or the least of whatever is named beside them."""
COMPARISONS: Final[Mapping[tuple[str, ...], str]] = {
    ("more", "than"): ">", ("greater", "than"): ">", ("higher", "than"): ">", ("larger", "than"): ">",
    ("bigger", "than"): ">", ("over",): ">", ("above",): ">", ("exceeding",): ">", ("beyond",): ">",
    ("less", "than"): "<", ("fewer", "than"): "<", ("lower", "than"): "<", ("smaller", "than"): "<",
    ("under",): "<", ("below",): "<", ("at", "least"): ">=", ("no", "less", "than"): ">=",
    ("no", "fewer", "than"): ">=", ("at", "most"): "<=", ("no", "more", "than"): "<=", ("up", "to"): "<=",
    ("after",): ">", ("since",): ">=", ("before",): "<", ("until",): "<=", ("by", "the", "end", "of"): "<=",
    ("later", "than"): ">", ("earlier", "than"): "<", ("prior", "to"): "<", ("exactly",): "=",
}  # fmt: skip
AFTER_NUMBER: Final[Mapping[tuple[str, ...], str]] = {
    ("or", "more"): ">=", ("or", "fewer"): "<=", ("or", "less"): "<=", ("or", "longer"): ">=",
    ("or", "later"): ">=", ("or", "earlier"): "<=", ("or", "above"): ">=", ("or", "below"): "<=",
}  # fmt: skip
AGGREGATES: Final = {"average": "avg", "mean": "avg", "total": "sum", "sum": "sum"}
SHARE: Final = "shares of one"
"""The unit of a column that shows percentages; no word of a question."""
UNITS: Final = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), ("time", 1.0)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("time", 60.0)),
    **dict.fromkeys(("hour", "hours", "h", "hrs"), ("time", 3600.0)),
    **dict.fromkeys(("millisecond", "milliseconds", "ms"), ("time", 0.001)),
    **dict.fromkeys(("g", "gram", "grams"), ("mass", 1.0)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilos"), ("mass", 1000.0)),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), ("mass", 453.59237)),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeters"), ("length", 0.001)),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeters"), ("length", 0.01)),
    **dict.fromkeys(("m", "metre", "metres", "meters"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometers"), ("length", 1000.0)),
    **dict.fromkeys(("mile", "miles"), ("length", 1609.344)),
    **dict.fromkeys(("dollar", "dollars", "usd"), ("dollars", 1.0)),
    **dict.fromkeys(("euro", "euros", "eur"), ("euros", 1.0)),
    **dict.fromkeys(("degree", "degrees"), ("degrees", 1.0)),
    **dict.fromkeys(("percent", "pct"), ("percent", 1.0)),
    SHARE: ("percent", 100.0),
}  # fmt: skip
"""Names of units: what they measure, and how many of its base unit one is."""


def fold(text: str) -> str:
    """A word or text without case and accents.

    >>> fold("Björk")
    'bjork'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in plain if not unicodedata.combining(each))


def words(text: str) -> list[str]:
    """The words of a text, folded; `_` and a capital within a word part it.

    >>> words("SoloArtist"), words("Miles_per_Gallon"), words("X&Y")
    (['solo', 'artist'], ['miles', 'per', 'gallon'], ['x', 'y'])
    """
    return [fold(word) for word in _WORD.findall(_CAMEL.sub(" ", text).replace("_", " "))]


def key(text: str) -> str:
    """A text as the index of values has it: its words as they are written, folded, with one space between.

    >>> key("R.E.M."), key("PG-13")
    ('r e m', 'pg 13')
    """
    return " ".join(_WORD.findall(fold(text)))


@lru_cache(4096)
def inflected(word: str) -> str:
    """The root of a word without the endings of number, tense and degree.

    >>> [inflected(word) for word in ("albums", "comedies", "wrote", "produced", "running", "movies")]
    ['album', 'comedi', 'writ', 'produc', 'run', 'movi']
    """
    if word in IRREGULAR:
        word = IRREGULAR[word]
    for ending, instead in (("ies", "i"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(ending)] + instead
            break
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            word = _undoubled(word[: -len(ending)])
            break
    if len(word) > 3 and word.endswith("y"):
        return word[:-1] + "i"
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def bases(word: str) -> tuple[str, ...]:
    """The words of which a word may be the plural, or the adjective of a place.

    >>> bases("comedies"), bases("European"), bases("Japanese")
    (('comedie', 'comedi', 'comedy'), ('Europea', 'Europe'), ('Japanes', 'Japan'))
    """
    stems = [
        word[: -len(ending)] for ending in ("s", "es", "n", "an", "e", "ese", "ish") if word.endswith(ending)
    ]
    if word.endswith("ies"):
        stems.append(word[:-3] + "y")
    return tuple(each for each in stems if len(each) > _SHORTEST_ROOT)


def _undoubled(root: str) -> str:
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "ls" else root


@lru_cache(4096)
def family(word: str) -> str:
    """The root that a word shares with its verb and its agent.

    >>> family("writer") == family("written"), family("producer") == family("produced")
    (True, True)
    >>> family("distributor") == family("distribute"), family("rating") == family("rated")
    (True, True)
    """
    root = inflected(word)
    for ending in ("ation", "tion", "ion", "ment", "er", "or", "ist", "ity", "ar", "al", "t"):
        if root.endswith(ending) and len(root) - len(ending) >= _SHORTEST_ROOT:
            return root[: -len(ending)].rstrip("et") or root
    return root.rstrip("et") or root


@lru_cache(1 << 14)
def likeness(word: str, other: str) -> float:
    """How surely two words name one thing: 1 for one word, less for one family, 0 for nothing in common.

    >>> likeness("albums", "album"), likeness("expectancy", "expect"), likeness("cat", "dog")
    (1.0, 0.8, 0.0)
    """
    if word == other or inflected(word) == inflected(other):
        return 1.0
    if min(len(word), len(other)) > _SHORTEST_ROOT and family(word) == family(other):
        return 0.9
    short, long = sorted((inflected(word), inflected(other)), key=len)
    if long.startswith(short) and len(short) >= max(_SHORTEST_ROOT, _SHARED * len(long)):
        return 0.8
    return 0.7 if len(short) == _SHORTEST_ROOT and long.startswith(short) and len(long) > 8 else 0.0


def degree(word: str) -> tuple[str, str] | None:
    """The adjective of a comparative or superlative, and `er` or `est`; None for other words.

    >>> degree("longest"), degree("heavier"), degree("newest"), degree("forest")
    (('long', 'est'), ('heavy', 'er'), ('new', 'est'), None)
    """
    if word in _DEGREES:
        return _DEGREES[word], "er" if word in ("better", "worse", "later") else "est"
    for ending in ("est", "er"):
        if not word.endswith(ending):
            continue
        stem = word[: -len(ending)]
        for base in (stem, stem + "e", stem[:-1] + "y" if stem.endswith("i") else stem, stem[:-1]):
            if base in _ADJECTIVES:
                return base, ending
    return None


_ADJECTIVES: Final = frozenset(each for dimension in DIMENSIONS for each in dimension.much + dimension.little)


def nouns_of(adjective: str) -> list[tuple[tuple[str, ...], str]]:
    """The nouns of what an adjective or a verb measures, with MORE or LESS, by each of its meanings."""
    nouns = []
    for dimension in DIMENSIONS:
        if adjective in dimension.much or adjective in dimension.verbs:
            nouns.append((dimension.nouns, MORE))
        elif adjective in dimension.little:
            nouns.append((dimension.nouns, LESS))
    return nouns


def opposite(nouns: list[tuple[tuple[str, ...], str]]) -> list[tuple[tuple[str, ...], str]]:
    """What is measured, the other way: `least expensive` is what `cheap` has most of."""
    return [(each, LESS if way == MORE else MORE) for each, way in nouns]
