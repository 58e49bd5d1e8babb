"""Identifiers in a text, found by their shape.

They are numbers of parts, tickets and orders, codes of errors, e-mail addresses, DOIs, and names of functions
and settings of programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

_LEAST_DIGITS: Final = 3
_MOST_DIGITS: Final = 20
_NAME: Final = r"_{0,2}[A-Za-z]\w{0,60}"
_THING: Final = "no|nr|number|id|ref|invoice|order|ticket|case|serial|part|item|sku"
_CLASS: Final = (
    "room|article|form|line|machine|register|plot|bay|shelf|bench|gate|platform|zone|route|lot|clause|unit"
)
"""Words before a number that make it the name of one thing; not those that count parts of the text itself."""
_NOT_A_YEAR: Final = r"(?!(?:1[5-9]|20)..\b)"
_SHAPES: Final = re.compile(
    r"(?P<address>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8})"
    r"|(?P<doi>\b10\.\d{4,9}/[^\s\"<>]{0,200}[^\s\"<>.,;:)\]])"
    rf"|(?P<program>(?<![\w@])(?:{_NAME}(?:(?:\.|::){_NAME}){{0,6}}\(\)|{_NAME}_\w{{1,60}}|{_NAME}(?:::{_NAME}){{1,6}}))"
    r"|(?P<code>(?<![\w@#])(?=[-‐‑.\w]{0,80}?[0-9])[^\W_]{1,40}(?:[-‐‑._][^\W_]{1,40}){0,6}(?![\w@]))"
    rf"|(?:#|\b(?:{_THING})\b\.?:? ?#?)(?P<number>{_NOT_A_YEAR}[0-9]{{4,{_MOST_DIGITS}}})(?!\w|[.,:/-][0-9])",
    re.IGNORECASE,
)
"""Each bounded, so that the work grows with the text."""
_TELLING: Final = re.compile(r"[\d_@(:]")
"""No shape does without these."""
_NUMBER: Final = r"[0-9]{1,6}(?:\.[0-9]{1,4}){0,3}"
_OF_CLASSES: Final = re.compile(rf"(?<![\w-])(?:{_CLASS}) {_NOT_A_YEAR}{_NUMBER}(?![\w%:/-]|[.,][0-9])")
_SHORT: Final = re.compile(
    r"(?<![^\W_])(?<!-)(?P<code>[a-z]{1,4}[-‐‑]?[0-9]{1,4})(?![^\W_]|-|[.,:/][0-9])"
    rf"|(?:#|\b(?:{_THING})\b\.?:? ?#?)(?P<number>{_NOT_A_YEAR}[0-9]{{2,8}})(?!\w|[.,:/-][0-9])"
    r"|(?<![^\W_])(?<![.,:/+-])(?P<padded>0[0-9]{2,7})(?![^\W_]|[.,:/-][0-9])",
    re.IGNORECASE,
)
"""Codes and numbers too short to be told from others by their shape alone."""
_DATES: Final = "jan feb mar apr may jun jul aug sep sept oct nov dec"
_SHORT_CODE: Final = re.compile(
    rf"(?!(?:{_DATES.replace(' ', '|').upper()}|UTC|GMT)[-‐‑]?[0-9])[A-Z]{{1,4}}[-‐‑]?[0-9]{{2,4}}"
)
"""One that names something."""
_OF_CLASS: Final = re.compile(rf"(?:^|\W)({_CLASS})(?: no\.?)?$", re.IGNORECASE)
_OF_NUMBERS: Final = re.compile(
    r"(?:^|[\W_])(?:id|no|nr|number|code|sku|ref|identifier)\.?$|[#№]", re.IGNORECASE
)
_QUANTITY: Final = re.compile(
    r"(?!0x)[0-9][0-9.]*(?:[a-zµ°]{1,4}(?:/[a-z]{1,3})?|x[0-9.]+[a-z]*)", re.IGNORECASE
)
_JOINED_SMALL: Final = re.compile(r"[a-z].*[-‐‑._]|[-‐‑._].*[a-z]")
"""Such as `mid-1990`, `pre-2010`; a code of several parts has capitals."""
_OF_TIMES: Final = frozenset(f"t z utc gmt am pm bc ad bce ce q h {_DATES}".split())
_GROUPS: Final = re.compile(r"[^\W\d_]+|[0-9]+")
_JOINT: Final = re.compile(r"(?<=[^\W\d_])[-‐‑_](?=[0-9])|(?<=[0-9])[-‐‑_](?=[^\W\d_])")
_APART: Final = re.compile(r"(?<=[^\W\d_])(?=[0-9])")


def find_identifiers(text: str) -> Iterator[tuple[int, int]]:
    """The places of the identifiers in a text, in order.

    >>> text = "Order 4711 fixes AB-3401 (kq5521, ann@x.org): load_rows() in a 20-year-old 105kg F-16 of 2019"
    >>> [text[begin:end] for begin, end in find_identifiers(text)]
    ['4711', 'AB-3401', 'kq5521', 'ann@x.org', 'load_rows()']
    """
    return (place for place, is_sure in _places(text) if is_sure)


def find_numbered(text: str) -> Iterator[tuple[int, int]]:
    """The places of short codes, and of numbers behind a word in small letters that makes them a name.

    >>> text = "Machine PM-07 in room 2.07; an F-16, error E217, an A4 page, room 12%, line 2019, 3 rooms"
    >>> [text[begin:end] for begin, end in find_numbered(text)]
    ['PM-07', 'F-16', 'E217', 'room 2.07']
    """
    codes = (match for match in _SHORT.finditer(text) if _SHORT_CODE.fullmatch(match["code"] or ""))
    return (match.span() for match in chain(codes, _OF_CLASSES.finditer(text)))


def find_codes(text: str) -> Iterator[tuple[int, int]]:
    """The places of identifiers, then those of short codes and numbers, as the two above find them."""
    return chain(find_identifiers(text), find_numbered(text))


def leading_identifier(title: str) -> tuple[str, ...]:
    """The identifier with which a title begins: as it is written, and in its other spelling.

    >>> leading_identifier("WI-114 Drying the racks"), leading_identifier("TK5502: a puddle")
    (('WI-114', 'WI114'), ('TK5502', 'TK-5502'))
    >>> leading_identifier("Re: TK-5502"), leading_identifier("WI-114"), leading_identifier("Seven of 4711")
    ((), ('WI-114', 'WI114'), ())
    """
    title = title.lstrip("#([ ")
    found = next((end for begin, end in find_codes(title) if not begin), 0)
    written = title[:found]
    return tuple(dict.fromkeys(filter(None, (written, _JOINT.sub("", written), _APART.sub("-", written)))))


def named_number(name: str, text: str) -> str:
    """The number in a cell or field with the class word that names its column; empty where that names none.

    >>> named_number("Room", "2.07"), named_number("plot no.", "14"), named_number("Rooms", "3")
    ('room 2.07', 'plot 14', '')
    """
    match = _OF_CLASS.search(name)
    return f"{match[1].casefold()} {text}" if match and re.fullmatch(_NUMBER, text) else ""


def is_number_of(name: str, text: str) -> bool:
    """Whether a field or column of that name has in `text` a number that identifies something.

    >>> is_number_of("Ticket no.", "4711"), is_number_of("customer_id", "803"), is_number_of("Pages", "4711")
    (True, True, False)
    """
    return text.isdecimal() and _LEAST_DIGITS <= len(text) <= _MOST_DIGITS and bool(_OF_NUMBERS.search(name))


def keyed_identifiers(text: str) -> Iterator[tuple[str, str]]:
    """The identifiers and short codes in a text, each with the key that all its spellings have in common.

    One that is joined in small letters counts as well, for so people ask; so do the numbers of `keyed_codes`.

    >>> list(keyed_identifiers("Does KQ-5521, kq5521 or V-2.10-AB fit F-22?"))
    [('KQ-5521', 'kq5521'), ('kq5521', 'kq5521'), ('V-2.10-AB', 'v2.10ab'), ('F-22', 'f22')]
    """
    for (begin, end), _ in _places(text):
        yield text[begin:end], _key(text[begin:end])
    yield from keyed_codes(text)


def keyed_codes(text: str) -> Iterator[tuple[str, str]]:
    """The short codes, and the numbers with a word before them or with zeros, that are no identifiers.

    >>> text = "Form F-22 (f22) for PM-07; ticket 253 is 0253 or #253, not 253 or AB-3401"
    >>> [key for _, key in keyed_codes(text)]
    ['f22', 'f22', 'pm07', '253', '253', '253']
    """
    if not any(map(str.isdigit, text)):
        return
    for match in _SHORT.finditer(text):
        if (code := match["code"]) is None:
            number = match["number"] or match["padded"]
            if key := number.lstrip("0"):
                yield number, key
        elif not _is_code(code):
            yield code, _key(code)


def joined(label: str) -> str:
    """A label that is an identifier or a short code as a whole without the signs between letters and digits.

    >>> joined("kq-5521"), joined("an-07"), joined("v-2.10"), joined("catch-22")
    ('kq5521', 'an07', 'v-2.10', 'catch-22')
    """
    if not any(map(str.isdigit, label)):
        return label
    place, _ = next(_places(label), ((0, 0), False))
    return _key(label) if place == (0, len(label)) or _SHORT_CODE.fullmatch(label.upper()) else label


def _places(text: str) -> Iterator[tuple[tuple[int, int], bool]]:
    """The places of what may be an identifier, and whether it is one by its capitals, too."""
    if not _TELLING.search(text):
        return
    for match in _SHAPES.finditer(text):
        word = match["code"]
        if word is None or _is_code(word):
            yield match.span(match.lastgroup or 0), word is None or not _JOINED_SMALL.search(word)


def _key(surface: str) -> str:
    return _JOINT.sub("", surface.casefold().removesuffix("()"))


def _is_code(word: str) -> bool:
    """Whether letters and digits make a code, and not a quantity or a time."""
    groups = _GROUPS.findall(word)
    letters = [each for each in groups if not each.isdigit()]
    digits = sum(len(each) for each in groups if each.isdigit())
    least = _LEAST_DIGITS if sum(map(len, letters)) > 1 else _LEAST_DIGITS + 1
    return bool(
        letters
        and digits >= least
        and not _QUANTITY.fullmatch(word)
        and not _OF_TIMES.issuperset(each.casefold() for each in letters)
    )
