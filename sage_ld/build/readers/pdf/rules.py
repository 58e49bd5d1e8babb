"""Tables whose cells have lines around them: the lines that a page draws, and the cells between them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from sage_ld.build.readers.grid import Cell, Row
from sage_ld.build.readers.inline import Inline
from sage_ld.build.readers.pdf.lines import pieces
from sage_ld.build.readers.pdf.shapes import Shape
from sage_ld.build.readers.pdf.words import Box, Centres, PlacedWord

_THIN: Final = 3.0
"""Points: a shape that is not wider is a line."""
_LEAST_LINES: Final = 4
_MOST_SHAPES: Final = 20_000
"""Shapes of a page with tables, at most; a map or a drawing has more."""
_MOST_CROSSINGS: Final = 4_000
"""Crossings of lines across the page with lines down it, so that the work on a page has an end."""
_TOLERANCE: Final = 3.0
_SEEN_CELLS: Final = 0.4
"""The share of a table's cells with text, at least: else the lines are a picture or a form."""


def is_rule(shape: Shape) -> bool:
    """Whether a shape is a line across the page."""
    box = shape.box
    return shape.is_simple and box.bottom - box.top <= _THIN < box.right - box.left


def ruled_tables(
    shapes: Sequence[Shape], words: Sequence[PlacedWord]
) -> list[tuple[Box, list[Row], list[PlacedWord]]]:
    """The tables with lines around their cells: the place of each, its rows, and the words in it."""
    lines = list(_edges(shapes))
    if sum(horizontal for _, horizontal in lines) < 2 or len(lines) < _LEAST_LINES:
        return []
    out = []
    centres = Centres(words)
    for found in _cells(lines):
        lefts = sorted({cell.left for cell in found})
        inside = ((cell, [words[number] for number in centres.inside(cell)]) for cell in found)
        parted = [part for cell, some in inside for part in _parted(cell, some, lefts)]
        cells, held = [cell for cell, _ in parted], [some for _, some in parted]
        if (rows := _rows(cells, [_text(each) for each in held])) is not None:
            out.append((Box.around(cells), rows, [word for each in held for word in each]))
    return out


def _edges(shapes: Sequence[Shape]) -> Iterator[tuple[Box, bool]]:
    """The lines of a page, and whether each is horizontal; a rectangle has four."""
    if len(shapes) <= _MOST_SHAPES:
        for shape in shapes:
            if shape.is_simple:
                yield from _sides(shape.box)


def _sides(box: Box) -> Iterator[tuple[Box, bool]]:
    wide, high = box.right - box.left, box.bottom - box.top
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    if high <= _THIN and wide > _THIN:
        yield Box(box.left, y, box.right, y), True
    elif wide <= _THIN and high > _THIN:
        yield Box(x, box.top, x, box.bottom), False
    elif wide > _THIN and high > _THIN:
        yield Box(box.left, box.top, box.right, box.top), True
        yield Box(box.left, box.bottom, box.right, box.bottom), True
        yield Box(box.left, box.top, box.left, box.bottom), False
        yield Box(box.right, box.top, box.right, box.bottom), False


def _cells(lines: Iterable[tuple[Box, bool]]) -> Iterator[list[Box]]:
    """The cells of each table."""
    from pdfplumber import table  # takes a fifth of a second, and few pages have lines

    edges = [
        {
            "x0": box.left,
            "x1": box.right,
            "top": box.top,
            "bottom": box.bottom,
            "doctop": box.top,
            "width": box.right - box.left,
            "height": box.bottom - box.top,
            "orientation": "h" if horizontal else "v",
        }
        for box, horizontal in lines
    ]
    merged = table.merge_edges(edges, _TOLERANCE, _TOLERANCE, _TOLERANCE, _TOLERANCE)
    across = sum(each["orientation"] == "h" for each in merged)
    if across * (len(merged) - across) > _MOST_CROSSINGS:
        return
    crossings = table.edges_to_intersections(merged, _TOLERANCE, _TOLERANCE)
    for cells in table.cells_to_tables(table.intersections_to_cells(crossings)):
        yield [Box(*cell) for cell in cells]


def _parted(
    cell: Box, words: list[PlacedWord], lefts: Sequence[float]
) -> Iterator[tuple[Box, list[PlacedWord]]]:
    """A cell with its words, cut at the columns of the other rows if its pieces stand in several of them.

    Programs draw no line between the cells of some rows. What crosses a column's edge is one cell.
    """
    inner = [left for left in lefts if cell.left < left < cell.right - 1]
    made: dict[int, list[PlacedWord]] = {}
    for piece in pieces(words) if inner else ():
        column = bisect(inner, piece.box.left + 1)
        if column != bisect(inner, piece.box.right - 1):
            made = {}
            break
        begin, end = piece.words[0][1], piece.words[-1][2]
        on_line = (each for each in words if abs(each.base - piece.base) < piece.size / 2)
        made.setdefault(column, []).extend(each for each in on_line if begin <= each.box.left < end)
    if len(made) < 2:
        yield cell, words
        return
    for column, (left, right) in enumerate(pairwise([cell.left, *inner, cell.right])):
        yield cell._replace(left=left, right=right), made.get(column, [])


def _rows(cells: Sequence[Box], texts: Sequence[str]) -> list[Row] | None:
    """The rows of a table with these texts in its cells; None for a frame, a picture or an empty form."""
    lefts, tops = sorted({cell.left for cell in cells}), sorted({cell.top for cell in cells})
    if len(lefts) < 2 or len(tops) < 2:
        return None
    if sum(map(bool, texts)) < _SEEN_CELLS * len(cells):
        return None
    made: dict[float, list[Cell]] = {top: [] for top in tops}
    for cell, text in sorted(zip(cells, texts, strict=True)):
        columns = sum(cell.left <= each < cell.right - 1 for each in lefts)
        height = sum(cell.top <= each < cell.bottom - 1 for each in tops)
        made[cell.top].append(Cell(Inline(text), columns=columns, rows=height))
    return [Row(tuple(made[top])) for top in tops]


def _text(words: Sequence[PlacedWord]) -> str:
    return " ".join(each.text for each in pieces(words))
