"""The edges between the columns of a table without lines, and the names that stand over them.

The cells below the names say where columns are: numbers end where their column does, texts begin there. A
spreadsheet sets names to the left over numbers to the right, so that a name may stand closer to the numbers
on its left than to its own.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from sage_ld.build.readers.heads import CellLook, look_of
from sage_ld.build.readers.pdf.lines import LinePiece, Span

Gap: TypeAlias = tuple[float, float]
"""The places between which nothing stands, or next to nothing."""
_CROSSING: Final = 0.15
"""The share of rows whose texts may cross a gap between columns: heads over several of them."""
_MOST_HEADS: Final = 3
_BLANK: Final = 0.1
"""The width of a blank, in heights of the line, at least."""
_ALIGNED: Final = 0.6
"""The share of a column's cells that begin or end at one place, at least."""
_PLACE: Final = 3.0
"""Points: places that are not further apart count as the same."""
_STEP: Final = 0.5
"""Points from the end of a column of numbers to its edge."""
_PADDING: Final = 6.0
"""Points from the edge of a column to a name that begins there, at most."""


def cells_of(run: Sequence[Sequence[LinePiece]]) -> list[list[LinePiece]]:
    """The pieces of rows, cut between cells that stand so close that they look like words of one.

    That is where another object of the page begins, and a value ends or begins, or other cells begin.
    """
    begins = Counter(round(each.box.left) for line in run for each in line[1:])
    places = {x + near for x, count in begins.items() if count > 1 for near in (-1, 0, 1)}
    return [[part for each in line for part in _parts(each, places)] for line in run]


def _parts(piece: LinePiece, places: Container[int]) -> Iterator[LinePiece]:
    """The cells of a piece, of which others begin at these places."""
    words = piece.words
    begin = 0
    for number in () if piece.anchors else piece.cells:
        text, following = joined_words(words[begin:number], piece.size), words[number]
        is_value = look_of(text) is not CellLook.TEXT or look_of(following[0]) is not CellLook.TEXT
        if is_value or round(following[1]) in places:
            yield _part(piece, begin, number)
            begin = number
    yield _part(piece, begin, len(words)) if begin else piece


def _part(piece: LinePiece, begin: int, end: int) -> LinePiece:
    words = piece.words[begin:end]
    box = piece.box._replace(left=words[0][1], right=words[-1][2])
    return replace(piece, text=joined_words(words, piece.size), box=box, words=words, cells=())


def joined_words(words: Sequence[Span], size: float) -> str:
    """Words side by side as a text, with blanks where there is room for one."""
    apart = (" " if after[1] - before[2] > _BLANK * size else "" for before, after in pairwise(words))
    return "".join(f"{blank}{word[0]}" for blank, word in zip(("", *apart), words, strict=False))


def head_rows(run: Sequence[Sequence[LinePiece]]) -> int:
    """The number of first rows that may name columns: texts or years over a row with values."""
    for number, row in enumerate(run[: _MOST_HEADS + 1]):
        looks = {look_of(each.text) for each in row[1:]}
        if looks - {CellLook.TEXT, CellLook.YEAR} or (number and CellLook.YEAR in looks):
            return number if len(run) - number > 1 else 0
    return 0


def gaps(run: Sequence[Sequence[LinePiece]], least: int) -> list[Gap]:
    """The gaps that run down rows, with `least` pieces between two; few texts cross one, and no value."""
    pieces = [each for line in run for each in line]
    texts = [each for each in pieces if look_of(each.text) is CellLook.TEXT]
    values = [each for each in pieces if look_of(each.text) is not CellLook.TEXT]
    ends = [_ends(texts), _ends(values)]
    allowed = max(1 if len(run) > 2 else 0, int(_CROSSING * len(run)))
    regions: list[list[tuple[int, float, float]]] = [[]]
    for low, high in pairwise(sorted({x for each in pieces for x in (each.box.left, each.box.right)})):
        crossing, values_there = (bisect(lefts, low) - bisect(rights, low) for lefts, rights in ends)
        if crossing > allowed or values_there:
            regions.append([])
        else:
            regions[-1].append((crossing, low - high, low))
    best = [min(region) for region in regions if region]
    return list(_apart([(low, low - width) for _, width, low in best if -width > 1], pieces, least))


def _ends(pieces: Sequence[LinePiece]) -> tuple[list[float], list[float]]:
    return sorted(each.box.left for each in pieces), sorted(each.box.right for each in pieces)


def _apart(found: Sequence[Gap], pieces: Sequence[LinePiece], least: int) -> Iterator[Gap]:
    """The gaps that have a column of their own between them: the widest where there are several."""
    kept: list[Gap] = []
    for gap in found:
        begin = (kept[-1][0] + kept[-1][1]) / 2 if kept else float("-inf")
        middle = (gap[0] + gap[1]) / 2
        if sum(begin <= each.box.left and each.box.right <= middle for each in pieces) >= least:
            kept.append(gap)
        elif kept and gap[1] - gap[0] > kept[-1][1] - kept[-1][0]:
            kept[-1] = gap
    last = (kept[-1][0] + kept[-1][1]) / 2 if kept else 0.0
    if kept and sum(each.box.left >= last for each in pieces) < least:
        kept.pop()
    yield from kept


def column_of(x: float, edges: Sequence[float]) -> int:
    """The number of the column that a place is in."""
    return sum(edge <= x for edge in edges)


@dataclass(slots=True)
class _Column:
    """The cells of a column, below its name."""

    cells: list[LinePiece] = field(default_factory=list)

    @property
    def left(self) -> float:
        return min(each.box.left for each in self.cells)

    @property
    def right(self) -> float:
        return max(each.box.right for each in self.cells)

    @property
    def ends_together(self) -> bool:
        """Whether it is numbers that end at one place."""
        values = sum(look_of(each.text) is not CellLook.TEXT for each in self.cells)
        return values * 2 >= len(self.cells) and self._are_near([each.box.right for each in self.cells])

    @property
    def begins_together(self) -> bool:
        return not self.ends_together and self._are_near([each.box.left for each in self.cells])

    def _are_near(self, places: Sequence[float]) -> bool:
        """Whether most of some places are the same."""
        ordered = sorted(places)
        most = max((bisect(ordered, x + _PLACE) - n for n, x in enumerate(ordered)), default=0)
        return bool(ordered) and most >= _ALIGNED * len(ordered)

    def fits(self, words: Sequence[Span], before: float) -> bool:
        """Whether a name begins, ends or is centred as the cells are, or begins at the edge before them."""
        left, right = words[0][1], words[-1][2]
        if -1 <= left - before <= _PADDING:
            return True
        if not self.cells:
            return False
        middles = (left + right - self.left - self.right) / 2
        return min(abs(left - self.left), abs(right - self.right), abs(middles)) <= _PLACE


RowCells: TypeAlias = dict[int, tuple[str, int]]
"""The texts of a row by the number of their column, each with the number of columns that it spans."""


class NamedColumns(NamedTuple):
    """The columns of a table, and the names in the row above their cells."""

    edges: list[float]
    names: RowCells | None
    """None where it is not certain over which columns the names stand."""


def named_columns(
    head: Sequence[LinePiece], body: Sequence[Sequence[LinePiece]], found: Sequence[Gap]
) -> NamedColumns:
    """The edges of the columns whose cells these gaps part, and the names that a row gives them."""
    middles = [(low + high) / 2 for low, high in found]
    columns = [_Column() for _ in range(len(found) + 1)]
    for piece in (each for line in body for each in line):
        first = column_of(piece.box.left + 1, middles)
        if first == column_of(piece.box.right - 1, middles):
            columns[first].cells.append(piece)
    edges = _edges(head, columns, found)
    for number in range(len(columns) - 1, -1, -1):
        between = _empty_between(head, edges, number, columns[number])
        if between is None:
            return NamedColumns(edges, None)
        for edge, is_after in between:
            edges.insert(bisect(edges, edge), edge)
            columns.insert(number + is_after, _Column())
    return NamedColumns(edges, _names(head, edges, columns))


def _edges(head: Sequence[LinePiece], columns: Sequence[_Column], found: Sequence[Gap]) -> list[float]:
    """One edge in each gap: where numbers end, where texts begin, else where the names are apart."""
    edges: list[float] = []
    for number, (low, high) in enumerate(found):
        after = columns[number + 1]
        ends, begins = columns[number].ends_together, after.begins_together
        if ends and not begins:
            edges.append(min(low + _STEP, (low + high) / 2))
        elif begins and not ends:
            edges.append(max(high - _STEP, (low + high) / 2))
        else:
            until = found[number + 1][0] if number + 1 < len(found) else float("inf")
            words = [
                word
                for each in head
                for word in each.words
                if (edges[-1] if edges else float("-inf")) < (word[1] + word[2]) / 2 <= until
            ]
            edges.append(_edge_between(words, columns[number], (low, high)))
    return edges


def _edge_between(words: Sequence[Span], column: _Column, gap: Gap) -> float:
    """The edge in a gap of the cells that is in the widest gap of the names."""
    low, high = gap
    free = [(max(a[2], low), min(b[1], high), b[1] - a[2]) for a, b in pairwise(words)]
    free = [each for each in free if each[1] - each[0] > -1]
    if free:
        begin, end, _ = max(free, key=lambda each: each[2])
        return (begin + end) / 2
    if not words or not column.cells:
        return (low + high) / 2
    is_first = abs(words[0][1] - column.left) <= _PLACE
    return min(max(words[-1][2] if is_first else words[0][1] - _STEP, low), high)


def _empty_between(
    head: Sequence[LinePiece], edges: Sequence[float], number: int, column: _Column
) -> list[tuple[float, bool]] | None:
    """Edges between names that stand in one column, each with whether the empty one is behind it.

    None where it is not certain which of the names the cells have.
    """
    names = [each for each in head if column_of((each.box.left + each.box.right) / 2, edges) == number]
    out = []
    for before, after in pairwise(names):
        if all(each.box.left >= after.box.left - _PLACE for each in column.cells):
            is_after = False
        elif all(each.box.right <= after.box.left + 1 for each in column.cells):
            is_after = True
        else:
            return None
        out.append(((before.box.right + after.box.left) / 2, is_after))
    if number == len(edges) and len(names) == 1 and number and column.ends_together:
        name = names[0]
        if name.box.left >= column.right - 1:
            out.append(((column.right + name.box.left) / 2, True))
    return out


def _names(head: Sequence[LinePiece], edges: Sequence[float], columns: Sequence[_Column]) -> RowCells | None:
    """The names over columns; None where that is not certain."""
    names: dict[int, list[Span]] = {}
    cut: set[int] = set()
    for piece in head:
        first, last = column_of(piece.box.left + 1, edges), column_of(piece.box.right - 1, edges)
        if first == last or len(piece.words) == 1:
            middle = column_of((piece.box.left + piece.box.right) / 2, edges)
            names.setdefault(middle, []).append((piece.text, piece.box.left, piece.box.right))
            if first != last and not columns[middle].fits(piece.words, float("-inf")):
                cut.add(middle)
            continue
        for word in piece.words:
            column = column_of((word[1] + word[2]) / 2, edges)
            names.setdefault(column, []).append(word)
            cut.add(column)
    for number in cut:
        if not columns[number].fits(names[number], edges[number - 1] if number else float("-inf")):
            return None
    if cut and any(number not in names for number in range(1, len(columns))):
        return None
    return {number: (" ".join(text for text, _, _ in words), 1) for number, words in sorted(names.items())}
