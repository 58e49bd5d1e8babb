"""What follows from statements, held against another implementation and against the specifications' rules."""

from __future__ import annotations

import pytest
from owlrl import DeductiveClosure, RDFS_Semantics
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize
from rdflib import Graph
from reasonable import PyReasoner

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.recipes import Reasoning
from sage_ld.graph.derivations.reasoner import Entailment, ReasoningLimits, entailed

X = "http://example.org/"
PREFIXES = f"PREFIX : <{X}>\n" + "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in v.PREFIXES.items())
LIMITS = ReasoningLimits(1_000, 5)
SCHEMA = """
:builtAt rdfs:subPropertyOf :madeAt ; rdfs:domain :Ship ; rdfs:range :Yard .
:madeAt rdfs:subPropertyOf :place ; rdfs:range :Site .
:Yard rdfs:subClassOf :Firm . :Firm rdfs:subClassOf :Agent . :Agent rdfs:subClassOf :Firm .
:kindOf rdfs:subPropertyOf rdfs:subClassOf . :Ferry :kindOf :Ship .
:title rdfs:subPropertyOf rdfs:label .
:plover :builtAt :halvorsen ; :title "Grey Plover"@en ; :madeAt [ :title "A slip" ] . :heron a :Ferry .
"""


def triples(text: str) -> list[Triple]:
    return [each.triple for each in parse((PREFIXES + text).encode(), RdfFormat.TURTLE)]


def short(term: object) -> str:
    text = str(term)
    for name, iri in {"": X, **v.PREFIXES}.items():
        text = text.replace(f"<{iri}", f"{name}:") if text.startswith(f"<{iri}") else text
    return text.rstrip(">")


def said(found: Entailment) -> set[str]:
    return {" ".join(map(short, (each.subject, each.predicate, each.object))) for each in found.statements}


def follows(text: str, regime: Reasoning = Reasoning.OWL_RL, limits: ReasoningLimits = LIMITS) -> set[str]:
    return said(entailed(triples(text), regime, limits))


def test_rdfs_is_what_another_implementation_of_it_gives() -> None:
    """`owlrl` gives more only of what says nothing, and of terms of the schema languages."""
    stated = triples(SCHEMA)
    graph = Graph().parse(data=serialize(stated, format=RdfFormat.N_TRIPLES), format="nt")
    given = set(graph)
    DeductiveClosure(RDFS_Semantics).expand(graph)
    telling = {each for each in set(graph) - given if not says_nothing(*map(str, each))}
    theirs = Graph()
    for each in telling:
        theirs.add(each)
    text = theirs.serialize(format="nt").encode()
    expected = {each.triple for each in parse(text, RdfFormat.N_TRIPLES)}
    ours = entailed(stated, Reasoning.RDFS, LIMITS).statements
    assert {named(each) for each in ours} == {named(each) for each in expected}
    assert len(ours) == len(expected) == 15


def says_nothing(subject: str, predicate: str, value: str) -> bool:
    languages = (v.RDF, v.RDFS, v.OWL, v.XSD)
    trivial = value in (v.RDFS + "Resource", v.RDFS + "Class", v.RDF + "Property", v.RDFS + "Literal")
    return subject.startswith(languages) or trivial or (subject == value and predicate.startswith(languages))


def named(triple: Triple) -> str:
    """A statement, all blank nodes being one."""
    return " ".join("_:" if str(each).startswith("_:") else str(each) for each in triple)


@pytest.mark.parametrize(
    ("stated", "inferred"),
    [
        (":p owl:inverseOf :q . :a :p :b .", {":b :q :a", ":q owl:inverseOf :p"}),
        (
            ":p a owl:TransitiveProperty . :a :p :b . :b :p :c . :c :p :d .",
            {":a :p :c", ":a :p :d", ":b :p :d"},
        ),
        (":p a owl:SymmetricProperty . :a :p :b .", {":b :p :a"}),
        (":p rdfs:domain :C ; rdfs:range :D . :a :p :b .", {":a rdf:type :C", ":b rdf:type :D"}),
        (
            ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :a :p 'x'@en .",
            {":p rdfs:subPropertyOf :r", ':a :q "x"@en', ':a :r "x"@en'},
        ),
        (
            ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C . :a a :A .",
            {":A rdfs:subClassOf :C", ":a rdf:type :B", ":a rdf:type :C"},
        ),
        (
            ":p owl:equivalentProperty :q . :a :q 7 .",
            {":q owl:equivalentProperty :p", ":p rdfs:subPropertyOf :q", ":q rdfs:subPropertyOf :p"}
            | {':a :p "7"^^<http://www.w3.org/2001/XMLSchema#integer'},
        ),
        (":C rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue :v ] . :a a :C .", {":a :p :v"}),
        (":C owl:unionOf ( :A :B ) . :a a :A .", {":a rdf:type :C"}),
        (":r owl:propertyChainAxiom ( :p :q :p ) . :a :p :b . :b :q :c . :c :p :d .", {":a :r :d"}),
        (
            ":r owl:propertyChainAxiom ( :r :p ) . :p rdfs:subPropertyOf :r . "
            ":a :p :b . :b :p :c . :c :p :d .",
            {":a :r :b", ":b :r :c", ":c :r :d", ":a :r :c", ":b :r :d", ":a :r :d"},
        ),
        (":p a owl:FunctionalProperty . :a :p :b , :c .", {":b owl:sameAs :c", ":c owl:sameAs :b"}),
        (
            ":p a owl:InverseFunctionalProperty . :a :p 'mail' . :b :p 'mail' ; :q 1 .",
            {":a owl:sameAs :b", ":b owl:sameAs :a"}
            | {':a :q "1"^^<http://www.w3.org/2001/XMLSchema#integer'},
        ),
        (":a owl:sameAs :b . :b :p :c .", {":b owl:sameAs :a", ":a :p :c"}),
        (
            ":identical rdfs:subPropertyOf owl:sameAs . :a :identical :b .",
            {":a owl:sameAs :b"}
            | {":b owl:sameAs :a"}
            | {":b :identical :b", ":a :identical :a", ":b :identical :a"},
        ),
    ],
)
def test_owl_rl(stated: str, inferred: set[str]) -> None:
    assert follows(stated) == inferred


def test_what_says_nothing_is_left_out() -> None:
    assert (
        follows(
            ":C a owl:Class ; rdfs:subClassOf owl:Thing , :C . :a a :C ; owl:sameAs :a ; rdfs:label 'a' ."
        )
        == set()
    )
    assert follows("", Reasoning.RDFS) == set()


def test_two_values_of_a_functional_property_are_not_one_literal() -> None:
    """The library takes them for one, and says so of whatever has one of them."""
    text = ":p a owl:FunctionalProperty . :a :p '1' , '2' . :b :q '1' ."
    reasoner = PyReasoner()
    reasoner.from_graph(Graph().parse(data=PREFIXES + text, format="turtle"))
    assert {str(each[2]) for each in reasoner.reason() if str(each[1]) == X + "q"} == {"1", "2"}
    assert follows(text) == set()


def test_rdfs_knows_nothing_of_owl() -> None:
    text = (
        ":a owl:sameAs :b . :p owl:inverseOf :q . :C rdfs:subClassOf :D . :D rdfs:subClassOf :C . :a :p :b ."
    )
    assert follows(text, Reasoning.RDFS) == set()


def test_literals_blank_nodes_and_triple_terms_come_out_as_they_were() -> None:
    stated = [
        Triple(NamedNode(X + "p"), NamedNode(v.RDFS + "subPropertyOf"), NamedNode(X + "q")),
        *triples(":a :p 'x'@ar--rtl , 'y\\n\"' , <<( :a :b :c )>> , _:b1 ."),
    ]
    objects = {each.object for each in stated[1:]}
    assert {each.object for each in entailed(stated, Reasoning.RDFS, LIMITS).statements} == objects


def test_names_of_one_resource_do_not_explode() -> None:
    """Statements come by each name, up to a number of names; beyond it, the names are different resources."""
    names = " ".join(f":n{i} owl:sameAs :n{i + 1} ; :p :other{i} ." for i in range(4))
    found = entailed(triples(names), Reasoning.OWL_RL, LIMITS)
    assert found.unmerged == 0
    assert len(found.statements) == 5 * 4 - 4 + 5 * 4 - 4  # pairs, and statements by each of five names
    most = entailed(triples(names + ":n4 owl:sameAs :n5 ."), Reasoning.OWL_RL, LIMITS)
    assert most == Entailment((), 1)


def test_equality_that_follows_from_equality() -> None:
    text = (
        ":p a owl:FunctionalProperty . :a owl:sameAs :b ; :p :c . :b :p :d . :c :q :e . :q rdfs:domain :C ."
    )
    found = follows(text)
    assert {":c owl:sameAs :d", ":d :q :e", ":d rdf:type :C", ":b :p :c", ":a :p :d"} <= found


def test_the_order_of_statements_does_not_matter() -> None:
    stated = triples(SCHEMA + ":p a owl:FunctionalProperty . :plover :p :x , :y . :x owl:sameAs :z .")
    whole = entailed(stated, Reasoning.OWL_RL, LIMITS)
    assert entailed(reversed(stated), Reasoning.OWL_RL, LIMITS) == whole
    assert list(whole.statements) == sorted(whole.statements, key=str)


def test_more_than_the_limit_is_an_error() -> None:
    with pytest.raises(LimitError, match=r"more than 2 statements follow by owl-rl.*max_inferred_statements"):
        follows(
            ":p a owl:TransitiveProperty . :a :p :b . :b :p :c . :c :p :d .", limits=ReasoningLimits(2, 5)
        )


def test_a_literal_is_no_subject() -> None:
    assert follows(":p owl:inverseOf :q ; rdfs:range :C . :a :p 'x' .") == {":q owl:inverseOf :p"}
    assert isinstance(triples(":a :p 'x' .")[0].object, Literal)
