"""Tables without lines around their cells: rows whose pieces stand below each other."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Final

from sage_ld.build.readers.grid import Cell, Row
from sage_ld.build.readers.heads import CellLook, look_of
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.pdf.column_edges import (
    RowCells,
    cells_of,
    column_of,
    gaps,
    head_rows,
    named_columns,
)
from sage_ld.build.readers.pdf.lines import LinePiece, Span, distance, is_wide, rows
from sage_ld.build.readers.pdf.paragraphs import LEADERS
from sage_ld.build.readers.pdf.words import Box

_LEAST_ROWS: Final = 3
_CELL_WORDS: Final = 4
"""Words in a cell beside the first, on average, at most; texts beside each other have more."""
_LEAST_SHARE: Final = 0.2
"""The share of rows with a cell in a column, at least, where no name stands over it."""
_FAR: Final = 2.2
"""How far apart two rows of a table stand, in heights of a line, at most."""
_CLOSE: Final = 1.5
"""How far below its line the rest of a cell stands, in heights of a line, at most."""
_NEARER: Final = 1.2
"""How much further from the row above than from that below a line stands which belongs to the latter."""
_RULED: Final = 0.6
"""The share of a table's width that a line across it has, at least."""
_MOST_LINES: Final = 4
"""Lines of a cell below the first, at most, where the last row of a table ends with them."""
_PLACE: Final = 3.0
"""Points: places that are not further apart count as the same."""
_ALIGNED: Final = 0.6
"""The share of a column's cells that begin, end or are centred at one place, at least."""
_LEAST_DISTANCE: Final = 0.8
"""How far apart two rows of a table stand, in heights of a line, at least."""
_NEAR: Final = 0.7
"""How far from the edge of its column the name of one stands, in heights of a line, at most."""
_STROKE: Final = re.compile(r"[-=_–—*+|\s]{3,}")
"""A line across a printout: it ends a table, or stands below the names of its columns."""
_HEAD_ROWS: Final = 2
"""Rows of names above such a line, at most."""
_BRACKET: Final = re.compile("[\uf8e0-\uf8ff\u239b-\u23b3]")
"""Parts of brackets over several lines, as fonts for formulas have them."""
_BULLET: Final = re.compile(r"[•‣◦▪–—*\-·o]|\(?[0-9a-zA-Z]{1,3}[.)]|\[[0-9]{1,3}\]")


@dataclass(frozen=True, slots=True)
class AlignedTable:
    """A table, and the pieces that it is made of."""

    rows: list[Row]
    pieces: list[LinePiece]
    is_named: bool = True
    """Whether it is certain which columns the names at its top stand over; else they are titles."""


def tables(column: Sequence[LinePiece], rules: Sequence[Box] = ()) -> list[AlignedTable]:
    """The tables among the pieces of one column of a page; `rules` are the lines across the page."""
    return [found for run in _runs(rows(column)) if (found := _table(run, rules)) is not None]


def _runs(lines: Sequence[list[LinePiece]]) -> Iterator[list[list[LinePiece]]]:
    """Rows that may be a table: those with several pieces, and single ones between them."""
    run: list[list[LinePiece]] = []
    above: list[LinePiece] = []
    for line in lines:
        is_stroke = all(_STROKE.fullmatch(each.text) for each in line)
        is_form = any(each.is_field for each in line)
        if run and (distance(above, line) > _FAR or is_form or (is_stroke and len(run) > _HEAD_ROWS)):
            yield run
            run = []
        if is_stroke or is_form:
            above = line
            continue
        if run or _is_cut(line):
            if not run and above and _is_head_alone(above, line):
                run.append(above)
            run.append(line)
        above = line
    if run:
        yield run


def _is_head_alone(above: Sequence[LinePiece], line: Sequence[LinePiece]) -> bool:
    """Whether a row of one piece names columns: it begins behind the first one, or has names close by."""
    indent = above[0].box.left - line[0].box.left
    is_close = len(above) == 1 and distance(above, line) <= _FAR
    if above[0].is_field or _STROKE.fullmatch(above[0].text):
        return False
    return is_close and (indent > 2 * line[0].size or 0 < len(above[0].cells) <= len(line))


def _is_cut(line: Sequence[LinePiece]) -> bool:
    """Whether a row has several cells: a bullet with its text has one, an entry with dots, `n: 1`."""
    upright = [each for each in line if each.upright]
    if len(upright) < 2 or any(LEADERS.search(each.text) for each in upright):
        return False
    if len(upright) == 2 and upright[0].text.endswith(":") and not is_wide(*upright):
        return False
    return len(upright) > 2 or not _BULLET.fullmatch(upright[0].text)


def _table(lines: list[list[LinePiece]], rules: Sequence[Box]) -> AlignedTable | None:
    """The table that a run of rows is; None if it is prose."""
    while lines and not _is_cut(lines[-1]) and not _is_rest(lines):
        lines = lines[:-1]
    run = cells_of(lines)
    cut = [line for line in run if _is_cut(line)]
    bands = _bands(run, rules)
    if len(cut) < _LEAST_ROWS or len(cut) * 2 < len(set(bands) or run):
        return None
    count = head_rows(run)
    body = run[count:]
    found = gaps(body, max(2, int(_LEAST_SHARE * len(body))))
    edges, names = [(low + high) / 2 for low, high in found], None
    if count:
        if sum(1 + len(each.cells) for each in lines[count - 1]) > len(closer := gaps(body, 1)):
            found = closer
        edges, names = named_columns(run[count - 1], body, found)
    if not edges or not _are_cells(cut, edges) or (not bands and _is_formula(run)):
        return None
    extents = _extents(cut, edges)
    cells = [_cells(_divided(line, edges, extents), edges) for line in run]
    if names is not None:
        cells[count - 1] = names
    cells = list(_widened(cells, run, edges, count))
    is_named = not count or names is not None
    begin = 0 if is_named else count
    made = list(_joined(cells[begin:], run[begin:], bands[begin:]))
    rows = [_row(each, len(edges) + 1) for each in made]
    if not is_named:
        rows = [_title(line, len(edges) + 1) for line in run[:count]] + rows
    return AlignedTable(rows, [each for line in lines for each in line], is_named)


def _are_cells(cut: Sequence[Sequence[LinePiece]], edges: Sequence[float]) -> bool:
    """Whether what stands beside the first column are cells, not texts."""
    beside = [each for line in cut for each in line if column_of(each.box.left, edges) > 0]
    if len(beside) < _LEAST_ROWS:
        return False
    numbers = sum(look_of(each.text) is not CellLook.TEXT for each in beside)
    words = sum(len(each.words) for each in beside) / len(beside)
    if numbers * 2 < len(beside) and not _are_aligned(cut, edges):
        return False
    if len(edges) == 1 and numbers * 2 < len(beside):
        return words <= 2 and len(cut) > _LEAST_ROWS
    return words <= _CELL_WORDS


def _are_aligned(cut: Sequence[Sequence[LinePiece]], edges: Sequence[float]) -> bool:
    """Whether the cells of the columns beside the first begin, end or are centred at the same place."""
    columns: dict[int, list[LinePiece]] = {}
    for line in cut:
        for each in line:
            columns.setdefault(column_of(each.box.left, edges), []).append(each)
    columns.pop(0, None)
    shares = []
    for column in columns.values():
        places = [(one.box.left, one.box.right, (one.box.left + one.box.right) / 2) for one in column]
        best = max(
            Counter(round(place[kind] / _PLACE) for place in places).most_common(1)[0][1] for kind in range(3)
        )
        shares.append(best / len(column))
    return bool(shares) and sum(shares) >= _ALIGNED * len(shares)


def _is_rest(lines: Sequence[Sequence[LinePiece]]) -> bool:
    """Whether the last line is the rest of a cell: it stands close below it, and begins where it does."""
    *above, last = lines
    begins = [each.box.left for line in above[-_MOST_LINES:] for each in line[1:]]
    is_close = len(above) > 0 and len(last) == 1 and distance(above[-1], last) <= _CLOSE
    return is_close and any(abs(last[0].box.left - begin) < _PLACE / 2 for begin in begins)


def _is_formula(run: Sequence[Sequence[LinePiece]]) -> bool:
    """Whether rows are the lines of formulas: they stand close, or have parts of large brackets."""
    begins = Counter(round(each.box.left) for row in run if _is_cut(row) for each in row[1:])
    rests = {id(row) for row in run if len(row) == 1 and begins[round(row[0].box.left)] > 1}
    close = sum(
        distance(above, below) < _LEAST_DISTANCE and not {id(above), id(below)} & rests
        for above, below in pairwise(run)
    )
    return close * 4 > len(run) or any(_BRACKET.search(each.text) for line in run for each in line)


_Extent = tuple[float, float]
"""The left and the right edge of what stands in a column."""


def _extents(cut: Sequence[Sequence[LinePiece]], edges: Sequence[float]) -> dict[int, _Extent]:
    """The edges of the columns: those that most of their cells have."""
    lefts: dict[int, list[float]] = {}
    rights: dict[int, list[float]] = {}
    for line in cut:
        for each in line:
            first, last = column_of(each.box.left + 1, edges), column_of(each.box.right - 1, edges)
            if first == last:
                lefts.setdefault(first, []).append(each.box.left)
                rights.setdefault(first, []).append(each.box.right)
    return {number: (median(lefts[number]), median(rights[number])) for number in lefts}


def _divided(
    line: Sequence[LinePiece], edges: Sequence[float], extents: Mapping[int, _Extent]
) -> Iterator[LinePiece]:
    """The pieces of a row, those cut into words that have some for each column below them."""
    for each in line:
        first, last = column_of(each.box.left + 1, edges), column_of(each.box.right - 1, edges)
        groups: dict[int, list[Span]] = {}
        for word in each.words if first != last else ():
            groups.setdefault(_column_below(word, range(first, last + 1), edges, extents), []).append(word)
        if first == last or list(groups) != list(range(first, last + 1)):
            yield each
        elif all(_stands_over(words, extents.get(column), each.size) for column, words in groups.items()):
            for column, words in groups.items():
                begin, end = ([float("-inf"), *edges][column], [*edges, float("inf")][column])
                box = each.box._replace(left=max(begin, words[0][1]), right=min(end, words[-1][2]))
                yield replace(each, text=" ".join(text for text, _, _ in words), box=box, anchors=())
        else:
            yield each


def _column_below(word: Span, columns: range, edges: Sequence[float], extents: Mapping[int, _Extent]) -> int:
    """The column of a word: one whose cells end where it does, else that in which its middle is."""
    ends = {column: abs(word[2] - extents[column][1]) for column in columns if column in extents}
    best = min(ends, key=lambda column: ends[column], default=0)
    return best if ends.get(best, _PLACE) < _PLACE else column_of((word[1] + word[2]) / 2, edges)


def _stands_over(words: Sequence[Span], extent: _Extent | None, size: float) -> bool:
    """Whether words begin or end where the cells of a column do."""
    if extent is None:
        return False
    return min(abs(words[0][1] - extent[0]), abs(words[-1][2] - extent[1])) < _NEAR * size


def _cells(line: Iterable[LinePiece], edges: Sequence[float]) -> RowCells:
    out: RowCells = {}
    for each in line:
        first, last = column_of(each.box.left + 1, edges), column_of(each.box.right - 1, edges)
        before, span = out.get(first, ("", 1))
        out[first] = (f"{before} {each.text}".strip(), max(span, last - first + 1))
    return out


def _bands(run: Sequence[Sequence[LinePiece]], rules: Sequence[Box]) -> list[int]:
    """The number of the row that each line is in, where lines across a table part all its rows; else none."""
    left, right = min(row[0].box.left for row in run), max(row[-1].box.right for row in run)
    places = sorted(
        (rule.top + rule.bottom) / 2
        for rule in rules
        if min(rule.right, right) - max(rule.left, left) > _RULED * (right - left)
    )
    out = [bisect(places, row[0].base - row[0].size / 3) for row in run]
    values = Counter(band for band, row in zip(out, run, strict=True) if _is_first(row, left))
    parted = len(set(out))
    return out if parted >= _LEAST_ROWS and all(count == 1 for count in values.values()) else []


def _is_first(row: Sequence[LinePiece], left: float) -> bool:
    """Whether a line is no rest of cells: it has a value, or a label with something beside it."""
    has_label = _is_cut(row) and row[0].box.left - left < _PLACE
    return has_label or any(look_of(each.text) is not CellLook.TEXT for each in row[1:])


def _joined(
    found: Sequence[RowCells], lines: Sequence[Sequence[LinePiece]], bands: Sequence[int]
) -> Iterator[RowCells]:
    """The rows, with the lines of one cell together."""
    rows: list[RowCells] = []
    opens = False
    for number, cells in enumerate(found):
        close = number > 0 and distance(lines[number - 1], lines[number]) <= _CLOSE
        if bands:
            goes_on = number > 0 and bands[number] == bands[number - 1]
        else:
            goes_on = opens or (close and _continues(rows[-1], cells))
            opens = not goes_on and _opens(found, lines, number)
            goes_on = goes_on and not opens
        if goes_on:
            for column, (text, span) in cells.items():
                before, width = rows[-1].get(column, ("", span))
                rows[-1][column] = (f"{before} {text}".strip(), max(width, span))
        else:
            rows.append(dict(cells))
    yield from rows


def _opens(found: Sequence[RowCells], lines: Sequence[Sequence[LinePiece]], number: int) -> bool:
    """Whether a line without a label is the first of a cell in the row below: it stands closer to that."""
    if not 0 < number < len(found) - 1 or 0 in found[number] or 0 not in found[number + 1]:
        return False
    if any(look_of(text) is not CellLook.TEXT for text, _ in found[number].values()):
        return False
    below = distance(lines[number], lines[number + 1])
    return below <= _CLOSE and _NEARER * below < distance(lines[number - 1], lines[number])


def _continues(above: RowCells, cells: RowCells) -> bool:
    """Whether a row is the rest of the one above: words without a label, or a label that goes on."""
    texts = [text for text, _ in cells.values()]
    if 0 not in cells:
        if len(above) < 2 or any(look_of(text) is not CellLook.TEXT for text in texts):
            return False
        return set(cells) <= set(above) or all(look_of(text) is CellLook.TEXT for text, _ in above.values())
    goes_on = cells[0][0][:1].islower()
    return goes_on and (len(cells) == 1 or list(above) == [0])


def _title(line: Sequence[LinePiece], width: int) -> Row:
    return Row((Cell(Inline(" ".join(each.text for each in line)), columns=width),))


def _widened(
    cells: Sequence[RowCells], run: Sequence[Sequence[LinePiece]], edges: Sequence[float], heads: int
) -> Iterator[RowCells]:
    """The rows; a first cell alone is as wide as the table where it heads others.

    It does above the names, if it is wider than its column, or bold among others that are not. Elsewhere a
    row of which nothing else is known looks so, too.
    """
    bold = [line[0].is_bold for line in run[heads:] if len(line) > 1]
    for number, (row, line) in enumerate(zip(cells, run, strict=True)):
        if list(row) == [0]:
            is_head = line[0].box.right > edges[0] or (line[0].is_bold and not any(bold))
            if is_head or number < heads - 1:
                yield {0: (row[0][0], len(edges) + 1)}
                continue
        yield row


def _row(cells: RowCells, width: int) -> Row:
    out, column = [], 0
    while column < width:
        text, span = cells.get(column, ("", 1))
        following = min((each for each in cells if each > column), default=width)
        span = min(span, following - column)
        out.append(Cell(Inline(text), columns=span))
        column += span
    return Row(tuple(out))
