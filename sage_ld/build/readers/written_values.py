"""Numbers and days as people write them in a column, as plain numbers and days of ISO 8601.

A single text can often be read in more than one way; the whole column says in which. Where it does not, the
texts stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Final, NamedTuple

_PLAIN: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_SHARES: Final = {"%": 2, "‰": 3}
"""The powers of ten by which signs of shares divide."""


_EMPTY_SIGNS: Final = frozenset({"-", "--", "–", "—", "n/a", "n.a.", "#n/a"})
_EMPTY_WORDS: Final = frozenset(
    {"na", "nan", "nil", "null", "none", "unknown", "tbd", "k.a.", "k. a.", "?", "…", "..."}
)


def is_no_value(text: str, *, among_values: bool = True) -> bool:
    """Whether a cell's text says that there is no value; a word does only `among_values` of another kind.

    >>> is_no_value("–"), is_no_value("none"), is_no_value("none", among_values=False), is_no_value("0")
    (True, True, False, False)
    """
    folded = text.strip().casefold()
    return folded in _EMPTY_SIGNS or (among_values and folded in _EMPTY_WORDS)


def without_blanks(values: Sequence[str | None], *, among_values: bool = True) -> list[str | None]:
    """The values of a column, None in place of those that say that there is none (`is_no_value`)."""
    return [
        None if value is None or is_no_value(value, among_values=among_values) else value for value in values
    ]


def plain_values(values: Sequence[str | None], *, decimal_comma: bool = False) -> Sequence[str | None]:
    """The values of a column as plain numbers, or as days or moments of ISO 8601, if all can be read so.

    Texts that say that there is no value stay as they are. With `decimal_comma`, other columns of the table
    have one, so that a point before three digits is a sign of thousands.

    >>> plain_values(["84.300 km", "987 km"], decimal_comma=True)
    ['84300', '987']
    >>> plain_values(["€ 9.50", "n/a", "€ 12.00"]), plain_values(["2026-06-02 18:30 BST", "2026-05-25"])
    (['9.50', 'n/a', '12.00'], ['2026-06-02 18:30', '2026-05-25'])
    """
    stated = without_blanks(values)
    for read in (partial(plain_numbers, decimal_comma=decimal_comma), plain_days, _moments):
        if (plain := read(stated)) is not stated:
            pairs = zip(values, plain, strict=True)
            return [value if each is None else each for value, each in pairs]
    return values


_IN_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})*|[0-9]+")
_DECIMAL_COMMA: Final = re.compile(
    r"[^0-9]{0,4}[0-9]{1,3}(?:\.?[0-9]{3})*,(?:[0-9]{1,2}|[0-9]{4,9})(?:\s?[^\s0-9,.][^\s,.]{0,9})?"
)


def have_decimal_comma(values: Iterable[str]) -> bool:
    """Whether the numbers of a column have a decimal comma, and nothing else can be meant.

    >>> have_decimal_comma(["35,50", "€ 1.042,25"]), have_decimal_comma(["1,204", "3,5"])
    (True, False)
    >>> have_decimal_comma(["7,4 l/100km"]), have_decimal_comma(["1,2 and 3,4"])
    (True, False)
    """
    filled = [value for value in values if value and not is_no_value(value)]
    return bool(filled) and all(map(_DECIMAL_COMMA.fullmatch, filled))


def _moments(values: Sequence[str | None]) -> Sequence[str | None]:
    """The days and moments of a column without the names of their time zones, as a clock shows them."""
    moments = [value and _MOMENT.fullmatch(value) for value in values]
    if not any(moment and moment["zone"] for moment in moments):
        return values
    if any(value is not None and not moment for value, moment in zip(values, moments, strict=True)):
        return values
    return [moment["moment"] if moment else None for moment in moments]


_MOMENT: Final = re.compile(
    r"(?P<moment>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)(?P<zone> [A-Z]{2,5})?"
)


def plain_numbers(values: Sequence[str | None], *, decimal_comma: bool = False) -> Sequence[str | None]:
    """The values of a column, as plain numbers if all of them are numbers as people write them.

    They may share a unit or the sign of a currency, and have thousands apart and a decimal comma; a per cent
    is a hundredth. A number with one comma or point before three digits may be read in two ways: what others
    of the column say decides, and where none does, the column stays as it is.

    >>> plain_numbers(["3,5", None, "12", "1,200"]), plain_numbers(["€ 9.50", "€ 1,200.00"])
    (['3.5', None, '12', '1.200'], ['9.50', '1200.00'])
    >>> plain_numbers(["9,500", "71,000", "105,000"]), plain_numbers(["83 kg", "105 kg"])
    (['9500', '71000', '105000'], ['83', '105'])
    >>> plain_numbers(["1,200", "3"]), plain_numbers(["83 kg", "11 kW"]), plain_numbers(["12%", "7.5%"])
    (['1,200', '3'], ['83 kg', '11 kW'], ['0.12', '0.075'])
    """
    parts = []
    for value in values:
        if value is not None:
            if (part := _MEASURED.fullmatch(value)) is None:
                return values
            parts.append(part)
    signs = {(each["before"] or "", (each["unit"] or "").strip()) for each in parts}
    numbers = [each["sign"] + each["number"] for each in parts]
    if len(signs) != 1:
        return values
    [(before, unit)] = signs
    has_thousands = decimal_comma and _are_in_thousands([each["number"] for each in parts])
    if signs == {("", "")} and all(map(_PLAIN.fullmatch, numbers)) and not has_thousands:
        return values
    if (before and unit) or unit in _NO_UNITS or _are_numbers_of_others(numbers):
        return values
    is_counted = not unit or unit in _CURRENCIES
    ways = (way for way in _WAYS if _reads(way, numbers, is_counted=is_counted))
    read = _WITH_POINTS if has_thousands else next(ways, None)
    if read is None:
        return values
    places = _SHARES.get(unit, 0)
    plain = iter(_share(read.plain(number), places) for number in numbers)
    return [None if value is None else next(plain) for value in values]


def _are_in_thousands(numbers: Sequence[str]) -> bool:
    """Whether all are whole numbers, and points in some of them may part thousands."""
    return all(map(_IN_THOUSANDS.fullmatch, numbers)) and any("." in number for number in numbers)


_NO_UNITS: Final = frozenset({"am", "pm", "AM", "PM", "k", "K", "M", "B", "bn", "mn", "Mio", "Mrd", "tsd"})
"""Words after a number that make it a time of day, or thousands and millions."""
_CURRENCIES: Final = frozenset({"€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF", "JPY"})
_LONG: Final = 9
"""Digits from which numbers of one length, in groups with spaces, are of telephones and the like."""


def _are_numbers_of_others(numbers: Sequence[str]) -> bool:
    """Whether all of these name something: addresses of computers, telephones, accounts.

    >>> _are_numbers_of_others(["192.168.100.101"]), _are_numbers_of_others(["555 123 456", "555 987 654"])
    (True, True)
    """
    if all(re.fullmatch(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", number) for number in numbers):
        return all(int(part) < 256 for number in numbers for part in number.split("."))
    digits = {len(re.sub("[ \u00a0\u202f]", "", number)) for number in numbers}
    return (
        len(digits) == 1 and min(digits) >= _LONG and all(re.search("[0-9] [0-9]", each) for each in numbers)
    )


def _share(number: str, places: int) -> str:
    return f"{Decimal(number).scaleb(-places):f}" if places else number


_MEASURED: Final = re.compile(
    r"(?P<sign>[-−]?)(?P<before>[€$£¥]|[A-Z]{3} )?\s?(?P<number>[0-9][0-9.,'’ \u00a0\u202f]*(?<=[0-9]))"
    r"(?P<unit>\s?(?:%|‰|°[CF]?|[€$£¥]|[A-Za-zµμ]{1,4}[²³]?(?:/[A-Za-z]{1,3}[²³]?)?))?"
)


class _NumberFormat(NamedTuple):
    """A way to write numbers."""

    thousands: str
    decimal: str

    @property
    def pattern(self) -> str:
        """The pattern of its numbers."""
        apart, point = f"[{re.escape(self.thousands)}]", re.escape(self.decimal)
        whole = rf"[1-9][0-9]{{0,2}}(?:{apart}[0-9]{{3}})+|0|[1-9][0-9]{{0,17}}"
        return rf"[-−]?(?:{whole})(?:{point}[0-9]{{1,30}})?"

    def plain(self, number: str) -> str:
        """A number without signs for thousands, and with a decimal point."""
        for sign in self.thousands:
            number = number.replace(sign, "")
        return number.replace(self.decimal, ".").replace("−", "-")


_WITH_POINTS: Final = _NumberFormat(".", ",")
_WAYS: Final = (
    _NumberFormat(",", "."),
    _WITH_POINTS,
    _NumberFormat(" \u00a0\u202f'’", ","),
    _NumberFormat(" \u00a0\u202f'’", "."),
)


def _reads(way: _NumberFormat, numbers: Sequence[str], *, is_counted: bool) -> bool:
    """Whether all numbers can be written in this way, and some in no other that gives another value.

    Where each has one comma before three digits, it stands for thousands in numbers and sums of money
    (`is_counted`); a point does not, and what is measured may be written `12,345 kg` for twelve.
    """
    if not all(re.fullmatch(way.pattern, number) for number in numbers):
        return False
    others = [each for each in _WAYS if all(re.fullmatch(each.pattern, number) for number in numbers)]
    rival = [each for each in others if [*map(each.plain, numbers)] != [*map(way.plain, numbers)]]
    if not rival:
        return True
    # each number has one sign before three digits: thousands, where the digits before it vary in number
    lengths = {len(re.split("[.,]", number.lstrip("-−"))[0]) for number in numbers}
    return (
        is_counted
        and way.thousands == ","
        and len(lengths) > 1
        and all(map(_WITH_SIGN.fullmatch, numbers))
        and (any(sign in number for number in numbers for sign in way.thousands))
    )


_WITH_SIGN: Final = re.compile(r"[-−]?[1-9][0-9]{0,2}[.,][0-9]{3}")


def plain_days(values: Sequence[str | None]) -> Sequence[str | None]:
    """The values of a column, as days of ISO 8601 if all of them are days.

    Those in digits may be written in several ways beside each other, and beside days with the name of the
    month. Between points the day comes first. Between strokes or hyphens it is what makes all that are
    written so days: where the day and the month can change places, the column stays as it is.

    >>> plain_days(["1.5.2024", None, "31.12.2023"]), plain_days(["05/13/2024", "05/01/2024"])
    (['2024-05-01', None, '2023-12-31'], ['2024-05-13', '2024-05-01'])
    >>> plain_days(["2024-01-09", "08.01.2024"]), plain_days(["16 May 2024", "Jul 1, 2024"])
    (['2024-01-09', '2024-01-08'], ['2024-05-16', '2024-07-01'])
    >>> plain_days(["01/02/2024", "2024-06-05"])
    ['01/02/2024', '2024-06-05']
    """
    written: dict[str, dict[str, tuple[int, int, int]]] = {}
    for value in dict.fromkeys(each for each in values if each is not None):
        if (read := _day_parts(value)) is None:
            return values
        written.setdefault(read[0], {})[value] = read[1]
    days: dict[str, str] = {}
    for sign, numbers in written.items():
        orders = ((0, 1), (1, 0)) if sign in "/-" else ((0, 1),)
        ways = [way for order in orders if (way := _days(tuple(numbers.values()), *order)) is not None]
        if not ways or any(way != ways[0] for way in ways):
            return values
        days |= zip(numbers, ways[0], strict=True)
    plain = [None if value is None else days[value] for value in values]
    return values if plain == list(values) else plain


MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTH_NUMBERS: Final = {
    name[:length].lower(): number for number, name in enumerate(MONTHS, 1) for length in (3, len(name))
}
"""The number of each month by its name and by its first three letters, in small letters."""
_MONTH: Final = (
    "(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NAMED_DAYS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<day>[0-9]{{1,2}})\.? {_MONTH}\.? (?P<year>[0-9]{{4}})",
        rf"{_MONTH}\.? (?P<day>[0-9]{{1,2}}), (?P<year>[0-9]{{4}})",
    )
)
_DAY: Final = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<sign>[./-])(?P<second>[0-9]{1,2})(?P=sign)(?P<year>[0-9]{4})"
)
_ISO_DAY: Final = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})")


def _day_parts(value: str) -> tuple[str, tuple[int, int, int]] | None:
    """The way in which a day is written, and its three numbers: the day first where that is certain."""
    if each := _DAY.fullmatch(value):
        return each["sign"], (int(each["first"]), int(each["second"]), int(each["year"]))
    if each := _ISO_DAY.fullmatch(value):
        return "iso", (int(each["day"]), int(each["month"]), int(each["year"]))
    for form in _NAMED_DAYS:
        if each := form.fullmatch(value):
            month = MONTH_NUMBERS[each["month"][:3].lower()]
            return "name", (int(each["day"]), month, int(each["year"]))
    return None


def _days(numbers: Sequence[tuple[int, int, int]], day: int, month: int) -> list[str] | None:
    """The days, whose parts stand at these places; None where one of them is no day."""
    try:
        return [date(each[2], each[month], each[day]).isoformat() for each in numbers]
    except ValueError:
        return None
