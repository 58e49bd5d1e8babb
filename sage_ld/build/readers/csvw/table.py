"""A described table as a document's content: titles of columns, descriptions, and links by foreign keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, urljoin

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse
from uritemplate import URITemplate

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.cell_values import TypedValue, stated_value
from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.content import moment
from sage_ld.build.readers.csvw.description import (
    UNDETERMINED,
    CellRules,
    ColumnDescription,
    TableDescription,
    texts,
)
from sage_ld.build.readers.csvw.values import VERBATIM, literal, values_of
from sage_ld.build.readers.data.delimited_cells import Cells, DelimitedRow
from sage_ld.build.readers.data.json_values import Json, Number
from sage_ld.build.readers.inline import Anchor, Inline
from sage_ld.build.readers.statements import StatementCollector, Subject, Term
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document, PlaceKind

PREFIXES: Final = {
    **v.PREFIXES,
    "dc": v.DCTERMS,
    "dc11": "http://purl.org/dc/elements/1.1/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "org": "http://www.w3.org/ns/org#",
    "qb": "http://purl.org/linked-data/cube#",
    "schema": "http://schema.org/",
    "time": "http://www.w3.org/2006/time#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
}
"""The prefixes that metadata may use without a declaration: the usual ones of its context.

There `schema:` is http://schema.org/ and `dc:` the terms of Dublin Core.
"""


class RowStatements:
    """Makes the statements of rows. Raises InputError for templates that are invalid or make no IRI."""

    def __init__(self, name: str, table: TableDescription, columns: Sequence[ColumnDescription]) -> None:
        self._name = name
        self._table = table
        self._columns = columns
        self._templates: dict[str, URITemplate] = {}
        self._blank = hashlib.sha256(f"{name}\0row".encode()).hexdigest()[:20]

    def add(self, rows: Iterable[DelimitedRow], out: StatementCollector) -> None:
        """Has `out` take the statements of the rows, unless the table's output is suppressed."""
        for row in rows if not self._table.suppressed else ():
            cells = [*row.cells, *[""] * (len(self._columns) - len(row.cells))]
            read = [values_of(cell, each.rules) for cell, each in zip(cells, self._columns, strict=True)]
            variables = self._variables(row, read)
            for number, (column, values) in enumerate(zip(self._columns, read, strict=True), 1):
                if not column.suppressed:
                    own = {"_column": str(number), "_sourceColumn": str(number), "_name": column.name}
                    self._cell(row, column, values, {**variables, **own}, out)

    def _variables(self, row: DelimitedRow, read: Sequence[list[str] | None]) -> dict[str, Any]:
        """The values that templates may name; a null cell has none."""
        variables: dict[str, Any] = {"_row": str(row.number), "_sourceRow": str(row.source)}
        for column, values in zip(self._columns, read, strict=True):
            if values and not column.virtual:
                written = [literal(each, column.rules).value for each in values]
                variables[column.name] = written if column.rules.separator else written[0]
        return variables

    def _cell(
        self,
        row: DelimitedRow,
        column: ColumnDescription,
        values: list[str] | None,
        variables: dict[str, Any],
        out: StatementCollector,
    ) -> None:
        rules = column.rules
        if not column.virtual and values is None:
            return
        objects: list[Term]
        if rules.value is not None:
            objects = [self._iri(rules.value, variables, column)]
        else:
            objects = [literal(each, rules) for each in values or ()]
        if not objects:
            return
        subject: Subject
        if rules.about is None:
            subject = BlankNode(f"b{self._blank}r{row.number}")
        else:
            subject = self._iri(rules.about, variables, column)
        predicate = self._predicate(column, variables)
        if rules.ordered and rules.separator and rules.value is None:
            head = f"b{self._blank}r{row.number}c{variables['_column']}"
            objects = [_list(head, objects, out)]
        for each in objects:
            out.add(subject, predicate, each)

    def _predicate(self, column: ColumnDescription, variables: dict[str, Any]) -> NamedNode:
        if column.rules.property is None:
            return self._named(f"{self._table.url}#{quote(column.name, safe='%')}", column)
        return self._iri(column.rules.property, variables, column)

    def _iri(self, template: str, variables: dict[str, Any], column: ColumnDescription) -> NamedNode:
        if template not in self._templates:
            try:
                self._templates[template] = URITemplate(template)
            except ValueError:
                raise InputError(
                    f"{self._name}: column {column.name!r}: {template[:80]!r} is not a URI template (RFC "
                    "6570); correct it in the metadata"
                ) from None
        return self._named(self._templates[template].expand(variables), column)

    def _named(self, written: str, column: ColumnDescription) -> NamedNode:
        prefix, colon, rest = written.partition(":")
        if colon and prefix in PREFIXES and not rest.startswith("//"):
            written = PREFIXES[prefix] + rest
        try:
            return NamedNode(urljoin(self._table.url, written))
        except ValueError:
            raise InputError(
                f"{self._name}: column {column.name!r}: {written[:80]!r} is not an IRI; correct its template "
                "in the metadata"
            ) from None


def _list(head: str, items: Sequence[Term], out: StatementCollector) -> BlankNode:
    """An RDF collection of the items; its first node."""
    nodes = [BlankNode(f"{head}i{number}") for number in range(len(items))]
    following: list[Subject] = [*nodes[1:], NamedNode(v.RDF + "nil")]
    for node, item, rest in zip(nodes, items, following, strict=True):
        out.add(node, NamedNode(v.RDF + "first"), item)
        out.add(node, NamedNode(v.RDF + "rest"), rest)
    return nodes[0]


def annotate(name: str, table: TableDescription, out: StatementCollector) -> None:
    """Has `out` take the table's common properties (section 5.8) as statements about its URL."""
    if not table.annotations:
        return
    context: dict[str, Any] = dict(PREFIXES)
    if table.language != UNDETERMINED:
        context["@language"] = table.language
    properties = {key: _json_ld(value) for key, value in table.annotations.items()}
    text = json.dumps({"@context": context, "@id": table.url, **properties})
    blank: dict[BlankNode, BlankNode] = {}
    prefix = hashlib.sha256(f"{name}\0table".encode()).hexdigest()[:20]

    def renamed(term: Term) -> Term:
        if isinstance(term, BlankNode):
            return blank.setdefault(term, BlankNode(f"b{prefix}n{len(blank)}"))
        return term

    try:
        for quad in parse(text, RdfFormat.JSON_LD, base_iri=table.url):
            subject = renamed(quad.subject)
            assert isinstance(subject, NamedNode | BlankNode)
            out.add(subject, quad.predicate, renamed(quad.object))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{name}: a property of the table cannot be read as JSON-LD: {error}") from None


def _json_ld(value: Json) -> Any:
    """The value of a common property in JSON-LD: numbers as what they are."""
    if isinstance(value, Number):
        whole = value.lstrip("-").isdigit()
        return {"@value": str(value), "@type": v.XSD + ("integer" if whole else "double")}
    if isinstance(value, list):
        return [_json_ld(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key.startswith("@") else _json_ld(each) for key, each in value.items()}
    return value


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
    rules = [each.rules for each in real]
    rows = [
        [_cell(cell, targets.get(number), rules[number]) for number, cell in enumerate(row.cells)]
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


def _cell(cell: str, target: str | None, rules: CellRules) -> Inline | str:
    """A cell with its link, and with the value that it has by the datatype of its column."""
    if (target is None and rules.datatype.base in VERBATIM) or not (text := one_line(printable(cell))):
        return cell
    anchors = () if target is None else (Anchor(target, 0, len(text)),)
    return Inline(text, anchors, _value(cell, rules))


def _value(cell: str, rules: CellRules) -> TypedValue | None:
    is_text = rules.separator is not None or rules.datatype.base in VERBATIM
    if is_text or not (values := values_of(cell, rules)):
        return None
    read = literal(values[0], rules)
    return None if read.datatype.value == v.XSD + "string" else stated_value(read.value)


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
