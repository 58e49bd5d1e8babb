"""Questions about resources that have `rdfs:label` and nothing else for a name, in two languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.graph import KnowledgeGraph

V, K = "https://clinic.example/vocab#", "https://clinic.example/id/"
CLINIC = f"""
@prefix h: <{V}> .
@prefix k: <{K}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
h:holds rdfs:label "holds certificate" .
h:Course rdfs:label "certificate" .
h:area rdfs:comment "The area in square metres." .
k:a a h:Building ; rdfs:label "Haus A" ; h:built 1974 ; h:area 3500 .
k:c a h:Building ; rdfs:label "Haus C" ; h:built 2015 ; h:area 6200 .
k:w3 a h:Ward ; rdfs:label "Ward 3A"@en, "Station 3A"@de ; h:locatedIn k:a ; h:beds 28 ; h:headNurse k:petra ;
  h:floor 3 .
k:icu a h:Ward ; rdfs:label "Intensive Care Unit"@en, "Intensivstation"@de ; h:locatedIn k:c ; h:beds 16 ;
  h:headNurse k:ali ; h:floor 2 .
k:petra a h:Nurse ; rdfs:label "Petra Lang" ; h:worksOn k:w3 ; h:holds k:c1 .
k:ali a h:Nurse ; rdfs:label "Ali Demir" ; h:worksOn k:icu ; h:holds k:c1, k:c2 .
k:mia a h:Nurse ; rdfs:label "Mia Roth" ; h:worksOn k:icu .
k:c1 a h:Course ; rdfs:label "Wound Care" .
k:c2 a h:Course ; rdfs:label "Life Support" .
"""
DEVICES = """number,device,ward,price,bought
1,Evita,ICU,38900.5,2020-11-20
2,Infusomat,3A,1850.5,2018-03-12
3,Infusomat,ICU,1920,2019-07-01
"""
INCIDENTS = """incident,device,technician,reported
4,Infusomat,Feld,2025-02-27
5,Evita,Wilk,2024-01-15
6,Evita,Feld,2024-03-03
"""
TRAININGS = "title,participants\nEvita basics,14\nWound dressing,31\n"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphQuestions]:
    folder = tmp_path_factory.mktemp("clinic")
    files = {"ttl": CLINIC, "devices": DEVICES, "incidents": INCIDENTS, "trainings": TRAININGS}
    (folder / "in").mkdir()
    for name, text in files.items():
        (folder / "in" / ("clinic.ttl" if name == "ttl" else f"{name}.csv")).write_text(text, "utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([folder / "in"])
    with GraphQuestions(made) as questions:
        yield questions
    made.close()


@pytest.mark.parametrize("question", ["How many wards are there?", "What is the average number of beds?"])
def test_a_number_has_the_sources_of_what_was_counted(clinic: GraphQuestions, question: str) -> None:
    answer = clinic.ask(question, way="grammar")
    assert answer.rows, (answer.query, answer.confidence)
    assert [each.identifier for each in answer.sources] == ["clinic.ttl"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which wards are located in Haus C?", {K + "icu"}),
        ("Who is the head nurse of Ward 3A?", {K + "petra"}),
        ("Who works on the Intensive Care Unit?", {K + "ali", K + "mia"}),
        ("Where does Mia Roth work?", {K + "icu"}),
        ("How many beds does the Intensive Care Unit have?", {16}),
        ("What is the average number of beds?", {22}),
        ("Is Mia Roth a nurse?", {True}),
        ("Is Mia Roth a building?", {False}),
        ("How many participants did the training Evita basics have?", {14}),
        ("What is the cheapest device?", {"Infusomat"}),
        ("Which device is the most expensive?", {"Evita"}),
        ("Which device is the least expensive?", {"Infusomat"}),
        ("What is the latest incident?", {4}),
        ("Which buildings have an area of more than 4000 square metres?", {K + "c"}),
        ("Which nurses hold no certificate?", {K + "mia"}),
        ("Which ward is on floor 2?", {K + "icu"}),
    ],
)
def test_a_question_is_answered(clinic: GraphQuestions, question: str, expected: set[object]) -> None:
    answer = clinic.ask(question, way="grammar")
    assert answer.is_sure, (answer.query, answer.confidence, answer.unused)
    assert {row[0].value for row in answer.rows} == expected


@pytest.mark.parametrize(
    "question",
    [
        "Which nurse holds the most certificates?",
        "Which technician has the most incidents?",
        "Which ward has the most nurses?",
        "How many beds are there?",
        "Was Haus A founded?",
    ],
)
def test_what_may_be_something_else_is_not_sure(clinic: GraphQuestions, question: str) -> None:
    assert not clinic.ask(question, way="grammar").is_sure


def test_a_resource_with_several_names_is_one_row(clinic: GraphQuestions) -> None:
    answer = clinic.ask("Which wards have fewer than 20 beds?", way="grammar")
    assert [[cell.value for cell in row] for row in answer.rows] == [[K + "icu", "Intensive Care Unit"]]


def test_only_documents_that_state_what_was_matched_are_sources(clinic: GraphQuestions) -> None:
    answer = clinic.ask("Which ward has the most beds?", way="grammar")
    assert [row[0].value for row in answer.rows] == [K + "w3"]
    assert [each.identifier for each in answer.sources] == ["clinic.ttl"]
