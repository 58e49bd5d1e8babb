"""CSV and TSV: one table, its first row the names of the columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from sage_ld import vocabulary as v
from sage_ld.errors import InputError
from sage_ld.model import Document, PlaceKind
from sage_ld.readers.builder import DocumentBuilder
from sage_ld.readers.characters import decode
from sage_ld.readers.content import content_hash, finished
from sage_ld.readers.source import Reader, Source
from sage_ld.settings import Settings

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".tab": "text/tab-separated-values",
}
_DELIMITERS = ",;\t|"


def read_delimited(source: Source, settings: Settings) -> Iterator[Document]:
    """One document with one table; a row with more or fewer cells than the first is an error."""
    data = source.read(settings)
    text = decode(data, source.identifier)
    delimiter = _delimiter(text) if source.suffix == ".csv" else "\t"
    names, rows = _rows(text, delimiter, source.identifier)
    builder = DocumentBuilder(source.identifier, settings)
    builder.at(PlaceKind.ROW, 1, len(rows))
    builder.table(names, rows)
    yield finished(
        builder.build(
            title=source.stem,
            media_type=_MEDIA_TYPES[source.suffix],
            content_hash=content_hash(data),
            types=(v.SCHEMA + "Dataset",),
        )
    )


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first row into most cells; the comma where several do.

    `csv.Sniffer` guesses from frequencies and takes letters for delimiters; the header alone is surer.
    """

    def width(delimiter: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), []))
        except csv.Error:
            return 0

    return max(_DELIMITERS, key=width)


def _rows(text: str, delimiter: str, name: str) -> tuple[list[str], list[list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    rows = []
    try:
        for row in reader:
            if not names:
                names = row
            elif len(row) == len(names):
                rows.append(row)
            elif row:
                raise InputError(
                    f"{name}: line {reader.line_num} has {len(row)} cells, the first row has {len(names)}; "
                    "give every row as many cells as the first"
                )
    except csv.Error as error:
        raise InputError(f"{name}: line {reader.line_num}: {error}; check the quotes there") from None
    return names, rows


DELIMITED = Reader("CSV and TSV", _MEDIA_TYPES, read_delimited)
