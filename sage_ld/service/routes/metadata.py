"""Metadata of the graph: ontology, shapes, JSON-LD context, and VoID with DCAT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urljoin

from flask import Blueprint, Response, render_template
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.graph.exports.void import Publication
from sage_ld.graph.exports.void import description as void_description
from sage_ld.graph.store.statistics import Statistics
from sage_ld.service.context import Service, service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import GRAPHS, Offer
from sage_ld.service.http.responses import HTML, PAGE
from sage_ld.service.requests import held

CONTEXT: Final = (Offer("jsonld", "application/ld+json", ("application/json",)),)
TITLE: Final = "A knowledge graph of sage-ld"
_PATIENCE: Final = 10.0  # seconds that the first client waits for the counts

blueprint = Blueprint("publishing", __name__)


@dataclass(frozen=True, slots=True)
class OntologyTerm:
    """A term of the ontology, for its page."""

    name: str
    kind: str
    label: str
    comment: str
    above: tuple[str, ...]
    """Classes or properties that it is a kind of."""


@blueprint.get("/ontology")
def ontology() -> Response:
    """The ontology, as a page and as RDF."""
    return _file(package_files.ONTOLOGY, page="ontology.html")


@blueprint.get("/shapes")
def shapes() -> Response:
    """The SHACL shapes that every graph conforms to."""
    return _file(package_files.SHAPES)


@blueprint.get("/context.jsonld")
def json_ld_context() -> Response:
    """The JSON-LD context. Our documents carry it inline; no client needs to fetch it."""
    choice = responses.chosen(CONTEXT)
    text = package_files.read_text(package_files.CONTEXT)
    return responses.conditional(
        responses.digest(text), lambda: Response(text, content_type=responses.content_type(choice))
    )


@blueprint.get("/.well-known/void")
def void() -> Response:
    """The graph described in VoID and DCAT: counts, endpoint, one distribution for each export format."""
    choice = responses.chosen(GRAPHS)
    here = service()
    with held() as snapshot:
        _, statistics = here.statistics.of(snapshot.number, _PATIENCE)
    triples = tuple(_described(here, statistics))
    etag = responses.digest([*map(str, triples), choice.offer.name])
    answer = responses.conditional(etag, lambda: responses.rdf(triples, choice))
    responses.link_alternates(answer, GRAPHS, choice)
    return answer


def _described(opened: Service, statistics: Statistics) -> Iterator[Triple]:
    """Addresses are those of the base IRI, not of a request."""
    base = opened.configuration.base_iri
    root = urljoin(base, opened.settings.path_prefix + "/")
    place = Publication(
        root + ".well-known/void", base, TITLE, root + "sparql", root + "export?format={format}"
    )
    return void_description(statistics, place)


def _file(name: str, page: str | None = None) -> Response:
    """A Turtle file of ours, as it is or in another format."""
    offers = PAGE if page is not None else GRAPHS
    choice = responses.chosen(offers)
    text = package_files.read_text(name)

    def make() -> Response:
        if page is not None and choice.offer is HTML:
            return responses.html(render_template(page, terms=terms(), iri=v.SAGE))
        if choice.offer.name == "turtle":
            return Response(text, content_type=responses.content_type(choice))
        return responses.rdf((quad.triple for quad in parse(text.encode(), RdfFormat.TURTLE)), choice)

    answer = responses.conditional(responses.digest([text, choice.offer.name]), make)
    responses.link_alternates(answer, offers, choice)
    return answer


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
