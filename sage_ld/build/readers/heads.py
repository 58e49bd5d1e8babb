"""The rows of a table that name its columns, found from what the cells look like, in any format.

A head says what the cells below it are: texts over numbers, years or dates that count up, a row whose cells
span those of the next. A table of labels and values beside each other has none, nor has one whose first row
looks like the rows below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Final

from sage_ld.foundation.errors import InputError

_MOST_HEADS: Final = 3
LOOKED_AT: Final = 50
"""Rows at the top of a table that say how it is cut, and what names its columns."""
_NUMBER: Final = re.compile(
    r"(?:[<>≤≥]\s?)?(?:"
    r"[(\-+−]?[$€£¥]?\s?[0-9]{1,3}(?:[.,'’\u202f\u00a0 ][0-9]{3})*(?:[.,][0-9]+)?\)?"
    r"(?![.,]?[0-9]|[eE][\-+]?[0-9])"
    r"|[\-+−]?[0-9]+(?:[.,][0-9]+)?(?:[eE][\-+]?[0-9]+)?)"
)
_UNIT: Final = re.compile(r"\s?(?:%|‰|°[CF]?|[€$£¥]|[A-Za-zµμ]{1,4}[²³]?(?:/[A-Za-z]{1,4}[²³]?)?)")
_YEAR: Final = re.compile(r"(?:1[5-9]|20|21)[0-9]{2}(?:[/–-](?:[0-9]{2}|[0-9]{4}))?")
_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ][0-9:.]+Z?)?)?|[0-9]{1,2}[./][0-9]{1,2}[./](?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{1,2}\.?\s\w{3,12}\.?\s[0-9]{4}"
)
_LONGEST_UNIT: Final = 8
_LABEL_ENDS: Final = (":", "：")
_STATED: Final = re.compile(r"([1-9][0-9]{0,6})(?:[-–]([1-9][0-9]{0,6}))?")
_MOST_STATED: Final = 10
_NAMES_OF_VALUES: Final = frozenset(
    {"value", "values", "amount", "quantity", "number", "count", "total", "description", "meaning", "content"}
    | {"answer", "result", "unit", "type", "wert", "werte", "betrag", "menge", "anzahl", "beschreibung"}
    | {"valeur", "valeurs", "montant", "valor", "valores", "importe", "cantidad"}
)
"""Names of a column of values, in lower case."""


class CellLook(Enum):
    """The look of a cell's text."""

    EMPTY = "empty"
    TEXT = "text"
    NUMBER = "number"
    """With a unit or a sign of a currency, too."""
    YEAR = "year"
    DATE = "date"


def look_of(text: str) -> CellLook:
    """The look of a cell.

    >>> [look_of(each).value for each in ("", "Rent", "1,250.5", "83 kg", "2019", "3.5.1968", "1 May 2024")]
    ['empty', 'text', 'number', 'number', 'year', 'date', 'date']
    >>> [look_of(each).value for each in ("3.5320", "0.045874", "4.912e-07", "< 2e-16")]
    ['number', 'number', 'number', 'number']
    """
    text = text.strip()
    if not text or len(text) > 40:
        return CellLook.TEXT if text else CellLook.EMPTY
    if _YEAR.fullmatch(text):
        return CellLook.YEAR
    if _DATE.fullmatch(text):
        return CellLook.DATE
    number = _NUMBER.match(text)
    if number is None:
        return CellLook.TEXT
    rest = text[number.end() :]
    return CellLook.NUMBER if not rest or _UNIT.fullmatch(rest) else CellLook.TEXT


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A row as a head may be: the texts of its cells at their columns, and which of them span others."""

    texts: Sequence[str]
    """Of a cell that spans columns, its text in the first; the others are empty."""
    spans_columns: bool = False
    spans_rows: int = 1
    """The most rows that one of its cells spans."""


@dataclass(frozen=True, slots=True)
class StatedHead:
    """The rows that name the columns because a person says so: `first` to `last`, counted from 1.

    They are counted as the file counts them: the rows of a sheet, the lines of a CSV file, the rows of a
    table in a text. `first` above `last`: no row names them.
    """

    first: int
    last: int

    @property
    def is_none(self) -> bool:
        """Whether no row names the columns."""
        return self.first > self.last


NO_HEAD: Final = StatedHead(1, 0)


def stated_head(text: str) -> StatedHead | None:
    """The head that the setting `header` states; None for `auto`. Raises InputError for other texts.

    >>> stated_head("3-4"), stated_head("2"), stated_head("auto")
    (StatedHead(first=3, last=4), StatedHead(first=2, last=2), None)
    """
    text = text.strip().lower()
    if text in ("auto", ""):
        return None
    if text == "none":
        return NO_HEAD
    if (match := _STATED.fullmatch(text)) is not None:
        stated = StatedHead(int(match[1]), int(match[2] or match[1]))
        if 0 <= stated.last - stated.first < _MOST_STATED:
            return stated
    raise InputError(
        f"header: {text[:40]!r} says no rows; write the number of the row that names the columns, 3, those "
        f"of at most {_MOST_STATED} rows, 3-4, none where no row does, or auto"
    )


def named_by(unit: str, first: int, count: int) -> str:
    """The words for which rows name the columns of a table, as the place of its chunks says it.

    >>> named_by("row", 2, 1), named_by("line", 2, 2), named_by("row", 1, 0)
    ('columns named by row 2', 'columns named by lines 2–3', 'columns named by no row')
    """
    if not count:
        return f"columns named by no {unit}"
    rows = f"{unit} {first}" if count == 1 else f"{unit}s {first}–{first + count - 1}"
    return f"columns named by {rows}"


def head_count(rows: Sequence[HeadRow], *, likely: bool = True) -> int:
    """The number of first rows that name the columns.

    `likely` says that the format expects a head: then a first row of texts is one, if nothing speaks against
    it; else it has to differ from the rows below.

    >>> table = [("Name", "Weight"), ("Pump", "83 kg"), ("Valve", "11 kg")]
    >>> head_count([HeadRow(each) for each in table])
    1
    >>> form = [("Maker", "Halvorsen"), ("Power", "11 kW"), ("Inspected on", "12 March 2024")]
    >>> head_count([HeadRow(each) for each in form])
    0
    """
    if len(rows) < 2 or not _may_name(rows):
        return 0
    if is_form(rows) or not (likely or _differs(rows) or _is_crossed(rows)):
        return 0
    count = 1
    if rows[0].spans_columns or rows[0].spans_rows > 1:
        count = max(rows[0].spans_rows, 2 if rows[0].spans_columns else 1)
        while count < _MOST_HEADS and count < len(rows) and rows[count - 1].spans_columns:
            count += 1
        while count > 1 and not all(_is_name(text) for text in rows[count - 1].texts):
            count -= 1
    elif _is_grouped([row.texts for row in rows]) or _has_units([row.texts for row in rows]):
        count = 2
    return min(count, len(rows) - 1)


def head_names(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The names that rows of one width give to their columns: the texts above each other, joined.

    A text stands above the columns on its right, too, as far as they have none of their own and a name below.
    Without rows, the names are empty.

    >>> head_names([("Day", "Opens", ""), ("", "Summer", "Winter")], 3)
    ['Day', 'Opens Summer', 'Opens Winter']
    """
    if not rows:
        return [""] * width
    filled = [list(row) for row in rows]
    for row, below in pairwise(filled):
        for column in range(1, len(row)):
            if not row[column] and below[column] and below[column - 1]:
                row[column] = row[column - 1]
    return [" ".join(filter(None, dict.fromkeys(texts))).strip() for texts in zip(*filled, strict=True)]


def _is_grouped(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has texts over several columns each, which the second row names."""
    if len(rows) < 3:
        return False
    first, second, *body = rows[:LOOKED_AT]
    width = len(first)
    if any(len(row) != width for row in rows[1:LOOKED_AT]) or not all(map(_is_name, second)):
        return False
    if not all(above or below for above, below in list(zip(first, second, strict=True))[1:]):
        return False
    spread = [n for n in range(1, width) if not first[n] and second[n] and second[n - 1]]
    gaps = [n for n in range(width) if not first[n]]
    if not spread or any(n not in spread for n in gaps if n) or len(set(second)) < 2:
        return False
    if not second[0] and first[0] and all(row[0] for row in body):
        return True
    named = [n for n in range(width) if second[n]]
    return all(look_of(body[0][n]) not in (CellLook.TEXT, CellLook.EMPTY) for n in named)


def _has_units(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the second row has the units of the numbers below the names of the first."""
    if len(rows) < 3 or not all(rows[0]) or any(len(row) != len(rows[0]) for row in rows[1:3]):
        return False
    units = [(number, text) for number, text in enumerate(rows[1]) if text]
    is_short = all(len(text) <= _LONGEST_UNIT and not re.search("[0-9]", text) for _, text in units)
    return bool(units) and not rows[1][0] and is_short and all(_is_number(rows[2][n]) for n, _ in units)


def _is_number(text: str) -> bool:
    return look_of(text) in (CellLook.NUMBER, CellLook.YEAR)


def _is_crossed(rows: Sequence[HeadRow]) -> bool:
    """Whether names stand above all columns but the first, and in the first one beside each row."""
    corner, *names = rows[0].texts
    labels = [row.texts[0] for row in rows[1:LOOKED_AT] if row.texts]
    if corner or len(labels) < 2 or len(names) < 2 or not all(names) or not all(labels):
        return False
    return len(set(names)) == len(names) and len(set(labels)) == len(labels) and all(map(_is_name, names))


def _is_name(text: str) -> bool:
    return look_of(text) in (CellLook.TEXT, CellLook.EMPTY, CellLook.YEAR)


def _may_name(rows: Sequence[HeadRow]) -> bool:
    """Whether the first row can be names: its texts, and what counts up beside them, over other things."""
    first, below = rows[0].texts, rows[1].texts
    looks = [look_of(text) for text in first]
    counted = [number for number, look in enumerate(looks) if look not in (CellLook.TEXT, CellLook.EMPTY)]
    if not counted:
        return CellLook.TEXT in looks
    pairs = zip(looks, below, strict=False)
    labelled = any(look is CellLook.EMPTY and look_of(text) is CellLook.TEXT for look, text in pairs)
    if not (CellLook.TEXT in looks or labelled):
        return False
    years = [looks[number] is CellLook.YEAR for number in counted]
    differs = [number >= len(below) or look_of(below[number]) is not looks[number] for number in counted]
    if all(years) or all(looks[number] is CellLook.DATE for number in counted):
        return all(differs) or (len(counted) > 1 and _rises([first[number] for number in counted]))
    named_by, over = [first[number] for number in counted], [below[n] for n in counted if n < len(below)]
    return len(counted) > 2 and _counts_up(named_by) and not _counts_up(over)


def _counts_up(texts: Sequence[str]) -> bool:
    """Whether whole numbers go on by ones, fives or tens."""
    if not all(text.strip().isdecimal() for text in texts):
        return False
    steps = {after - before for before, after in pairwise(map(int, texts))}
    return len(steps) == 1 and steps <= {1, -1, 5, 10}


def _rises(texts: Sequence[str]) -> bool:
    """Whether years or dates go on from each to the next."""
    days = [[int(each) for each in reversed(re.findall(r"[0-9]+", text))] for text in texts]
    return len(set(texts)) == len(texts) > 1 and (list(texts) == sorted(texts) or days == sorted(days))


def is_form(rows: Sequence[HeadRow]) -> bool:
    """Whether two columns are labels and their values: these are of several kinds, or the labels say so.

    >>> is_form([HeadRow(each) for each in (("Maker", "Halvorsen"), ("Power", "11 kW"), ("Year", "2024"))])
    True
    """
    seen = [row.texts for row in rows[:LOOKED_AT] if any(row.texts)]
    if len(seen) < 2 or any(len(texts) != 2 for texts in seen):
        return False
    labels, values = [texts[0].strip() for texts in seen], [texts[1].strip() for texts in seen]
    if any(look_of(label) is not CellLook.TEXT for label in labels) or len(set(labels)) < len(labels):
        return False
    if sum(label.endswith(_LABEL_ENDS) for label in labels) * 2 > len(labels):
        return True
    if values[0].casefold() in _NAMES_OF_VALUES or look_of(values[0]) is CellLook.EMPTY:
        return False
    if look_of(values[0]) is not CellLook.TEXT:
        return len({_kind(value) for value in values[1:]} - {""}) > 1
    kinds = {_kind(value) for value in values[1:]} - {"", CellLook.TEXT.value}
    looks = {look_of(value) for value in values[1:]} - {CellLook.EMPTY, CellLook.TEXT}
    return len(kinds) > 1 and (len(looks) > 1 or len(values) > 3)


_DIMENSIONS: Final = {
    unit: dimension
    for dimension, units in {
        "mass": "µg μg mg g kg t lb lbs oz st",
        "length": "µm μm mm cm dm m km in ft yd mi",
        "volume": "µl ml cl dl l L hl gal",
        "time": "ms s sec min h hr hrs d day days wk yr",
        "power": "mW W kW MW GW PS hp",
        "energy": "J kJ MJ cal kcal Wh kWh MWh",
        "money": "€ $ £ ¥ EUR USD GBP CHF JPY",
        "data": "B KB kB MB GB TB",
    }.items()
    for unit in units.split()
}
"""Units by what they measure: values of a column may differ in them."""


def _kind(value: str) -> str:
    """The look of a value, with what its unit measures."""
    look = look_of(value)
    unit = re.search(r"[^\W\d_]+\Z|[%€$£]", value) if look is CellLook.NUMBER else None
    if look is CellLook.EMPTY:
        return ""
    return look.value if unit is None else f"{look.value} {_DIMENSIONS.get(unit[0], unit[0])}"


def _differs(rows: Sequence[HeadRow]) -> bool:
    """Whether a column has texts in its first row and none below."""
    body = [row.texts for row in rows[1:LOOKED_AT]]
    for column, text in enumerate(rows[0].texts):
        if look_of(text) is not CellLook.TEXT:
            continue
        below = [look_of(texts[column]) for texts in body if column < len(texts)]
        filled = [look for look in below if look is not CellLook.EMPTY]
        if filled and sum(look is not CellLook.TEXT for look in filled) * 2 > len(filled):
            return True
    return False
