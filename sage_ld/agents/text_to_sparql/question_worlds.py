"""The worlds of a graph: what one query can ask together, all its RDF or one of its tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from sage_ld.agents.tables.contents import Column, TableContent, read
from sage_ld.agents.tables.stored_tables import StoredTable, catalogue
from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.rdf_schema import rdf_schema
from sage_ld.agents.text_to_sparql.rows_aside import rows_aside
from sage_ld.agents.text_to_sparql.schema import (
    Fact,
    Facts,
    SchemaClass,
    SchemaProperty,
    ValueType,
    World,
    unit_of,
)
from sage_ld.agents.text_to_sparql.values import NamedValue, ValueIndex
from sage_ld.foundation.caches import BoundedCache
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.question import Mode
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.resources import is_of_rdf
from sage_ld.retrieval import Retriever

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
    properties = {
        column.name: _property(column, values, is_share=column.name in content.shares)
        for column, values in columns
    }
    documents = tuple(document.iri for document in table.documents)
    schema_class = SchemaClass(
        table.name,
        _labels(table),
        len(content.chunks),
        properties,
        documents=documents,
        aside=rows_aside(content),
    )
    world = World({table.name: schema_class}, table.name)
    return TableWorld(world, ValueIndex(_values(content, schema_class)))


def _labels(table: StoredTable) -> tuple[str, ...]:
    """The names of a table: the name of its file, its document's title, and the ends of the file's name.

    Of `school library books 2024` these are `library books` and `books`: a year, month or season at the end
    names no rows.
    """
    stem = _SUFFIX.sub("", table.source.rpartition("/")[2])
    title = table.documents[0].name if len(table.documents) == 1 else ""
    named = english.words(stem)
    while named and (named[-1].isdecimal() or named[-1] in english.PERIODS):
        named.pop()
    ends = (" ".join(named[begin:]) for begin in range(len(named)))
    return tuple(dict.fromkeys(filter(None, (stem, title, table.name, *ends))))


def _property(column: Column, values: Sequence[str | None], *, is_share: bool) -> SchemaProperty:
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
        flags=_flags(distinct),
        has_gaps=len(filled) < len(values),
        has_spellings=len({value.strip().casefold() for value in distinct}) < len(distinct),
        unit=english.SHARE if is_share else unit_of(labels),
    )


def _flags(values: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The values for yes and those for no, where a column has no others; several words may say one thing."""
    folded = {value: value.strip().casefold() for value in values}
    for yes, no in english.FLAGS:
        if folded and set(folded.values()) <= yes | no:
            said = [tuple(sorted(each for each in folded if folded[each] in way)) for way in (yes, no)]
            return said[0] or (min(yes),), said[1] or (min(no),)
    return None


def _type(kind: str) -> ValueType:
    return ValueType.NUMBER if kind in _NUMBERS else ValueType.DATE if kind in _DATES else ValueType.TEXT


def _values(content: TableContent, schema_class: SchemaClass) -> list[NamedValue]:
    """The different texts of each column of texts."""
    classes = frozenset({schema_class.name})
    values = []
    for column, cells in zip(content.columns, content.values, strict=True):
        if _type(column.type) is ValueType.TEXT:
            for text in dict.fromkeys(cells):
                if (
                    text is not None
                    and len(text) <= _LONGEST
                    and (column.name, text) not in schema_class.aside
                ):
                    values.append(NamedValue(text, column.name, classes))
    return values


_STATEMENTS: Final = 2_000
"""Statements of a resource, each way, by which it is known what joins it with others."""
_KEPT: Final = 10_000
"""Resources for which that is kept."""


def worlds(
    graph: KnowledgeGraph, snapshot: Snapshot, question: str, check: Check = unchecked
) -> Iterator[tuple[World, ValueIndex]]:
    """The worlds that one query can ask: the RDF, and each of the tables that a question may be about."""
    schema = rdf_schema(snapshot)
    if schema.world.classes:
        yield schema
    for table in _tables(graph, snapshot, question, check):
        try:
            yield table_world(snapshot, table, graph.settings.max_table_cells)
        except LimitError:
            continue


def _tables(graph: KnowledgeGraph, snapshot: Snapshot, question: str, check: Check) -> list[StoredTable]:
    """All tables, or where they are many, those with the chunks that a search finds for the question."""
    tables = snapshot.derived(_data_tables)
    most = graph.settings.max_question_tables
    if len(tables) <= most:
        return list(tables)
    answer = Retriever(graph).retrieve(question, most, 0, mode=Mode.HYBRID, at=snapshot, check=check)
    rank = {result.view.iri: result.rank for result in reversed(answer.results)}
    ranked = [
        (min((rank[chunk] for chunk in table.chunks if chunk in rank), default=0), table) for table in tables
    ]
    return [table for place, table in sorted(ranked, key=lambda each: each[0]) if place][:most]


def _data_tables(snapshot: Snapshot) -> tuple[StoredTable, ...]:
    """The tables of a revision that are not records of RDF, which is asked by SPARQL."""
    iris = Iris(snapshot.configuration.base_iri)
    return tuple(
        table
        for table in catalogue(snapshot).values()
        if table.number is not None or not is_of_rdf(snapshot.store, table.documents[0], iris)
    )


def facts_of(snapshot: Snapshot, resource: str) -> Facts:
    """The properties that join a resource with others of a class, from a part of its statements."""
    kept = snapshot.derived(_kept_facts)
    if (known := kept.get(resource)) is None:
        text = queries.bind("linked_classes", node=[resource], most=_STATEMENTS)
        rows = queries.select(snapshot.store, text)
        known = tuple(sorted(filter(None, map(_fact, rows))))
        kept.keep({resource: known})
    return known


def _kept_facts(_: Snapshot) -> BoundedCache[str, tuple[Fact, ...]]:
    return BoundedCache(_KEPT)


def _fact(row: Any) -> Fact | None:
    name, class_name = iri_of(row["property"]), iri_of(row["class"])
    return Fact(name, row["inverse"].value == "true", class_name) if name and class_name else None
