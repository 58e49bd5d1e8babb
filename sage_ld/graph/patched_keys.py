"""Keys of metadata that a patch has changed, over what the document's file says.

The document's graph has each of them as `sage:patchedKey`, beside its values. When the file is read again,
these take the place of what the file says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyoxigraph import Literal, NamedNode

from sage_ld import vocabulary as v
from sage_ld.graph.document_view import is_metadata, patched_keys, statements
from sage_ld.metadata_terms import MetadataTerms, builtin_terms, own_property
from sage_ld.model import Document, Property
from sage_ld.readers.metadata.fields import filled
from sage_ld.store.iris import Iris
from sage_ld.store.protocol import Store


@dataclass(frozen=True, slots=True)
class KeyScope:
    """The properties that some keys mean, with those of the keys inside them (`author`, `author.email`)."""

    properties: frozenset[str]
    prefixes: tuple[str, ...]

    @classmethod
    def of(cls, keys: Iterable[str], terms: MetadataTerms, base: str) -> KeyScope:
        """The scope of keys by a table of terms, and by the base IRI of the graph."""
        named = list(keys)
        inner = tuple(own_property(key, base) + "." for key in named)
        return cls(frozenset(terms.property(key, base) for key in named), inner)

    def __contains__(self, iri: str) -> bool:
        return iri in self.properties or iri.startswith(self.prefixes)


def with_patches(document: Document, store: Store, iris: Iris, terms: MetadataTerms) -> Document:
    """A document whose file is read again, with what patches say of it in a store that has each named graph.

    Of each patched key it has the values that the graph has, which may be none, and not those of the file.
    """
    about = statements(store, iris, iris.document(document.identifier))
    keys = patched_keys(about)
    scope = KeyScope.of(keys, terms, iris.base)
    former = KeyScope.of(keys, builtin_terms(), iris.base)  # of a patch before the graph had a table
    own = {own_property(key, iris.base) for key in keys}

    def is_patched(iri: str) -> bool:
        return iri in scope or iri in former or iri in own

    kept = sorted((each for each in about if is_metadata(each) and is_patched(each.predicate.value)), key=str)
    bare = replace(
        document,
        description="" if is_patched(v.DESCRIPTION) else document.description,
        keywords=() if is_patched(v.KEYWORDS) else document.keywords,
        modified=None if is_patched(v.MODIFIED) else document.modified,
        patched_keys=tuple(sorted(keys)),
    )
    stated = (each for each in document.metadata if not is_patched(each.key))
    patched = (_property(each.predicate.value, each.object) for each in kept)
    return filled(bare, (*filter(None, patched), *stated))


def _property(key: str, term: object) -> Property | None:
    """A value of metadata in the graph, as a file would state it."""
    if isinstance(term, NamedNode):
        return Property(key, term.value, "anyURI")
    if not isinstance(term, Literal):
        return None
    if term.language:
        return Property(key, term.value, language=term.language)
    datatype = term.datatype.value
    return Property(key, term.value, datatype.removeprefix(v.XSD) if datatype.startswith(v.XSD) else "string")
