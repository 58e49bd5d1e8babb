"""Shapes of a user's own, over all statements of a graph."""

import pytest
from pyoxigraph import Literal, NamedNode, Quad, Store

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.shapes.user_shapes import read_shapes, validate_by

PREFIXES = """\
PREFIX sh: <http://www.w3.org/ns/shacl#> PREFIX ex: <http://example.org/> PREFIX sage: <https://w3id.org/sage-ld#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
A = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def node(name):
    return NamedNode(f"http://example.org/{name}")


@pytest.fixture
def store():
    store = Store()
    store.add(Quad(node("wren"), A, node("Bird"), node("one")))
    store.add(Quad(node("wren"), node("eats"), node("spider"), node("two")))
    store.add(Quad(node("spider"), node("legs"), Literal("eight"), node("two")))
    return store


def report(store, folder, text, settings=None):
    (folder / "own.ttl").write_text(PREFIXES + text)
    return validate_by(store, read_shapes(folder / "own.ttl", settings or Settings()), settings or Settings())


def test_paths_lead_through_the_statements_of_all_graphs_and_the_shape_is_named(store, tmp_path):
    text = """ex:Diet a sh:NodeShape ; sh:targetClass ex:Bird ;
        sh:property [ sh:path ( ex:eats ex:legs ) ; sh:datatype xsd:integer ;
                      sh:message "legs are counted" ] ."""
    found = report(store, tmp_path, text)
    assert (found.conforms, found.nodes, found.count) == (False, 1, 1)
    [violation] = found.violations
    assert violation.rule == "http://example.org/Diet"
    assert violation.focus == "http://example.org/wren"
    assert (violation.value, violation.message) == ("eight", "legs are counted")
    store.remove(Quad(node("spider"), node("legs"), Literal("eight"), node("two")))
    assert report(store, tmp_path, text).conforms


@pytest.mark.parametrize("severity", ["Warning", "Info"])
def test_what_is_milder_than_a_violation_is_shown_and_conforms(store, tmp_path, severity):
    shape = """ex:Diet a sh:NodeShape ; sh:targetClass ex:Bird ; sh:severity sh:Violation ;
        sh:property [ sh:path ( ex:eats ex:legs ) ; sh:datatype xsd:integer ; sh:severity sh:%s ] ."""
    found = report(store, tmp_path, shape % severity)
    assert (found.conforms, found.count, len(found.milder)) == (True, 0, 1)
    assert f"\n{severity.lower()}: http://example.org/wren " in str(found)


def test_a_shape_without_nodes_is_named(store, tmp_path):
    found = report(store, tmp_path, "ex:Typo a sh:NodeShape ; sh:targetClass ex:Brid ; sh:nodeKind sh:IRI .")
    assert found.conforms
    assert found.idle == ("http://example.org/Typo",)
    assert str(found).endswith("no node is a target of the shape http://example.org/Typo")


def test_shapes_may_name_terms_of_ours(store, tmp_path):
    store.add(Quad(node("wren"), A, NamedNode("https://w3id.org/sage-ld#Document"), node("one")))
    text = (
        "ex:S a sh:NodeShape ; sh:targetClass sage:Document ; sh:property [ sh:path ex:p ; sh:minCount 1 ] ."
    )
    assert report(store, tmp_path, text).count == 1


SERVICE = """ex:S a sh:NodeShape ; sh:targetClass ex:Bird ; sh:sparql [ a sh:SPARQLConstraint ;
    sh:select "SELECT $this { SERVICE <http://127.0.0.1:9/> { $this ?p ?o } }" ] ."""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ex:a ex:b ex:c .", "it contains no shape"),
        ("ex:a ex:b", "own.ttl: no RDF"),
        (SERVICE, "SERVICE"),
        (
            "ex:S a sh:NodeShape ; sh:targetClass ex:Bird ; sh:minCount 'x' ; sh:property [ sh:path 7 ] .",
            "shapes",
        ),
    ],
)
def test_what_is_no_shape_is_an_error_in_one_line(store, tmp_path, text, reason):
    with pytest.raises(InputError) as raised:
        report(store, tmp_path, text)
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_file_and_the_graph_are_limited(store, tmp_path):
    text = "ex:S a sh:NodeShape ; sh:targetClass ex:Bird ; sh:nodeKind sh:IRI ."
    with pytest.raises(LimitError, match="max_shapes_bytes"):
        report(store, tmp_path, text, Settings(max_shapes_bytes=20))
    with pytest.raises(LimitError, match="max_validated_statements"):
        report(store, tmp_path, text, Settings(max_validated_statements=2))
    with pytest.raises(InputError, match="no such file"):
        read_shapes(tmp_path / "none.ttl", Settings())
    (tmp_path / "shapes.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="no RDF format has this suffix"):
        read_shapes(tmp_path / "shapes.csv", Settings())
