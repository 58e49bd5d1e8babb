"""Labels of IRIs for people, from the graph and the ontology, with links to their pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Final

from flask import url_for
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import best_label, iri_of, text_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import DEFAULT_GRAPH
from sage_ld.service.http.addresses import path

_LABELS: Final = (v.NAME, v.PREF_LABEL, v.CSVW_NAME, v.IDENTIFIER, v.RDFS + "label")
_LONGEST = 120
_ON_THE_WEB: Final = re.compile(r"https?://", re.ASCII | re.IGNORECASE)
"""IRIs that a browser may follow; `urlsplit` raises for some that RDF allows: of the host ex℀mple.org."""
_READ: Final = 100
"""Most statements that are read to say in words what a resource is."""
_GRAPHS: Final = {
    "edges": "Links and edges between documents",
    "entities": "Labels and classes of entities",
    "concepts": "Concepts",
    "resources": "What entities and documents are in your RDF",
    "curated": "Edges stated by users",
    "relations": "Types of relations",
    "builds": "Builds and thresholds",
    "retrievals": "Kept retrievals",
}
_WORDS: Final = {
    v.TYPE: "is a",
    v.RDFS + "label": "label",
    v.RDFS + "seeAlso": "see also",
    v.RDFS + "comment": "comment",
    v.PREF_LABEL: "preferred label",
    v.ALT_LABEL: "other label",
    v.BEGIN_INDEX: "begins at character",
    v.END_INDEX: "ends at character",
    v.IN_LANGUAGE: "language",
    v.ENCODING_FORMAT: "format",
    v.URL: "address",
    v.IS_PART_OF: "is part of",
    v.MAIN_ENTITY: "describes",
    v.IS_REPLACED_BY: "is in your RDF",
    v.POSITION: "place in order",
    v.CSVW_NAME: "column name",
    v.CELL_VALUE: "value",
}
"""Labels of properties of other vocabularies, in plain words."""
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
    v.CELL: "chunks that show it",
    v.MAIN_ENTITY: "described in",
    v.SHARED_ENTITY: "edges through it",
    v.GENERATED_BY: "generated",
    v.ABOUT: "what is about it",
    v.BY_LABEL: "mentions by its label",
    v.FOCUS: "concept",
    v.IS_REPLACED_BY: "names that mean it",
    v.CANDIDATE: "names that may mean it",
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
    _labels: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    """The labels that were looked up for the same page."""

    def reference(self, iri: str) -> Reference:
        """The resource as a page names it."""
        return Reference(iri, self.label(iri), self.href(iri))

    def references(self, iris: Iterable[str]) -> list[Reference]:
        """The resources, by label."""
        return sorted(map(self.reference, iris), key=lambda each: (each.label, each.iri))

    def label(self, iri: str) -> str:
        """Its label in the graph, or else what it is in words, or else the IRI, shortened."""
        if iri not in self._labels:
            own = self.own_label(iri)
            self._labels[iri] = cut(own or described(self, iri) or self.without_base(iri))
        return self._labels[iri]

    def kind(self, kind: str) -> str:
        """A kind of edge in words: of a channel, a relation or a property of a statement; a class as it is.

        >>> from pyoxigraph import Store
        >>> names = Names(Store(), "http://example.org/id/")
        >>> names.kind("linked from"), names.kind("^containsPlace"), names.kind("TableDocument")
        ('linked from', 'is contains place of', 'TableDocument')
        """
        if ":" in kind:
            return self.label(kind)
        if kind.startswith("^"):
            return inverse_label(kind[1:])
        return kind if kind[:1].isupper() else spaced(kind)

    def own_label(self, iri: str) -> str:
        """The label that the graph states of it; empty if there is none."""
        for predicate in _LABELS:
            found = [
                quad.object
                for quad in self.store.quads_for_pattern(NamedNode(iri), node(predicate), None)
                if isinstance(quad.object, Literal) and quad.object.value.strip()
            ]
            if found:
                return best_label(found)
        return ""

    def without_base(self, iri: str) -> str:
        """The IRI without the base of the graph, or with one of our prefixes."""
        return iri.removeprefix(self.base) if iri.startswith(self.base) else short(iri)

    def href(self, iri: str) -> str | None:
        """The address that a page links to: our own page of it, or its address on the Web, if it has one.

        What the graph describes has a page of ours. Where its own path does not lead there, `/describe` does.

        >>> from pyoxigraph import Store
        >>> names = Names(Store(), "http://example.org/id/")
        >>> names.href("http://example.org/id/chunk/1"), names.href("javascript:alert(1)")
        ('/id/chunk/1', None)
        """
        if iri.startswith(self.base):
            return path(self.store, self.base, iri) or url_for("linked_data.describe", iri=iri)
        if next(self.store.quads_for_pattern(NamedNode(iri), None, None), None) is not None:
            return url_for("linked_data.describe", iri=iri)
        return iri if _ON_THE_WEB.match(iri) else None


def described(names: Names, iri: str) -> str:
    """A description of a resource without a label, from its class and what it joins; empty if unknown."""
    if (graph := graph_label(names, iri)) is not None:
        return graph
    found = {
        quad.predicate.value: quad.object
        for quad in islice(names.store.quads_for_pattern(NamedNode(iri), None, None), _READ)
    }
    types = {
        quad.object.value
        for quad in islice(names.store.quads_for_pattern(NamedNode(iri), node(v.TYPE), None), _READ)
        if isinstance(quad.object, NamedNode)
    }
    if (known_as := iri_of(found.get(v.IS_REPLACED_BY))) is not None:
        return f"{_end(names, known_as)}, by name"
    source, target = (iri_of(found.get(each)) for each in (v.SOURCE, v.TARGET))
    if source is not None and (words := found.get(v.SURFACE_FORM) or found.get(v.ANCHOR_TEXT)):
        return f"“{text_of(words)}” in {_end(names, source)}"
    if source is not None and target is not None:
        return f"{_end(names, source)} → {_end(names, target)}"
    return _by_class(types, found)


def _by_class(types: Collection[str], found: Mapping[str, object]) -> str:
    """A description of a cell, threshold, build or retrieval from its statements; empty for others."""
    if v.CSVW_CELL in types:
        return f"{text_of(found.get(v.COLUMN_NAME))}: {text_of(found.get(v.CELL_VALUE))}"
    if v.THRESHOLD in types:
        kind, signal = (text_of(found.get(each)) for each in (v.EDGE_KIND, v.SIGNAL))
        return f"Threshold of {signal} for {kind}"
    if v.BUILD in types:
        return f"Build of {text_of(found.get(v.ENDED_AT) or found.get(v.STARTED_AT)) or 'edges'}"
    if v.LEXICAL_FORM in found:
        return f"“{text_of(found[v.LEXICAL_FORM])}” as it is written"
    if (graph := iri_of(found.get(v.IN_GRAPH))) is not None:
        return "Statements in the default graph" if graph == DEFAULT_GRAPH.value else f"Statements in {graph}"
    return text_of(found.get(v.QUERY))


def graph_label(names: Names, iri: str) -> str | None:
    """A description of what one of our named graphs holds; None for an IRI that names none."""
    local = iri.removeprefix(names.base)
    if local == iri or not local.startswith("graph/"):
        return None
    if (document := graph_document(names, iri)) is not None:
        return f"Statements of {document.label}"
    return _GRAPHS.get(local.removeprefix("graph/"))


def graph_document(names: Names, iri: str) -> Reference | None:
    """The document whose statements a named graph has; None for any other IRI."""
    begin = f"{names.base}graph/document/"
    if not iri.startswith(begin):
        return None
    document = f"{names.base}document/{iri.removeprefix(begin)}"
    return Reference(document, _end(names, document), names.href(document))


def _end(names: Names, iri: str) -> str:
    """The name of one end of an edge: an edge of edges is not followed further."""
    return names.own_label(iri) or names.without_base(iri)


def property_label(iri: str) -> str:
    """The label of a property.

    >>> property_label(v.IS_PART_OF), property_label(v.ROW)
    ('is part of', 'row')
    """
    local = re.split(r"[#/]", iri)[-1] or iri
    known = _WORDS.get(iri) or ontology_labels().get(iri)
    return known or spaced(local)


def spaced(name: str) -> str:
    """A name in camel case as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()


def inverse_label(iri: str) -> str:
    """The heading over the resources that name this one by a property."""
    return _INVERSE.get(iri) or f"is {property_label(iri).removeprefix('has ')} of"


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


def cut(text: str) -> str:
    """A text on one line, of at most as many characters as fit a heading."""
    line = " ".join(text[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
