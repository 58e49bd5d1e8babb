"""Documents of our own for the tests, rendered as readers render them."""

from __future__ import annotations

from collections.abc import Sequence

from sage_ld.foundation.model import (
    Chunk,
    ChunkKind,
    Document,
    Hyperlink,
    Prose,
    Record,
    Section,
    Table,
    TablePart,
)


def prose(identifier: str, title: str, text: str) -> tuple[Document, list[Chunk]]:
    document = Document(identifier, title, text, (Prose(0, len(text)),), "text/plain", "0" * 64)
    return document, [Chunk(identifier, ChunkKind.TEXT, 0, title, title, text, 0, len(text))]


def record(identifier: str, name: str, fields: dict[str, str]) -> tuple[Document, list[Chunk]]:
    text = "\n".join(f"{key}: {value}" for key, value in fields.items())
    block = Record(0, len(text), name, tuple(fields.items()))
    document = Document(identifier, name, text, (block,), "application/json", "0" * 64)
    return document, [Chunk(identifier, ChunkKind.RECORD, 0, name, name, text, 0, len(text))]


def table(
    identifier: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    section: str = "",
    hrefs: dict[tuple[int, str], str] | None = None,
) -> tuple[Document, list[Chunk]]:
    """A document of one table; `hrefs` are links that cover the whole cell (row, column)."""
    lines: list[str] = []
    spans: list[tuple[int, int]] = []
    links: list[Hyperlink] = []
    at = len(title) + 2
    for number, row in enumerate(rows):
        line = ""
        for column, value in zip(columns, row, strict=True):
            if value:
                line += ("; " if line else "") + f"{column}: "
                if href := (hrefs or {}).get((number, column)):
                    begin = at + len(line)
                    links.append(Hyperlink(href, value, begin, begin + len(value), number, column))
                line += value
        spans.append((at, at + len(line)))
        lines.append(line)
        at += len(line) + 1
    body = "\n".join(lines)
    text = f"{title}\n\n{body}"
    begin, end = len(title) + 2, len(text)
    cells = tuple(tuple(row) for row in rows)
    block = Table(begin, end, tuple(columns), cells, tuple(spans), caption, 0 if section else None)
    sections = (Section(section, 1, None, 0, end),) if section else ()
    document = Document(identifier, title, text, (block,), "text/html", "0" * 64, sections, tuple(links))
    heading = " / ".join(part for part in (title, section, caption) if part)
    part = TablePart(0, tuple(columns), 0, len(rows) - 1)
    where = 0 if section else None
    chunk = Chunk(
        identifier, ChunkKind.TABLE, 0, title, heading, body, begin, end, where, part, None, tuple(links)
    )
    return document, [chunk]
