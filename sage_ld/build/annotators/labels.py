"""Normalisation of names: what makes two of them name the same entity."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sage_ld.build.languages.identifiers import joined

_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_CACHED: Final = 10_000
_SPACE = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"\s?'(?:s\b|(?=$))", re.IGNORECASE)
_POSSESSIVE_ENDING = re.compile(r"['‘’ʼ`]s?$", re.IGNORECASE)
_SPACE_BEFORE = re.compile(r"\s+([,.;:!?)\]'])")
_SPACE_AFTER = re.compile(r"([(\[])\s+")
_DOTS = re.compile(r"(?<=\w)\.(?!\d)")
_INITIALS = re.compile(r"\b(\w) (?=\w\b)")
_EDGES = " \t\n.,;:!?\"'()[]{}*/\\|-+=~_•†‡§#"
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


@lru_cache(_CACHED)
def entity_label(surface: str) -> str:
    """The label of the entity that `surface` names: same label, same entity.

    Unicode form (NFKC), case, quotation marks, dashes, the spaces that tokenisers put around punctuation,
    the dots of abbreviations, a possessive ending, a leading article and a hyphen between the letters and the
    digits of an identifier make no difference; letters with diacritics stay what they are. A name of nothing
    but punctuation has the label ''.

    >>> entity_label("St. Bonaventure 's"), entity_label("the  Beatles"), entity_label("J. R. R. Tolkien")
    ('st bonaventure', 'beatles', 'jrr tolkien')
    >>> entity_label("KQ-5521") == entity_label("KQ5521")
    True
    >>> entity_label("Ohio ( IL )") == entity_label("Ohio (IL)")
    True
    """
    text = unicodedata.normalize("NFKC", surface).translate(_QUOTES).translate(_DASHES).casefold()
    text = clean_surface(text)
    text = _POSSESSIVE.sub("", text) if text.endswith(("'", "'s")) else text
    text = _INITIALS.sub(r"\1", _DOTS.sub("", text).replace(" & ", " and "))
    text = text.removeprefix("the ")
    return joined(text if ")" in text and "(" in text else text.strip(_EDGES))


def clean_surface(surface: str) -> str:
    """A name as a person would write it: one space between words, none inside brackets or before commas.

    >>> clean_surface(' "Ohio  ( IL )" ,')
    'Ohio (IL)'
    """
    text = _SPACE.sub(" ", surface).strip()
    text = _SPACE_AFTER.sub(r"\1", _SPACE_BEFORE.sub(r"\1", text))
    edges = _EDGES.replace(")", "").replace("(", "") if "(" in text and ")" in text else _EDGES
    begin = len(text) - len(text.lstrip(edges))
    return text[begin:].rstrip(edges.replace(".", "") if text[-2:-1].isupper() else edges)


def preferred_form(forms: Mapping[str, int]) -> str:
    """The label of an entity: the form that most chunks write, the first in code point order among equals.

    A form with a possessive ending counts for the same name without it, where some chunk writes that.

    >>> preferred_form({"Lucan Amery": 1, "Lucan Amery's": 2, "Amery": 2})
    'Lucan Amery'
    >>> preferred_form({"McDonald's": 3})
    "McDonald's"
    """
    counts = dict(forms)
    if possessive := {form for form in forms if _POSSESSIVE_ENDING.search(form)}:
        plain: dict[str, str] = {}
        for form in sorted(forms.keys() - possessive, key=lambda form: (-forms[form], form)):
            plain.setdefault(entity_label(form), form)
        for form in possessive:
            if (name := plain.get(entity_label(form))) is not None:
                counts[name] += counts.pop(form)
    return min(counts, key=lambda form: (-counts[form], form))


def bare_title(title: str) -> str:
    """A title without the qualifier in brackets that tells it from others of the same name.

    >>> bare_title("Casablanca (film)"), bare_title("(What's the Story) Morning Glory?")
    ('Casablanca', "(What's the Story) Morning Glory?")
    """
    return _QUALIFIER.sub("", title) or title
