"""Guesses at the coding of a text from its characters, where one is sure.

Of writings other than Latin, charset-normalizer tells the codings apart. Those of Latin letters have the same
characters in other places (0xE8 is è in windows-1252, and č in windows-1250), and its figures tie; there the
language in which a text then is has to have all of its letters.
"""

from __future__ import annotations

import re
from typing import Final

from sage_ld.build.languages.analysis import detected_language

SAMPLE: Final = 1 << 15
"""Bytes at the first line with characters beyond ASCII, that are looked at."""
_LATIN: Final = ("cp1252", "cp1250", "iso8859-2", "cp1254", "cp1257", "mac-roman", "cp850", "cp437", "cp852")
_OTHERS: Final = (
    *("cp1251", "koi8_r", "iso8859_5", "cp866", "cp1253", "iso8859_7", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
_FOREIGN: Final = "éèêàçñöüäïô"  # in words that other languages took over
_LETTERS: Final = {
    "ca": "àçéèíïóòúü",
    "cs": "áčďéěíňóřšťúůýž",
    "da": "æøåéäöü",
    "de": "äöüßéèàç",
    "en": _FOREIGN,
    "es": "áéíóúñüçï",
    "et": "äöõüšž",
    "fi": "äöåéšž",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "hr": "čćđšž",
    "hu": "áéíóöőúüű",
    "is": "áðéíóúýþæö",
    "it": "àèéìíîòóùú",
    "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž",
    "nl": "ëïéèêöüáóç",
    "no": "æøåéòôüäö",
    "pl": "ąćęłńóśźż",
    "pt": "ãáàâçéêíõóôúü",
    "ro": "ăâîșțşţ",
    "sk": "áäčďéíĺľňóôŕšťúýž",
    "sl": "čšžćđ",
    "sv": "åäöéüà",
    "tr": "çğıöşüâîû",
}
"""The letters beyond ASCII of languages in Latin letters, in lower case."""
_SIGNS: Final = frozenset("“”„‘’‚‹›«»–—…€£§°©®™¿¡·•×÷±½¼¾²³µ†‡‰\xa0\xadİ")
_ODD: Final = re.compile(
    r"(?<=[^\W\d_])(?:[^\w\s\x00-\x7f’–—\xad·]|[²³¹¼½¾])(?=[^\W\d_])|(?<=[a-zß-öø-ÿ])[À-ÖØ-Þ]"
)
"""A sign between two letters, and a great letter after a small one."""
_LEAST_LETTERS: Final = 20
_LEAST_CERTAINTY: Final = 0.7
_MOST_FOREIGN: Final = 0.02
"""The share of letters that a language does not have, as in names, at most."""
_MOST_CHAOS, _LEAST_COHERENCE, _LEAST_LEAD = 0.035, 0.1, 0.05


def sure_coding(data: bytes) -> str:
    """The name of the one coding that a text can have, or nothing.

    >>> text = "Die Brücke über den Fluss wurde aus Stein gebaut, und sie steht für alle, die gehen."
    >>> sure_coding(text.encode("cp1252"))
    'windows-1252'
    """
    sample = _sample(data)
    name = _by_letters(sample) or _by_figures(sample)
    return f"windows-{name[2:]}" if name.startswith("cp125") else name.replace("_", "-")


def _sample(data: bytes) -> bytes:
    """Whole lines from the first one beyond ASCII on; all of one that is longer than the sample."""
    first = next((match.start() for match in re.finditer(rb"[\x80-\xff]", data)), 0)
    begin = max(data.rfind(b"\n", 0, first) + 1, first - SAMPLE // 2)
    sample = data[begin : begin + SAMPLE]
    end = sample.rfind(b"\n")
    return sample[:end] if len(sample) == SAMPLE and end > first - begin else sample


def _by_letters(sample: bytes) -> str:
    """The one coding of Latin letters in which a text has but letters of the language that it then is in."""
    texts = {name: text for name in _LATIN if (text := _decoded(sample, name)) and _fits_its_language(text)}
    return next(iter(texts)) if len(set(texts.values())) == 1 else ""


def _decoded(sample: bytes, name: str) -> str:
    try:
        return sample.decode(name)
    except UnicodeDecodeError:
        return ""


def _fits_its_language(text: str) -> bool:
    letters = _LETTERS.get(detected_language(text, _LEAST_CERTAINTY, _LEAST_LETTERS) or "", "")
    allowed = {*letters, *letters.upper(), *_SIGNS}
    beyond = [sign for sign in text if sign > "\x7f"]
    foreign = sum(sign not in allowed for sign in beyond) + sum(1 for _ in _ODD.finditer(text))
    return bool(letters) and foreign <= _MOST_FOREIGN * len(beyond)


def _by_figures(sample: bytes) -> str:
    """The coding of another writing whose figures leave all others behind."""
    from charset_normalizer import from_bytes  # few files are not UTF-8

    lines = b"\n".join(line for line in sample.split(b"\n") if not line.isascii())
    matches = list(from_bytes(lines, cp_isolation=[*_OTHERS, *_LATIN], preemptive_behaviour=False))
    if not matches or matches[0].encoding not in _OTHERS:
        return ""
    best, *rest = matches
    if best.chaos > _MOST_CHAOS or best.coherence < _LEAST_COHERENCE:
        return ""
    others = [each for each in rest if str(each) != str(best)]
    return best.encoding if all(each.chaos >= best.chaos + _LEAST_LEAD for each in others) else ""
