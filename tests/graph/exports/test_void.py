"""The description counts what the graph holds, and two libraries read it."""

import pyoxigraph
import pytest
from pyoxigraph import NamedNode, RdfFormat
from rdflib import DCAT, RDF, VOID, Graph, URIRef

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.exports.streams import FORMATS, view
from sage_ld.graph.exports.void import Publication, description
from sage_ld.graph.store.statistics import statistics
from sage_ld.graph.store.stores import Stores

PLACE = Publication(
    dataset="http://localhost:8000/",
    uri_space="http://localhost:8000/id/",
    title="Films",
    sparql_endpoint="http://localhost:8000/sparql",
    export="http://localhost:8000/export?format={format}",
    license="https://creativecommons.org/licenses/by/4.0/",
)
DATASET = URIRef(PLACE.dataset)


def counts(store):
    return statistics(Stores(store, store))


@pytest.fixture
def described(store):
    turtle = pyoxigraph.serialize(
        description(counts(store), PLACE), format=RdfFormat.TURTLE, prefixes=v.PREFIXES
    )
    return Graph().parse(data=turtle, format="turtle")


def test_totals_are_those_of_the_first_view(store, described):
    kept = list(view(store, "1.1"))
    assert int(described.value(DATASET, VOID.triples)) == len(kept)
    assert int(described.value(DATASET, VOID.distinctSubjects)) == len({quad.subject for quad in kept})
    named = {quad.subject for quad in kept if isinstance(quad.subject, NamedNode)}
    assert int(described.value(DATASET, VOID.entities)) == len(named)


def test_each_class_and_property_is_a_partition(store, described):
    kept = list(view(store, "1.1"))
    properties = {
        str(described.value(part, VOID.property)): int(described.value(part, VOID.triples))
        for part in described.objects(DATASET, VOID.propertyPartition)
    }
    counted = {quad.predicate.value for quad in kept}
    assert properties.keys() == counted
    assert sum(properties.values()) == len(kept)
    classes = {
        str(described.value(part, VOID["class"])): int(described.value(part, VOID.entities))
        for part in described.objects(DATASET, VOID.classPartition)
    }
    assert (classes[v.DOCUMENT], classes[v.CHUNK], classes[v.CONCEPT]) == (2, 3, 3)


def test_each_format_is_a_distribution(described):
    types = {
        str(described.value(each, DCAT.mediaType)).removeprefix(
            "https://www.iana.org/assignments/media-types/"
        )
        for each in described.objects(DATASET, DCAT.distribution)
    }
    assert types == {each.media_type for each in FORMATS.values()}
    dumps = {str(each) for each in described.objects(DATASET, VOID.dataDump)}
    assert "http://localhost:8000/export?format=jsonld" in dumps
    assert not any("graphml" in each for each in dumps)  # a data dump is RDF


def test_the_endpoint_is_named_for_void_and_for_dcat(described):
    assert str(described.value(DATASET, VOID.sparqlEndpoint)) == PLACE.sparql_endpoint
    service = described.value(None, RDF.type, DCAT.DataService)
    assert (service, DCAT.servesDataset, DATASET) in described


def test_what_is_not_published_is_not_described(store):
    place = Publication("http://localhost:8000/", "http://localhost:8000/id/", "Films")
    predicates = {triple.predicate.value for triple in description(counts(store), place)}
    assert not predicates & {v.VOID + "sparqlEndpoint", v.VOID + "dataDump", v.DCAT + "distribution"}


def test_the_same_graph_has_the_same_description(store, disk_store):
    assert list(description(counts(store), PLACE)) == list(description(counts(disk_store), PLACE))
