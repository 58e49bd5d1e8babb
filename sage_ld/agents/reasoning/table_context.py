"""The tables that a question may be computed from: which, how prompts describe them, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sage_ld.agents.tables.contents import TableContent, read
from sage_ld.agents.tables.frames import expression
from sage_ld.agents.tables.stored_tables import StoredTable, catalogue
from sage_ld.agents.tables.workers import CodeLanguage, column_types
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import LimitError
from sage_ld.graph import Snapshot

_LONGEST_KEY: Final = 100
"""Characters of a value that may be the label of a node."""
_MOST_COLUMNS: Final = 50
"""Columns of a table that its description has."""
_LONGEST: Final = 16_000
"""Characters of the description of all tables."""


@dataclass(frozen=True, slots=True)
class TableContext:
    """Some tables of a revision."""

    names: tuple[str, ...]
    description: str
    """Shape, columns with types and examples, as prompts have it; it quotes documents."""
    values: frozenset[str]
    """Texts in their cells, in lower case."""


def table_context(
    snapshot: Snapshot,
    question: str,
    chunks: Sequence[str],
    most: int,
    max_cells: int,
    check: Check,
    language: CodeLanguage = "sql",
) -> TableContext:
    """The `most` tables that fit a question best: those of some chunks, best first, then by their names.

    Tables that do not fit into `max_cells` (setting max_table_cells) with those before them are left out, and
    so are those whose description would be too long with the others. Names and types are those of `language`.
    """
    contents: list[TableContent] = []
    texts: list[str] = []
    left = max_cells
    for table in islice(_ordered(snapshot, question, chunks), most):
        try:
            content = read(snapshot, table, left, check)
        except LimitError:
            continue
        text = _description(content, language)
        if sum(map(len, texts)) + len(text) <= _LONGEST:
            left -= len(content.columns) * len(content.chunks)
            contents.append(content)
            texts.append(text)
    return TableContext(
        tuple(each.table.name for each in contents),
        "\n\n".join(texts),
        frozenset(_values(contents)),
    )


def _ordered(snapshot: Snapshot, question: str, chunks: Sequence[str]) -> list[StoredTable]:
    tables = catalogue(snapshot)
    if not tables:
        return []
    places = {chunk: at for at, chunk in enumerate(chunks)}
    words = question.casefold()
    scored = []
    for table in tables.values():
        place = min((places[each] for each in table.chunks if each in places), default=len(places))
        named = any(len(word) > 2 and word in words for word in table.name.split("_"))
        if place < len(places) or named:
            scored.append((place, not named, table.name))
    return [tables[name] for _, _, name in sorted(scored)]


def _description(content: TableContent, language: CodeLanguage) -> str:
    shape = f"({len(content.chunks)}, {len(content.columns)})"
    name = content.table.name
    what = f"Table {name}" if language == "sql" else f"DataFrame {expression(name)}"
    lines = [f"### {what}, from {content.table.source}", f"- Shape: {shape}"]
    types = column_types(content, language)
    for column, kind in list(zip(content.columns, types, strict=True))[:_MOST_COLUMNS]:
        lines.append(f"  * {column.name} ({kind}): e.g. [{', '.join(column.examples)}]")
    if (more := len(content.columns) - _MOST_COLUMNS) > 0:
        lines.append(f"  * and {more} more columns")
    return "\n".join(lines)


def _values(contents: Iterable[TableContent]) -> Iterable[str]:
    for content in contents:
        for values in content.values:
            yield from (each.casefold() for each in values if each and len(each) <= _LONGEST_KEY)
