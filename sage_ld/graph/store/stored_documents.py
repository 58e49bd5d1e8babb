"""The look-up of documents by what users call them: the identifier, the IRI, a file, a content.

Each look-up costs in proportion to what it finds, not to the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import Final

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError
from sage_ld.foundation.rdf_values import is_iri
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node

_MOST_NAMESAKES: Final = 1_000
"""Resources that are looked at as they have the identifier of a document: of users' RDF, any number may."""


def stored_document(store: Store, iris: Iris, identifier: str) -> StoredDocument | None:
    """The document with an identifier; None where there is none.

    It is the one whose IRI is made of the identifier, or else the first one, by IRI, that states it.
    """
    return next(iter(_with_identifier(store, iris, identifier)), None)


def own_document(store: Store, iris: Iris, identifier: str) -> StoredDocument | None:
    """The document with an identifier, as one that writers may change; None where there is none.

    Raises ConflictError where only an update states it, under another IRI than is made of the identifier.
    """
    stored = stored_document(store, iris, identifier)
    if stored is not None:
        check_own_iri(stored, iris)
    return stored


def check_own_iri(stored: StoredDocument, iris: Iris) -> None:
    """Raises ConflictError for a document whose IRI is not made of its identifier: an update stated it."""
    if stored.iri != iris.document(stored.identifier):
        raise ConflictError(
            f"{stored.identifier[:200]!r} is the identifier of {stored.iri}, which an update states; change "
            "it by an update, or give another identifier"
        )


def documents_named(store: Store, iris: Iris, names: Iterable[str]) -> dict[str, list[StoredDocument]]:
    """The documents whose identifier or IRI is one of some names, by name, sorted by IRI."""
    found: dict[str, dict[str, StoredDocument]] = {}
    for name in dict.fromkeys(names):
        by_iri = reading.documents(store, [name]) if _is_document(store, name) else []
        among = (*by_iri, *_with_identifier(store, iris, name))
        found[name] = {each.iri: each for each in among}
    return {name: [each[iri] for iri in sorted(each)] for name, each in found.items() if each}


def resource_named(store: Store, iris: Iris, name: str, is_there: Callable[[str], bool]) -> str | None:
    """The IRI of the resource that a user names by it, or of a document by its identifier.

    It is the first of these of which `is_there` says so; None where there is none.
    """
    candidates = chain((name,) if is_iri(name) else (), _iris_with_identifier(store, iris, name))
    return next((iri for iri in candidates if is_there(iri)), None)


def is_mentioned(store: Store, iri: str) -> bool:
    """Whether the graph says anything of a resource, or of another one by naming it."""
    term = NamedNode(iri)
    said = chain(store.quads_for_pattern(term, None, None), store.quads_for_pattern(None, None, term))
    return next(said, None) is not None


def _with_identifier(store: Store, iris: Iris, identifier: str) -> list[StoredDocument]:
    """The documents with an identifier: first the one whose IRI is made of it, then others by IRI."""
    among = list(_iris_with_identifier(store, iris, identifier))
    if among and not _is_document(store, among[0]):
        del among[0]
    found = {each.iri: each for each in reading.documents(store, among)} if among else {}
    return [found[iri] for iri in among if iri in found]


def _iris_with_identifier(store: Store, iris: Iris, identifier: str) -> Iterator[str]:
    """The IRI that is made of an identifier, then those of other documents that state it, sorted."""
    if not identifier.isascii() and any("\ud800" <= sign <= "\udfff" for sign in identifier):
        return  # half of a surrogate pair, which nothing stored has
    made = iris.document(identifier)
    yield made
    quads = store.quads_for_pattern(None, node(v.IDENTIFIER), Literal(identifier), None)
    stating = (quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))
    others = set(islice(stating, _MOST_NAMESAKES)) - {made}
    yield from sorted(iri for iri in others if _is_document(store, iri))


def _is_document(store: Store, iri: str) -> bool:
    if not is_iri(iri):
        return False
    quads = store.quads_for_pattern(NamedNode(iri), node(v.TYPE), node(v.DOCUMENT), None)
    return next(quads, None) is not None


class StoredDocuments(Mapping[str, StoredDocument]):
    """The documents of a published graph by identifier.

    Looked up singly, they are those that writers may change: with an IRI that is made of the identifier.
    `store` returns the store that they are in. It is asked at each look-up, since a writer releases it when
    it publishes.
    """

    def __init__(self, store: Callable[[], Store], iris: Iris) -> None:
        self._store, self._iris = store, iris
        self._looked_up: dict[str, StoredDocument | None] = {}

    def __getitem__(self, identifier: str) -> StoredDocument:
        if "_every" in vars(self):  # which holds those, too, whose identifiers are no plain literals
            return self._every[identifier]
        if identifier not in self._looked_up:
            stored = stored_document(self._store(), self._iris, identifier)
            is_own = stored is not None and stored.iri == self._iris.document(identifier)
            self._looked_up[identifier] = stored if is_own else None
        document = self._looked_up[identifier]
        if document is None:
            raise KeyError(identifier)
        return document

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    def read(self, documents: Iterable[str]) -> None:
        """Looks up documents (IRIs) together, which is faster than one by one."""
        iris = sorted(set(documents))
        for each in reading.documents(self._store(), iris) if iris else ():
            if each.iri == self._iris.document(each.identifier):  # the first one of its identifier
                self._looked_up[each.identifier] = each

    def with_content(self, content_hash: str) -> list[StoredDocument]:
        """The documents with a content, sorted by identifier."""
        return list(self._with(v.CONTENT_HASH, content_hash).values())

    def with_path(self, path: str) -> list[StoredDocument]:
        """The documents of files with this path below some root, sorted by identifier."""
        return list(self._with(v.FILE_PATH, path).values())

    def has_root(self, name: str) -> bool:
        """Whether a document came from a file below the root of this name."""
        quads = self._store().quads_for_pattern(None, node(v.FILE_ROOT), Literal(name), None)
        return next(quads, None) is not None

    @cached_property
    def _every(self) -> dict[str, StoredDocument]:
        return {each.identifier: each for each in reading.documents(self._store())}

    def _with(self, predicate: str, value: str) -> dict[str, StoredDocument]:
        quads = self._store().quads_for_pattern(None, node(predicate), Literal(value), None)
        iris = sorted({quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)})
        return {each.identifier: each for each in (reading.documents(self._store(), iris) if iris else ())}
