"""Excel workbooks (`.xlsx`): SpreadsheetML, ISO/IEC 29500-1, §18. Each sheet is a section."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.charts import add_graphic
from sage_ld.build.readers.office.facts import document_with_facts
from sage_ld.build.readers.office.number_formats import LONGEST_FORMAT, shown_number
from sage_ld.build.readers.office.ooxml import (
    Relationship,
    attribute,
    child,
    children,
    is_on,
    link_target,
    local,
    main_part,
    number_of,
    properties,
    related,
    relationships,
    text_of,
)
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.office.sheets import (
    CellCount,
    MergedCells,
    Sheet,
    ShownValue,
    Value,
    add_sheet,
    linked,
    plain_number,
)
from sage_ld.build.readers.positions import RUN_POSITIONS
from sage_ld.build.readers.shown import OBJECT, PICTURE, STRUCK_OUT
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_LINK: Final = re.compile(r'HYPERLINK\("([^"]+)"', re.IGNORECASE)
_LITERALS: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_FRACTIONS: Final = {12: "# ?/?", 13: "# ??/??"}
"""Number formats that every workbook has, and which show other signs than those of the number."""
_ESCAPE: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Look(Enum):
    """The display format of a number."""

    PLAIN = "plain"
    PERCENT = "percent"
    DATE = "date"
    ELAPSED = "elapsed"


class CellValues:
    """Gives what cells show, with the strings and number formats of their workbook."""

    def __init__(self, package: Package, part: str, builder: DocumentBuilder) -> None:
        self._name = package.name
        self._builder = builder
        self._strings = self._shared_strings(package, part)
        formats = _formats(package, part)
        self._looks = [_look(number, code) for number, code in formats]
        self._codes = [code or _FRACTIONS.get(number, "") for number, code in formats]
        workbook = child(package.xml(part), "workbookPr")
        old = workbook is not None and attribute(workbook, "date1904") in ("1", "true")
        self._epoch = datetime(1904, 1, 1) if old else datetime(1899, 12, 30)

    def _shared_strings(self, package: Package, part: str) -> list[str]:
        if (member := related(package, part, "sharedStrings")) is None:
            return []
        return [one_line(string_text(each, self._builder)) for each in package.elements(member, "si")]

    def of(self, cell: etree._Element) -> Value | None:
        """The displayed value of a cell; nothing where it is empty."""
        kind, value, formula = cell.get("t", "n"), None, None
        for part in cell:
            tag = str(part.tag)
            if tag.endswith("}v"):
                value = part.text
            elif tag.endswith("}f"):
                formula = part
            elif tag.endswith("}is"):
                return one_line(string_text(part, self._builder)) or None
        if value is None or not value.strip():
            return None if formula is None else ShownValue(_formula(formula))
        text = self._text(kind, value.strip(), cell.get("s", "0"))
        target = None if formula is None else _LINK.match(formula.text or "")
        return linked(text, target[1]) if target is not None else text or None

    def _text(self, kind: str, value: str, style: str) -> str:
        if kind == "s":
            return self._string(value)
        if kind in ("str", "inlineStr"):
            return one_line(unescaped(value))
        if kind == "b":
            return ShownValue("TRUE" if value == "1" else "FALSE")
        return ShownValue(one_line(value) if kind in ("e", "d") else self._number(value, style))

    def _string(self, value: str) -> str:
        number = number_of(value, len(self._strings))
        if number >= len(self._strings):
            raise InputError(f"{self._name}: a cell refers to a string that is missing; save the file again")
        return self._strings[number]

    def _number(self, value: str, style: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return one_line(value)
        place = number_of(style)
        look = self._looks[place] if place < len(self._looks) else Look.PLAIN
        code = self._codes[place] if place < len(self._codes) else ""
        if look in (Look.PLAIN, Look.PERCENT) and code and (shown := shown_number(number, code)):
            return shown
        if look is Look.PLAIN:
            return plain_number(number)
        if look is Look.DATE:
            return _date(number, self._epoch) or plain_number(number)
        if look is Look.ELAPSED:
            return _elapsed(number)
        return f"{plain_number(number * 100)}%" if look is Look.PERCENT else plain_number(number)


def _date(number: float, epoch: datetime) -> str | None:
    """The date, the time, or both, of a serial number (§18.17.4.1); nothing where it is invalid."""
    if not 0 <= number < 2_958_466:  # the end of the year 9999
        return None
    moment = epoch + timedelta(days=math.floor(number), seconds=round((number % 1) * 86_400))
    if epoch.year == 1899 and 0 < number < 61:
        moment += timedelta(days=1)  # Excel has a 29 February 1900
    if number < 1:
        return moment.time().isoformat()
    return str(moment.date()) if not number % 1 else moment.isoformat(" ")


def _elapsed(number: float) -> str:
    if not math.isfinite(number) or abs(number) > 10**7:
        return plain_number(number)
    minutes, seconds = divmod(round(abs(number) * 86_400), 60)
    return f"{'-' if number < 0 else ''}{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def _formula(element: etree._Element) -> str:
    """A formula whose value the file does not keep; one that is shared is written only once."""
    text = one_line(element.text or "")
    return f"={text}" if text else "=(shared formula)"


def string_text(element: etree._Element, builder: DocumentBuilder) -> str:
    """The text of a string with or without rich text, but not its reading aid (§18.4.6)."""
    line = InlineBuilder()
    for each in element:
        if local(each) == "t":
            line.verbatim(unescaped(each.text or ""))
        elif local(each) == "r":
            _write_run(line, each, builder)
    return line.finish().text


def _write_run(line: InlineBuilder, run: etree._Element, builder: DocumentBuilder) -> None:
    look = child(run, "rPr")
    if is_on(child(look, "strike")):
        builder.pass_over(STRUCK_OUT)
        return
    position = child(look, "vertAlign")
    with line.placed(None if position is None else RUN_POSITIONS.get(attribute(position, "val"))):
        for part in children(run, "t"):
            line.verbatim(unescaped(part.text or ""))


def unescaped(text: str) -> str:
    r"""A string with the characters that it names by their codes (ST_Xstring, §22.9.2.19).

    >>> unescaped("one_x000D_two"), unescaped("_x005F_x0041_")
    ('one\rtwo', '_x0041_')
    """
    return _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def _formats(package: Package, part: str) -> list[tuple[int, str]]:
    """The numbers and codes of the number formats by style of cell; of one that is too long, no code."""
    if (member := related(package, part, "styles")) is None:
        return []
    root = package.xml(member)
    codes = {
        number_of(attribute(each, "numFmtId"), -1): code
        for each in children(child(root, "numFmts"), "numFmt")
        if len(code := attribute(each, "formatCode")) <= LONGEST_FORMAT
    }
    formats = (number_of(attribute(each, "numFmtId")) for each in children(child(root, "cellXfs"), "xf"))
    return [(number, codes.get(number, "")) for number in formats]


def _look(number: int, code: str) -> Look:
    """The look of a number format: one that every workbook has (§18.8.30), or one with a code."""
    if not code:
        built_in = {9: Look.PERCENT, 10: Look.PERCENT, 46: Look.ELAPSED}
        dates = (*range(14, 23), *range(27, 37), 45, 47, *range(50, 59))
        return built_in.get(number, Look.DATE if number in dates else Look.PLAIN)
    signs = _LITERALS.sub("", code.partition(";")[0]).lower()
    if "[" in signs:
        return Look.ELAPSED
    if "general" not in signs and any(sign in signs for sign in "dmyhs"):
        return Look.DATE
    return Look.PERCENT if "%" in signs else Look.PLAIN


_MEDIA_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
}
_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_LAST_ROW: Final = 1_048_576  # the size of Excel's sheets
_LAST_COLUMN: Final = 16_384


def read_xlsx(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the file's name.

    Cells have the values that the file keeps of them; a formula without one is written as a formula. Hidden
    sheets, rows and columns are read. Raises LimitError over `max_sheet_cells`.
    """
    package = Package(source, settings)
    stated = properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    part = main_part(package)
    count = CellCount(package.name, settings.max_sheet_cells)
    values = CellValues(package, part, builder)
    for name, member in _sheets(package, part):
        add_sheet(builder, _sheet(package, name, member, values, count, builder), count)
        _add_drawing(builder, package, member)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "SpreadsheetDigitalDocument",
    )


def _sheets(package: Package, part: str) -> Iterator[tuple[str, str]]:
    """Name and member of each sheet, in the order of the workbook; chart sheets are skipped."""
    targets = relationships(package, part)
    for each in children(child(package.xml(part), "sheets"), "sheet"):
        target = targets.get(attribute(each, "id"))
        if target is not None and target.kind == "worksheet":
            yield attribute(each, "name"), target.target


def _sheet(
    package: Package, name: str, member: str, values: CellValues, count: CellCount, builder: DocumentBuilder
) -> Sheet:
    sheet = Sheet(name)
    links = relationships(package, member)
    number = 0
    for element in package.elements(member, "row", "mergeCell", "hyperlink"):
        kind = local(element)
        if kind == "row":
            number = _row_number(element, number, package.name, name)
            if row := _row(element, values, package.name):
                count.add(len(row))
                sheet.rows[number] = row
        elif kind == "mergeCell":
            sheet.spans.append(_span(attribute(element, "ref")))
        else:
            _link(sheet, element, links, count)
    sheet.notes = list(_notes(package, member, builder))
    return sheet


def _row_number(element: etree._Element, last: int, file: str, sheet: str) -> int:
    number = number_of(element.get("r", ""), last + 1)
    if not last < number <= _LAST_ROW:
        raise InputError(f"{file}: row {number} of the sheet {sheet!r} is out of order; save the file again")
    return number


def _row(element: etree._Element, values: CellValues, file: str) -> dict[int, Value]:
    row: dict[int, Value] = {}
    column = 0
    for cell in element:
        reference = cell.get("r")
        column = column + 1 if reference is None else _column(reference.rstrip("0123456789"))
        if not 0 < column <= _LAST_COLUMN:
            raise InputError(f"{file}: there is no cell {reference!r}; save the file again")
        if value := values.of(cell):
            row[column] = value
    return row


def _column(letters: str) -> int:
    """The number of a column, counted from 1; 0 where the letters name no column."""
    number = _COLUMNS.get(letters)
    if number is None and letters.isascii() and letters.isalpha() and len(letters) <= 3:
        number = 0
        for letter in letters.upper():
            number = number * 26 + ord(letter) - ord("A") + 1
        _COLUMNS[letters] = number
    return number or 0


_COLUMNS: Final[dict[str, int]] = {}
"""The numbers of columns by their letters: at most 26³ and their spellings."""


def _span(reference: str) -> MergedCells:
    """The corners of a reference `A1:B2`; of no cells where it is invalid."""
    first, _, last = reference.partition(":")
    corners = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last or first)
    if corners[0] is None or corners[1] is None:
        return MergedCells(0, 0, -1, -1)
    return MergedCells(int(corners[0][2]), _column(corners[0][1]), int(corners[1][2]), _column(corners[1][1]))


def _link(sheet: Sheet, element: etree._Element, links: Mapping[str, Relationship], count: CellCount) -> None:
    """Puts a link on the cells that it is stated for, but for empty ones."""
    target = link_target(links, element)
    span = _span(attribute(element, "ref"))
    if not target or not sheet.rows:
        return
    numbers = range(span.first_row, min(span.last_row, next(reversed(sheet.rows))) + 1)
    count.add(len(numbers))
    for number in numbers:
        row = sheet.rows.get(number, {})
        for column in [each for each in row if span.first_column <= each <= span.last_column]:
            row[column] = linked(row[column], target)


def _add_drawing(builder: DocumentBuilder, package: Package, member: str) -> None:
    """Adds the text boxes and charts that lie on a sheet."""
    if (drawing := related(package, member, "drawing")) is None:
        return
    for each in package.xml(drawing).iter("{*}sp", "{*}graphicFrame", "{*}pic"):
        kind = local(each)
        if kind == "sp":
            paragraphs = (
                text_of(part)
                for part in each.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}p")
            )
            builder.prose("\n".join(filter(None, map(one_line, paragraphs))))
        elif kind == "graphicFrame":
            builder.pass_over(OBJECT, not add_graphic(builder, package, drawing, each))
        else:
            builder.pass_over(PICTURE)


def _notes(package: Package, member: str, builder: DocumentBuilder) -> Iterator[tuple[int, int, str]]:
    """Row, column and text of the notes on a sheet's cells (§18.7)."""
    if (comments := related(package, member, "comments")) is None:
        return
    for each in package.xml(comments).iter("{*}comment"):
        span = _span(attribute(each, "ref"))
        text = child(each, "text")
        if span.first_row > 0 and text is not None and (content := string_text(text, builder)).strip():
            yield span.first_row, span.first_column, content


XLSX = Reader("Excel workbooks", _MEDIA_TYPES, read_xlsx, packed=True)
