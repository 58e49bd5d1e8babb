"""Stored documents: the look-up by what users call them, their text, and the description of a resource.

A document is found by its identifier, its IRI, a file, or a content; each look-up costs in proportion to what
it finds, not to the graph. The text is put together from what the store keeps: each character that is not
blank is in one chunk, or in the heading of a section. The blanks between these are not stored: each is given
as a line break, so that the offsets of chunks, mentions and links fit the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from operator import itemgetter
from typing import Final

from pyoxigraph import Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.arguments import has_half_of_a_pair
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import ConflictError, LimitError, NotFoundError
from sage_ld.foundation.rdf_values import integer_of, is_iri, text_of
from sage_ld.graph.store import reading
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import Term, node
from sage_ld.graph.store.user_statements import as_written

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
    if has_half_of_a_pair(identifier):
        return
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
        if has_half_of_a_pair(name):
            return False
        quads = self._store().quads_for_pattern(None, node(v.FILE_ROOT), Literal(name), None)
        return next(quads, None) is not None

    @cached_property
    def _every(self) -> dict[str, StoredDocument]:
        return {each.identifier: each for each in reading.documents(self._store())}

    def _with(self, predicate: str, value: str) -> dict[str, StoredDocument]:
        if has_half_of_a_pair(value):
            return {}
        quads = self._store().quads_for_pattern(None, node(predicate), Literal(value), None)
        iris = sorted({quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)})
        return {each.identifier: each for each in (reading.documents(self._store(), iris) if iris else ())}


_PARTS = ((v.CHUNK, v.TEXT), (v.SECTION, v.NAME))
"""The classes of what a text is made of, each with the property that has its words."""


def document_text(
    store: Store, iris: Iris, document: str, *, limit: int, setting: str, check: Check = unchecked
) -> str:
    """The text of a document (an IRI), from a store that has each named graph; without blanks at its end.

    `check` is called before each part is read. Raises LimitError for a text of more than `limit` characters,
    the value of `setting`.
    """
    graph = NamedNode(iris.document_graph(document))
    parts = []
    for begin, text in _parts(store, graph, check):
        if begin + len(text) > limit:
            raise LimitError(
                f"the document's text: more than {limit:,} characters, the limit of the setting {setting}; "
                "read its chunks page by page"
            )
        parts.append((begin, text))
    pieces, length = [], 0
    for begin, text in sorted(parts, key=itemgetter(0)):
        if begin < length:
            continue  # an update has stated another chunk over this place
        pieces += ["\n" * (begin - length), text]
        length = begin + len(text)
    return "".join(pieces)


def _parts(store: Store, graph: NamedNode, check: Check) -> Iterator[tuple[int, str]]:
    """The begin and the text of each chunk and each heading of a document."""
    for class_iri, words in _PARTS:
        for quad in store.quads_for_pattern(None, node(v.TYPE), node(class_iri), graph):
            check()
            begins = store.quads_for_pattern(quad.subject, node(v.BEGIN_INDEX), None, graph)
            texts = store.quads_for_pattern(quad.subject, node(words), None, graph)
            begin = next((integer_of(each.object) for each in begins), None)
            if begin is not None:
                yield begin, next((text_of(each.object) for each in texts), "")


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
    about = as_written(store, store.quads_for_pattern(subject, None, None), merged=True)
    outgoing = {(_short(q.predicate.value), _shown(q.object)) for q in about}
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
