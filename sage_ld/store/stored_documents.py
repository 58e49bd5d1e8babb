"""The documents of a graph, each looked up when it is asked for: an ingest seldom needs all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from pyoxigraph import Literal, NamedNode

from sage_ld import vocabulary as v
from sage_ld.store import reading
from sage_ld.store.protocol import Store
from sage_ld.store.reading import StoredDocument
from sage_ld.store.terms import node


class StoredDocuments(Mapping[str, StoredDocument]):
    """The documents of a store by identifier, as it was when each was first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looked_up: dict[str, StoredDocument | None] = {}

    def __getitem__(self, identifier: str) -> StoredDocument:
        if "_every" in vars(self):  # which holds those, too, whose identifiers are no plain literals
            return self._every[identifier]
        if identifier not in self._looked_up:
            self._looked_up[identifier] = self._with(v.IDENTIFIER, identifier).get(identifier)
        document = self._looked_up[identifier]
        if document is None:
            raise KeyError(identifier)
        return document

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    def with_content(self, content_hash: str) -> list[StoredDocument]:
        """Those with a content, sorted by identifier."""
        return list(self._with(v.CONTENT_HASH, content_hash).values())

    def with_path(self, path: str) -> list[StoredDocument]:
        """Those that came from files with this path below some root, sorted by identifier."""
        return list(self._with(v.FILE_PATH, path).values())

    def has_root(self, name: str) -> bool:
        """Whether a document came from a file below the root of this name."""
        quads = self._store.quads_for_pattern(None, node(v.FILE_ROOT), Literal(name), None)
        return next(quads, None) is not None

    @cached_property
    def _every(self) -> dict[str, StoredDocument]:
        return {each.identifier: each for each in reading.documents(self._store)}

    def _with(self, predicate: str, value: str) -> dict[str, StoredDocument]:
        quads = self._store.quads_for_pattern(None, node(predicate), Literal(value), None)
        iris = sorted({quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)})
        return {each.identifier: each for each in (reading.documents(self._store, iris) if iris else ())}
