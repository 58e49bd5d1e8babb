"""R2RML over CSV files: a Turtle file that says which statements the rows of tables beside it make.

https://www.w3.org/TR/r2rml/ , with the sources of RML (`rml:source`, `rml:reference`, `ql:CSV`). A logical
table is a CSV file in the mapping's folder, and an empty cell is NULL. There is no database, so no SQL query.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import quote

from pyoxigraph import BlankNode, Literal, NamedNode

from sage_ld.build.readers.statements import Statement, StatementCollector, Subject, Term
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError

RR: Final = "http://www.w3.org/ns/r2rml#"
_RML: Final = ("http://semweb.mmlab.be/ns/rml#", "http://w3id.org/rml/")
_TABLE: Final = (RR + "logicalTable", *(each + "logicalSource" for each in _RML))
_SOURCE: Final = tuple(each + "source" for each in _RML)
_COLUMN: Final = (RR + "column", *(each + "reference" for each in _RML))
_QUERY: Final = (RR + "sqlQuery", *(each + "query" for each in _RML))
_HOLE: Final = re.compile(r"\\([\\{}])|\{([^{}]*)\}|([{}])")
TABLE_SUFFIXES: Final = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
"""The endings of files that a mapping may name as its tables."""

DataRow = dict[str, str]
"""Column name to the cell's text, which is empty where it is NULL."""
Tables = Callable[[str], list[DataRow]]
"""The rows of the file of that name."""


def tables_of(statements: Iterable[Statement]) -> dict[Subject, str | None]:
    """The logical tables of the triples maps in a file: their names, None for an SQL query."""
    mapping = _Mapping("", statements, None)
    return {each: mapping.table(each) for each in mapping.maps}


def candidates(table: str) -> tuple[str, ...]:
    """The names that the file of a logical table may have: a source as it is, a table's with a suffix.

    >>> candidates('"people"')[:2], candidates("people.csv")
    (('people.csv', 'people.tsv'), ('people.csv',))
    """
    plain = table.replace('"', "")
    if plain.lower().endswith(TABLE_SUFFIXES):
        return (plain,)
    return tuple(plain.rpartition(".")[2] + suffix for suffix in TABLE_SUFFIXES)


def map_rows(
    name: str, statements: Iterable[Statement], tables: Tables, base: str, out: StatementCollector
) -> None:
    """Has `out` take the statements that the mapping makes (R2RML, section 11).

    Raises InputError, which names the mapping, for one that cannot be carried out.
    """
    mapping = _Mapping(name, statements, tables, base)
    for each in mapping.maps:
        mapping.run(each, out)


class _Mapping:
    """The statements of a mapping by subject and property, and the tables that it names."""

    def __init__(
        self, name: str, statements: Iterable[Statement], tables: Tables | None, base: str = ""
    ) -> None:
        self._name = name
        self._tables = tables
        self._base = base
        self._said: dict[Term, dict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
        for subject, predicate, value in statements:
            self._said[subject][predicate.value].append(value)
        self._blank = hashlib.sha256(f"{name}\0r2rml".encode()).hexdigest()[:20]
        self._joins: dict[tuple[Term, tuple[str, ...]], dict[tuple[str, ...], list[Subject]]] = {}
        self.maps = [
            each
            for each, statements_of in self._said.items()
            if isinstance(each, NamedNode | BlankNode) and any(key in statements_of for key in _TABLE)
        ]

    def error(self, what: str) -> InputError:
        return InputError(f"{self._name}: {what}; correct the mapping")

    def values(self, node: Term, *names: str) -> list[Term]:
        properties = self._said.get(node, {})
        return [value for name in names for value in properties.get(name, ())]

    def text(self, node: Term, *names: str) -> str | None:
        return next((each.value for each in self.values(node, *names) if isinstance(each, Literal)), None)

    def table(self, triples_map: Term) -> str | None:
        """The name of the map's table or source; None for an SQL query."""
        for logical in self.values(triples_map, *_TABLE):
            if not self.values(logical, *_QUERY):
                inner = [logical, *self.values(logical, *_SOURCE)]
                paths = tuple(each + "path" for each in _RML)
                named = (self.text(each, RR + "tableName", *_SOURCE, *paths) for each in inner)
                return next((each for each in named if each), "")
        return None

    def rows(self, triples_map: Term) -> list[DataRow]:
        table = self.table(triples_map)
        if table is None:
            raise self.error(
                "rr:sqlQuery needs a database, and there is none; name a CSV file by rr:tableName"
            )
        assert self._tables is not None
        return self._tables(table)

    def run(self, triples_map: Subject, out: StatementCollector) -> None:
        """Section 11.1: the statements of each row."""
        subject_map = self.subject_map(triples_map)
        classes = [each for each in self.values(subject_map, RR + "class") if isinstance(each, NamedNode)]
        pairs = self.values(triples_map, RR + "predicateObjectMap")
        for row in self.rows(triples_map):
            subject = self.subject(subject_map, row)
            if subject is None:
                continue
            for each in classes:
                out.add(subject, NamedNode(v.TYPE), each)
            for pair in pairs:
                self.add_pair(subject, pair, row, out)

    def subject_map(self, triples_map: Term) -> Term:
        """The map's subject map; a constant of the short form as it is. Section 6.1: exactly one."""
        maps = self.values(triples_map, RR + "subjectMap", RR + "subject")
        if len(maps) != 1:
            raise self.error(f"{triples_map} has {len(maps)} subject maps; a triples map has one")
        return maps[0]

    def subject(self, subject_map: Term, row: DataRow) -> Subject | None:
        is_map = self.values(subject_map, RR + "constant", RR + "template", *_COLUMN)
        term = self.term(subject_map, row, "IRI") if is_map else subject_map
        if term is not None and not isinstance(term, NamedNode | BlankNode):
            raise self.error("a subject map makes a literal (section 7.4)")
        return term

    def add_pair(self, subject: Subject, pair: Term, row: DataRow, out: StatementCollector) -> None:
        predicates = self.terms(pair, "predicate", row, "IRI")
        objects = self.terms(pair, "object", row, "")
        for predicate in predicates:
            if not isinstance(predicate, NamedNode):
                raise self.error("a predicate map makes something other than an IRI (section 7.4)")
            for each in objects:
                out.add(subject, predicate, each)

    def terms(self, pair: Term, role: str, row: DataRow, default: str) -> list[Term]:
        """The terms that the maps of a role make of a row, in the long form and in the short one."""
        made = list(self.values(pair, RR + role))
        for each in self.values(pair, f"{RR}{role}Map"):
            if self.values(each, RR + "parentTriplesMap"):
                made += self.parents(each, row)
            elif (term := self.term(each, row, default)) is not None:
                made.append(term)
        return made

    def term(self, term_map: Term, row: DataRow, default: str) -> Term | None:
        """Section 11.2: the term that a map makes of a row; None where a column is NULL."""
        if constants := self.values(term_map, RR + "constant"):
            return constants[0]
        column, template = self.text(term_map, *_COLUMN), self.text(term_map, RR + "template")
        if column is None and template is None:
            raise self.error("a term map has no rr:constant, rr:column or rr:template (section 7)")
        stated = self.values(term_map, RR + "termType")
        language = self.text(term_map, RR + "language")
        datatypes = self.values(term_map, RR + "datatype")
        literal = language or datatypes or template is None
        kind = str(getattr(stated[0], "value", "")).removeprefix(RR) if stated else ""
        kind = kind.rpartition("/")[2] or default or ("Literal" if literal else "IRI")
        value = (
            self.cell(row, column) if column is not None else self.filled(template or "", row, kind == "IRI")
        )
        return None if value is None else self.made(kind, value, language, datatypes)

    def made(self, kind: str, value: str, language: str | None, datatypes: Sequence[Term]) -> Term:
        """Section 7.4: an IRI, a blank node or a literal of a value."""
        try:
            if kind == "IRI":
                return self.iri(value)
            if kind == "BlankNode":
                return BlankNode("b" + hashlib.sha256(f"{self._blank}\0{value}".encode()).hexdigest()[:32])
            if kind != "Literal":
                raise self.error(f"unknown rr:termType {kind[:40]!r}; choose from IRI, BlankNode, Literal")
            if language is not None:
                return Literal(value, language=language)
            datatype = datatypes[0] if datatypes else None
            return Literal(value, datatype=datatype) if isinstance(datatype, NamedNode) else Literal(value)
        except ValueError:
            raise self.error(
                f"{(language or value)[:80]!r} is not a valid {'language tag' if language else kind}"
            ) from None

    def iri(self, value: str) -> NamedNode:
        """The value as an IRI, with the base before it where it is relative (section 7.3)."""
        try:
            return NamedNode(value)
        except ValueError:
            return NamedNode(self._base + value)

    def cell(self, row: DataRow, column: str) -> str | None:
        """A cell; None where it is NULL. An SQL identifier without quotes has no case."""
        plain = column[1:-1] if column[:1] == column[-1:] == '"' and len(column) > 1 else column
        if plain in row:
            return row[plain] or None
        name = next((each for each in row if each.lower() == plain.lower()), None)
        if name is None:
            raise self.error(f"there is no column {plain[:60]!r}; the table has {', '.join(row)[:200]}")
        return row[name] or None

    def filled(self, template: str, row: DataRow, encoded: bool) -> str | None:
        """Section 7.3: a template with a row's values, percent-encoded in an IRI; None where one is NULL."""
        parts, end = [], 0
        for match in _HOLE.finditer(template):
            parts.append(template[end : match.start()])
            end = match.end()
            if match[3]:
                raise self.error(f"the template {template[:80]!r} has an unmatched brace")
            value = match[1] if match[1] else self.cell(row, match[2])
            if value is None:
                return None
            parts.append(quote(value, safe="-._~") if encoded and not match[1] else value)
        return "".join([*parts, template[end:]])

    def parents(self, reference: Term, row: DataRow) -> Iterator[Subject]:
        """Section 8: the subjects of another map, of its rows that agree with this one, or of this one."""
        [parent, *_] = self.values(reference, RR + "parentTriplesMap")
        if parent not in self.maps:
            raise self.error(f"rr:parentTriplesMap {parent} is not a triples map")
        conditions = self.values(reference, RR + "joinCondition")
        keys = [(self.text(each, RR + "child"), self.text(each, RR + "parent")) for each in conditions]
        if any(child is None or other is None for child, other in keys):
            raise self.error("a join condition lacks rr:child or rr:parent (section 8.1)")
        if not keys:
            subject = self.subject(self.subject_map(parent), row)
            yield from () if subject is None else (subject,)
            return
        wanted = tuple(self.cell(row, child or "") or "" for child, _ in keys)
        if all(wanted):
            yield from self.joined(parent, tuple(other or "" for _, other in keys)).get(wanted, ())

    def joined(self, parent: Term, columns: tuple[str, ...]) -> dict[tuple[str, ...], list[Subject]]:
        """The subjects of a map by the values of some columns, made once."""
        if (parent, columns) not in self._joins:
            index: dict[tuple[str, ...], list[Subject]] = defaultdict(list)
            subject_map = self.subject_map(parent)
            for row in self.rows(parent):
                subject = self.subject(subject_map, row)
                if subject is not None:
                    index[tuple(self.cell(row, each) or "" for each in columns)].append(subject)
            self._joins[parent, columns] = index
        return self._joins[parent, columns]
