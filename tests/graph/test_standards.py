"""No graph, nor what OWL 2 RL entails from it and our ontology, contradicts W3C's vocabularies.

Ontology, relation types, the axioms of SKOS, PROV-O, DCAT, CSVW and OA, and a graph are closed by a reasoner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from graph.corpus import FILES, built, write_files
from graph.exports.conftest import sample_quads
from pyoxigraph import Quad, RdfFormat, Triple, parse, serialize
from rdflib import DCAT, OWL, PROV, RDF, SKOS, XSD, BNode, Graph, Literal, URIRef
from reasonable import PyReasoner

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.graph.exports.streams import view

AXIOMS = Path(__file__).parent / "vocabularies" / "w3c.ttl"
CONCEPTS = "[concepts]\nderive = true\nleast_chunks = 1\n"
THESAURUS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix d: <http://example.org/> .
d:crafts a skos:ConceptScheme ; rdfs:label "Lirr Crafts"@en , "Lirrer Handwerk"@de ;
    skos:hasTopConcept d:pottery .
d:wares a skos:Collection ; rdfs:label "Hask Wares"@en ; skos:member d:jar , d:bowl .
d:pottery a skos:Concept ; skos:prefLabel "Sennet Pottery"@en ; skos:inScheme d:crafts ;
    skos:narrower d:jar , d:bowl .
d:jar a skos:Concept ; skos:prefLabel "Osmere Jar"@en , "Osmerer Krug"@de ; skos:altLabel "Osmere Jug"@en ;
    skos:hiddenLabel "Osmere Gar" ; rdfs:label "Osmere Gar" , "Jarre d'Osmere"@fr ; skos:related d:crate .
d:bowl a skos:Concept ; skos:altLabel "Velmoor Bowl" ; skos:broadMatch d:dish ; skos:exactMatch d:cup .
d:crate a skos:Concept ; rdfs:label "Regent Crate"@en , "Regentkiste"@de , "Regent Box"@en .
d:dish a skos:Concept ; skos:prefLabel "Tarn Dish" .
d:cup a skos:Concept ; skos:prefLabel "Tarn Cup" .
"""
PAGE = """# Lirr Crafts

Lirr Crafts are shown with Hask Wares: the Osmere Jar, the Osmere Jug, the Velmoor Bowl and the Regent Crate
of Mira Tolland. Sennet Pottery, the Tarn Dish, the Tarn Cup and the Osmere Gar are made in Hask.
"""


DISJOINT = (
    ("S9", SKOS.Concept, SKOS.ConceptScheme),
    ("S37", SKOS.Collection, SKOS.Concept),
    ("S37", SKOS.Collection, SKOS.ConceptScheme),
)
CLASHING = (
    ("S13", SKOS.prefLabel, SKOS.altLabel),
    ("S13", SKOS.prefLabel, SKOS.hiddenLabel),
    ("S13", SKOS.altLabel, SKOS.hiddenLabel),
    ("S27", SKOS.related, SKOS.broaderTransitive),
    ("S27", SKOS.related, SKOS.narrowerTransitive),
    ("S46", SKOS.exactMatch, SKOS.broadMatch),
    ("S46", SKOS.exactMatch, SKOS.narrowMatch),
    ("S46", SKOS.exactMatch, SKOS.relatedMatch),
)


def closed(triples: Iterable[Triple]) -> Graph:
    """A graph with the ontology, the axioms, and all that follows by OWL 2 RL."""
    graph = Graph()
    for name in (package_files.ONTOLOGY, "ontology/relations.ttl"):
        graph.parse(data=package_files.read_text(name), format="turtle")
    graph.parse(AXIOMS)
    graph.parse(data=serialize(triples, format=RdfFormat.N_TRIPLES), format="nt")
    reasoner = PyReasoner()
    reasoner.from_graph(graph)
    for subject, predicate, value in reasoner.reason():
        if isinstance(value, Literal) and value.datatype == XSD.string:
            value = Literal(str(value))  # rdflib takes it for another literal than one without a datatype
        if not isinstance(subject, Literal):  # generalised RDF
            graph.add((subject, predicate, value))
    return graph


def rdf_11(quads: Iterable[Quad]) -> list[Triple]:
    """What readers of RDF 1.1 see, each statement once."""
    return list(dict.fromkeys(quad.triple for quad in view(quads, "1.1")))


@pytest.fixture(scope="module", params=["sample", "corpus", "thesaurus"])
def triples(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Triple]:
    if request.param == "sample":
        return rdf_11(sample_quads())
    folder = tmp_path_factory.mktemp(request.param)
    files = FILES if request.param == "corpus" else {"crafts.ttl": THESAURUS, "crafts.md": PAGE}
    (folder / "recipe.toml").write_text(CONCEPTS, "utf-8")
    graph = built(folder / "kg", write_files(folder / "files", files), recipe=str(folder / "recipe.toml"))
    return rdf_11(graph.snapshot().store)


@pytest.fixture(scope="module")
def closure(triples: list[Triple]) -> Graph:
    return closed(triples)


def test_no_integrity_condition_of_skos_is_broken(closure: Graph) -> None:
    assert list(skos_faults(closure)) == []


def test_nothing_is_in_two_disjoint_classes_and_nothing_is_another_thing(closure: Graph) -> None:
    assert list(class_faults(closure)) == []
    assert identity_faults(closure) == []


def test_only_what_is_stated_to_be_a_concept_is_one(triples: list[Triple], closure: Graph) -> None:
    """So nothing of ours is in the way of the user's concepts; those that we derive have a scheme of ours."""
    stated = {each.subject.value for each in triples if is_typed(each, v.CONCEPT)}
    own = {str(each) for each in closure.subjects(RDF.type, SKOS.Concept) if "/id/" in str(each)}
    concepts = {str(s) for s in closure.subjects(URIRef(v.CHUNKS_ABOUT))}
    assert own == concepts <= stated
    for each in own:
        assert str(closure.value(URIRef(each), SKOS.inScheme)).endswith("/id/scheme/concepts")
    ontology = set(Graph().parse(data=package_files.read_text("ontology/relations.ttl")).all_nodes())
    others = set(closure.subjects(RDF.type, SKOS.Concept)) - ontology
    assert {str(each) for each in others} <= stated | {"http://example.org/cup", "http://example.org/dish"}


def test_entities_of_ours_are_in_a_scheme_of_ours(triples: list[Triple]) -> None:
    entities = {e.subject.value for e in triples if is_typed(e, v.ENTITY) and "/id/" in e.subject.value}
    within = {e.subject.value for e in triples if e.predicate.value == v.IN_SCHEME and "/entities>" in str(e)}
    assert entities
    assert within == entities


def test_every_resource_keeps_to_the_domains_of_others(closure: Graph) -> None:
    """An entailed class of PROV or DCAT is one that the ontology means."""
    activities = {str(each) for each in closure.subjects(RDF.type, PROV.Activity)}
    kinds = [URIRef(each) for each in (v.BUILD, v.RETRIEVAL, v.MODEL_CALL)]
    assert activities == {str(each) for kind in kinds for each in closure.subjects(RDF.type, kind)}
    assert not set(closure.subjects(RDF.type, DCAT.Dataset))
    assert not any("nif-core#" in str(term) for term in closure.predicates())


def is_typed(triple: Triple, cls: str) -> bool:
    return triple.predicate.value == v.TYPE and str(triple.object) == f"<{cls}>"


def skos_faults(graph: Graph) -> Iterator[str]:
    """What breaks S9, S13, S14, S27, S37 or S46 of the SKOS reference."""
    for name, one, other in DISJOINT:
        for each in set(graph.subjects(RDF.type, one)) & set(graph.subjects(RDF.type, other)):
            yield f"{name}: {each} is a {one} and a {other}"
    for name, one, other in CLASHING:
        for subject, value in graph.subject_objects(one):
            if (subject, other, value) in graph:
                yield f"{name}: {subject} {one} and {other} {value}"
    yield from label_faults(graph)


def label_faults(graph: Graph) -> Iterator[str]:
    """What has two preferred labels in one language (S14)."""
    for subject in set(graph.subjects(SKOS.prefLabel)):
        labels = [each for each in graph.objects(subject, SKOS.prefLabel) if isinstance(each, Literal)]
        for language, count in Counter((each.language or "").lower() for each in labels).items():
            if count > 1:
                yield f"S14: {subject} has {count} preferred labels in {language!r}"


def class_faults(graph: Graph) -> Iterator[str]:
    """What is in two disjoint classes, or joined to itself where that may not be."""
    for one, other in graph.subject_objects(OWL.disjointWith):
        for each in set(graph.subjects(RDF.type, one)) & set(graph.subjects(RDF.type, other)):
            yield f"{each} is a {one} and a {other}"
    for each in graph.subjects(RDF.type, OWL.Nothing):
        yield f"{each} is nothing"
    for name in graph.subjects(RDF.type, OWL.IrreflexiveProperty):
        yield from (f"{one} {name} itself" for one, other in graph.subject_objects(name) if one == other)


def identity_faults(graph: Graph) -> list[tuple[object, object]]:
    """What is entailed to be another resource."""
    pairs = graph.subject_objects(OWL.sameAs)
    return [(one, other) for one, other in pairs if one != other and not isinstance(one, BNode)]


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("<x:a> sage:chunksAbout 2 ; a skos:ConceptScheme .", "S9"),
        ("<x:a> skos:closeMatch <x:b> . <x:b> skos:member <x:c> .", "S37"),
        ("<x:a> skos:prefLabel 'a' ; skos:hiddenLabel 'a' .", "S13"),
        ("<x:a> skos:prefLabel 'a'@de , 'b'@de .", "S14"),
        ("<x:a> skos:related <x:c> ; skos:broader <x:b> . <x:b> skos:broader <x:c> .", "S27"),
        ("<x:a> skos:exactMatch <x:b> . <x:b> skos:exactMatch <x:c> . <x:a> skos:broadMatch <x:c> .", "S46"),
    ],
)
def test_a_contradiction_is_found(statement: str, fault: str) -> None:
    prefixes = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in v.PREFIXES.items())
    triples = [each.triple for each in parse((prefixes + statement).encode(), RdfFormat.TURTLE)]
    assert {each.partition(":")[0] for each in skos_faults(closed(triples))} == {fault}
