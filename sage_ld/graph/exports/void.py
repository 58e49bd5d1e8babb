"""The description of a graph in VoID (W3C Interest Group Note 2011-03-03) and DCAT 3.

Triples are those of the RDF 1.1 view of the merge of all graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.relation_types import NAMESPACE
from sage_ld.graph.exports.streams import FORMATS
from sage_ld.graph.store.statistics import Statistics

_MOST_PARTS: Final = 500
_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"  # dcat:mediaType takes a media type's IRI


@dataclass(frozen=True, slots=True)
class Publication:
    """The addresses at which a graph is published."""

    dataset: str
    """IRI of the graph as a dataset."""
    uri_space: str
    """What the IRIs of its resources begin with: the graph's base IRI."""
    title: str
    sparql_endpoint: str | None = None
    export: str | None = None
    """URL of the export, with `{format}` for the name of the format."""
    license: str | None = None
    """IRI of the licence."""


def description(statistics: Statistics, publication: Publication) -> Iterator[Triple]:
    """The description of a graph with these counts, as triples in a fixed order.

    >>> place = Publication("http://example.org/", "http://example.org/id/", "Films")
    >>> next(description(Statistics({}, {}, 0, 0), place)).object.value
    'http://rdfs.org/ns/void#Dataset'
    """
    about = _Subject(publication.dataset)
    yield about.iri(v.TYPE, v.VOID + "Dataset")
    yield about.iri(v.TYPE, v.DCAT + "Dataset")
    yield about.text(v.DCTERMS + "title", publication.title)
    if publication.license is not None:
        yield about.iri(v.DCTERMS + "license", publication.license)
    yield about.text(v.VOID + "uriSpace", publication.uri_space)
    for namespace in (v.SAGE, v.SCHEMA, v.SKOS, v.NIF, v.CSVW, v.PROV, v.DCTERMS, NAMESPACE):
        yield about.iri(v.VOID + "vocabulary", namespace)
    yield from _services(about, publication)
    yield from _counts(statistics, about)


@dataclass(frozen=True, slots=True)
class _Subject:
    """Makes the triples of one subject."""

    name: str

    def iri(self, predicate: str, value: str) -> Triple:
        return Triple(NamedNode(self.name), NamedNode(predicate), NamedNode(value))

    def text(self, predicate: str, value: str) -> Triple:
        return Triple(NamedNode(self.name), NamedNode(predicate), Literal(value))

    def count(self, predicate: str, value: int) -> Triple:
        return Triple(NamedNode(self.name), NamedNode(predicate), Literal(value))

    def part(self, *names: str) -> _Subject:
        """A resource of the description itself, named after the dataset."""
        return _Subject(f"{self.name}#{'-'.join(quote(name, safe='') for name in names)}")


def _services(about: _Subject, publication: Publication) -> Iterator[Triple]:
    if publication.sparql_endpoint is not None:
        service = about.part("sparql")
        yield about.iri(v.VOID + "sparqlEndpoint", publication.sparql_endpoint)
        yield service.iri(v.TYPE, v.DCAT + "DataService")
        yield service.text(v.DCTERMS + "title", "SPARQL endpoint")
        yield service.iri(v.DCAT + "endpointURL", publication.sparql_endpoint)
        yield service.iri(v.DCAT + "servesDataset", about.name)
    if publication.export is not None:
        for each in FORMATS.values():
            url = publication.export.replace("{format}", each.name)
            dump = about.part("export", each.name)
            if each.name != "graphml":
                yield about.iri(v.VOID + "dataDump", url)
            yield about.iri(v.DCAT + "distribution", dump.name)
            yield dump.iri(v.TYPE, v.DCAT + "Distribution")
            yield dump.iri(v.DCAT + "downloadURL", url)
            yield dump.iri(v.DCAT + "mediaType", _MEDIA_TYPES + each.media_type)


def _counts(statistics: Statistics, about: _Subject) -> Iterator[Triple]:
    yield about.count(v.VOID + "triples", statistics.triples)
    yield about.count(v.VOID + "distinctSubjects", statistics.subjects)
    yield about.count(v.VOID + "entities", statistics.entities)
    for name, count in _largest(statistics.classes):
        part = about.part("class", name)
        yield about.iri(v.VOID + "classPartition", part.name)
        yield part.iri(v.VOID + "class", name)
        yield part.count(v.VOID + "entities", count)
    for name, count in _largest(statistics.properties):
        part = about.part("property", name)
        yield about.iri(v.VOID + "propertyPartition", part.name)
        yield part.iri(v.VOID + "property", name)
        yield part.count(v.VOID + "triples", count)


def _largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_PARTS]
