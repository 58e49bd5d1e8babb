"""The concepts of a graph for its users: listed, explained, looked up and exported."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, parse

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports.concepts import FORMATS

RECIPE = "[concepts]\nderive = true\n"
TEXTS = (
    "The jury of the Osmere Film-Festival met in June.",
    "Ruth Calloway opened the Osmere Film Festival.",
    "Nils Garrow left the Osmere Film Festival to the Sennet Awards of 1998.",
    "Mira Tolland won the Sennet-Awards, and the Sennet Awards of 1999.",
)
YOURS = "http://example.org/festival"
THESAURUS = f"""PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
<{YOURS}> a skos:Concept ; skos:prefLabel "Osmere Film Festival" ; skos:altLabel "Osmere Gala" .
""".encode()


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("concepts")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard", recipe=str(folder / "recipe.toml"))
    for number, text in enumerate(TEXTS):
        made.add(text, identifier=str(number))
    return made


def test_those_of_the_most_chunks_come_first(graph: KnowledgeGraph) -> None:
    festival, awards = graph.concepts()
    assert (festival.label, festival.aliases, festival.chunks) == (
        "Osmere Film Festival", ("Osmere Film-Festival",), 3
    )  # fmt: skip
    assert (awards.label, awards.chunks) == ("Sennet Awards", 2)
    assert graph.iris.entity("osmere film festival") in festival.matches
    assert graph.concepts("film-FEST") == (festival,)
    assert graph.concepts("opera") == ()


def test_a_term_is_explained_by_the_rule_and_cosine_of_each_pair(graph: KnowledgeGraph) -> None:
    explanation = graph.explain_term("OSMERE FILM-FESTIVAL")
    assert (explanation.term, explanation.known) == ("Osmere Film-Festival", True)
    assert explanation.concept == graph.concepts()[0]
    ((left, right, reason, cosine),) = explanation.evidence
    assert (left, right, reason) == ("Osmere Film Festival", "Osmere Film-Festival", "spelling")
    assert cosine == pytest.approx(1.0)


def test_a_term_that_stands_alone_is_explained_by_what_keeps_others_apart(graph: KnowledgeGraph) -> None:
    explanation = graph.explain_term("Sennets Award 3")
    assert (explanation.known, explanation.concept, explanation.evidence) == (False, None, ())
    assert graph.explain_term("Ruth Calloway").known
    near = graph.explain_term("Osmere Film Festivals").near_misses
    assert [each.term for each in near] == ["Osmere Film Festival", "Osmere Film-Festival"]
    assert {each.reason for each in near} == {"inflection, below its least cosine 0.85"}
    assert graph.explain_term("Osmere FilmFestival").near_misses[0].reason == "spelling"


def test_a_lookup_has_the_table_of_the_graph(graph: KnowledgeGraph) -> None:
    lookup = graph.canonical_lookup()
    assert lookup.canonical("osmere film-festival") == "Osmere Film Festival"
    assert lookup.canonical("opera") == "opera"
    assert graph.canonical_lookup(0.2).canonical("the Osmere Film Festival again") == "Osmere Film Festival"


def test_exports_have_all_terms(graph: KnowledgeGraph) -> None:
    found = graph.concepts()
    table = {each: concept.label for concept in found for each in concept.terms}
    assert json.loads(FORMATS["synonyms"](found)) == table
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](found))))
    assert [(row["label"], row["chunks"]) for row in rows] == [
        (each.label, str(each.chunks)) for each in found
    ]
    assert [row["aliases"].split("|") for row in rows] == [list(each.aliases) for each in found]
    assert [each["label"] for each in json.loads(FORMATS["json"](found))] == [each.label for each in found]
    quads = list(parse(FORMATS["turtle"](found), RdfFormat.TURTLE))
    labels = {
        q.object.value: q.subject.value for q in quads if q.predicate.value in (v.PREF_LABEL, v.ALT_LABEL)
    }
    assert labels == {each: concept.iri for concept in found for each in concept.terms}


def test_turtle_tells_a_concept_of_yours_from_an_entity(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(tmp_path / "recipe.toml"))
    made.add(THESAURUS, file_name="thesaurus.ttl")
    for number, text in enumerate(TEXTS):
        made.add(text, identifier=str(number))
    festival = made.concepts("osmere film festival")
    said = {(q.predicate.value, q.object.value) for q in parse(FORMATS["turtle"](festival), RdfFormat.TURTLE)}
    assert (v.EXACT_MATCH, YOURS) in said
    assert (v.FOCUS, YOURS) not in said
    assert festival[0].exact_matches == (YOURS,)
    assert YOURS in festival[0].matches


def test_what_an_update_has_written_beside_them_is_no_concept(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add(TEXTS[0], identifier="one")
    name, label = NamedNode(graph.iris.concepts_graph), NamedNode(v.PREF_LABEL)
    one, other = NamedNode("http://example.org/one"), NamedNode("http://example.org/other")
    with graph.writer() as writer:
        writer.change().extend(
            [
                Quad(one, label, Literal("film"), name),
                Quad(one, label, Literal("film"[::-1]), name),
                Quad(one, NamedNode(v.FOCUS), Literal("no IRI"), name),
                Quad(other, NamedNode(v.ALT_LABEL), Literal("without a preferred label"), name),
                Quad(BlankNode(), label, Literal("blank"), name),
            ]
        )
        writer.publish()
    (found,) = graph.concepts()
    assert found == (one.value, "film", (), 0, (), (), ())
    assert all(form((found,)) for form in FORMATS.values())
