"""The description counts what the graph holds, and two libraries read it."""

from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import NamedNode, RdfFormat
from pyshacl import validate
from rdflib import DCAT, DCTERMS, RDF, SDO, VOID, Graph, Literal, URIRef

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.dataset import DatasetDescription
from sage_ld.graph.exports.streams import FORMATS, view
from sage_ld.graph.exports.void import Publication, description
from sage_ld.graph.store.statistics import statistics
from sage_ld.graph.store.stores import Stores

SAID = {
    "dataset_title": "Films",
    "dataset_license": "https://creativecommons.org/licenses/by/4.0/",
    "dataset_publisher": "Museum of Film",
    "dataset_homepage": "https://example.org/films",
    "dataset_contact": "mailto:films@example.org",
    "dataset_keywords": "film, cinema",
    "dataset_spatial": "POLYGON((5 45,10 45,10 48,5 48,5 45))",
    "dataset_temporal": "1987/2026-01",
}
SHAPES = Path(__file__).parents[1] / "vocabularies" / "dcat-ap.ttl"
RECOMMENDED = {
    DCAT.contactPoint,
    DCAT.distribution,
    DCAT.keyword,
    DCTERMS.publisher,
    DCTERMS.spatial,
    DCTERMS.temporal,
}
PLACE = Publication(
    dataset="http://localhost:8000/",
    uri_space="http://localhost:8000/id/",
    about=DatasetDescription.of(Settings(**SAID)),
    sparql_endpoint="http://localhost:8000/sparql",
    export="http://localhost:8000/export?format={format}",
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
    assert (classes[v.DOCUMENT], classes[v.CHUNK], classes[v.ENTITY]) == (2, 3, 2)


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
    place = Publication("http://localhost:8000/", "http://localhost:8000/id/")
    predicates = {triple.predicate.value for triple in description(counts(store), place)}
    assert not predicates & {v.VOID + "sparqlEndpoint", v.VOID + "dataDump", v.DCAT + "distribution"}


def test_named_graphs_of_users_are_subsets(store):
    names = ["http://example.org/b", "http://example.org/a#c"]
    triples = list(description(counts(store), PLACE, names))
    subsets = {each.object for each in triples if each.predicate.value == v.VOID + "subset"}
    named = {
        each.object.value for each in triples if each.subject in subsets and "#name" in str(each.predicate)
    }
    assert named == set(names)


def test_the_same_graph_has_the_same_description(store, disk_store):
    assert list(description(counts(store), PLACE)) == list(description(counts(disk_store), PLACE))


def test_it_conforms_to_dcat_ap_with_all_that_it_recommends(described):
    conforms, _, report = validate(described, shacl_graph=Graph().parse(SHAPES), inference="rdfs")
    assert conforms, report
    assert set(described.predicates(DATASET)) >= RECOMMENDED
    assert described.value(DATASET, DCTERMS.license) == URIRef(SAID["dataset_license"])
    assert set(described.objects(DATASET, DCAT.keyword)) == {Literal("film"), Literal("cinema")}
    assert described.value(DATASET, SDO.temporalCoverage) == Literal("1987/2026-01")
    period = described.value(DATASET, DCTERMS.temporal)
    assert str(described.value(period, DCAT.startDate).datatype).endswith("#gYear")
    assert str(described.value(period, DCAT.endDate).datatype).endswith("#gYearMonth")


def test_without_settings_it_conforms_to_dcat_ap_too(store):
    bare = Publication(
        PLACE.dataset, PLACE.uri_space, DatasetDescription.of(Settings()), PLACE.sparql_endpoint
    )
    text = pyoxigraph.serialize(description(counts(store), bare), format=RdfFormat.TURTLE)
    graph = Graph().parse(data=text, format="turtle")
    assert validate(graph, shacl_graph=Graph().parse(SHAPES), inference="rdfs")[0]
    graph.remove((DATASET, DCTERMS.title, None))
    assert not validate(graph, shacl_graph=Graph().parse(SHAPES), inference="rdfs")[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dataset_license", "CC BY"),
        ("dataset_spatial", "CIRCLE(1 2)"),
        ("dataset_temporal", "May/2026"),
        ("dataset_contact", "films@example.org"),
    ],
)
def test_a_setting_that_says_no_such_thing_is_refused(name, value):
    with pytest.raises(InputError, match=name):
        DatasetDescription.of(Settings(**{name: value}))
