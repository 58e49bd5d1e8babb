"""The schema and the values of a graph's tables and records: each is a class with columns as properties."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from sage_ld.agents.tables.contents import Column, TableContent, read
from sage_ld.agents.tables.stored_tables import StoredTable
from sage_ld.agents.text_to_sparql.schema import SchemaClass, SchemaProperty, ValueType, World, unit_of
from sage_ld.agents.text_to_sparql.values import NamedValue, ValueIndex
from sage_ld.graph import Snapshot

_NUMBERS: Final = frozenset({"BIGINT", "DOUBLE"})
_DATES: Final = frozenset({"DATE", "TIMESTAMP"})
_LONGEST: Final = 80
"""Characters of a value that a question can name."""
_EXAMPLES: Final = 3
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")


class TableWorld(NamedTuple):
    """A table as questions see it."""

    world: World
    values: ValueIndex


def table_world(snapshot: Snapshot, table: StoredTable, most: int) -> TableWorld:
    """A table's columns and values, read once for a revision. Raises LimitError beyond `most` cells."""
    return snapshot.derived(partial(_read, table=table, most=most), ("table world", table.name))


def _read(snapshot: Snapshot, table: StoredTable, most: int) -> TableWorld:
    content = read(snapshot, table, most)
    columns = zip(content.columns, content.values, strict=True)
    properties = {column.name: _property(column, values) for column, values in columns}
    documents = tuple(document.iri for document in table.documents)
    schema_class = SchemaClass(
        table.name, _labels(table), len(content.chunks), properties, documents=documents
    )
    world = World({table.name: schema_class}, table.name)
    return TableWorld(world, ValueIndex(_values(content, schema_class)))


def _labels(table: StoredTable) -> tuple[str, ...]:
    """The names of a table: the name of its file, its document's title."""
    stem = _SUFFIX.sub("", table.source.rpartition("/")[2])
    title = table.documents[0].name if len(table.documents) == 1 else ""
    return tuple(dict.fromkeys(filter(None, (stem, title, table.name))))


def _property(column: Column, values: Sequence[str | None]) -> SchemaProperty:
    filled = [value for value in values if value is not None]
    distinct = dict.fromkeys(filled)
    kind = _type(column.type)
    labels = tuple(dict.fromkeys((column.title, column.name)))
    ordered = sorted(filled, key=float) if kind is ValueType.NUMBER else sorted(filled)
    return SchemaProperty(
        column.name,
        labels,
        kind,
        len(filled),
        len(filled),
        len(distinct),
        (column.type,),
        ordered[0] if ordered else None,
        ordered[-1] if ordered else None,
        column.examples[:_EXAMPLES],
        unit=unit_of(labels),
    )


def _type(kind: str) -> ValueType:
    return ValueType.NUMBER if kind in _NUMBERS else ValueType.DATE if kind in _DATES else ValueType.TEXT


def _values(content: TableContent, schema_class: SchemaClass) -> list[NamedValue]:
    """The different texts of each column of texts."""
    classes = frozenset({schema_class.name})
    values = []
    for column, cells in zip(content.columns, content.values, strict=True):
        if _type(column.type) is ValueType.TEXT:
            for text in dict.fromkeys(cells):
                if text is not None and len(text) <= _LONGEST:
                    values.append(NamedValue(text, column.name, classes))
    return values
