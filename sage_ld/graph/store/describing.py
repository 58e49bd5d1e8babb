"""The description of one resource as the graph knows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from pyoxigraph import Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import NotFoundError
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.stored_documents import is_mentioned, resource_named
from sage_ld.graph.store.terms import Term

_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Description:
    """The statements about a resource (property, value), and those that point to it (subject, property)."""

    iri: str
    outgoing: tuple[tuple[str, str], ...]
    incoming: tuple[tuple[str, str], ...]


def describe(store: Store, name: str, iris: Iris) -> Description:
    """The resource with this IRI, or the document with this identifier; at most 200 rows each way.

    Raises NotFoundError if the graph says nothing of it.
    """
    iri = resource_named(store, iris, name, partial(is_mentioned, store))
    if iri is None:
        raise NotFoundError(
            f"the graph says nothing about {name!r}; give an IRI in it, or a document's identifier"
        )
    subject = NamedNode(iri)
    outgoing = {
        (_short(q.predicate.value), _shown(q.object)) for q in store.quads_for_pattern(subject, None, None)
    }
    incoming = {
        (_shown(q.subject), _short(q.predicate.value)) for q in store.quads_for_pattern(None, None, subject)
    }
    return Description(iri, tuple(sorted(outgoing)[:_LIMIT]), tuple(sorted(incoming)[:_LIMIT]))


def _shown(term: Term) -> str:
    if isinstance(term, Literal):
        return term.value
    if isinstance(term, Triple):
        return f"<<( {_shown(term.subject)} {_short(term.predicate.value)} {_shown(term.object)} )>>"
    return _short(str(term.value))


def _short(iri: str) -> str:
    for prefix, namespace in v.PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return iri
