"""The statements about a resource, and its description in RDF, read from one revision."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import as_written

EDGE_ENDS: Final = frozenset({v.SOURCE, v.TARGET})


@dataclass(frozen=True, slots=True)
class ResourceStatements:
    """The statements about a resource: `outgoing` are its own, `incoming` name it."""

    outgoing: tuple[Triple, ...]
    incoming: tuple[Triple, ...]
    left_out: int


def statements(
    store: Store, iri: str, most: int, without: Collection[str] = frozenset()
) -> ResourceStatements:
    """All that `iri` is the subject of, and at most `most` triples that it is the object of.

    Of the latter, none with a predicate in `without`.
    """
    subject = NamedNode(iri)
    outgoing = {quad.triple for quad in _written(store, store.quads_for_pattern(subject, None, None))}
    naming = (
        quad
        for quad in store.quads_for_pattern(None, None, subject)
        if not without or quad.predicate.value not in without
    )
    incoming = {quad.triple for quad in islice(naming, most)}
    return ResourceStatements(
        tuple(sorted(outgoing, key=str)), tuple(sorted(incoming, key=str)), sum(1 for _ in naming)
    )


def _written(store: Store, quads: Iterator[Quad]) -> Iterator[Quad]:
    return as_written(store, quads, merged=True)


def description(store: Store, iri: str, most: int) -> Iterator[Triple]:
    """The description for RDF clients: the statements, and those of each edge that begins or ends here."""
    found = statements(store, iri, most)
    yield from found.outgoing
    yield from found.incoming
    for triple in found.incoming:
        if triple.predicate.value in EDGE_ENDS:
            edge = store.quads_for_pattern(triple.subject, None, None)
            yield from (quad.triple for quad in _written(store, edge))
    if found.left_out:
        note = f"{found.left_out} more statements refer to this resource; query the SPARQL endpoint for them"
        yield Triple(NamedNode(iri), NamedNode(v.RDFS + "comment"), Literal(note, language="en"))


def types_of(store: Store, iri: str) -> frozenset[str]:
    """The classes of a resource."""
    found = store.quads_for_pattern(NamedNode(iri), node(v.TYPE), None)
    return frozenset(each.object.value for each in found if isinstance(each.object, NamedNode))
