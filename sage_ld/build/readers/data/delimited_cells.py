"""The text of a CSV file cut into cells, by a dialect."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from sage_ld.build.readers.csvw.description import Dialect
from sage_ld.foundation.errors import InputError

_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class DelimitedRow:
    """A row of data, its cells in the order of the file."""

    number: int
    """Counted from 1 over the rows of data."""
    source: int
    """Counted from 1 over all rows of the file, the header's too."""
    cells: list[str]


@dataclass(frozen=True, slots=True)
class Cells:
    """A file cut into cells, each row as wide as the first."""

    header: tuple[tuple[str, ...], ...]
    """The rows of the header."""
    rows: list[DelimitedRow]

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.header[0]) if self.header else len(self.rows[0].cells) if self.rows else 0

    @property
    def names(self) -> list[str]:
        """The name of each column in the file; an empty one where there is no header."""
        if not self.header:
            return [""] * self.width
        return [" ".join(dict.fromkeys(each)).strip() for each in zip(*self.header, strict=True)]


def guessed_dialect(text: str, suffix: str) -> Dialect:
    """The dialect of a file without metadata: the delimiter that cuts the first row into most cells.

    The comma where several do. `csv.Sniffer` guesses from frequencies and takes letters for delimiters; the
    header alone is surer.
    """

    def width(delimiter: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []))
        except csv.Error:
            return 0

    return Dialect(max(_DELIMITERS, key=width) if suffix == ".csv" else "\t")


def cut(text: str, dialect: Dialect, name: str) -> Cells:
    """The cells of a file. Raises InputError, which names the line, for a row of another width."""
    header: list[tuple[str, ...]] = []
    rows: list[DelimitedRow] = []
    width = 0
    for source, line, cells in _lines(text, dialect, name):
        width = width or len(cells)
        if len(cells) == width > 0:
            if len(header) < dialect.header_rows:
                header.append(tuple(cells))
            else:
                rows.append(DelimitedRow(len(rows) + 1, source, cells))
        elif cells:
            raise InputError(
                f"{name}: line {line} has {len(cells)} cells, the first row has {width}; "
                "give every row as many cells as the first"
            )
    return Cells(tuple(header), rows)


def _lines(text: str, dialect: Dialect, name: str) -> Iterator[tuple[int, int, list[str]]]:
    """The rows that hold cells: the number of each, its last line in the file, and the cells."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.delimiter,
        quotechar=dialect.quote,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=dialect.double_quote,
        escapechar=None if dialect.double_quote else "\\",
        skipinitialspace=dialect.skip_initial_space,
        strict=True,
    )
    try:
        for number, row in enumerate(reader, 1):
            comment = dialect.comment and row and row[0].startswith(dialect.comment)
            if number > dialect.skip_rows and not comment:
                yield (
                    number,
                    reader.line_num,
                    [_trimmed(each, dialect) for each in row[dialect.skip_columns :]],
                )
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num}: {error}; check the quotes there") from None


def _trimmed(cell: str, dialect: Dialect) -> str:
    if dialect.trim == "true":
        return cell.strip()
    if dialect.trim == "start":
        return cell.lstrip()
    return cell.rstrip() if dialect.trim == "end" else cell
