"""Shapes of a user's own against a change: what the change alone shows is what the whole graph shows."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Store, parse
from rdflib import Graph

from sage_ld.foundation.errors import InputError
from sage_ld.graph.changes.statement_counts import ChangedStatements
from sage_ld.graph.shapes.guard import Guard
from sage_ld.graph.shapes.validation_report import report_text
from sage_ld.graph.store.iris import Iris

IRIS = Iris("http://own.example/id/")
PREFIXES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <http://e.x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
SHAPES = {
    "counts": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:maxCount 1 ] .",
    "required": ":S a sh:NodeShape ; sh:targetSubjectsOf :q ; sh:property [ sh:path :p ; sh:minCount 1 ] .",
    "sequence": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path ( :p :q ) ; sh:maxCount 1 ] .",
    "inverse": ":S a sh:NodeShape ; sh:targetObjectsOf :p ; "
    "sh:property [ sh:path [ sh:inversePath :q ] ; sh:maxCount 1 ] .",
    "alternatives": ":S a sh:NodeShape ; sh:targetClass :A ; "
    "sh:property [ sh:path [ sh:alternativePath ( :q ( :p :p ) ) ] ; sh:maxCount 2 ] .",
    "repeated": ":S a sh:NodeShape ; sh:targetClass :A ; "
    "sh:property [ sh:path ( [ sh:zeroOrMorePath :p ] :q ) ; sh:maxCount 1 ] .",
    "class": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:class :B ] .",
    "node": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:node :T ] . "
    ":T a sh:NodeShape ; sh:property [ sh:path :q ; sh:minCount 1 ] .",
    "logic": ":S a sh:NodeShape ; sh:targetClass :A ; sh:or ( [ sh:path :p ; sh:minCount 1 ] "
    "[ sh:path :q ; sh:minCount 1 ] ) ; sh:not [ sh:path :r ; sh:minCount 1 ] .",
    "closed": ":S a sh:NodeShape ; sh:targetClass :A ; sh:closed true ; "
    "sh:ignoredProperties ( rdf:type :p ) .",
    "equal": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:disjoint :q ] .",
    "qualified": ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; "
    "sh:qualifiedValueShape [ sh:class :B ] ; sh:qualifiedMaxCount 1 ] .",
    "sparql": ':S a sh:NodeShape ; sh:targetClass :A ; sh:sparql [ sh:message "no" ; '
    'sh:select "SELECT $this WHERE { $this <http://e.x/p>/<http://e.x/q> ?v . ?v a <http://e.x/B> }" ] .',
    "of a class": ":A a rdfs:Class, sh:NodeShape ; sh:property [ sh:path :p ; sh:maxCount 0 ] .",
    "of nodes": ":S a sh:NodeShape ; sh:targetNode :n1, :n2 ; sh:property [ sh:path :r ; sh:maxCount 0 ] .",
}
TYPE, SUBCLASS = (
    NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
    NamedNode("http://www.w3.org/2000/01/rdf-schema#subClassOf"),
)


def named(name: str) -> NamedNode:
    return NamedNode(f"http://e.x/{name}")


def twice_p(name: str) -> list[Quad]:
    """A node of class :A with two values."""
    values = (Quad(named(name), named("p"), Literal(number)) for number in (1, 2))
    return [Quad(named(name), TYPE, named("A")), *values]


def guard_of(text: str) -> Guard:
    return Guard(Graph().parse(data=PREFIXES + text, format="turtle"), IRIS)


def random_quad(chance: random.Random) -> Quad:
    nodes = [named("n1"), named("n1"), named("n2"), BlankNode("b1")]
    kind = chance.random()
    graph = named(chance.choice("GH"))
    if kind < 0.3:
        return Quad(chance.choice(nodes), TYPE, named(chance.choice("AAABC")), graph)
    if kind < 0.35:
        return Quad(named("C"), SUBCLASS, named(chance.choice("AB")), graph)
    value = chance.choice([*nodes, *nodes, Literal(1), Literal("x", language="en")])
    return Quad(chance.choice(nodes), named(chance.choice("ppqqr")), value, graph)


@pytest.mark.parametrize("name", SHAPES)
def test_the_change_alone_shows_all_that_it_breaks(name: str) -> None:
    chance, guard, seen, rounds = random.Random(name), guard_of(SHAPES[name]), 0, 0
    while rounds < 40 or seen < 3:
        rounds += 1
        assert rounds < 3_000, "the changes break the shape too rarely to test anything"
        before = Store()
        before.extend(random_quad(chance) for _ in range(chance.randint(4, 20)))
        after = Store()
        after.extend(before)
        changed = ChangedStatements()
        for _ in range(chance.randint(1, 6)):
            quad = chance.choice([random_quad(chance), *after])
            changed.add(quad.triple)
            if quad in after:
                after.remove(quad)
            else:
                after.add(quad)
        found = changed.difference(before, after)
        assert found.statements == set(before) ^ set(after)
        expected = guard.new_violations(before, after, None)
        alone = guard.new_violations(before, after, found.statements)
        assert [replace(each, message="") for each in alone] == [
            replace(each, message="") for each in expected
        ]
        seen += len(expected)


def test_the_work_is_in_proportion_to_the_change() -> None:
    guard = guard_of(SHAPES["node"] + SHAPES["sequence"].replace(":S", ":U"))
    seconds = []
    for size in (2_000, 20_000):
        before = Store()
        nodes = [named(f"m{number}") for number in range(size)]
        before.extend(Quad(each, TYPE, named("A"), named("G")) for each in nodes)
        before.extend(Quad(each, named("p"), other, named("G")) for each, other in pairwise(nodes))
        before.extend(Quad(each, named("q"), Literal(1), named("G")) for each in nodes)
        after = Store()
        after.extend(before)
        quad = Quad(nodes[10], named("q"), Literal(1), named("G"))
        after.remove(quad)
        begin = time.process_time()
        [violation] = guard.new_violations(before, after, [quad])
        seconds.append(time.process_time() - begin)
        assert violation.focus == nodes[9].value
    assert seconds[1] < 0.5, "some milliseconds are usual, whatever the size"


def test_what_was_broken_before_and_what_is_not_the_users_is_let_be() -> None:
    guard = guard_of(SHAPES["counts"])
    before, after = Store(), Store()
    own = NamedNode(IRIS.base + "chunk/1")
    broken = [
        Quad(named("n1"), TYPE, named("A")),
        *(Quad(named("n1"), named("p"), Literal(n)) for n in (1, 2)),
    ]
    before.extend(broken)
    after.extend([*broken, Quad(named("n1"), named("p"), Literal(3)), Quad(own, TYPE, named("A"))])
    after.extend(Quad(own, named("p"), Literal(number)) for number in (1, 2))
    after.extend([Quad(named("n2"), TYPE, named("A")), Quad(named("n2"), named("p"), Literal(1))])
    after.add(Quad(named("n2"), named("p"), Literal(2), NamedNode(IRIS.resources_graph)))  # derived
    assert guard.new_violations(before, after, None) == []


def test_what_becomes_a_target_was_not_broken_before() -> None:
    guard = guard_of(":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:minCount 1 ] .")
    before, after, quad = Store(), Store(), Quad(named("n1"), TYPE, named("A"))
    before.add(Quad(named("n1"), named("q"), Literal(1)))
    after.extend([*before, quad])
    assert len(guard.new_violations(before, after, [quad])) == 1


def test_the_report_is_that_of_shacl() -> None:
    after = Store()
    after.extend(twice_p("n1"))
    found = guard_of(
        SHAPES["counts"].replace("maxCount 1", "maxCount 1 ; sh:severity sh:Warning")
    ).new_violations(Store(), after, None)
    report = Store()
    report.extend(
        Quad(*each.triple) for each in parse(report_text(each.result for each in found), RdfFormat.N_TRIPLES)
    )
    asked = """PREFIX sh: <http://www.w3.org/ns/shacl#> SELECT ?focus ?path ?severity ?component {
        ?report a sh:ValidationReport ; sh:conforms false ; sh:result [ a sh:ValidationResult ;
            sh:focusNode ?focus ; sh:resultPath ?path ; sh:resultSeverity ?severity ;
            sh:sourceConstraintComponent ?component ; sh:sourceShape [ sh:maxCount 1 ] ] }"""
    [row] = report.query(asked)
    names = [row[each].value.rpartition("/")[2] for each in ("focus", "path", "severity", "component")]
    assert names == ["n1", "p", "shacl#Warning", "shacl#MaxCountConstraintComponent"]


@pytest.mark.parametrize(
    "text",
    [
        ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:maxCount 1 ] .",
        ':S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :p ; sh:minCount "x" ] .',
    ],
)
def test_shapes_that_are_none_are_refused(text: str) -> None:
    after = Store()
    after.add(Quad(named("n1"), TYPE, named("A")))
    with pytest.raises(InputError, match="the shapes"):
        guard_of(text).new_violations(Store(), after, None)
