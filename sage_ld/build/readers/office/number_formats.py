"""Numbers as a spreadsheet shows them, where its format adds text, pads, scales or makes a fraction.

Number formats of ISO/IEC 29500-1, §18.8.31. A format that only rounds or groups digits shows the number that
is stored, so that search and sums have all of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]'
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?,*(?:[eE][+-]0+)?|\.[0#?]+,*)|(?P<slash>/\s?[0-9?#]+)|(?P<other>.)"
)
_MOST_DIGITS: Final = 30
LONGEST_FORMAT: Final = 255
"""Characters of a format that is followed, as many as Excel allows."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A literal of a format, or a place for digits."""

    text: str
    is_digits: bool = False


@lru_cache(maxsize=1_024)
def _pieces(section: str) -> tuple[tuple[_Piece, ...], str]:
    """The pieces of a section, and the denominator of a fraction."""
    pieces, denominator = [], ""
    for token in _TOKEN.finditer(section):
        if token["digits"] is not None:
            pieces.append(_Piece(token["digits"], is_digits=True))
        elif token["slash"] is not None:
            denominator = token["slash"][1:].strip()
        else:
            literal = token["quoted"] or token["escaped"] or token["currency"] or token["other"] or ""
            pieces.append(_Piece(literal))
    return tuple(pieces), denominator


def shown_number(number: float, code: str) -> str | None:
    r"""A number by a format's code; None where the stored number is what it shows, or its kind is another.

    >>> [shown_number(501, "00000"), shown_number(83, '0" kg"'), shown_number(12.5, "#,##0.00\\ [$€-407]")]
    ['00501', '83 kg', '12.50 €']
    >>> [shown_number(0.75, "# ?/?"), shown_number(123456, "000-000"), shown_number(2.5, "0.00")]
    ['3/4', '123-456', None]
    """
    section, value = _section(number, code)
    if section is None or len(code) > LONGEST_FORMAT or "@" in section:
        return None
    pieces, denominator = _pieces(section)
    places = [piece for piece in pieces if piece.is_digits]
    if denominator:
        return _fraction(value, pieces, denominator)
    if not places:
        text = "".join(piece.text for piece in pieces)
        return text.strip() or None if section else ""
    if len(places) == 1 and not _says_more(pieces, places[0].text):
        return None
    try:
        amount = Decimal(repr(value))
    except InvalidOperation:
        return None
    if any(piece.text == "%" for piece in pieces if not piece.is_digits):
        amount *= 100
    filled = _filled(amount, pieces, places)
    return f"-{filled}" if filled and amount < 0 else filled


def _section(number: float, code: str) -> tuple[str | None, float]:
    """The section of a code that a number is shown by, and the number without the sign that it replaces."""
    sections = _split(code)
    if not sections or sections[0].casefold() == "general":
        return None, number
    if number < 0 and len(sections) > 1:
        return sections[1], -number
    if number == 0 and len(sections) > 2:
        return sections[2], number
    return sections[0], number


def _split(code: str) -> list[str]:
    """The sections of a code, which semicolons outside quotes divide."""
    return re.findall(r'((?:"[^"]*"|\\.|[^;])*)(?:;|\Z)', code)[:4] if ";" in code else [code]


def _says_more(pieces: tuple[_Piece, ...], digits: str) -> bool:
    """Whether a format adds text, pads with zeros or scales."""
    literal = "".join(piece.text for piece in pieces if not piece.is_digits).strip()
    whole = digits.partition(".")[0]
    return literal not in ("", "-", "()", "%") or whole.count("0") > 1 or digits.endswith(",")


def _filled(amount: Decimal, pieces: tuple[_Piece, ...], places: list[_Piece]) -> str | None:
    last = places[-1].text
    if "e" in last.lower():
        return None
    scale = len(last) - len(last.rstrip(","))
    decimals = len(last.rstrip(",").partition(".")[2])
    amount = abs(amount) / (Decimal(1000) ** scale)
    if amount.adjusted() > _MOST_DIGITS or decimals > _MOST_DIGITS:
        return None
    rounded = str(amount.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    whole, _, rest = rounded.partition(".")
    optional = len(last.partition(".")[2].rstrip("0")) and last.partition(".")[2].endswith(("#", "?"))
    rest = rest.rstrip("0") if optional else rest
    sizes = [piece.text.partition(".")[0].replace(",", "") for piece in places]
    groups = _groups(whole.lstrip("0"), sizes, grouped="," in places[-1].text.rstrip(","))
    out, number = [], iter(groups)
    for piece in pieces:
        out.append(next(number) if piece.is_digits else piece.text)
        if piece is places[-1] and rest:
            out.append(f".{rest}")
    return " ".join("".join(out).split())


def _groups(digits: str, sizes: list[str], *, grouped: bool) -> list[str]:
    """The digits that each place shows, from the right; the first place takes all that is left."""
    out: list[str] = []
    for number, size in reversed(list(enumerate(sizes))):
        taken = digits if number == 0 else digits[-len(size) :] if size else ""
        digits = digits[: len(digits) - len(taken)]
        padded = taken.rjust(size.count("0"), "0")
        out.append(f"{int(padded):,}" if grouped and padded and len(sizes) == 1 else padded)
    return out[::-1]


def _fraction(value: float, pieces: tuple[_Piece, ...], denominator: str) -> str:
    """A number as a whole and a fraction, as `# ?/?` shows it."""
    fixed = denominator.isdigit() and int(denominator)
    largest = int(denominator) if fixed else 10 ** min(len(denominator), 4) - 1
    exact = Fraction(value).limit_denominator(10**9)
    parts = Fraction(round(exact * largest), largest) if fixed else exact.limit_denominator(max(largest, 1))
    sign = "-" if parts < 0 else ""
    mixed = sum(piece.is_digits for piece in pieces) > 1
    whole, rest = divmod(abs(parts), 1) if mixed else (0, abs(parts))
    below = largest if fixed else rest.denominator
    text = f"{int(rest * below)}/{below}" if rest else ""
    return sign + (" ".join(filter(None, (str(whole) if whole else "", text))) or "0")
