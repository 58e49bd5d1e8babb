"""The rows of a table with spans as a grid: spans filled in, headers joined to one name a column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.heads import HeadRow, StatedHead, head_count, head_names, is_form, named_by
from sage_ld.build.readers.inline import Inline, joined
from sage_ld.build.readers.section_rows import section_rows, sectioned
from sage_ld.build.readers.shown import REPEATED_HEAD

_EMPTY = Inline("")
MOST_COLUMNS: Final = 1_000
"""The most columns that one cell spans, or is repeated in; Word allows 63 in a table."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as the file has it."""

    content: Inline
    header: bool = False
    columns: int = 1
    """The number of columns that it spans."""
    rows: int = 1
    """The number of rows that it spans; 0 for all that follow."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row as the file has it."""

    cells: tuple[Cell, ...]
    in_head: bool = False

    @property
    def is_header(self) -> bool:
        """Whether all of its cells are headers."""
        return bool(self.cells) and all(cell.header for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table without spans: each row as long as the names, which are empty where nothing names a column."""

    names: list[str]
    body: list[list[Inline]]
    above: tuple[Inline, ...] = ()
    """Rows of one cell as wide as the table, before the head: titles."""
    below: tuple[Inline, ...] = ()
    """Such rows at the end: notes."""
    is_form: bool = False
    """Whether it is labels and their values, beside each other."""
    head: str = ""
    """Which rows name the columns, where the file does not mark them."""
    repeated: int = 0
    """Rows of the body that were left out because they repeat the head."""


def add_grid(builder: DocumentBuilder, rows: list[Row], caption: str = "", *, likely: bool = True) -> None:
    """Adds a table, without columns that are empty throughout; one without a header gets numbers.

    `likely` says that a first row which the file does not mark is its header, unless it looks otherwise.
    Rows that repeat a head which the file marks, or which is stated, are left out and counted.

    Raises LimitError if spans and short rows add more cells than `max_span_cells`.
    """
    written = sum(len(row.cells) for row in rows)
    made = grid(
        rows,
        lambda width, height: builder.check_area(width * height - written),
        likely=likely,
        stated=builder.stated_head,
    )
    names, body = made.names, made.body
    builder.pass_over(REPEATED_HEAD, made.repeated)
    builder.count_head(len([row for row in rows if row.cells]))
    builder.add_area(len(names) * len(body) - written)
    titles = [each for each in made.above if each.text]
    if titles and not caption:
        caption = titles.pop().text
    for each in titles:
        builder.prose(each)
    if made.is_form and not any(cell.anchors for row in body for cell in row):
        builder.record(caption or builder.section_name, [(row[0].text, row[1].text) for row in body])
    else:
        used = [
            n for n, name in enumerate(names) if name or any(row[n].text or row[n].anchors for row in body)
        ]
        rest = [[row[n] for n in used] for row in body]
        builder.table([names[n] for n in used], rest, caption, made.head)
        if not any(row[n].text for row in body for n in used):  # what looked like a head is all there is
            builder.prose("; ".join(filter(None, [caption, *names])))
    for each in made.below:
        builder.prose(each)


def grid(
    rows: list[Row],
    check: Callable[[int, int], None],
    *,
    likely: bool = True,
    stated: StatedHead | None = None,
) -> Grid:
    """The names of the columns and the cells below them.

    A value that spans rows stands in each of them; one that spans columns in the first, a header in all. A
    row of one cell as wide as the table heads those below it, in a column of its own. While the grid grows,
    `check` is called with its width and height so far, and stops it by raising. Rows that are `stated` to
    name the columns do, whatever the file marks; those above them are titles. Rows that repeat a head are
    left out, unless it is a guess: then they are rows like others.

    >>> head = Row((Cell(Inline("Year"), header=True), Cell(Inline("Role"), header=True)))
    >>> first, second = Row((Cell(Inline("1999"), rows=2), Cell(Inline("A")))), Row((Cell(Inline("B")),))
    >>> made = grid([head, first, second], lambda width, height: None)
    >>> made.names, [[cell.text for cell in row] for row in made.body]
    (['Year', 'Role'], [['1999', 'A'], ['1999', 'B']])
    """
    rows = [row for row in rows if row.cells]
    width = max((sum(cell.columns for cell in row.cells) for row in rows), default=0)
    if stated is not None and stated.last < len(rows):
        above, rows = [_line(row) for row in rows[: stated.first - 1]], rows[stated.first - 1 :]
        rows = _marked(rows, count := stated.last - stated.first + 1)
        marked: int | None = count
    else:
        stated = None
        above, rows = _taken(rows, width)
        marked = _header_count(rows, width)
    below, rows = _taken(rows[::-1], width)
    rows.reverse()
    lines = _expand(rows, check)
    if marked is None:
        heads = [HeadRow([each.text for each in line]) for line in lines]
        spanned = [_head_row(row, line) for row, line in zip(rows, heads, strict=True)]
        headers, form = head_count(spanned, likely=likely), is_form(spanned)
        if any(cell.columns > 1 for row in rows[:headers] for cell in row.cells):  # a head repeats them
            rows = [replace(row, in_head=True) for row in rows[:headers]] + rows[headers:]
            lines = _expand(rows, check)
    else:
        headers, form = marked, False
    width = max((len(line) for line in lines), default=0)
    padded = [line + [_EMPTY] * (width - len(line)) for line in lines]
    names = head_names([[cell.text for cell in line] for line in padded[:headers]], width)
    names, body = _sectioned(names, rows[headers:], padded[headers:])
    height = len(body)
    if marked:
        body = [row for row in body if [cell.text for cell in row] != names]
    head = named_by("row", len(above) + 1, headers) if marked is None or stated is not None else ""
    is_pairs = form and not headers and width == 2
    return Grid(names, body, tuple(above), tuple(reversed(below)), is_pairs, head, height - len(body))


def _marked(rows: list[Row], heads: int) -> list[Row]:
    """The rows of which the first ones, and nothing else, are marked as the head."""
    return [
        Row(tuple(replace(cell, header=False) for cell in row.cells), in_head=number < heads)
        for number, row in enumerate(rows)
    ]


def _line(row: Row) -> Inline:
    """The cells of a row as one line of text."""
    return joined(("; ", cell.content) for cell in row.cells if cell.content.text)


def _head_row(row: Row, line: HeadRow) -> HeadRow:
    spans = any(cell.columns > 1 for cell in row.cells)
    return HeadRow(line.texts, spans, max(max(cell.rows, 1) for cell in row.cells))


def _is_wide(row: Row, width: int) -> bool:
    """Whether a row is one cell as wide as a table of several columns."""
    return width > 1 and len(row.cells) == 1 and row.cells[0].columns >= width and row.cells[0].rows == 1


def _taken(rows: list[Row], width: int) -> tuple[list[Inline], list[Row]]:
    """The rows of one cell at the beginning, and the others; none where there are no others."""
    count = 0
    while count < len(rows) and _is_wide(rows[count], width):
        count += 1
    return ([row.cells[0].content for row in rows[:count]], rows[count:]) if count < len(rows) else ([], rows)


def _sectioned(
    names: list[str], rows: list[Row], lines: list[list[Inline]]
) -> tuple[list[str], list[list[Inline]]]:
    """The rows of a body, with those that head others as a column of these."""
    wide = {number for number, row in enumerate(rows) if _is_wide(row, len(names))}
    heads = wide or section_rows([[cell.text for cell in line] for line in lines])
    names, made = sectioned(names, lines, heads, _EMPTY)
    return names, [row for number, row in enumerate(made) if number not in heads]


def _header_count(rows: list[Row], width: int) -> int | None:
    """The number of header rows: those in the head, else those at the top with nothing but headers.

    None where the file marks none.
    """
    marked = [(row.in_head or row.is_header) and not _is_wide(row, width) for row in rows]
    if not any(row.in_head for row in rows) and not (marked and marked[0]):
        return None
    count = marked.index(False) if False in marked else len(rows)
    if any(row.in_head for row in rows):
        count = sum(row.in_head for row in rows[:count])
    return count if count < len(rows) else 0


_Pending: TypeAlias = dict[int, tuple[int, Inline]]
"""For a column: how many rows are still to fill, and what with."""


def _expand(rows: list[Row], check: Callable[[int, int], None]) -> list[list[Inline]]:
    """The rows with each cell at its column; empty columns that end a row are left out."""
    lines: list[list[Inline]] = []
    pending: _Pending = {}
    width = 0
    for row in rows:
        line: list[Inline] = []
        following = {column: (left - 1, content) for column, (left, content) in pending.items() if left > 1}
        repeats = row.in_head or row.is_header
        gap = 0  # empty columns that the last cell spans
        for cell in row.cells:
            line += [_EMPTY] * gap
            _fill(line, pending)
            gap = 0 if repeats else cell.columns - 1
            contents = [cell.content] * (cell.columns - gap)
            if cell.rows != 1:
                _span_rows(cell, len(rows), [*contents, *[_EMPTY] * gap], len(line), following)
            width = max(width, len(line) + (len(contents) if cell.rows == 1 else cell.columns))
            check(width, len(lines) + 1)
            line += contents
        if len(line) + gap in pending:
            line += [_EMPTY] * gap
            _fill(line, pending)
        pending = following
        lines.append(line)
    return lines


def _span_rows(cell: Cell, height: int, contents: list[Inline], column: int, following: _Pending) -> None:
    """Has the rows that follow take what a cell that spans them puts into its columns."""
    left = (cell.rows or height) - 1
    following.update((number, (left, content)) for number, content in enumerate(contents, column))


def _fill(line: list[Inline], pending: _Pending) -> None:
    """Puts what comes down from the rows above into the columns that `line` has reached."""
    while len(line) in pending:
        line.append(pending[len(line)][1])
