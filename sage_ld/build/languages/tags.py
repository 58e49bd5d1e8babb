"""Language tags (BCP 47), and the languages of which the words can be analysed.

Files name their language in many ways: `de`, `de_AT.UTF-8`, `deu`, `German`. All become one tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sage_ld.foundation.errors import InputError

ENGLISH: Final = "en"
_TAG: Final = re.compile(
    r"(?P<language>[a-z]{2,3})(-(?P<script>[a-z]{4}))?(-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)"
)
_LONGEST: Final = 35
"""Characters; RFC 5646 asks for room for so many."""
_NO_LANGUAGE: Final = frozenset(("und", "mul", "zxx", "mis"))
"""Tags that say that the language is unknown, or that there are several or none."""


@dataclass(frozen=True, slots=True)
class Stemmer:
    """A language of which tantivy has a stemmer."""

    tag: str
    name: str
    """In English, as tantivy has it."""
    codes: tuple[str, ...]
    """Its codes of three letters (ISO 639-2)."""
    own_name: str
    function_words: bool = True
    """Whether tantivy has a list of its function words."""


STEMMERS: Final = {
    each.tag: each
    for each in (
        Stemmer("ar", "arabic", ("ara",), "العربية", function_words=False),
        Stemmer("da", "danish", ("dan",), "dansk"),
        Stemmer("de", "german", ("deu", "ger"), "deutsch"),
        Stemmer("el", "greek", ("ell", "gre"), "ελληνικά", function_words=False),
        Stemmer(ENGLISH, "english", ("eng",), "english"),
        Stemmer("es", "spanish", ("spa",), "español"),
        Stemmer("fi", "finnish", ("fin",), "suomi"),
        Stemmer("fr", "french", ("fra", "fre"), "français"),
        Stemmer("hu", "hungarian", ("hun",), "magyar"),
        Stemmer("it", "italian", ("ita",), "italiano"),
        Stemmer("nl", "dutch", ("nld", "dut"), "nederlands"),
        Stemmer("no", "norwegian", ("nor", "nob", "nno"), "norsk"),
        Stemmer("pt", "portuguese", ("por",), "português"),
        Stemmer("ro", "romanian", ("ron", "rum"), "română", function_words=False),
        Stemmer("ru", "russian", ("rus",), "русский"),
        Stemmer("sv", "swedish", ("swe",), "svenska"),
        Stemmer("ta", "tamil", ("tam",), "தமிழ்", function_words=False),
        Stemmer("tr", "turkish", ("tur",), "türkçe", function_words=False),
    )
}
"""By their tags."""
_BY_NAME: Final = {
    name: each.tag for each in STEMMERS.values() for name in (each.name, each.own_name, *each.codes)
}
_ANALYSED_AS: Final = {"nb": "no", "nn": "no"}


def normalised_tag(text: str) -> str | None:
    """The language tag that a file's metadata mean; None where they name no single language.

    >>> [normalised_tag(text) for text in ("DE_at", "German", "fre", "zh-hans-cn", "en, de", "und")]
    ['de-AT', 'de', 'fr', 'zh-Hans-CN', None, None]
    """
    written = text.strip(" \t\"'").partition(".")[0].replace("_", "-").lower()
    first, _, rest = written.partition("-")
    written = _BY_NAME.get(first, first) + (f"-{rest}" if rest else "")
    whole = _TAG.fullmatch(written) if len(written) <= _LONGEST else None
    match = whole or _TAG.fullmatch(written.partition("-")[0])
    if match is None or match["language"] in _NO_LANGUAGE:
        return None
    parts = [match["language"]]
    if match["script"]:
        parts.append(match["script"].title())
    if match["region"]:
        parts.append(match["region"].upper())
    return "-".join(parts) + (match["variants"] or "")


def checked_tag(text: str, name: str) -> str:
    """The tag of a language that a user names for the parameter `name`. Raises InputError.

    >>> checked_tag("Klingonisch", "question_language")
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: question_language: 'Klingonisch' is not a language; give a tag \
such as de or pt-BR
    """
    if (tag := normalised_tag(text)) is None:
        raise InputError(f"{name}: {text[:40]!r} is not a language; give a tag such as de or pt-BR")
    return tag


def indexed_language(tag: str | None, default: str = ENGLISH) -> str:
    """The language in which a text with this tag is analysed: the tag without script and region.

    `default` is the tag of a text without one, the setting default_language. Raises InputError for one that
    is no tag.

    >>> indexed_language("de-AT"), indexed_language("nb"), indexed_language(None, "fr")
    ('de', 'no', 'fr')
    """
    language = (tag or checked_tag(default, "default_language")).partition("-")[0].lower()
    return _ANALYSED_AS.get(language, language)
