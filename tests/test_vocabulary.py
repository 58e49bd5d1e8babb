"""The constants, the ontology, the JSON-LD context and docs/ontology.md name the same terms."""

import json

import pyoxigraph
import pytest
from pyld import jsonld
from rdflib import OWL, RDF, RDFS, Graph, URIRef

from sage_ld.foundation import package_files, vocabulary
from sage_ld.foundation.edge_kinds import EDGE_KINDS
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.model import EdgeKind

NAMESPACE = URIRef(vocabulary.SAGE)
CONTEXT = json.loads(package_files.read_text(package_files.CONTEXT))["@context"]


def constants():
    named = [value for name, value in vars(vocabulary).items() if name.isupper() and isinstance(value, str)]
    return {value for value in named if "#" in value or "/" in value} - set(vocabulary.PREFIXES.values())


@pytest.fixture(scope="module")
def ontology():
    return Graph().parse(data=package_files.read_text(package_files.ONTOLOGY), format="turtle")


def terms(ontology):
    found = {s for s in ontology.subjects() if str(s).startswith(vocabulary.SAGE)}
    return sorted(found - {NAMESPACE})


def expanded(name):
    prefix, _, local = CONTEXT[name]["@id"].partition(":")
    return CONTEXT[prefix] + local


def defined():
    """The terms of the context that stand for an IRI, with their definitions."""
    return {name: each for name, each in CONTEXT.items() if isinstance(each, dict) and each["@id"] != "@type"}


def test_constants_and_ontology_name_the_same_terms(ontology):
    ours = {value for value in constants() if value.startswith(vocabulary.SAGE)}
    assert ours == {str(term) for term in terms(ontology)}


def test_two_parsers_read_the_same_ontology(ontology):
    assert len(list(pyoxigraph.parse(path=str(package_files.path(package_files.ONTOLOGY))))) == len(ontology)


def test_every_term_says_what_it_is(ontology):
    for term in terms(ontology):
        assert ontology.value(term, RDFS.isDefinedBy) == NAMESPACE
        assert ontology.value(term, RDFS.label).language == "en"
        comment = ontology.value(term, RDFS.comment)
        assert comment.language == "en"
        assert comment.endswith(".")
        kinds = set(ontology.objects(term, RDF.type))
        assert (OWL.Class in kinds) != (RDF.Property in kinds)


def test_the_header_names_version_and_licence(ontology):
    assert (NAMESPACE, RDF.type, OWL.Ontology) in ontology
    assert ontology.value(NAMESPACE, OWL.versionInfo)
    assert ontology.value(NAMESPACE, URIRef(vocabulary.DCTERMS + "license"))


def test_domains_ranges_and_superclasses_of_ours_exist(ontology):
    known = set(terms(ontology))
    for predicate in (RDFS.domain, RDFS.range, RDFS.subClassOf, RDFS.subPropertyOf, OWL.disjointWith):
        used = {o for o in ontology.objects(None, predicate) if str(o).startswith(vocabulary.SAGE)}
        assert used <= known


def test_there_is_a_class_for_every_kind_of_edge(ontology):
    assert list(EDGE_KINDS) == list(EdgeKind)
    expected = {row.edge_class for row in EDGE_KINDS.values()}
    subclasses = ontology.subjects(RDFS.subClassOf, URIRef(vocabulary.SIMILARITY_EDGE))
    assert {str(each) for each in subclasses} == expected


def test_context_and_constants_name_the_same_terms():
    """`rdf:type` is the keyword `type`; `rdf:reifies` and service descriptions have no JSON-LD."""
    in_context = {expanded(name) for name in defined()}
    only_here = {vocabulary.TYPE, vocabulary.REIFIES, vocabulary.SD}
    only_there = {vocabulary.SCHEMA + "ListItem"}  # the superclass of sage:Result
    assert in_context - only_there == constants() - only_here


def test_no_two_terms_of_the_context_share_an_iri():
    iris = [expanded(name) for name in defined()]
    assert len(iris) == len(set(iris))


def test_our_terms_keep_their_local_names_in_the_context():
    for name in defined():
        if expanded(name).startswith(vocabulary.SAGE):
            assert expanded(name) == vocabulary.SAGE + name


def test_types_in_the_context_follow_the_ranges_of_the_ontology(ontology):
    for name, definition in defined().items():
        term = URIRef(expanded(name))
        if (term, RDF.type, OWL.DatatypeProperty) in ontology:
            coerced = definition.get("@type", "xsd:string").removeprefix("xsd:")
            assert vocabulary.XSD + coerced == str(ontology.value(term, RDFS.range)), name
        elif (term, RDF.type, OWL.ObjectProperty) in ontology:
            assert definition["@type"] == "@id", name


def test_pyld_and_pyoxigraph_read_the_same_from_a_document_with_the_context():
    document = {
        "@context": CONTEXT,
        "id": "http://example.org/edge",
        "type": ["TableDocumentEdge"],
        "source": "http://example.org/a",
        "weight": 0.7225,
        "row": 5,
        "beginIndex": 0,
        "href": "../a b.md",
    }
    by_pyld = jsonld.to_rdf(document, {"format": "application/n-quads"}).encode()
    by_oxigraph = pyoxigraph.parse(json.dumps(document).encode(), pyoxigraph.RdfFormat.JSON_LD)
    assert set(pyoxigraph.parse(by_pyld, pyoxigraph.RdfFormat.N_QUADS)) == set(by_oxigraph)


def test_the_page_lists_every_term_with_its_comment(ontology):
    page = (package_files.path(package_files.ONTOLOGY).parent.parent / "docs" / "ontology.md").read_text(
        "utf-8"
    )
    for term in terms(ontology):
        name = str(term).removeprefix(vocabulary.SAGE)
        assert f"| `sage:{name}` | {ontology.value(term, RDFS.comment)} |" in page


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(NotFoundError, match=r"ontology/other\.ttl"):
        package_files.path("ontology/other.ttl")
