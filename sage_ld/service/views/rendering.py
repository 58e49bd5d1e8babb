"""Rendering of resources as pages, for the routes that offer HTML beside RDF."""

from __future__ import annotations

from flask import Response, render_template

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import Snapshot
from sage_ld.graph.store.protocol import Store
from sage_ld.service.http import responses
from sage_ld.service.representations.labels import Names, graph_document
from sage_ld.service.views.ontology_page import terms
from sage_ld.service.views.resource_pages import ResourcePages


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
