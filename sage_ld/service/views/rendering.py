"""Rendering of resources as pages, for the routes that offer HTML beside RDF."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flask import Response, render_template
from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import Snapshot
from sage_ld.graph.store.protocol import Store
from sage_ld.service.http import responses
from sage_ld.service.representations.labels import Names, graph_document
from sage_ld.service.views.resource_pages import ResourcePages


@dataclass(frozen=True, slots=True)
class OntologyTerm:
    """A term of the ontology, for its page."""

    name: str
    kind: str
    label: str
    comment: str
    above: tuple[str, ...]
    """Classes or properties that it is a kind of."""


@cache
def terms() -> tuple[OntologyTerm, ...]:
    """The terms of the ontology: classes, then properties, each in the order of their names."""
    said: dict[str, dict[str, list[str]]] = {}
    for quad in parse(package_files.read_text(package_files.ONTOLOGY).encode(), RdfFormat.TURTLE):
        subject = quad.subject
        if isinstance(subject, NamedNode) and subject.value.startswith(v.SAGE) and subject.value != v.SAGE:
            values = said.setdefault(subject.value, {}).setdefault(quad.predicate.value, [])
            values.append(quad.object.value if isinstance(quad.object, NamedNode | Literal) else "")
    return tuple(sorted((_term(*each) for each in said.items()), key=lambda term: (term.kind, term.name)))


def _term(iri: str, said: dict[str, list[str]]) -> OntologyTerm:
    kind = "class" if v.OWL + "Class" in said[v.TYPE] else "property"
    above = said.get(v.RDFS + "subClassOf", []) + said.get(v.RDFS + "subPropertyOf", [])
    return OntologyTerm(
        iri.removeprefix(v.SAGE),
        kind,
        said.get(v.RDFS + "label", [""])[0],
        said.get(v.RDFS + "comment", [""])[0],
        tuple(sorted(above)),
    )


def resource(snapshot: Snapshot, store: Store, iri: str, part: int) -> Response:
    """The page of a resource of a store; the chunks are those of the revision."""
    names = Names(store, snapshot.configuration.base_iri)
    template, shown = ResourcePages(snapshot, store, names).page(iri, part)
    queries = {"alternate": responses.format_query, "part_query": responses.part_query}
    return responses.html(render_template(template, **shown, **queries))


def named_graph(snapshot: Snapshot, iri: str, href: str) -> Response:
    """The page of a named graph, whose content is at `href`."""
    names = Names(snapshot.store, snapshot.configuration.base_iri)
    shown = {"label": names.label(iri), "document": graph_document(names, iri), "href": href}
    return responses.html(render_template("named_graph.html", iri=iri, **shown))


def ontology() -> Response:
    """The page of the ontology."""
    return responses.html(render_template("ontology.html", terms=terms(), iri=v.SAGE))
