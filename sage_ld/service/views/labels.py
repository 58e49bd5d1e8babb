"""Labels of IRIs for people, from the graph and the ontology, with links to their pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from flask import url_for
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld import package_files
from sage_ld import vocabulary as v
from sage_ld.service.http.addresses import path
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node

_LABELS: Final = (v.NAME, v.PREF_LABEL, v.CSVW_NAME, v.IDENTIFIER, v.RDFS + "label")
_LONGEST = 120
_INVERSE: Final = {
    v.IS_PART_OF: "parts",
    v.MENTIONS: "mentioned in",
    v.LINKS_TO: "linked from",
    v.NEXT: "previous",
    v.SIMILAR_TO: "similar to",
    v.ANALOGOUS_TO: "analogous to",
    v.SOURCE: "edges that begin here",
    v.TARGET: "edges that end here",
    v.COLUMN: "chunks with this column",
    v.MAIN_ENTITY: "described in",
    v.SHARED_ENTITY: "edges through it",
    v.GENERATED_BY: "generated",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """A resource as a page names it; `href` is None if there is nothing to follow."""

    iri: str
    label: str
    href: str | None


@dataclass(frozen=True, slots=True)
class Names:
    """Names resources of the graph in `store`, whose IRIs begin with `base`."""

    store: Store
    base: str

    def reference(self, iri: str) -> Reference:
        """The resource as a page names it."""
        return Reference(iri, self.label(iri), self.href(iri))

    def references(self, iris: Iterable[str]) -> list[Reference]:
        """The resources, by label."""
        return sorted(map(self.reference, iris), key=lambda each: (each.label, each.iri))

    def label(self, iri: str) -> str:
        """Its label in the graph, or else the IRI, shortened."""
        for predicate in _LABELS:
            found = {
                quad.object.value
                for quad in self.store.quads_for_pattern(NamedNode(iri), node(predicate), None)
                if isinstance(quad.object, Literal)
            }
            if found:
                return _cut(min(found))
        return _cut(iri.removeprefix(self.base) if iri.startswith(self.base) else short(iri))

    def href(self, iri: str) -> str | None:
        """The address that a page links to: our own page of it, or its address on the Web, if it has one.

        An IRI of ours that its own path does not lead to is found by `/describe`.

        >>> from pyoxigraph import Store
        >>> names = Names(Store(), "http://example.org/id/")
        >>> names.href("http://example.org/id/chunk/1"), names.href("javascript:alert(1)")
        ('/id/chunk/1', None)
        """
        if iri.startswith(self.base):
            return path(self.store, self.base, iri) or url_for("linked_data.describe", iri=iri)
        return iri if urlsplit(iri).scheme in ("http", "https") else None


def property_label(iri: str) -> str:
    """The label of a property.

    >>> property_label(v.IS_PART_OF), property_label(v.ROW)
    ('is part of', 'row')
    """
    local = re.split(r"[#/]", iri)[-1] or iri
    return ontology_labels().get(iri) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", local).lower()


def inverse_label(iri: str) -> str:
    """The heading over the resources that name this one by a property."""
    return _INVERSE.get(iri) or f"is {property_label(iri)} of"


def short(iri: str) -> str:
    """The IRI with one of our prefixes, where one fits.

    >>> short(v.CHUNK)
    'sage:Chunk'
    """
    for prefix, namespace in v.PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return iri


@cache
def ontology_labels() -> dict[str, str]:
    """The English labels of the ontology's terms."""
    text = package_files.read_text(package_files.ONTOLOGY).encode()
    return {
        quad.subject.value: quad.object.value
        for quad in parse(text, RdfFormat.TURTLE)
        if quad.predicate.value == v.RDFS + "label"
        and isinstance(quad.subject, NamedNode)
        and isinstance(quad.object, Literal)
    }


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
