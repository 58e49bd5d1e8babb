"""Exports of the whole graph as streams of bytes, in constant memory.

Quads come as the store keeps them: graph by graph and, on disk, subject by subject in an order that depends
on nothing but their content. So the same revision gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import BinaryIO, Final

from pyoxigraph import DefaultGraph, NamedNode, Quad, RdfFormat, Triple, serialize

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph.exports import graphml, jsonld
from sage_ld.graph.store.protocol import GraphName, Store
from sage_ld.graph.store.query_graphs import of_names
from sage_ld.graph.store.stores import Stores
from sage_ld.graph.store.terms import without_direction
from sage_ld.graph.store.user_statements import as_written, graph_of_text, has_forms, with_users_graphs

_BATCH = 10_000  # quads in memory at once


@dataclass(frozen=True, slots=True)
class Format:
    """A format that the graph is exported in."""

    name: str
    media_type: str
    extension: str
    graphs: bool
    """Whether it keeps the named graphs; else it has their merge."""
    rdf: RdfFormat | None = None
    """The format by pyoxigraph's name, where it writes it."""

    @property
    def triple_terms(self) -> bool:
        """Whether the format has triple terms of RDF 1.2."""
        return self.rdf is not None


FORMATS: Final = {
    each.name: each
    for each in (
        Format("jsonld", "application/ld+json", "jsonld", True),
        Format("turtle", "text/turtle", "ttl", False, RdfFormat.TURTLE),
        Format("trig", "application/trig", "trig", True, RdfFormat.TRIG),
        Format("ntriples", "application/n-triples", "nt", False, RdfFormat.N_TRIPLES),
        Format("nquads", "application/n-quads", "nq", True, RdfFormat.N_QUADS),
        Format("graphml", "application/graphml+xml", "graphml", False),
    )
}


def export(
    store: Store,
    output: BinaryIO,
    format: str = "jsonld",
    rdf: str = "1.1",
    graphs: Sequence[str] | None = None,
) -> None:
    """Writes the whole graph to `output`, or only some named graphs, by IRI.

    `{base}graph/own` stands for all that users state. Such a part is read from a store that has each graph.

    `rdf="1.1"` leaves out triple terms, and with them only the second of the two views of an edge; "1.2"
    keeps them. Raises InputError for an unknown format or version, for JSON-LD in version 1.2, and for
    GraphML of a part.
    """
    for piece in stream(store, format, rdf, graphs):
        output.write(piece)


def stream(
    store: Store, format: str = "jsonld", rdf: str = "1.1", graphs: Sequence[str] | None = None
) -> Iterator[bytes]:
    """An export, piece by piece; only the calling thread may take the pieces.

    >>> from pyoxigraph import Store
    >>> b"".join(stream(Store(), "nquads"))
    b''
    """
    chosen = checked_format(format, rdf)
    if chosen.name == "graphml":
        if graphs is not None:
            raise InputError("graphml shows the whole graph; export single graphs as RDF")
        return _joined(graphml.document(store))
    names = None if graphs is None else _named(store, graphs)
    parts = _graphs(store, chosen, rdf, names, merged=not chosen.graphs and names is None)
    if chosen.name == "jsonld":
        return _joined(jsonld.document((name, _by_subject(quads)) for name, quads in parts))
    return _serialized(chosen, chain.from_iterable(quads for _, quads in parts))


def _named(store: Store, graphs: Sequence[str]) -> list[GraphName]:
    """The graphs with some names. Raises NotFoundError for one that does not exist."""
    names = [graph_of_text(name) for name in with_users_graphs(store, of_names(graphs, ())).default]
    for name in names:
        if not isinstance(name, DefaultGraph) and not store.contains_named_graph(name):
            raise NotFoundError(f"there is no graph {str(name)[:200]}; sage-ld sparql lists them")
    return names


def source(stores: Stores, format: Format) -> Store:
    """The store of a revision that a format is written from."""
    return stores.named if format.graphs else stores.merged


def checked_format(format: str, rdf: str = "1.1") -> Format:
    """The format by its name, if it can say what is asked for. Raises InputError otherwise."""
    if format not in FORMATS:
        raise InputError(f"unknown export format {format[:40]!r}; choose from {', '.join(FORMATS)}")
    if rdf not in ("1.1", "1.2"):
        raise InputError(f"unknown RDF version {rdf!r}; choose from 1.1, 1.2")
    if format == "jsonld" and rdf == "1.2":
        raise InputError(
            "jsonld cannot hold triple terms of RDF 1.2; export it with 1.1, or trig or nquads with 1.2"
        )
    return FORMATS[format]


def view(quads: Iterable[Quad], rdf: str, *, with_directions: bool = False) -> Iterator[Quad]:
    """The quads that a reader of this RDF version understands.

    RDF 1.1 has no triple terms, and no base direction beside the language of a literal, which JSON-LD 1.1 has
    all the same (section 4.2.4.1).
    """
    if rdf == "1.2":
        yield from quads
        return
    for quad in quads:
        if not isinstance(quad.object, Triple):
            plain = quad.object if with_directions else without_direction(quad.object)
            yield quad if plain is quad.object else Quad(quad.subject, quad.predicate, plain, quad.graph_name)


def _graphs(
    store: Store, chosen: Format, rdf: str, names: Iterable[GraphName] | None, *, merged: bool
) -> Iterator[tuple[str | None, Iterator[Quad]]]:
    """The default graph, then the named ones (or some), each with its quads as they were written."""
    for graph in chain((DefaultGraph(),), store.named_graphs()) if names is None else names:
        name = None if isinstance(graph, DefaultGraph) else _name(graph)
        quads = store.quads_for_pattern(None, None, None, graph)
        if has_forms(store, None if merged else graph):
            quads = as_written(store, quads, merged=merged)
        yield name, view(quads, rdf, with_directions=chosen.name == "jsonld")


def _name(graph: object) -> str:
    return graph.value if isinstance(graph, NamedNode) else str(graph)


def _by_subject(quads: Iterable[Quad]) -> Iterator[list[Quad]]:
    """The quads of one subject together; of one with very many, some at a time."""
    for _, group in groupby(quads, key=lambda quad: quad.subject):
        while block := list(islice(group, _BATCH)):
            yield block


def _serialized(format: Format, quads: Iterator[Quad]) -> Iterator[bytes]:
    """The quads as pyoxigraph writes them, some thousands at a time, the prefixes once."""
    prefixes = len(v.PREFIXES) if format.rdf in (RdfFormat.TURTLE, RdfFormat.TRIG) else 0
    known = 0
    while block := list(islice(quads, _BATCH)):
        yield _serialize(format, block).split(b"\n", known)[known]
        known = prefixes


def _serialize(format: Format, quads: list[Quad]) -> bytes:
    statements = quads if format.graphs else [quad.triple for quad in quads]
    return serialize(statements, format=format.rdf, prefixes=v.PREFIXES) or b""


def _joined(pieces: Iterator[str]) -> Iterator[bytes]:
    """Text in pieces of a size that is worth a write."""
    while block := "".join(islice(pieces, 1_000)):
        yield block.encode()
