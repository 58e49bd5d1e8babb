"""Sheets of cells as tables: which rows belong together, and what names their columns.

Rows without an empty row between them are one table. Rows above it with a single text are its caption; its
first row names the columns if it has only texts (or years, beside a text). Columns that nothing names have
their letters. Rows after an empty one, or after at most 1,000, go on with the table above, if they fill the
same columns and have no header.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import mode
from typing import Final, NamedTuple, TypeAlias

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.heads import (
    LOOKED_AT,
    CellLook,
    HeadRow,
    StatedHead,
    head_count,
    head_names,
    is_form,
    look_of,
    named_by,
)
from sage_ld.build.readers.inline import Anchor, Inline, folded_away, joined
from sage_ld.build.readers.section_rows import section_rows, sectioned
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import PlaceKind

_MOST_EMPTY: Final = 1_000
"""Empty rows within a table; a cell below more of them stands by itself."""
_MOST_FACTS: Final = 20
"""Rows of labels and values above a table."""
Value: TypeAlias = str | Inline
"""The text that a cell shows, which may have links and a value; never empty."""


class MergedCells(NamedTuple):
    """Merged cells, by their corners; rows and columns are counted from 1."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


@dataclass
class Sheet:
    """The cells of a sheet that are not empty."""

    name: str
    rows: dict[int, dict[int, Value]] = field(default_factory=dict)
    """Row number -> column number -> value, both counted from 1 and rising."""
    spans: list[MergedCells] = field(default_factory=list)
    notes: list[tuple[int, int, str]] = field(default_factory=list)
    """Row, column and text of the notes on cells."""

    @cached_property
    def width(self) -> int:
        """The most cells of a row, once all are there."""
        return max(map(len, self.rows.values()), default=0)


@dataclass(slots=True)
class _Region:
    """Rows that make up one table, with the columns that they fill."""

    sheet: Sheet
    """The sheet, or the part of it that has the cells of this table alone."""
    first: int
    last: int
    columns: list[int]
    filled: frozenset[int]
    """The same columns."""
    names: list[str]
    heads: int
    """The number of rows that name the columns."""
    head: str
    """Which rows these are."""
    caption: str = ""
    is_form: bool = False
    """Whether it is labels and their values, beside each other."""


class CellCount:
    """Counts the cells of a workbook, and raises LimitError over `max_sheet_cells`."""

    def __init__(self, name: str, limit: int) -> None:
        self._name, self._limit = name, limit
        self._count = 0

    def add(self, cells: int) -> None:
        """Counts some more."""
        self._count += cells
        if self._count > self._limit:
            what = f"{self._name}: its sheets"
            raise LimitError.of(what, self._count, self._limit, "cells", "max_sheet_cells")


def column_letters(number: int) -> str:
    """The letters of a column, counted from 1.

    >>> column_letters(1), column_letters(28)
    ('A', 'AB')
    """
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def linked(value: Value | None, target: str) -> Inline:
    """The value of a cell with a link over all of it."""
    text, stored = _text(value), value.value if isinstance(value, Inline) else None
    return Inline(text, (Anchor(target, 0, len(text)),), stored)


def add_sheet(builder: DocumentBuilder, sheet: Sheet, count: CellCount, *, is_shown: bool = True) -> None:
    """Adds a sheet as a section with its tables and notes. Raises LimitError over `max_sheet_cells`."""
    if not sheet.rows and not sheet.notes:
        return
    _at(builder, sheet, first := next(iter(sheet.rows), 1), first, [1])
    builder.heading(sheet.name if is_shown else folded_away(Inline(sheet.name)), 1)
    _fill_spans(builder, sheet, count)
    headers = _wide_spans(sheet.spans)
    for region in _regions(builder, sheet, headers):
        _add_table(builder, region, headers, count)
    for row, column, text in sheet.notes:
        _at(builder, sheet, row, row, [column])
        builder.prose(text)


_Headers: TypeAlias = Mapping[int, Sequence[MergedCells]]
"""Row number -> the merged cells that begin there and span columns, from the left and apart."""


def _wide_spans(spans: Sequence[MergedCells]) -> _Headers:
    """The merged cells that span columns; they may not lie over others (ISO/IEC 29500-1, §18.3.1.55)."""
    headers: dict[int, list[MergedCells]] = {}
    for span in sorted(spans):
        if span.last_column > span.first_column:
            row = headers.setdefault(span.first_row, [])
            if not row or row[-1].last_column < span.first_column:
                row.append(span)
    return headers


def _fill_spans(builder: DocumentBuilder, sheet: Sheet, count: CellCount) -> None:
    """Repeats a value that spans rows in each of them, as far as the sheet goes.

    Raises LimitError if that makes more than `max_span_cells` rows that the sheet has not.
    """
    last = max(sheet.rows, default=0)
    for span in sheet.spans:
        value = sheet.rows.get(span.first_row, {}).get(span.first_column)
        if value is None or span.last_row <= span.first_row:
            continue
        below = range(span.first_row + 1, min(span.last_row, last) + 1)
        count.add(len(below))
        for number in below:
            if number not in sheet.rows:
                builder.check_area(1)
                builder.add_area(1)
            sheet.rows.setdefault(number, {})[span.first_column] = value


def _regions(builder: DocumentBuilder, sheet: Sheet, headers: _Headers) -> Iterator[_Region]:
    """The tables of a sheet, in their order; captions and lists of single texts are added as prose."""
    region: _Region | None = None
    for block in (part for run in _blocks(sorted(sheet.rows)) for part in _tables_below(sheet, run)):
        builder.count_head(block.stop - 1, block.start)
        stated = _stated(builder.stated_head, block)
        is_note = region is not None and stated is None and _is_note_below(sheet, region, block)
        begin = block.stop if is_note else _begin(sheet, block, headers)
        if stated is not None and not stated.is_none:
            begin = stated.first
        made = _tables(sheet, range(begin, block.stop), headers, stated, region)
        goes_on = len(made) == 1 and begin == block.start and not made[0].heads
        is_near = region is not None and begin - region.last <= _MOST_EMPTY
        if region is not None and goes_on and is_near and region.filled.issuperset(made[0].columns):
            region.last = block.stop - 1
            continue
        if region is not None:
            yield region
        caption = _add_prose(builder, sheet, range(block.start, begin))
        for each in made:
            each.caption = caption
        yield from made[:-1]
        region = made[-1] if made else None
    if region is not None:
        yield region


def _tables(
    sheet: Sheet,
    numbers: range,
    headers: _Headers,
    stated: StatedHead | None,
    above: _Region | None,
) -> list[_Region]:
    """The table in some rows, or those that stand beside each other there."""
    columns = sorted({column for number in numbers for column in sheet.rows[number]})
    if not columns:
        return []
    if stated is not None:
        return [_region(sheet, numbers, columns, stated.last - stated.first + 1, headers)]
    if beside := _side_by_side(sheet, numbers, columns, headers):
        counts = [head_count(_head_rows(part, own, group, headers)) for part, group, own in beside]
        parts = zip(beside, counts, strict=True)
        return [_region(part, own, group, count, headers) for (part, group, own), count in parts]
    rows = _head_rows(sheet, numbers, columns, headers)
    heads = _heads(sheet, numbers.start, rows, columns, headers, above)
    if heads == 1 and len(columns) < sheet.width and _are_facts(rows):
        return [replace(_region(sheet, numbers, columns, 0, headers), is_form=True)]
    return [replace(_region(sheet, numbers, columns, heads, headers), is_form=not heads and is_form(rows))]


def _tables_below(sheet: Sheet, block: range) -> Iterator[range]:
    """The tables that follow each other in rows without a gap: each has a caption and the same head."""
    texts = {number: tuple(map(_text, sheet.rows[number].values())) for number in block}
    head = next((texts[number] for number in block if len(texts[number]) > 1), ())
    begin = block.start
    for number in block[2:]:
        above = number - 1
        if texts[number] == head and len(texts[above]) == 1 and above > begin:
            yield range(begin, above)
            begin = above
    yield range(begin, block.stop)


def _is_note_below(sheet: Sheet, region: _Region, block: range) -> bool:
    """Whether a row below a table is no row of it: few cells, of which the first stands below numbers."""
    row = sheet.rows[block.start]
    if len(block) > 1 or 2 * len(row) > len(region.columns) or min(row) not in region.filled:
        return False
    seen = range(region.first, min(region.last + 1, region.first + LOOKED_AT))
    above = (_text(sheet.rows[n].get(min(row))) for n in seen if n in sheet.rows)
    filled = [look_of(text) for text in above if text]
    numbers = [look for look in filled if look in (CellLook.NUMBER, CellLook.DATE)]
    is_text = look_of(_text(row[min(row)])) is CellLook.TEXT
    return is_text and bool(filled) and len(numbers) == len(filled)


def _are_facts(rows: Sequence[HeadRow]) -> bool:
    """Whether two columns above a wider table are labels and their values, of more than one look."""
    if any(len([text for text in row.texts if text]) != 2 for row in rows) or len(rows) > _MOST_FACTS:
        return False
    labels = [row.texts[0] for row in rows]
    looks = {look_of(row.texts[1]) for row in rows[1:]}
    are_texts = all(look_of(label) is CellLook.TEXT for label in labels) and len(set(labels)) == len(labels)
    return are_texts and len(looks) > 1


def _region(
    sheet: Sheet,
    numbers: range,
    columns: list[int],
    heads: int,
    headers: _Headers,
) -> _Region:
    """A table of some rows, of which the first `heads` name the columns."""
    names = _names(sheet, numbers[:heads], columns, headers)
    head = named_by("row", numbers.start, heads)
    first, last = numbers.start + heads, numbers.stop - 1
    return _Region(sheet, first, last, columns, frozenset(columns), names, heads, head)


def _begin(sheet: Sheet, block: range, headers: _Headers) -> int:
    """The first row of the table in a block: below rows of one cell, and below notes that are no head.

    Rows at the top are notes if they have fewer cells than most rows, and the first that has as many has the
    looks of a head.
    """
    begin = block.start
    while begin < block.stop and _stands_alone(sheet, begin, headers):
        begin += 1
    seen = range(begin, min(block.stop, begin + LOOKED_AT))
    widths = [len(sheet.rows[number]) for number in seen]
    common = mode(widths) if widths else 0
    first = next((number for number, width in zip(seen, widths, strict=True) if width >= common), begin)
    if common < 2 or first == begin or first in headers or first - 1 in headers:
        return begin
    columns = sorted({column for number in seen[first - begin :] for column in sheet.rows[number]})
    below = _head_rows(sheet, range(first, block.stop), columns, headers)
    above = _head_rows(sheet, range(first - 1, block.stop), columns, headers)
    return first if head_count(below, likely=False) and head_count(above) < 2 else begin


def _side_by_side(
    sheet: Sheet, numbers: range, columns: Sequence[int], headers: _Headers
) -> list[tuple[Sheet, list[int], range]]:
    """The tables that stand beside each other, with an empty column between: their cells, columns and rows.

    None unless all of them have two columns or more, and a head. A head of texts over texts is enough beside
    one of two rows, if the first column names the rows.
    """
    groups: list[list[int]] = []
    for column in columns:
        if groups and groups[-1][-1] == column - 1:
            groups[-1].append(column)
        else:
            groups.append([column])
    if len(groups) < 2 or any(len(group) < 2 for group in groups):
        return []
    parts = []
    is_beside_two = False
    for group, part in zip(groups, _divided(sheet, numbers, groups), strict=True):
        rows = range(min(part.rows), max(part.rows) + 1)
        seen = _head_rows(part, rows, group, headers)
        heads = head_count(seen, likely=False)
        if not heads and is_beside_two and _are_named(seen):
            heads = head_count(seen)
        is_beside_two = heads > 1
        is_full = len(part.rows[rows.start]) == len(group)
        if not heads or not (is_full or heads > 1):
            return []
        parts.append((part, group, rows))
    return parts


def _divided(sheet: Sheet, numbers: range, groups: Sequence[Sequence[int]]) -> list[Sheet]:
    """The cells of some rows, divided by groups of columns."""
    parts = [Sheet(sheet.name) for _ in groups]
    owners = {column: part for part, group in zip(parts, groups, strict=True) for column in group}
    for number in numbers:
        for column, value in sheet.rows[number].items():
            owners[column].rows.setdefault(number, {})[column] = value
    return parts


def _are_named(rows: Sequence[HeadRow]) -> bool:
    """Whether the first column has a text of its own in each row."""
    names = [row.texts[0] for row in rows]
    return len(set(names)) == len(names) and all(look_of(name) is CellLook.TEXT for name in names)


def _stated(head: StatedHead | None, block: range) -> StatedHead | None:
    """The head that is stated, where it says that there is none or has rows of the block below it."""
    if head is None or head.is_none or (block.start <= head.first and head.last < block.stop - 1):
        return head
    return None


def _blocks(numbers: Sequence[int]) -> Iterator[range]:
    """Runs of row numbers without a gap."""
    begin = 0
    for at in range(1, len(numbers) + 1):
        if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
            yield range(numbers[begin], numbers[at - 1] + 1)
            begin = at


def _head_rows(sheet: Sheet, numbers: range, columns: Sequence[int], headers: _Headers) -> list[HeadRow]:
    """The rows of a block, as far as they may say what names its columns."""
    return [
        HeadRow([_text(row.get(column)) for column in columns], number in headers)
        for number, row in ((number, sheet.rows.get(number, {})) for number in numbers[:LOOKED_AT])
    ]


def _heads(
    sheet: Sheet,
    begin: int,
    rows: Sequence[HeadRow],
    columns: Sequence[int],
    headers: _Headers,
    above: _Region | None,
) -> int:
    """The number of rows from `begin` that name the columns."""
    spanned = sum(span.last_column - span.first_column for span in headers.get(begin, ()))
    if not rows or 2 * len(sheet.rows[begin]) < len(columns) - 2 * spanned:
        return 0
    if above is not None and columns == above.columns and not _has_numbers(rows[1:]):
        return 0  # nothing tells it from another row of texts
    return head_count(rows)


def _stands_alone(sheet: Sheet, number: int, headers: _Headers) -> bool:
    """Whether a row has one cell, which does not head some of the columns of a table."""
    row, below = sheet.rows[number], sheet.rows.get(number + 1)
    return len(row) == 1 and not (number in headers and below and min(row) > min(below))


def _has_numbers(rows: Sequence[HeadRow]) -> bool:
    return any(look_of(text) not in (CellLook.TEXT, CellLook.EMPTY) for row in rows for text in row.texts)


def _names(sheet: Sheet, heads: range, columns: Sequence[int], headers: _Headers) -> list[str]:
    """The names of the columns, from the rows of the head; the letters of those that nothing names."""
    rows = []
    for number in heads:
        row = dict(sheet.rows.get(number, {}))
        for span in headers.get(number, ()):
            if (value := row.get(span.first_column)) is not None:
                first, end = bisect_left(columns, span.first_column), bisect_right(columns, span.last_column)
                row.update((each, value) for each in columns[first:end])
        rows.append([_text(row.get(column)) for column in columns])
    names = zip(head_names(rows, len(columns)), columns, strict=True)
    return [name or column_letters(column) for name, column in names]


def _text(value: Value | None) -> str:
    return value.text if isinstance(value, Inline) else value or ""


def _add_prose(builder: DocumentBuilder, sheet: Sheet, numbers: range) -> str:
    """Adds the rows above a table as prose; returns the last of one cell, the caption of the table."""
    caption = ""
    for number in numbers:
        row = sheet.rows[number]
        _at(builder, sheet, number, number, sorted(row))
        line = joined(
            ("; ", each if isinstance(each, Inline) else Inline(str(each))) for each in row.values()
        )
        builder.prose(line)
        caption = line.text if len(row) == 1 else ""
    return caption


def _add_table(builder: DocumentBuilder, region: _Region, headers: _Headers, count: CellCount) -> None:
    sheet = region.sheet
    empty: dict[int, Value] = {}
    numbers = range(region.first, region.last + 1)
    filled = sum(len(sheet.rows[number]) for number in numbers if number in sheet.rows)
    empty_cells = len(numbers) * len(region.columns) - filled
    count.add(empty_cells)
    builder.check_area(empty_cells - filled)  # a table may be empty by half
    builder.add_area(empty_cells - filled)
    cells = (sheet.rows.get(number, empty) for number in numbers)
    rows = [[row.get(column, "") for column in region.columns] for row in cells]
    _at(builder, sheet, region.first, region.last, region.columns)
    has_links = any(isinstance(value, Inline) and value.anchors for row in rows for value in row)
    if region.is_form and not has_links:
        builder.record(region.caption or sheet.name, [(_text(row[0]), _text(row[1])) for row in rows])
    else:
        heads = _section_rows(region, rows, headers)
        names, rows = sectioned(region.names, rows, heads, "")
        builder.table(names, rows, region.caption, region.head)


def _section_rows(region: _Region, rows: Sequence[Sequence[Value]], headers: _Headers) -> frozenset[int]:
    """The numbers of the rows that head others: merged cells as wide as the table, or first cells alone."""
    merged = frozenset(
        number
        for number, row in enumerate(rows[:-1])
        if _is_wide(headers.get(region.first + number, ()), region.columns) and not any(row[1:])
    )
    return merged or section_rows([[_text(value) for value in row] for row in rows])


def _is_wide(spans: Sequence[MergedCells], columns: Sequence[int]) -> bool:
    """Whether one of the merged cells of a row, in no other, spans all columns of a table."""
    left, right = columns[0], columns[-1]
    at = bisect_right(spans, left, key=lambda span: span.first_column) - 1
    return at >= 0 and left < right <= spans[at].last_column and spans[at].first_row == spans[at].last_row


def _at(builder: DocumentBuilder, sheet: Sheet, first: int, last: int, columns: Sequence[int]) -> None:
    letters = (column_letters(columns[0]), column_letters(columns[-1]))
    builder.at(PlaceKind.CELLS, first, last, sheet=sheet.name, columns=letters)
