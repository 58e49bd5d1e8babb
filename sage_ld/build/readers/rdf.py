"""RDF: a file's own triples, and a record for each resource that it describes in words.

What stands in a named graph stays in it. Blank nodes get labels from the file's content and their order in
it, so that two reads agree and two files never share one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TypeAlias
from urllib.parse import quote

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, RdfFormat, Triple, parse

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, one_line
from sage_ld.build.readers.companions import combined_hash, read_companion
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.contexts import ContextLoader
from sage_ld.build.readers.data.delimited_cells import cut, guessed_dialect
from sage_ld.build.readers.derived_graphs import left_out, without_derived
from sage_ld.build.readers.r2rml import DataRow, candidates, map_rows, tables_of
from sage_ld.build.readers.rdf_resources import add_resources
from sage_ld.build.readers.rdf_text import checked_text, plain
from sage_ld.build.readers.source import Companion, Reader, Source
from sage_ld.build.readers.statements import Statement, StatementCollector, Subject, Term, is_reserved
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_ENDING = ".r2rml"
_TABLE = "table of a mapping"


def is_mapping(source: Source, statements: list[Statement]) -> bool:
    """Whether an RDF file is carried out as a mapping: its name says so, or a table of it lies beside it.

    One for a database elsewhere is RDF like any other, and so is one inside another file.
    """
    if source.data is not None or not (tables := tables_of(statements)):
        return False
    named = source.stem.lower().endswith(_ENDING)
    return named or any(table and _file(source, table) is not None for table in tables.values())


def mapped(
    source: Source, statements: list[Statement], digest: str, settings: Settings
) -> tuple[StatementCollector, str]:
    """The statements that the mapping makes of its tables, and the hash of the mapping and all of them.

    Raises InputError for a table that is not there, or what the mapping may not say, LimitError.
    """
    companions = _companions(source, statements, settings)
    rows: dict[str, list[DataRow]] = {}

    def table(name: str) -> list[DataRow]:
        if name not in rows:
            rows[name] = _rows(source, companions[name])
        return rows[name]

    files = {each.name: each for each in companions.values()}
    size = source.path.stat().st_size + sum(len(each.data) for each in files.values())
    out = StatementCollector(source.identifier, size, settings)
    folder = PurePosixPath(source.identifier).parent.as_posix().removeprefix(".")
    base = "file:///" + quote(f"{folder}/" if folder else "")
    map_rows(source.identifier, statements, table, base, out)
    return out, combined_hash(digest, tuple(files[name] for name in sorted(files)))


def _companions(source: Source, statements: list[Statement], settings: Settings) -> dict[str, Companion]:
    """The files of the mapping's tables, by the names that the mapping gives the tables."""
    companions: dict[str, Companion] = {}
    for table in tables_of(statements).values():
        if table is None or table in companions:
            continue
        name = _file(source, table)
        if name is None:
            raise InputError(
                f"{source.identifier}: the table {table[:60]!r} has no file beside it; put "
                f"{candidates(table)[0][:60]!r} into its folder"
            )
        companions[table] = read_companion(source, _TABLE, name, settings)
    return companions


def _file(source: Source, table: str) -> str | None:
    """The name of a table's file beside the mapping; files of other folders are not looked for."""
    for name in candidates(table):
        if name == PurePosixPath(name).name and os.path.lexists(source.path.with_name(name)):
            return name
    return None


def _rows(source: Source, companion: Companion) -> list[DataRow]:
    beside = source.beside(companion.name)
    text = decode(companion.data, beside.identifier)
    cells = cut(text, guessed_dialect(text, beside.suffix), beside.identifier)
    return [dict(zip(cells.names, row.cells, strict=True)) for row in cells.rows]


_FORMATS = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".trig": RdfFormat.TRIG,
    ".nq": RdfFormat.N_QUADS,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
}
MEDIA_TYPES = frozenset(each.media_type for each in _FORMATS.values())
"""The media types of the documents that are made of RDF files."""


def read_rdf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document with all that the file states, less the statements that name terms of our vocabulary.

    Of a graph that was exported with all that sage-ld derived, what users state is read, and a warning
    counts the rest. What is in named graphs is in `named_statements`, and their resources have records as
    the others have.
    Relative IRIs are resolved against `file:///` and the identifier, so that files of one folder that refer
    to each other still do. A mapping (R2RML) gives the statements that it makes of the tables beside it,
    in place of its own. Raises InputError that names the line of a syntax error.
    """
    stated, digest = parse_rdf(source, settings)
    parsed = without_derived(stated)
    triples = list(dict.fromkeys(each[:3] for each in parsed))
    builder = DocumentBuilder(source.identifier, settings)
    if is_mapping(source, triples):
        made, digest = mapped(source, triples, digest, settings)
        document = _built(builder, source, digest)
        yield finished(replace(document, statements=made.statements, reserved=made.reserved))
        return
    add_resources(builder, (each for each in triples if not any(map(is_reserved, each))))
    kept = [each for each in parsed if not any(map(is_reserved, each[:3]))]
    document = replace(_built(builder, source, digest), reserved=len(parsed) - len(kept))
    if derived := len(stated) - len(parsed):
        document = replace(document, warnings=(f"{source.identifier}: {left_out(derived)}",))
    unnamed = tuple(each[:3] for each in kept if isinstance(each[3], DefaultGraph))
    named = tuple(each for each in kept if not isinstance(each[3], DefaultGraph))
    yield finished(replace(document, statements=unnamed, named_statements=named))


def _built(builder: DocumentBuilder, source: Source, digest: str) -> Document:
    return builder.build(
        title=source.stem,
        media_type=_FORMATS[source.suffix].media_type,
        content_hash=digest,
        types=(v.SCHEMA + "Dataset",),
    )


NamedStatement: TypeAlias = tuple[Subject, NamedNode, Term, Subject | DefaultGraph]
"""A statement, and the name of its graph."""


def parse_rdf(source: Source, settings: Settings) -> tuple[list[NamedStatement], str]:
    """All statements of an RDF file, each once in each graph, and the hash of its bytes and contexts.

    Raises InputError for another kind of file, or one that does not parse, LimitError, OSError.
    """
    if source.suffix not in _FORMATS:
        raise InputError(
            f"{source.identifier}: no RDF format has this suffix; choose from {', '.join(_FORMATS)}"
        )
    data = source.read(settings)
    loader = ContextLoader(source.identifier, settings)
    form, text = _FORMATS[source.suffix], _decoded(data, source).encode()
    text = checked_text(text, form, _base(source), loader, data)
    digest = combined_hash(content_hash(data), loader.companions.values())
    return _quads(text, source, digest), digest


def _decoded(data: bytes, source: Source) -> str:
    """The characters of a file as they are: a literal may hold any, also U+0000 and line ends of any kind."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return decode(data, source.identifier)


def _base(source: Source) -> str:
    return "file:///" + quote(source.identifier)


def _quads(text: bytes, source: Source, digest: str) -> list[NamedStatement]:
    relabel = Relabel(hashlib.sha256(f"{source.identifier}\0{digest}".encode()).hexdigest()[:20])
    out: dict[NamedStatement, None] = {}
    predicates: dict[NamedNode, NamedNode] = {}
    subject: Subject | None = None
    graph: Subject | DefaultGraph = DefaultGraph()
    try:
        for quad in parse(text, _FORMATS[source.suffix], base_iri=_base(source)):
            if (node := relabel.node(quad.subject)) != subject:  # equal terms are kept once: half the memory
                subject = node
            predicate = predicates.setdefault(quad.predicate, quad.predicate)
            if (name := relabel.graph(quad.graph_name)) != graph:
                graph = name
            out[subject, predicate, plain(relabel(quad.object)), graph] = None
    except (SyntaxError, ValueError, OSError) as error:
        raise InputError(f"{source.identifier}: {_reason(error)}; correct it there") from None
    return list(out)


class Relabel:
    """Blank nodes by the order in which they first appear."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._known: dict[BlankNode, BlankNode] = {}

    def __call__(self, term: Term) -> Term:
        """The term, or what stands for it where it is or holds a blank node."""
        if isinstance(term, Triple):
            assert not isinstance(term.subject, Triple)  # RDF 1.2 Concepts §3.1: only an object is a triple
            return Triple(self.node(term.subject), term.predicate, self(term.object))
        return self.node(term) if isinstance(term, BlankNode) else term

    def graph(self, name: Subject | DefaultGraph) -> Subject | DefaultGraph:
        """The name of a graph, or the blank node that stands for it."""
        return name if isinstance(name, DefaultGraph) else self.node(name)

    def node(self, term: Subject) -> Subject:
        """The node, or the blank node that stands for it."""
        if isinstance(term, BlankNode):
            label = f"b{self._prefix}n{len(self._known)}"
            return self._known.setdefault(term, BlankNode(label))
        return term


def _reason(error: Exception) -> str:
    line = getattr(error, "lineno", None)
    message = one_line(str(error.msg if isinstance(error, SyntaxError) else error))
    message = message.removeprefix("Parser error ").removeprefix("at ")
    if line is None or f"line {line}" in message:
        return f"no RDF: {message}"
    return f"no RDF: {message} (line {line})"


RDF = Reader("RDF", {suffix: each.media_type for suffix, each in _FORMATS.items()}, read_rdf, text=True)
