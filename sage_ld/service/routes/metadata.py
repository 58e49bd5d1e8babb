"""Metadata of the graph: ontology, shapes, JSON-LD context, and VoID with DCAT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast
from urllib.parse import urljoin

from flask import Response
from pyoxigraph import NamedNode, RdfFormat, Triple, parse

from sage_ld.foundation import package_files
from sage_ld.graph.exports.dataset import DatasetDescription
from sage_ld.graph.exports.void import Publication
from sage_ld.graph.exports.void import description as void_description
from sage_ld.graph.store.statistics import Statistics
from sage_ld.graph.store.user_statements import users_graphs
from sage_ld.service.context import Service, service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import GRAPHS, Offer
from sage_ld.service.http.responses import HTML, PAGE, page_module
from sage_ld.service.openapi.parts import LD_JSON, RDF, described, formats
from sage_ld.service.requests import held
from sage_ld.service.route import RouteReply, Surface

CONTEXT: Final = (Offer("jsonld", "application/ld+json", ("application/json",)),)
_PATIENCE: Final = 10.0  # seconds that the first client waits for the counts

surface = Surface("publishing", tag="data set", query=None, cached=True, errors=("406",))


@surface.get(
    "/ontology",
    "ontology",
    "The ontology",
    parameters=formats(*(each.name for each in PAGE)),
    reply=RouteReply("The ontology.", described(PAGE)),
)
def ontology() -> Response:
    """The ontology, as a page and as RDF."""
    return _file(package_files.ONTOLOGY, offers=PAGE)


@surface.get(
    "/shapes",
    "shapes",
    "The SHACL shapes of the graph",
    parameters=formats(*(each.name for each in GRAPHS)),
    reply=RouteReply("The SHACL shapes of the graph.", RDF),
)
def shapes() -> Response:
    """The SHACL shapes that every graph conforms to."""
    return _file(package_files.SHAPES)


@surface.get(
    "/context.jsonld",
    "context",
    "The JSON-LD context",
    reply=RouteReply("The JSON-LD context.", {LD_JSON: RDF[LD_JSON]}),
)
def json_ld_context() -> Response:
    """The JSON-LD context. Our documents carry it inline; no client needs to fetch it."""
    choice = responses.chosen(CONTEXT)
    text = package_files.read_text(package_files.CONTEXT)
    return responses.conditional(
        responses.digest(text), lambda: Response(text, content_type=responses.content_type(choice))
    )


@surface.get(
    "/.well-known/void",
    "void",
    "The graph in VoID and DCAT",
    parameters=formats(*(each.name for each in GRAPHS)),
    reply=RouteReply("The graph in VoID and DCAT.", RDF),
)
def void() -> Response:
    """The graph described in VoID and DCAT: counts, endpoint, one distribution for each export format."""
    choice = responses.chosen(GRAPHS)
    here = service()
    with held() as snapshot:
        _, statistics = here.statistics.of(snapshot.number, _PATIENCE)
        graphs = users_graphs(snapshot.stores.named, here.configuration.base_iri)
        names = sorted(each.value for each in graphs if isinstance(each, NamedNode))
    triples = tuple(_described(here, statistics, names))
    etag = responses.digest([*map(str, triples), choice.offer.name])
    answer = responses.conditional(etag, lambda: responses.rdf(triples, choice))
    responses.link_alternates(answer, GRAPHS, choice)
    return answer


def _described(opened: Service, statistics: Statistics, named_graphs: Sequence[str]) -> Iterator[Triple]:
    """Addresses are those of the base IRI, not of a request."""
    base = opened.configuration.base_iri
    root = urljoin(base, opened.settings.path_prefix + "/")
    about = DatasetDescription.of(opened.settings)
    place = Publication(
        root + ".well-known/void", base, about, root + "sparql", root + "export?format={format}"
    )
    return void_description(statistics, place, named_graphs)


def _file(name: str, offers: Sequence[Offer] = GRAPHS) -> Response:
    """A Turtle file of ours, as it is or in another format; as a page, the ontology alone."""
    choice = responses.chosen(offers)
    text = package_files.read_text(name)

    def make() -> Response:
        if choice.offer is HTML:
            return cast(Response, page_module("rendering").ontology())
        if choice.offer.name == "turtle":
            return Response(text, content_type=responses.content_type(choice))
        return responses.rdf((quad.triple for quad in parse(text.encode(), RdfFormat.TURTLE)), choice)

    answer = responses.conditional(responses.digest([text, choice.offer.name]), make)
    responses.link_alternates(answer, offers, choice)
    return answer
