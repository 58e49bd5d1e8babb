"""The tables of a graph: which there are, under which names, and of which chunks each is made.

Each table in a document is one, and all records of a document (of a file of JSON lines: of all documents that
come from it) are one more, with a column for each field.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from sage_ld.agents.tables.rows import distinct, of_document, record_count
from sage_ld.foundation.rdf_values import integer_of, iri_of
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries, reading
from sage_ld.graph.store.reading import StoredDocument


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of the graph, without its cells."""

    name: str
    """The name in SQL."""
    documents: tuple[StoredDocument, ...]
    """The document that it stands in; of records from a file with many documents, all of these."""
    number: int | None
    """Counted from 0 in its document; None for records."""
    rows: int
    """Of a table, empty rows count too."""
    parts: Mapping[str, tuple[str, ...]]
    """The IRIs of its chunks in their order, by the IRI of their document."""

    @property
    def chunks(self) -> tuple[str, ...]:
        """The IRIs of its chunks, in order."""
        return tuple(chunk for each in self.parts.values() for chunk in each)

    @property
    def source(self) -> str:
        """The identifier of its document, or the path of the file that its documents come from."""
        return self.documents[0].identifier if len(self.documents) == 1 else self.documents[0].path


Catalogue: TypeAlias = Mapping[str, StoredTable]
"""Tables by name, sorted."""


class _ChunkSpan(NamedTuple):
    """The place of a chunk in its document."""

    begin: int
    end: int
    chunk: str
    last: int
    """Its last row, of a table."""


_Key: TypeAlias = tuple[str, str, int | None]
"""Root and path of a file, or "" and the identifier of a document; the table's number, None for records."""


def catalogue(snapshot: Snapshot) -> Catalogue:
    """The tables of a revision, read once for it."""
    return snapshot.derived(_read)


def _read(snapshot: Snapshot) -> Catalogue:
    spans = _spans(snapshot)
    if not spans:
        return {}
    by_iri = {each.iri: each for each in reading.documents(snapshot.store, {iri for iri, _ in spans})}
    groups: defaultdict[_Key, list[StoredDocument]] = defaultdict(list)
    for iri, number in spans:
        if (document := by_iri.get(iri)) is not None:
            groups[_key(document, number)].append(document)
    names = _names(list(groups))
    tables = (_table(names[key], key[2], groups[key], spans) for key in groups)
    return {each.name: each for each in sorted(tables, key=lambda table: table.name)}


def _spans(snapshot: Snapshot) -> dict[tuple[str, int | None], list[_ChunkSpan]]:
    """The places of the chunks of each table (its document's IRI, its number there), in order."""
    spans: defaultdict[tuple[str, int | None], dict[str, _ChunkSpan]] = defaultdict(dict)
    for row in queries.select(snapshot.store, queries.text("table_chunks")):
        chunk, document = iri_of(row["chunk"]), iri_of(row["document"])
        begin, end, table, last = (integer_of(row[each]) for each in ("begin", "end", "table", "last"))
        if chunk and document and begin is not None and end is not None:
            spans[document, table][chunk] = _ChunkSpan(begin, end, chunk, last or 0)
    ordered = sorted(spans.items(), key=lambda item: (item[0][0], item[0][1] is None, item[0][1] or 0))
    return {key: sorted(each.values()) for key, each in ordered}


def _key(document: StoredDocument, number: int | None) -> _Key:
    """The key of a table: of records, those of a file whose documents have names of their own."""
    path = document.path
    shared = number is None and path and not document.identifier.startswith(path)
    return (document.root, path, None) if shared else ("", document.identifier, number)


def _names(keys: list[_Key]) -> dict[_Key, str]:
    """The name of each table: its document's, with `_2` for its second one, `_records` beside tables."""
    with_tables = {key[:2] for key in keys if key[2] is not None}
    pairs = {key[:2] for key in keys}
    bases = distinct({"\x1f".join(pair): of_document(pair[1]) for pair in pairs})
    wanted = {}
    for key in keys:
        suffix = (
            "_records" if key[2] is None and key[:2] in with_tables else f"_{key[2] + 1}" if key[2] else ""
        )
        wanted[key] = bases["\x1f".join(key[:2])] + suffix
    by_text = {"\x1f".join(map(str, key)): name for key, name in wanted.items()}
    chosen = distinct(by_text)
    return {key: chosen["\x1f".join(map(str, key))] for key in keys}


def _table(
    name: str,
    number: int | None,
    documents: list[StoredDocument],
    spans: Mapping[tuple[str, int | None], list[_ChunkSpan]],
) -> StoredTable:
    ordered = sorted(documents, key=lambda document: document.identifier)
    chunk_spans = {each.iri: spans[each.iri, number] for each in ordered}
    parts = {iri: tuple(span.chunk for span in each) for iri, each in chunk_spans.items()}
    return StoredTable(
        name, tuple(ordered), number, sum(_rows(each, number) for each in chunk_spans.values()), parts
    )


def _rows(spans: Sequence[_ChunkSpan], number: int | None) -> int:
    if number is None:
        return record_count([(span.begin, span.end) for span in spans])
    return 1 + max(span.last for span in spans)
