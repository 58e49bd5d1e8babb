"""The description of a graph in VoID (W3C Interest Group Note 2011-03-03), DCAT 3 and schema.org.

Triples are those of the RDF 1.1 view of the merge of all graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pyoxigraph import Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.relation_types import NAMESPACE
from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.dataset import DatasetDescription, Subject
from sage_ld.graph.exports.streams import FORMATS
from sage_ld.graph.store.statistics import Statistics

_MOST_PARTS: Final = 500
_GRAPH_NAME: Final = v.SD + "name"
_SPARQL_PROTOCOL: Final = "https://www.w3.org/TR/sparql11-protocol/"
_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"  # dcat:mediaType takes a media type's IRI


@dataclass(frozen=True, slots=True)
class Publication:
    """The addresses at which a graph is published."""

    dataset: str
    """IRI of the graph as a dataset."""
    uri_space: str
    """What the IRIs of its resources begin with: the graph's base IRI."""
    about: DatasetDescription = field(default_factory=lambda: DatasetDescription.of(Settings()))
    """The words of its publisher."""
    sparql_endpoint: str | None = None
    export: str | None = None
    """URL of the export, with `{format}` for the name of the format."""


def description(
    statistics: Statistics, publication: Publication, named_graphs: Sequence[str] = ()
) -> Iterator[Triple]:
    """The description of a graph with these counts, as triples in a fixed order.

    `named_graphs` are users'; the first 500 are described as subsets.

    >>> place = Publication("http://example.org/", "http://example.org/id/")
    >>> next(description(Statistics({}, {}, 0, 0), place)).object.value
    'http://rdfs.org/ns/void#Dataset'
    """
    about = Subject(publication.dataset)
    yield about.iri(v.TYPE, v.VOID + "Dataset")
    yield from publication.about.triples(about)
    yield about.text(v.VOID + "uriSpace", publication.uri_space)
    for namespace in (v.SAGE, v.SCHEMA, v.SKOS, v.CSVW, v.PROV, v.DCTERMS, NAMESPACE):
        yield about.iri(v.VOID + "vocabulary", namespace)
    for name in named_graphs[:_MOST_PARTS]:
        subset = about.part("graph", name)
        yield about.iri(v.VOID + "subset", subset.name)
        yield subset.iri(v.TYPE, v.VOID + "Dataset")
        yield subset.iri(_GRAPH_NAME, name)
    yield from _services(about, publication)
    yield from _counts(statistics, about)


def _services(about: Subject, publication: Publication) -> Iterator[Triple]:
    if publication.sparql_endpoint is not None:
        service = about.part("sparql")
        yield about.iri(v.VOID + "sparqlEndpoint", publication.sparql_endpoint)
        yield service.iri(v.TYPE, v.DCAT + "DataService")
        yield service.text(v.DCTERMS + "title", "SPARQL endpoint")
        yield service.iri(v.DCAT + "endpointURL", publication.sparql_endpoint)
        yield service.iri(v.DCAT + "endpointDescription", publication.sparql_endpoint)
        yield from service.typed(v.DCTERMS + "conformsTo", _SPARQL_PROTOCOL, v.DCTERMS + "Standard")
        yield service.iri(v.DCAT + "servesDataset", about.name)
    if publication.export is not None:
        for each in FORMATS.values():
            url = publication.export.replace("{format}", each.name)
            dump = about.part("export", each.name)
            if each.name != "graphml":
                yield about.iri(v.VOID + "dataDump", url)
            yield about.iri(v.DCAT + "distribution", dump.name)
            yield about.iri(v.SCHEMA + "distribution", dump.name)
            yield dump.iri(v.TYPE, v.DCAT + "Distribution")
            yield dump.iri(v.TYPE, v.SCHEMA + "DataDownload")
            for term in (v.DCAT + "accessURL", v.DCAT + "downloadURL", v.SCHEMA + "contentUrl"):
                yield dump.iri(term, url)
            yield dump.text(v.ENCODING_FORMAT, each.media_type)
            if publication.about.license:
                yield dump.iri(v.DCTERMS + "license", publication.about.license)
            media_type = _MEDIA_TYPES + each.media_type
            yield from dump.typed(v.DCAT + "mediaType", media_type, v.DCTERMS + "MediaType")


def _counts(statistics: Statistics, about: Subject) -> Iterator[Triple]:
    yield about.count(v.VOID + "triples", statistics.triples)
    yield about.count(v.VOID + "distinctSubjects", statistics.subjects)
    yield about.count(v.VOID + "entities", statistics.entities)
    for name, count in largest(statistics.classes):
        part = about.part("class", name)
        yield about.iri(v.VOID + "classPartition", part.name)
        yield part.iri(v.VOID + "class", name)
        yield part.count(v.VOID + "entities", count)
    for name, count in largest(statistics.properties):
        part = about.part("property", name)
        yield about.iri(v.VOID + "propertyPartition", part.name)
        yield part.iri(v.VOID + "property", name)
        yield part.count(v.VOID + "triples", count)


def largest(counts: dict[str, int]) -> list[tuple[str, int]]:
    """The classes or properties that are described: the first 500 by their counts."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MOST_PARTS]
