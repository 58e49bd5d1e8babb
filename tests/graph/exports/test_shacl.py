"""The shapes: what sage-ld writes conforms, and every constraint reports a graph that breaks it."""

import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode, Quad, Triple
from rdflib import RDF, SH, XSD, BNode, Graph, URIRef
from rdflib.collection import Collection

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import EDGE_KINDS
from sage_ld.graph.shapes.shacl import validate

SHAPES = Graph().parse(data=package_files.read_text(package_files.SHAPES), format="turtle")
NOWHERE = NamedNode("http://example.org/nowhere")


ALIEN = NamedNode("http://example.org/alien")
OURS = {
    str(each)
    for each in SHAPES.objects(URIRef("https://w3id.org/sage-ld/shapes#AnyNode"), SH.targetSubjectsOf)
}


@pytest.fixture
def store(store):
    """The sample without what a file of someone else says in our words."""
    for quad in list(store.quads_for_pattern(ALIEN, NamedNode(v.WEIGHT), None, None)):
        store.remove(quad)
    return store


def examples(store, shape):
    """The nodes of a store that a shape is for."""
    for term in SHAPES.objects(shape, SH.targetClass):
        for quad in store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(str(term)), None):
            yield quad.subject
    for term in SHAPES.objects(shape, SH.targetSubjectsOf):
        for quad in store.quads_for_pattern(None, NamedNode(str(term)), None, None):
            yield quad.subject


def constraints():
    """Every (node shape, property shape or the node shape itself, parameter, its value)."""
    found = []
    for shape in sorted(SHAPES.subjects(RDF.type, SH.NodeShape)):
        for part in [*SHAPES.objects(shape, SH.property), shape]:
            path = str(SHAPES.value(part, SH.path) or "")
            for parameter, value in SHAPES.predicate_objects(part):
                name = str(parameter).removeprefix(str(SH))
                if name in MUTATIONS:
                    found.append((str(shape).rpartition("#")[2], path, name, value))
    return sorted(found, key=lambda each: [*each[:3], "" if isinstance(each[3], BNode) else str(each[3])])


# What breaks each parameter: the old value, the parameter's value and the focus node give the new values.
MUTATIONS = {
    "minCount": lambda old, value, said: [],
    "qualifiedMinCount": lambda old, value, said: [],
    "maxCount": lambda old, value, said: [like(old, i) for i in range(int(value) + 1)],
    "qualifiedMaxCount": lambda old, value, said: [like(old, i) for i in range(int(value) + 1)],
    "datatype": lambda old, value, said: [NOWHERE],
    "nodeKind": lambda old, value, said: [NOWHERE if value == SH.Literal else Literal("no IRI")],
    "minLength": lambda old, value, said: [Literal("")],
    "pattern": lambda old, value, said: [Literal("?")],
    "minInclusive": lambda old, value, said: [number(float(value) - 1, value)],
    "maxInclusive": lambda old, value, said: [number(float(value) + 1, value)],
    "class": lambda old, value, said: [NOWHERE],
    "in": lambda old, value, said: [Literal("something else")],
    "or": lambda old, value, said: [NOWHERE],
    "lessThan": lambda old, value, said: [Literal(10**9)],
    "lessThanOrEquals": lambda old, value, said: [Literal(10**9)],
    "disjoint": lambda old, value, said: [*said(value), *([] if said(value) else [old])],
    "uniqueLang": lambda old, value, said: [Literal("one", language="en"), Literal("two", language="en")],
}


def like(old, number):
    """Another value that is right in itself."""
    if isinstance(old, NamedNode):
        return NamedNode(f"{old.value}{number or ''}")
    return (
        Literal(f"{number}", datatype=old.datatype)
        if old.datatype.value != v.XSD + "string"
        else Literal(f"{number}")
    )


def number(value, template):
    integral = str(template.datatype).endswith("integer")
    return Literal(int(value)) if integral else Literal(str(value), datatype=NamedNode(v.XSD + "double"))


def test_what_sage_ld_writes_conforms(store):
    report = validate(store)
    assert str(report) == f"conforms: {report.nodes} nodes"
    assert report.nodes > 20


def test_every_shape_has_an_example_in_the_sample(store):
    for shape in SHAPES.subjects(RDF.type, SH.NodeShape):
        assert any(examples(store, shape)), shape


SHAPE_NAMES = sorted({shape for shape, *_ in constraints()})


@pytest.mark.parametrize("shape", SHAPE_NAMES)
def test_each_constraint_of_a_shape_reports_what_breaks_it(store, shape):
    node = URIRef(f"https://w3id.org/sage-ld/shapes#{shape}")
    focus = NOWHERE if shape == "AnyNode" else min(examples(store, node), key=str)
    whole = list(store)
    unnoticed = []
    for _, path, name, value in (each for each in constraints() if each[0] == shape):
        broken = pyoxigraph.Store()
        broken.extend(whole)
        break_constraint(broken, focus, path or v.TYPE, name, value)  # the node itself must have a class
        found = validate(broken, nodes=[focus.value]).violations
        if (shape, name[0].upper() + name[1:]) not in {(each.rule, each.constraint) for each in found}:
            unnoticed.append((path, name, str(value)))
    assert unnoticed == []


def break_constraint(store, focus, path, name, value):
    """Gives a node values of a property that a parameter of its shape forbids."""

    def said(predicate):
        return [quad.object for quad in store.quads_for_pattern(focus, NamedNode(str(predicate)), None, None)]

    old = next(iter(said(path)), Literal("old"))
    new = MUTATIONS[name](old, value, said)
    for each in list(store.quads_for_pattern(focus, NamedNode(path), None, None)):
        store.remove(each)
    for each in new:
        store.add(Quad(focus, NamedNode(path), each, NamedNode("http://example.org/graph")))
        if name == "qualifiedMaxCount" and isinstance(each, NamedNode):
            store.add(Quad(each, NamedNode(v.TYPE), NamedNode(v.DOCUMENT)))


@pytest.mark.parametrize("cls", [None, v.SCHEMA_THING, v.CHUNK])
def test_a_property_of_ours_has_its_values_on_any_node(cls):
    unnoticed = []
    for path in sorted(OURS):
        graph = pyoxigraph.Store()
        for value in (Triple(NOWHERE, NOWHERE, NOWHERE), Literal("abc", language="en")):
            graph.add(Quad(NOWHERE, NamedNode(path), value))
        if cls is not None:
            graph.add(Quad(NOWHERE, NamedNode(v.TYPE), NamedNode(cls)))
        reports = validate(graph), validate(graph, nodes=[NOWHERE.value])
        unnoticed += [path for each in reports if path not in {one.path for one in each.violations}]
    assert unnoticed == []


def test_a_node_is_checked_once_however_many_of_our_properties_it_has(store):
    checked = validate(store).nodes
    for path in OURS:
        store.add(Quad(NOWHERE, NamedNode(path), Literal("abc")))
    report = validate(store, limit=1_000)
    assert report.nodes == checked + 1
    assert len(set(report.violations)) == report.count
    assert {each.path for each in report.violations} >= OURS - {each for each in OURS if _takes_strings(each)}


def _takes_strings(path):
    parts = SHAPES.subjects(SH.path, URIRef(path))
    return any(SHAPES.value(part, SH.datatype) == XSD.string for part in parts)


def test_all_properties_that_shapes_of_classes_check_have_values_on_any_node():
    """What the shape of a class says of our property, a node without that class cannot slip past."""
    by_class = {
        str(SHAPES.value(part, SH.path))
        for shape in SHAPES.subjects(SH.targetClass)
        for part in SHAPES.objects(shape, SH.property)
    }
    assert {path for path in by_class if path.startswith(v.SAGE)} == OURS


def test_a_chunk_of_two_kinds_is_reported(store):
    chunk = next(store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.TEXT_CHUNK), None)).subject
    store.add(Quad(chunk, NamedNode(v.TYPE), NamedNode(v.RECORD_CHUNK)))
    report = validate(store)
    assert not report.conforms
    assert [each.message for each in report.violations] == [
        "a chunk is either a text chunk, a table chunk or a record chunk"
    ]


def test_the_shapes_stay_within_the_rules_that_batches_need():
    """Single properties as paths; below a node shape only constraints that look at a value and its type."""
    assert all(isinstance(path, URIRef) for path in SHAPES.objects(None, SH.path))
    for predicate in (SH.node, SH.targetNode, SH.targetObjectsOf, SH.closed, SH["not"]):
        assert not any(SHAPES.subjects(predicate))
    listed = {v.SAGE + "SimilarityEdge", *(row.edge_class for row in EDGE_KINDS.values())}
    node = URIRef("https://w3id.org/sage-ld/shapes#SimilarityEdge")
    assert {str(each) for each in SHAPES.objects(node, SH.targetClass)} == listed
    for members in SHAPES.objects(None, SH.xone):
        assert all(set(SHAPES.predicates(member)) == {SH["class"]} for member in Collection(SHAPES, members))


def test_every_constraint_has_a_message():
    for part in {*SHAPES.objects(None, SH.property), *SHAPES.subjects(RDF.type, SH.PropertyShape)}:
        assert SHAPES.value(part, SH.message), SHAPES.value(part, SH.path)


def edge(store, kind):
    return next(store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(kind), None)).subject


def rules(store):
    return {each.rule for each in validate(store).violations}


def reified(store, focus):
    return next(store.quads_for_pattern(focus, NamedNode(v.REIFIES), None, None))


@pytest.mark.parametrize("kind", [v.MENTION, v.ADJACENCY, v.TABLE_DOCUMENT_EDGE])
def test_an_edge_without_its_triple_term_is_reported(store, kind):
    store.remove(reified(store, edge(store, kind)))
    unsupported = set() if kind == v.MENTION else {"statement_without_edge"}
    assert rules(store) == {"edge_against_statement"} | unsupported


def test_a_triple_term_of_other_ends_is_reported(store):
    quad = reified(store, edge(store, v.ADJACENCY))
    turned = Triple(quad.object.object, quad.object.predicate, quad.object.subject)
    store.remove(quad)
    store.add(Quad(quad.subject, quad.predicate, turned, quad.graph_name))
    assert rules(store) == {"edge_against_statement", "statement_without_edge"}


def test_a_second_triple_term_is_reported(store):
    quad = reified(store, edge(store, v.ADJACENCY))
    turned = Triple(quad.object.object, quad.object.predicate, quad.object.subject)
    store.add(Quad(quad.subject, quad.predicate, turned, quad.graph_name))
    assert rules(store) == {"edge_against_statement"}


def test_a_reified_statement_that_is_not_made_is_reported(store):
    said = reified(store, edge(store, v.MENTION)).object
    for quad in list(store.quads_for_pattern(said.subject, said.predicate, said.object, None)):
        store.remove(quad)
    assert rules(store) == {"edge_against_statement"}


def test_an_edge_of_the_wrong_class_is_reported(store):
    focus = edge(store, v.ADJACENCY)
    quad = next(store.quads_for_pattern(focus, NamedNode(v.TYPE), None, None))
    store.remove(quad)
    store.add(Quad(focus, quad.predicate, NamedNode(v.RECORD_RECORD_EDGE), quad.graph_name))
    assert rules(store) == {"edge_against_statement"}


def test_a_statement_without_an_edge_is_reported(store):
    quad = next(store.quads_for_pattern(None, NamedNode(v.NEXT), None, None))
    store.add(Quad(quad.object, quad.predicate, quad.subject, quad.graph_name))
    assert rules(store) == {"statement_without_edge"}


@pytest.mark.parametrize(("kind", "path"), [("hyperlink", v.HREF), ("title", v.CONFIDENCE)])
def test_a_link_without_its_evidence_is_reported(store, kind, path):
    link = next(store.quads_for_pattern(None, NamedNode(v.LINK_KIND), Literal(kind), None)).subject
    for quad in list(store.quads_for_pattern(link, NamedNode(path), None, None)):
        store.remove(quad)
    assert rules(store) == {"link_without_evidence"}


def test_the_report_counts_all_and_names_the_first(store):
    for quad in list(store.quads_for_pattern(None, NamedNode(v.WEIGHT), None, None)):
        if quad.subject.value.startswith("http://localhost"):
            store.remove(quad)
    report = validate(store, limit=1)
    assert (report.count, len(report.violations)) == (5, 1)
    assert "exactly one weight" in str(report)
    assert str(report).endswith("… and 4 more")


def test_batches_find_the_same(store):
    store.remove(next(store.quads_for_pattern(None, NamedNode(v.TEXT), None, None)))
    small = validate(store, batch=1)
    assert small.violations == validate(store).violations
    assert len(small.violations) == 1


def test_progress_is_told_of_each_batch(store):
    reports = []
    report = validate(store, batch=2, progress=lambda done, total: reports.append((done, total)))
    assert len(reports) > report.nodes / 2
    assert reports == sorted(reports)
    done, total = reports[-1]
    assert done == total > report.nodes


def test_nodes_of_ingested_rdf_are_left_alone():
    """A user's file may type blank nodes, and concepts without labels."""
    graph = pyoxigraph.Store()
    graph.add(Quad(pyoxigraph.BlankNode(), NamedNode(v.TYPE), NamedNode(v.CHUNK)))
    graph.add(Quad(NOWHERE, NamedNode(v.TYPE), NamedNode(v.CONCEPT)))
    assert validate(graph).conforms


def test_chosen_nodes_are_checked_as_in_the_whole(store):
    store.add(Quad(NOWHERE, NamedNode(v.CONFIDENCE), Literal("abc")))
    edge = next(store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.MENTION), None)).subject
    for quad in list(store.quads_for_pattern(edge, NamedNode(v.REIFIES), None, None)):
        store.remove(quad)
    document = next(store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.DOCUMENT), None))
    store.add(Quad(document.subject, NamedNode(v.CONTENT_HASH), Literal("x"), document.graph_name))
    nodes = {quad.subject.value for quad in store if isinstance(quad.subject, NamedNode)}
    assert validate(store, nodes=nodes) == validate(store)
    assert {each.focus for each in validate(store, nodes=[edge.value]).violations} == {edge.value}
    assert validate(store, nodes=[]).conforms
