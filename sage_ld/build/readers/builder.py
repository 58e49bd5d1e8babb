"""The one place where a document's text is put together, so that every offset into it is right.

Blocks stand one after the other with a blank line between; a heading is a line of its own and belongs to no
block. All readers go through here, and none counts characters itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from sage_ld.build.readers.cell_values import column_values
from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.heads import StatedHead, stated_head
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.tables import cell_text, cells, column_names, field_name, row_text
from sage_ld.build.readers.written_values import have_decimal_comma
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import (
    Block,
    CellValue,
    Document,
    Hyperlink,
    Place,
    PlaceKind,
    Prose,
    Record,
    Section,
    Table,
)
from sage_ld.foundation.settings import Settings

_Part = TypeVar("_Part")

_MOST_PARTS: Final = 9  # so deep may numbers alone nest sections, whatever a file says
_WORD: Final = "appendix|chapter|part|section|anhang|abschnitt|kapitel|teil|chapitre|partie|annexe"
_NUMBER: Final = re.compile(
    rf"(?P<word>(?:(?:{_WORD})\s|§)\s?)?"
    rf"(?P<first>[0-9]{{1,4}}|(?(word)[a-z]|[a-z](?=[.:)])))"
    rf"(?P<rest>(?:\.[0-9]{{1,4}}){{0,{_MOST_PARTS - 1}}})[.:)]?(?:\s|$)",
    re.IGNORECASE,
)


def section_number(name: str) -> tuple[str, ...]:
    """The parts of the number that a section's name begins with; none if it begins with no number.

    >>> section_number("13.1 Heat"), section_number("Chapter 13: Thermodynamics"), section_number("Heat 13")
    (('13', '1'), ('13',), ())
    >>> section_number("Appendix B"), section_number("B.2 Tables"), section_number("A bird sings")
    (('b',), ('b', '2'), ())
    """
    match = _NUMBER.match(name)
    return (match["first"].casefold(), *match["rest"].split(".")[1:]) if match else ()


def is_numbered_below(name: str, other: str) -> bool:
    """Whether a section is a part of the other by their numbers: 13.1 and 13.1.2 of 13.

    >>> is_numbered_below("13.1 Heat", "13 Thermodynamics"), is_numbered_below("13.1 Heat", "1 Motion")
    (True, False)
    """
    number, above = section_number(name), section_number(other)
    return 0 < len(above) < len(number) and number[: len(above)] == above


BLOCK_SEPARATOR = "\n\n"
_MOST_PLACES = 20  # of each kind that is passed over; the count has all
_MOST_SHEET = 100  # characters of a sheet's name in the place of each chunk; Excel allows 31


class DocumentBuilder:
    r"""Collects headings, prose, tables and records, and returns the `Document` that they make.

    >>> builder = DocumentBuilder("films.csv", Settings())
    >>> builder.heading("Films", 1)
    >>> builder.table(["Year", "Title"], [["1949", "The Third Man"]])
    >>> builder.build(title="Films", media_type="text/csv", content_hash="0" * 64).text
    'Films\n\nYear: 1949; Title: The Third Man'
    """

    def __init__(self, identifier: str, settings: Settings) -> None:
        self.identifier = identifier
        self._settings = settings
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._links: list[Hyperlink] = []
        self._sections: list[Section] = []
        self._stack: list[int] = []
        self._places: list[Place] = []
        self._place: Place | None = None
        self._span_cells = 0
        self._passed_over: dict[str, int] = {}
        self._passed_over_places: dict[str, dict[str, None]] = {}
        self.stated_head: StatedHead | None = stated_head(settings.header)
        """The rows that a person says to name the columns of tables; None: it is seen from the cells."""
        self._head_taken = False
        self._last_row = 0
        """The last row of all tables, as a stated head is counted."""

    @property
    def empty(self) -> bool:
        """Whether nothing has been added."""
        return not self._parts

    @property
    def only_headings(self) -> bool:
        """Whether nothing but headings has been added."""
        return not self._blocks

    def count_blocks(self) -> int:
        """The number of paragraphs, tables and records."""
        return len(self._blocks)

    @property
    def first_heading(self) -> str | None:
        """The name of the first section of the highest level that there is."""
        return min(self._sections, key=lambda each: each.level).name if self._sections else None

    @property
    def section_name(self) -> str:
        """The name of the section that is open, or nothing."""
        return self._sections[self._stack[-1]].name if self._stack else ""

    def at(
        self,
        kind: PlaceKind,
        first: int,
        last: int | None = None,
        *,
        sheet: str = "",
        columns: tuple[str, str] | None = None,
        printed: str = "",
    ) -> None:
        """Says where in the file that stands which is added next, until it is said again."""
        name = sheet[:_MOST_SHEET]
        self._place = Place(0, 0, kind, first, first if last is None else last, name, columns, printed)

    def heading(self, content: Inline | str, level: int) -> None:
        """Opens a section that runs to the next heading of `level` or above.

        A heading of the same level whose number is below that of an open section (13.1 below 13) is in it.
        """
        inline = _inline(content)
        name = one_line(inline.text)
        if not name:
            return
        self._close(level, name)
        parent = self._stack[-1] if self._stack else None
        begin, end = self._append(inline)
        self._stack.append(len(self._sections))
        self._sections.append(Section(name, level, parent, begin, end))

    def end_section(self, level: int) -> None:
        """Ends the open sections of `level` and below: what follows stands in what is around them."""
        self._close(level)

    def prose(self, content: Inline | str) -> None:
        """A paragraph, a list, a block of code; nothing if it has no text."""
        inline = _inline(content)
        if inline.text.strip():
            begin, end = self._append(inline)
            self._blocks.append(Prose(begin, end, self._section))

    def table(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[Inline | str]],
        caption: str = "",
        head: str = "",
    ) -> None:
        """A table, each row with as many cells as there are names; nothing if all cells are empty.

        `head` says which rows were taken to name its columns, where the file does not mark them.

        Raises LimitError if it is wider than `max_table_columns`.
        """
        limit = self._settings.max_table_columns
        if len(names) > limit:
            raise LimitError.of(
                f"{self.identifier}: a table", len(names), limit, "columns", "max_table_columns", "divide it"
            )
        columns = column_names(names)
        values = [tuple(cell_text(columns, _inline(cell).text) for cell in row) for row in rows]
        if not any(any(row) for row in values):
            return
        lines = self._bounded((row_text(columns, row) for row in values), len)
        begin, end = self._append(Inline("\n".join(lines)))
        spans = _line_spans(begin, lines)
        stored = _stored(columns, values, rows)
        self._blocks.append(
            Table(begin, end, columns, tuple(values), spans, one_line(caption), self._section, head, stored)
        )
        for number, row in enumerate(rows):
            self._cell_links(number, columns, lines[number], spans[number][0], row)

    def check_area(self, added: int) -> None:
        """Raises LimitError if tables get more than `max_span_cells` with `added` cells of one more."""
        total, limit = self._span_cells + added, self._settings.max_span_cells
        if total > limit:
            what = f"{self.identifier}: cells that spans and short rows add to its tables"
            raise LimitError.of(what, total, limit, "cells", "max_span_cells")

    def add_area(self, added: int) -> None:
        """Counts the cells that spans and short rows add to a table."""
        self._span_cells += max(added, 0)

    def count_head(self, last: int, first: int = 1) -> None:
        """Counts a table for the head that is stated, which has to lie in its rows, and above the last."""
        if (head := self.stated_head) is not None:
            self._head_taken |= head.is_none or first <= head.first <= head.last < last
            self._last_row = max(self._last_row, last)

    def record(self, name: str, fields: Iterable[tuple[str, str]], subject: str | None = None) -> None:
        """One object, a `field: value` a line; fields without a value are left out."""
        named = ((field_name(field) or "value", text) for field, value in fields if (text := one_line(value)))
        pairs = self._bounded(named, lambda pair: len(pair[0]) + len(pair[1]))
        if pairs:
            begin, end = self._append(Inline("\n".join(f"{field}: {text}" for field, text in pairs)))
            self._blocks.append(Record(begin, end, one_line(name), tuple(pairs), subject, self._section))

    def pass_over(self, kind: str, count: int = 1, place: str = "") -> None:
        """Counts what the file has and the text has not, by a noun for its kind: `chart`, `hidden text`.

        Its place, such as `page 3`, is that of the open section unless it is said.
        """
        if count:
            self._passed_over[kind] = self._passed_over.get(kind, 0) + count
            places = self._passed_over_places.setdefault(kind, {})
            where = one_line(place or self.section_name)[:_MOST_SHEET]
            if where and len(places) < _MOST_PLACES:
                places[where] = None

    def build(
        self,
        *,
        title: str,
        media_type: str,
        content_hash: str,
        types: tuple[str, ...] = (),
        url: str | None = None,
    ) -> Document:
        """The document; the builder is not to be used after it."""
        self._close(0)
        return Document(
            identifier=self.identifier,
            title=one_line(title),
            text="".join(self._parts),
            blocks=tuple(self._blocks),
            media_type=media_type,
            content_hash=content_hash,
            sections=tuple(self._sections),
            links=tuple(self._links),
            url=url,
            types=types,
            places=tuple(self._places),
            warnings=self._warnings(),
            passed_over=tuple(sorted(self._passed_over.items())),
            passed_over_places=tuple(
                (kind, tuple(places)) for kind, places in sorted(self._passed_over_places.items()) if places
            ),
        )

    def _warnings(self) -> tuple[str, ...]:
        warnings = []
        if not self.empty and self.only_headings:
            warnings.append(f"{self.identifier}: nothing but headings was found in it, so no search finds it")
        if (head := self.stated_head) is not None and self._last_row and not self._head_taken:
            warnings.append(
                f"{self.identifier}: header: row {head.last:,} is in no table with rows below it, the last "
                f"row is {self._last_row:,}; the columns were named as without it: state the row above the "
                "data, or auto"
            )
        return tuple(warnings)

    @property
    def _section(self) -> int | None:
        return self._stack[-1] if self._stack else None

    def _append(self, inline: Inline) -> tuple[int, int]:
        if self._parts:
            self._parts.append(BLOCK_SEPARATOR)
            self._length += len(BLOCK_SEPARATOR)
        begin = self._length
        self._parts.append(inline.text)
        self._length += len(inline.text)
        self._check_length(self._length)
        if self._place is not None:
            self._places.append(replace(self._place, begin=begin, end=self._length))
        for anchor in inline.anchors:
            text = inline.text[anchor.begin : anchor.end]
            self._links.append(Hyperlink(anchor.target, text, begin + anchor.begin, begin + anchor.end))
        return begin, self._length

    def _bounded(self, parts: Iterable[_Part], length_of: Callable[[_Part], int]) -> list[_Part]:
        """The parts, made only as long as the text does not get too long: names may stand in each of them."""
        made, length = [], self._length
        for part in parts:
            length += length_of(part)
            self._check_length(length)
            made.append(part)
        return made

    def _check_length(self, length: int) -> None:
        if length > (limit := self._settings.max_text_length):
            what = f"{self.identifier}: its text"
            raise LimitError.of(what, length, limit, "characters", "max_text_length")

    def _close(self, level: int, name: str = "") -> None:
        """Closes the open sections of `level` and below, but for those that a section called `name` is in."""
        while self._stack and (opened := self._sections[self._stack[-1]]).level >= level:
            if opened.level == level and is_numbered_below(name, opened.name):
                break
            number = self._stack.pop()
            self._sections[number] = Section(
                opened.name, opened.level, opened.parent, opened.begin, self._length
            )

    def _cell_links(
        self, number: int, columns: tuple[str, ...], line: str, begin: int, row: Sequence[Inline | str]
    ) -> None:
        if not any(isinstance(cell, Inline) and cell.anchors for cell in row):
            return
        places = {column: begin + at for column, at, _ in cells(columns, line)}
        for column, cell in zip(columns, row, strict=True):
            start = places.get(column, begin)  # a link without text in an empty cell: at the row's begin
            inline = _inline(cell)
            for anchor in inline.anchors:
                first, last = start + anchor.begin, start + anchor.end
                text = line[first - begin : last - begin]
                self._links.append(Hyperlink(anchor.target, text, first, last, number, column))


def _inline(content: Inline | str) -> Inline:
    return content if isinstance(content, Inline) else Inline(printable(content))


def _stored(
    columns: tuple[str, ...], texts: Sequence[tuple[str, ...]], rows: Sequence[Sequence[Inline | str]]
) -> tuple[CellValue, ...]:
    """The values of a table that its texts do not say, by row."""
    values = list[CellValue]()
    shown = [[each[number] for each in texts] for number in range(len(columns))]
    comma = any(map(have_decimal_comma, shown))
    for number, column in enumerate(columns):
        cells_of = [each[number] for each in rows]
        stored = [each.value if isinstance(each, Inline) else None for each in cells_of]
        found = column_values(shown[number], stored, decimal_comma=comma)
        values += [CellValue(row, column, *value) for row, value in found]
    return tuple(sorted(values, key=lambda each: each.row))


def _line_spans(begin: int, lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    spans = []
    for line in lines:
        spans.append((begin, begin + len(line)))
        begin += len(line) + 1
    return tuple(spans)
