"""Keys of metadata that a patch has changed, over what the document's file says.

The document's graph has each of them as `sage:patchedKey`, beside its values. When the file is read again,
these take the place of what the file says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sage_ld.build.readers.metadata.fields import filled
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms, own_property
from sage_ld.foundation.model import Document
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import term_property
from sage_ld.graph.views.document_view import is_metadata, patched_keys, statements


@dataclass(frozen=True, slots=True)
class KeyScope:
    """The properties that some keys mean, with those of the keys inside them (`author`, `author.email`)."""

    properties: frozenset[str]
    prefixes: Sequence[str]

    @classmethod
    def of(cls, keys: Iterable[str], terms: MetadataTerms, base: str) -> KeyScope:
        """The scope of keys by a table of terms, and by the base IRI of the graph."""
        named = list(keys)
        inner = outermost(own_property(key, base) + "." for key in named)
        return cls(frozenset(terms.property(key, base) for key in named), inner)

    def __contains__(self, iri: str) -> bool:
        return iri in self.properties or begins_with_any(iri, self.prefixes)


def outermost(prefixes: Iterable[str]) -> list[str]:
    """The prefixes that begin with no other one, sorted.

    >>> outermost(["made.", "team.", "made.by."])
    ['made.', 'team.']
    """
    kept: list[str] = []
    for each in sorted(prefixes):
        if not kept or not each.startswith(kept[-1]):
            kept.append(each)
    return kept


def begins_with_any(text: str, prefixes: Sequence[str]) -> bool:
    """Whether a text begins with one of the prefixes that `outermost` returns, in few comparisons.

    >>> begins_with_any("made.by.year", ["made.", "team."]), begins_with_any("made", ["made.", "team."])
    (True, False)
    """
    place = bisect_right(prefixes, text)
    return place > 0 and text.startswith(prefixes[place - 1])


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
    patched = (term_property(each.predicate.value, each.object) for each in kept)
    return filled(bare, (*filter(None, patched), *stated))
