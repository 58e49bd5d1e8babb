"""A described table as a document's content: titles of columns, descriptions, and links by foreign keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import quote

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.content import moment
from sage_ld.build.readers.csvw.description import UNDETERMINED, ColumnDescription, TableDescription, texts
from sage_ld.build.readers.data.delimited_cells import Cells
from sage_ld.build.readers.inline import Anchor, Inline
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document, PlaceKind

_TITLE: Final = ("dc:title", "schema:name", "rdfs:label")
_DESCRIPTION: Final = ("dc:description", "schema:description", "rdfs:comment")
_KEYWORDS: Final = ("dcat:keyword", "schema:keywords", "dc:subject")
_MODIFIED: Final = ("dc:modified", "schema:dateModified", "dc:issued", "schema:datePublished")


def matched_columns(table: TableDescription, cells: Cells, name: str) -> tuple[ColumnDescription, ...]:
    """The columns as described, virtual ones last; those of the file where the metadata names none.

    Raises InputError where the file has other columns than its metadata.
    """
    names = cells.names
    if not table.columns:
        return tuple(
            ColumnDescription(
                quote(title, safe="") or f"_col.{number}", (title,) if title else (), table.rules
            )
            for number, title in enumerate(names, 1)
        )
    real = [each for each in table.columns if not each.virtual]
    if len(real) != len(names):
        raise InputError(
            f"{name}: the file has {len(names)} columns, its metadata describes {len(real)}; describe each "
            "column, in the order of the file"
        )
    for number, (title, each) in enumerate(zip(names, real, strict=True), 1):
        if title and title not in (*each.titles, each.name):
            raise InputError(
                f"{name}: column {number} is {title[:60]!r} in the file and {each.name[:60]!r} in its "
                "metadata; give it the file's name as one of its titles"
            )
    return (*real, *(each for each in table.columns if each.virtual))


def add_table(
    builder: DocumentBuilder, table: TableDescription, columns: Sequence[ColumnDescription], cells: Cells
) -> None:
    """Has the builder take the descriptions of the columns as prose, then the table with their titles."""
    real = columns[: cells.width]
    titles = [_title(each, name) for each, name in zip(real, cells.names, strict=True)]
    described = zip(titles, real, strict=True)
    builder.prose(
        "\n".join(f"{title}: {one_line(each.description)}" for title, each in described if each.description)
    )
    targets = _targets(table, real)
    rows = [
        [_linked(cell, targets.get(number)) for number, cell in enumerate(row.cells)]
        if targets
        else row.cells
        for row in cells.rows
    ]
    builder.at(PlaceKind.ROW, 1, len(rows))
    builder.table(titles, rows, table.first(*_TITLE))


def _title(column: ColumnDescription, name: str) -> str:
    """The title that people read: one that is not merely the name in the file, where there is one."""
    return next((each for each in column.titles if each != name), name or column.name)


def _targets(table: TableDescription, columns: Sequence[ColumnDescription]) -> dict[int, str]:
    """The table to which each column leads, by the column's number from 0: the first column of each key."""
    places = {each.name: number for number, each in enumerate(columns)}
    return {places[key.columns[0]]: key.resource for key in table.foreign_keys if key.columns[0] in places}


def _linked(cell: str, target: str | None) -> Inline | str:
    text = one_line(printable(cell))
    return cell if target is None or not text else Inline(text, (Anchor(target, 0, len(text)),))


def with_annotations(document: Document, table: TableDescription) -> Document:
    """The document with the title, description, keywords, language and date that the metadata states."""
    stated = [table.first(name) for name in _MODIFIED]
    keywords = (text for name in _KEYWORDS for text in texts(table.annotations.get(name), table.language))
    language = table.first("dc:language", "schema:inLanguage") or table.language
    return replace(
        document,
        title=one_line(table.first(*_TITLE)) or document.title,
        description=table.first(*_DESCRIPTION),
        keywords=tuple(dict.fromkeys(one_line(each) for each in keywords if each.strip())),
        language=None if language == UNDETERMINED else language,
        modified=next((each for each in map(moment, stated) if each), None),
    )
