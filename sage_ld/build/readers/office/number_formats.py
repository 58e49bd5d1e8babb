"""Numbers as a spreadsheet shows them, by the number formats of ISO/IEC 29500-1, §18.8.30 and §18.8.31.

A format adds text, pads, scales, groups digits, rounds, and makes fractions, days and times of numbers. What
it shows is the text of a cell, and the number behind it is its value.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?,*(?:[eE][+-]0+)?|\.[0#?]+,*)|(?P<slash>/\s?[0-9?#]+)|(?P<other>.)"
)
_CONDITION: Final = re.compile(r"\[(?P<sign><=|>=|<>|<|>|=)(?P<bound>-?[0-9]{1,15}(?:\.[0-9]{1,15})?)\]")
_GENERAL: Final = re.compile("general", re.IGNORECASE)
_SEPARATED: Final = re.compile(r'"[^"]*"|\\.|.', re.DOTALL)
_COLOUR: Final = re.compile(r"(?:\[[^\]<>=]*\])+")
"""A section that says but a color or a language: it shows the number as it is."""
_OF_TEXTS: Final = 3
"""The place of the section for texts."""
_MOST_DIGITS: Final = 26  # decimals are computed with 28
_DIGITS: Final = 15  # significant ones that a number shows; the rest is what is left of binary fractions
LONGEST_FORMAT: Final = 255
"""Characters of a format that is followed, as many as Excel allows."""


def plain_number(number: float) -> str:
    """A number as a sheet shows it without a format."""
    if abs(number) < 10**_DIGITS and number == int(number):
        return str(int(number))
    return f"{number:.{_DIGITS}g}"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A literal of a format, or a place for digits."""

    text: str
    is_digits: bool = False


@dataclass(frozen=True, slots=True)
class _Section:
    """A section of a format in its pieces."""

    pieces: tuple[_Piece, ...]
    denominator: str
    """Of a fraction; else empty."""

    @property
    def places(self) -> tuple[_Piece, ...]:
        """The pieces that are places for digits."""
        return tuple(piece for piece in self.pieces if piece.is_digits)


@lru_cache(maxsize=1_024)
def _parsed(section: str) -> _Section:
    pieces, denominator = [], ""
    for token in _TOKEN.finditer(section):
        if token["digits"] is not None:
            pieces.append(_Piece(token["digits"], is_digits=True))
        elif token["slash"] is not None:
            denominator = token["slash"][1:].strip()
        else:
            literal = token["quoted"] or token["escaped"] or token["currency"] or token["other"] or ""
            pieces.append(_Piece(literal))
    return _Section(tuple(pieces), denominator)


def shows_nothing(number: float, code: str) -> bool:
    """Whether the section of a code for a number is empty, or has but blanks.

    >>> [shows_nothing(number, '0;-0;""') for number in (5, -5, 0)], shows_nothing(5, ";;;")
    ([False, False, True], True)
    >>> shows_nothing(5, "[Red]"), shows_nothing(0, "[=0];General")
    (False, True)
    """
    if not code or len(code) > LONGEST_FORMAT or not math.isfinite(number):
        return False
    section = _section(number, code)[0]
    return section is not None and not _COLOUR.fullmatch(section) and _is_blank(section)


def hides_texts(code: str) -> bool:
    """Whether a code has a section for texts that shows none.

    >>> hides_texts(";;;"), hides_texts(";;;@"), hides_texts("0;-0;0")
    (True, False, False)
    """
    sections = _split(code) if len(code) <= LONGEST_FORMAT else ()
    return len(sections) > _OF_TEXTS and _is_blank(sections[_OF_TEXTS])


def _is_blank(section: str) -> bool:
    """Whether a section has no place for digits, and no literal that can be seen."""
    parsed = _parsed(section)
    return not parsed.denominator and not any(
        piece.is_digits or piece.text.strip() for piece in parsed.pieces
    )


def shown_number(number: float, code: str) -> str | None:
    r"""A number by a format's code; None where the code says nothing of numbers, or cannot be followed.

    >>> [shown_number(501, "00000"), shown_number(83, '0" kg"'), shown_number(12.5, "#,##0.00\\ [$€-407]")]
    ['00501', '83 kg', '12.50 €']
    >>> [shown_number(0.75, "# ?/?"), shown_number(1234567, "#,##0"), shown_number(0.125, "0.0%")]
    ['3/4', '1,234,567', '12.5%']
    """
    if not code or len(code) > LONGEST_FORMAT or not math.isfinite(number):
        return None
    section, value = _section(number, code)
    if section is None or "@" in section:
        return None
    if _GENERAL.search(section):
        section = _GENERAL.sub(f'"{plain_number(abs(value))}"', section)
    parsed = _parsed(section)
    if parsed.denominator:
        return _fraction(value, parsed)
    if not parsed.places:
        text = "".join(piece.text for piece in parsed.pieces).strip()
        return f"-{text}" if text and value < 0 else text or ("" if not section else None)
    amount = Decimal(plain_number(value))
    return _filled(amount * 100 if _is_share(parsed) else amount, parsed)


def _is_share(section: _Section) -> bool:
    return any(piece.text == "%" for piece in section.pieces if not piece.is_digits)


def _section(number: float, code: str) -> tuple[str | None, float]:
    """The section of a code that a number is shown by, and the number without the sign that it replaces."""
    sections = _split(code)
    if sections[0].casefold() == "general" and (number >= 0 or len(sections) == 1):
        return None, number
    if any(map(_CONDITION.search, sections)):
        return next((each for each in sections if _holds(number, each)), None), number
    if number < 0 and len(sections) > 1:
        return sections[1], -number
    if number == 0 and len(sections) > 2:
        return sections[2], number
    return sections[0], number


@lru_cache(maxsize=1_024)
def _split(code: str) -> tuple[str, ...]:
    """The sections of a code, which semicolons outside quotes divide."""
    sections = [""]
    for token in _SEPARATED.findall(code):
        if token == ";":
            sections.append("")
        else:
            sections[-1] += token
    return tuple(sections)


def _holds(number: float, section: str) -> bool:
    """Whether a number fulfils the condition of a section, or there is none."""
    if (condition := _CONDITION.search(section)) is None:
        return True
    bound, sign = float(condition["bound"]), condition["sign"]
    if sign == "<>":
        return number != bound
    return ("<" if number < bound else ">" if number > bound else "=") in sign


def _filled(amount: Decimal, section: _Section) -> str | None:
    """The pieces with the digits of a number in their places."""
    places = section.places
    last, exponent = _exponent(places[-1].text)
    scale = len(last) - len(last.rstrip(","))
    whole_size, _, decimals = last.rstrip(",").partition(".")
    power = amount.adjusted() if exponent and amount else 0
    power -= power % max(len(whole_size), 1)
    size = abs(amount).scaleb(-power - 3 * scale)
    if exponent and round(size, len(decimals)).adjusted() >= max(len(whole_size), 1):  # 9.999 is 10.00
        power += max(len(whole_size), 1)
        size = size.scaleb(-max(len(whole_size), 1))
    if max(size.adjusted(), 0) + len(decimals) > _MOST_DIGITS:
        return None
    rounded = f"{size.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP):f}"
    whole, _, rest = rounded.partition(".")
    while rest and decimals[len(rest) - 1] != "0" and rest[-1] == "0":
        rest = rest[:-1]
    sizes = [piece.text.partition(".")[0].replace(",", "") for piece in (*places[:-1], _Piece(whole_size))]
    number = iter(_groups(whole.lstrip("0"), sizes, grouped="," in whole_size))
    out = []
    for piece in section.pieces:
        out.append(next(number) if piece.is_digits else piece.text)
        if piece is places[-1]:
            out.append(f".{rest}" if rest else "")
            out.append(f"E{power:+0{len(exponent) + 1}d}" if exponent else "")
    text = " ".join("".join(out).split())
    return f"-{text}" if amount < 0 and any(digit in "123456789" for digit in rounded) else text


def _exponent(place: str) -> tuple[str, str]:
    """A place for digits without its exponent, and the zeros of that."""
    digits, _, exponent = place.replace("e", "E").partition("E")
    return digits, exponent.lstrip("+-")


def _groups(digits: str, sizes: list[str], *, grouped: bool) -> list[str]:
    """The digits that each place shows, from the right; the first place takes all that is left."""
    out: list[str] = []
    for number, size in reversed(list(enumerate(sizes))):
        taken = digits if number == 0 else digits[-len(size) :] if size else ""
        digits = digits[: len(digits) - len(taken)]
        padded = taken.rjust(size.count("0"), "0")
        out.append(f"{int(padded):,}" if grouped and padded and len(sizes) == 1 else padded)
    return out[::-1]


def _fraction(value: float, section: _Section) -> str | None:
    """A number as a whole and a fraction, as `# ?/?` shows it; None for one of very many digits."""
    if abs(value) >= 10.0**_MOST_DIGITS:
        return None
    denominator = section.denominator
    fixed = denominator.isdigit() and int(denominator)
    largest = int(denominator) if fixed else 10 ** min(len(denominator), 4) - 1
    exact = Fraction(value).limit_denominator(10**9)
    parts = Fraction(round(exact * largest), largest) if fixed else exact.limit_denominator(max(largest, 1))
    sign = "-" if parts < 0 else ""
    mixed = len(section.places) > 1
    whole, rest = divmod(abs(parts), 1) if mixed else (0, abs(parts))
    below = largest if fixed else rest.denominator
    text = f"{int(rest * below)}/{below}" if rest else ""
    shown = sign + (" ".join(filter(None, (str(whole) if whole else "", text))) or "0")
    at = [number for number, piece in enumerate(section.pieces) if piece.is_digits] or [0]
    before = "".join(piece.text for piece in section.pieces[: at[0]])
    after = "".join(piece.text for piece in section.pieces[at[-1] + 1 :])
    return f"{before}{shown}{after}".strip()
