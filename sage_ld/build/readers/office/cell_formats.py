"""The text that a cell of a spreadsheet shows of the number that it stores, and the value that this is.

Days and times are numbers, too: days since an epoch (ISO/IEC 29500-1, §18.17.4.1).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Final

from sage_ld.build.readers.cell_values import moment_value, number_value
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.office.number_formats import (
    LONGEST_FORMAT,
    hides_texts,
    plain_number,
    shown_number,
    shows_nothing,
)
from sage_ld.build.readers.written_values import MONTHS

_BUILT_IN: Final = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
}  # fmt: skip
"""Number formats that every workbook has (§18.8.30)."""
_LOCAL_DAYS: Final = (14, 22, *range(27, 37), *range(50, 59))
"""The number formats of days that look otherwise in each country: their days are written in ISO 8601."""
_LITERALS: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_EPOCH: Final = datetime(1899, 12, 30)
_EPOCH_1904: Final = datetime(1904, 1, 1)
_MOST_PLACES: Final = 6  # of a second
_LAST: Final = 2_958_466  # the end of the year 9999


class _FormatLook(Enum):
    """The kind of thing that a format shows."""

    NUMBER = "number"
    MOMENT = "moment"
    ELAPSED = "elapsed"


@dataclass(frozen=True, slots=True)
class CellFormat:
    """A number format of a workbook."""

    code: str
    look: _FormatLook

    @property
    def hides_texts(self) -> bool:
        """Whether a cell with a text shows nothing of it."""
        return hides_texts(self.code)


def cell_format(number: int, code: str) -> CellFormat:
    """The format with a number and a code; each workbook has some without a code."""
    if number in _LOCAL_DAYS:
        return CellFormat("", _FormatLook.MOMENT)
    code = code or _BUILT_IN.get(number, "")
    if len(code) > LONGEST_FORMAT:
        return CellFormat("", _FormatLook.NUMBER)
    signs = _LITERALS.sub("", code.partition(";")[0]).lower()
    if "[" in signs:
        return CellFormat(code, _FormatLook.ELAPSED)
    is_moment = "general" not in signs and any(sign in signs for sign in "dmyhs")
    return CellFormat(code, _FormatLook.MOMENT if is_moment else _FormatLook.NUMBER)


NO_FORMAT: Final = CellFormat("", _FormatLook.NUMBER)


def shown_cell(number: float, form: CellFormat, *, since_1904: bool = False) -> Inline:
    """The text that a cell shows of its number, with its value; without either where it shows nothing.

    >>> shown_cell(45413.0, cell_format(164, "dd.mm.yyyy"))
    Inline(text='01.05.2024', anchors=(), value=TypedValue(value='2024-05-01', datatype='date'))
    >>> shown_cell(83.0, cell_format(164, '0" kg"')).text
    '83 kg'
    """
    if shows_nothing(number, form.code):
        return Inline("")
    if form.look is _FormatLook.ELAPSED:
        return Inline(_elapsed(number, form.code))
    if form.look is _FormatLook.MOMENT and (moment := _moment(number, form.code, since_1904=since_1904)):
        return Inline(_shown_moment(moment, form.code), value=moment_value(moment))
    text = shown_number(number, form.code) if form.look is _FormatLook.NUMBER else None
    return Inline(text or plain_number(number), value=number_value(number))


def _moment(number: float, code: str, *, since_1904: bool) -> datetime | date | time | None:
    """The day, the time, or both, of a serial number; nothing where it is invalid."""
    if not 0 <= number < _LAST:
        return None
    epoch = _EPOCH_1904 if since_1904 else _EPOCH
    try:
        moment = epoch + timedelta(days=math.floor(number), seconds=round((number % 1) * 86_400))
    except OverflowError:  # beyond the year 9999
        return None
    if not since_1904 and 0 < number < 61:
        moment += timedelta(days=1)  # Excel has a 29 February 1900
    if number < 1 and not (since_1904 and _has_day(code)):
        return moment.time()
    return moment if number % 1 or _has_time(code) else moment.date()


@lru_cache(maxsize=1_024)
def _has_time(code: str) -> bool:
    """Whether a format shows hours."""
    return "h" in _LITERALS.sub("", code.partition(";")[0]).lower()


@lru_cache(maxsize=1_024)
def _has_day(code: str) -> bool:
    """Whether a format shows days, months or years; those of each country do."""
    signs = _LITERALS.sub("", code.partition(";")[0]).lower()
    return not code or any(sign in signs for sign in ("d", "y", "mmm"))


_ELAPSED: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[(?P<whole>[hms])+\]|\[[^\]]*\]'
    r"|(?P<decimals>\.0+)|(?P<sign>h+|m+|s+)|(?P<other>.)",
    re.IGNORECASE,
)
_UNITS: Final = {"h": 3_600, "m": 60, "s": 1}


def _elapsed(number: float, code: str) -> str:
    """A length of time: its largest unit in full, and the others as far as the format has them.

    As in Excel, seconds are rounded, and a unit counts only when it is over.

    >>> [_elapsed(1.6875, code) for code in ("[h]:mm", "[mm]:ss", "[h]:mm:ss", '[h] "hours"')]
    ['40:30', '2430:00', '40:30:00', '40 hours']
    """
    if not math.isfinite(number) or abs(number) > 10**7:
        return plain_number(number)
    section = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*\Z)', code)[0]
    tokens = list(_ELAPSED.finditer(section))
    places = max((len(token["decimals"]) - 1 for token in tokens if token["decimals"]), default=0)
    seconds = round(Decimal(abs(number)) * 86_400, min(places, _MOST_PLACES))
    rest, out = seconds, []
    for token in tokens:
        if unit := (token["whole"] or token["sign"] or "").lower()[:1]:
            count, rest = divmod(seconds if token["whole"] else rest, _UNITS[unit])
            out.append(f"{int(count):0{len(token[0].strip('[]'))}}")
        elif token["decimals"]:
            out.append(f"{rest % 1:.{min(places, _MOST_PLACES)}f}"[1:])
        else:
            out.append(token["quoted"] or token["escaped"] or token["other"] or "")
    text = " ".join("".join(out).split())
    return f"-{text}" if number < 0 else text


_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PART: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)-?(?P<locale>[^\]]*)\]|\[[^\]]*\]'
    r"|(?P<noon>am/pm|a/p)|(?P<sign>y+|m+|d+|h+|s+)|(?P<other>.)",
    re.IGNORECASE,
)
_UNKNOWN: Final = re.compile(r"[begn]|\.0", re.IGNORECASE)  # eras, other calendars, parts of seconds
_ENGLISH: Final = re.compile(r"[0-9A-F]*09|en\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _MomentFormat:
    """A format of days and times: literals, and signs such as `dd`; minutes are `n` there."""

    parts: tuple[tuple[str, bool], ...]
    """Each with whether it is a sign."""
    half_days: bool
    """Whether hours are counted to twelve."""


def _shown_moment(moment: datetime | date | time, code: str) -> str:
    """A moment by a format's code; in ISO 8601 where that cannot be followed."""
    form = _moment_format(code)
    if form is None:
        return moment.isoformat(" ") if isinstance(moment, datetime) else moment.isoformat()
    if isinstance(moment, datetime):
        whole = moment
    elif isinstance(moment, time):
        whole = datetime.combine(_EPOCH, moment)
    else:
        whole = datetime.combine(moment, time())
    parts = (_written(whole, text, form) if is_sign else text for text, is_sign in form.parts)
    return " ".join("".join(parts).split())


@lru_cache(maxsize=1_024)
def _moment_format(code: str) -> _MomentFormat | None:
    """The parts of a format; None for names in other languages than English, and other calendars."""
    section = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*\Z)', code)[0]
    if not section or _UNKNOWN.search(_LITERALS.sub("", re.sub("(?i)am/pm|a/p", "", section))):
        return None
    parts: list[tuple[str, bool]] = []
    is_english, half_days = True, False
    for token in _PART.finditer(section):
        if token["sign"]:
            parts.append((token["sign"].lower(), True))
        elif token["noon"]:
            half_days = True
            parts.append((token["noon"].lower(), True))
        else:
            if token["locale"]:
                is_english = bool(_ENGLISH.fullmatch(token["locale"]))
            parts.append(
                (token["quoted"] or token["escaped"] or token["currency"] or token["other"] or "", False)
            )
    signs = [text for text, is_sign in parts if is_sign]
    if not signs or (not is_english and any(sign[:3] in ("mmm", "ddd") for sign in signs)):
        return None
    return _MomentFormat(tuple(_with_minutes(parts)), half_days)


def _with_minutes(parts: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The parts in which an `m` after hours, or before seconds, stands for minutes."""
    out, last = list(parts), ""
    at = [number for number, (_, is_sign) in enumerate(parts) if is_sign]
    for place, number in enumerate(at):
        text = parts[number][0]
        following = parts[at[place + 1]][0] if place + 1 < len(at) else ""
        if text in ("m", "mm") and (last[:1] == "h" or following[:1] == "s"):
            out[number] = ("n" * len(text), True)
        last = text
    return out


def _written(moment: datetime, sign: str, form: _MomentFormat) -> str:
    """The text that a sign of a format shows of a moment."""
    names = {"mmm": MONTHS[moment.month - 1], "ddd": _DAYS[moment.weekday()]}
    if sign[:3] in names:
        name = names[sign[:3]]
        return name[:3] if len(sign) == 3 else name[:1] if len(sign) == 5 else name
    if sign[0] == "y":
        return f"{moment.year:04}" if len(sign) > 2 else f"{moment.year % 100:02}"
    if sign[0] == "a":
        noon = "AM" if moment.hour < 12 else "PM"
        return noon if len(sign) > 3 else noon[:1]
    hour = (moment.hour - 1) % 12 + 1 if form.half_days else moment.hour
    amounts = {"d": moment.day, "m": moment.month, "h": hour, "n": moment.minute, "s": moment.second}
    return f"{amounts[sign[0]]:0{min(len(sign), 2)}}"
