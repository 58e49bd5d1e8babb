r"""Documents as lines of JSON, from the process that reads files to the one that started it.

JSON and not pickle: the process has parsed hostile files, and what it sends must be data that cannot run
anything where it arrives. The statements of an RDF file travel as N-Triples and N-Quads inside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

from pyoxigraph import Quad, RdfFormat, Triple, parse, serialize

from sage_ld.build.readers.cell_values import DATATYPES
from sage_ld.build.readers.source import LeftOut
from sage_ld.foundation.model import (
    Block,
    CellValue,
    Document,
    Hyperlink,
    Place,
    PlaceKind,
    Property,
    Prose,
    Record,
    Section,
    Table,
)

_KINDS: Final[dict[type[Block], str]] = {Prose: "prose", Table: "table", Record: "record"}


def _values(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """A function that gives the values of a dataclass's fields, in their order."""
    return attrgetter(*(each.name for each in fields(kind)))


_BLOCK_VALUES: Final = {kind: _values(kind) for kind in _KINDS}
_LINK_VALUES: Final = _values(Hyperlink)
_SECTION_VALUES: Final = _values(Section)
_LEFT_OUT_VALUES: Final = _values(LeftOut)
_PLACE_VALUES: Final = _values(Place)
_PROPERTY_VALUES: Final = _values(Property)
_DOCUMENT_VALUES: Final = _values(Document)
_FIELDS: Final = {each.name: place for place, each in enumerate(fields(Document))}
_BLOCKS_AT, _SECTIONS_AT, _LINKS_AT = (_FIELDS[name] for name in ("blocks", "sections", "links"))
_TYPES_AT, _KEYWORDS_AT, _STATEMENTS_AT = (_FIELDS[name] for name in ("types", "keywords", "statements"))
_NAMED_AT: Final = _FIELDS["named_statements"]
_PLACES_AT, _METADATA_AT, _WARNINGS_AT = (_FIELDS[name] for name in ("places", "metadata", "warnings"))
_PATCHED_AT, _PASSED_AT = _FIELDS["patched_keys"], _FIELDS["passed_over"]
_PASSED_PLACES_AT: Final = _FIELDS["passed_over_places"]
_ENCODER: Final = json.JSONEncoder(check_circular=False, separators=(",", ":"))


def encode(document: Document | LeftOut) -> bytes:
    r"""The document, or a file inside another one that gives none, as one line.

    >>> document = Document("a", "A", "text", (Prose(0, 4),), "text/plain", "0" * 64)
    >>> decode(encode(document)) == document
    True
    """
    if isinstance(document, LeftOut):
        return _ENCODER.encode({"left out": _LEFT_OUT_VALUES(document)}).encode() + b"\n"
    values = list(_DOCUMENT_VALUES(document))
    values[_BLOCKS_AT] = [(_KINDS[type(each)], *_BLOCK_VALUES[type(each)](each)) for each in document.blocks]
    values[_SECTIONS_AT] = [_SECTION_VALUES(each) for each in document.sections]
    values[_LINKS_AT] = [_LINK_VALUES(each) for each in document.links]
    values[_PLACES_AT] = [_PLACE_VALUES(each) for each in document.places]
    values[_METADATA_AT] = [_PROPERTY_VALUES(each) for each in document.metadata]
    values[_STATEMENTS_AT] = _triples_text(document.statements) if document.statements else ""
    values[_NAMED_AT] = _quads_text(document.named_statements) if document.named_statements else ""
    return _ENCODER.encode(values).encode() + b"\n"


def decode(line: bytes) -> Document | LeftOut:
    """The document that `encode` wrote. Raises ValueError, TypeError, LookupError or SyntaxError."""
    values = json.loads(line.decode())
    if isinstance(values, dict):
        identifier, reason, failed = values["left out"]
        return LeftOut(str(identifier), str(reason), bool(failed))
    values[_BLOCKS_AT] = tuple([_BLOCKS[kind](*each) for kind, *each in values[_BLOCKS_AT]])
    values[_SECTIONS_AT] = tuple([Section(*each) for each in values[_SECTIONS_AT]])
    values[_LINKS_AT] = tuple([Hyperlink(*each) for each in values[_LINKS_AT]])
    values[_TYPES_AT] = tuple(values[_TYPES_AT])
    values[_KEYWORDS_AT] = tuple(values[_KEYWORDS_AT])
    values[_PLACES_AT] = tuple([_place(*each) for each in values[_PLACES_AT]])
    values[_METADATA_AT] = tuple([Property(*each) for each in values[_METADATA_AT]])
    values[_WARNINGS_AT] = tuple(values[_WARNINGS_AT])
    values[_PATCHED_AT] = tuple(values[_PATCHED_AT])
    values[_PASSED_AT] = tuple([(str(kind), int(count)) for kind, count in values[_PASSED_AT]])
    values[_PASSED_PLACES_AT] = tuple([(kind, tuple(places)) for kind, places in values[_PASSED_PLACES_AT]])
    values[_STATEMENTS_AT] = _triples(values[_STATEMENTS_AT]) if values[_STATEMENTS_AT] else ()
    values[_NAMED_AT] = _quads(values[_NAMED_AT]) if values[_NAMED_AT] else ()
    return Document(*values)


def _table(
    begin: int,
    end: int,
    columns: list[str],
    rows: list[list[str]],
    spans: list[list[int]],
    caption: str,
    section: int | None,
    head: str,
    values: list[list[Any]],
) -> Table:
    row_spans = tuple((first, last) for first, last in spans)
    stored = tuple(_cell_value(*each) for each in values)
    cells = tuple(map(tuple, rows))
    return Table(begin, end, tuple(columns), cells, row_spans, caption, section, head, stored)


def _cell_value(row: int, column: str, value: str, datatype: str) -> CellValue:
    if datatype not in DATATYPES:
        raise ValueError(f"unknown datatype {datatype!r}; choose from {', '.join(sorted(DATATYPES))}")
    return CellValue(int(row), str(column), str(value), datatype)


def _record(
    begin: int, end: int, name: str, pairs: list[list[str]], subject: str | None, section: int | None
) -> Record:
    return Record(begin, end, name, tuple((field, value) for field, value in pairs), subject, section)


def _place(
    begin: int,
    end: int,
    kind: str,
    first: int,
    last: int,
    sheet: str,
    columns: list[str] | None,
    printed: str,
) -> Place:
    letters = None if columns is None else (columns[0], columns[1])
    return Place(begin, end, PlaceKind(kind), first, last, sheet, letters, printed)


_BLOCKS: Final[dict[str, Callable[..., Block]]] = {"prose": Prose, "table": _table, "record": _record}


def _triples_text(statements: Iterable[tuple[object, object, object]]) -> str:
    triples = (Triple(*each) for each in statements)  # type: ignore[arg-type]  # the model names no RDF library
    return (serialize(triples, format=RdfFormat.N_TRIPLES) or b"").decode()


def _triples(text: str) -> tuple[tuple[object, object, object], ...]:
    quads = parse(text, RdfFormat.N_TRIPLES)
    return tuple((quad.subject, quad.predicate, quad.object) for quad in quads)


def _quads_text(statements: Iterable[tuple[object, object, object, object]]) -> str:
    quads = (Quad(*each) for each in statements)  # type: ignore[arg-type]  # as above
    return (serialize(quads, format=RdfFormat.N_QUADS) or b"").decode()


def _quads(text: str) -> tuple[tuple[object, object, object, object], ...]:
    return tuple(tuple(quad) for quad in parse(text, RdfFormat.N_QUADS))
