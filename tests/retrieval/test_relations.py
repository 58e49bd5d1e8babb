"""The channel `relation`: edges that users state, and statements of their RDF by the same properties."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNEL_NAMES, RELATION, Hubs
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.question import Answer
from sage_ld.foundation.recipes import Ranking, adjusted
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes.curated_edges import EdgeDraft
from sage_ld.graph.store import reading
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.channels.expansion import expand
from sage_ld.retrieval.channels.relations import followed_relations

PAGES = {
    "pump.md": "# Pump\n\nThe pump of the ferry moves bilge water overboard.",
    "seal.md": "# Seal\n\nA ring of rubber. It is replaced every spring.",
    "engine.md": "# Engine\n\nAn engine with eight cylinders, built by Hask and Lirr.",
    "crew.md": "# Crew\n\nPiet Ansgar mends what breaks. Piet Ansgar sleeps aft.",
    "kiosk.md": "# Kiosk\n\nCoffee and newspapers.",
}
RDF = """@prefix ex: <http://example.org/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:valve rdfs:label "Float valve" ; rdfs:comment "Shuts off at high water." ; dcterms:requires ex:spring .
ex:spring rdfs:label "Coil spring" ; rdfs:comment "Made of brass." .
"""
QUESTION = "Which pump moves bilge water?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ship")
    for name, text in (PAGES | {"parts.ttl": RDF}).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def bare(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Only pages, with no relation between them."""
    made = KnowledgeGraph.create(tmp_path_factory.mktemp("bare") / "graph", encoder="jaccard")
    made.ingest([folder / name for name in PAGES])
    return made


@pytest.fixture(scope="module")
def ship(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    made = KnowledgeGraph.create(tmp_path_factory.mktemp("ship") / "graph", encoder="jaccard")
    made.ingest([folder])
    ansgar = made.iris.entity("piet ansgar")
    made.edges.add_all(
        [
            EdgeDraft(chunk_of(made, "seal.md"), "part_of", "pump.md", 0.5, "2020-01-01", "2022-12-31"),
            EdgeDraft("pump.md", "depends_on", "engine.md"),
            EdgeDraft(ansgar, "uses", chunk_of(made, "pump.md")),
            EdgeDraft("kiosk.md", "http://example.org/besides", "pump.md", 0.5),
            EdgeDraft("http://example.org/valve", "part_of", "pump.md"),
        ]
    )
    return made


def chunk_of(graph: KnowledgeGraph, identifier: str) -> str:
    return reading.chunks_of(graph.snapshot().store, graph.iris.document(identifier))[0]


def steps(
    graph: KnowledgeGraph, seed: str, names: Sequence[str] | None = None, day: str = "", reach: int = 50
) -> list[PathStep]:
    snapshot = graph.snapshot()
    relations = followed_relations(snapshot, names, day)
    iris = snapshot.vectors.iris
    return expand(snapshot.store, [seed], [RELATION], iris, Hubs(10, 50, reach), relations=relations)


def told(found: Sequence[PathStep]) -> dict[str, float]:
    return {step.kind: step.weight for step in found}


def test_relations_are_followed_from_chunks_documents_entities_and_resources(ship: KnowledgeGraph) -> None:
    found = steps(ship, chunk_of(ship, "pump.md"))
    by_kind = {step.kind: step for step in found}
    del (others := told(found))["has_part"]
    assert others == {"depends_on": 0.9, "used_by": 0.85, "^besides": 0.15}
    assert sorted(step.weight for step in found if step.kind == "has_part") == [0.475, 0.95]
    assert by_kind["used_by"].chunk == chunk_of(ship, "crew.md")
    assert by_kind["depends_on"].properties == (
        v.IS_PART_OF, "https://w3id.org/sage-ld/relations#dependsOn", f"^{v.IS_PART_OF}"
    )  # fmt: skip
    assert by_kind["depends_on"].via == (ship.iris.document("pump.md"), ship.iris.document("engine.md"))
    edge = ship.edges.get(by_kind["used_by"].edges[0])
    assert (edge.source, edge.target) == (ship.iris.entity("piet ansgar"), chunk_of(ship, "pump.md"))


def test_a_relation_is_followed_back_under_the_name_of_its_inverse(ship: KnowledgeGraph) -> None:
    assert told(steps(ship, chunk_of(ship, "engine.md"))) == {"required_by": 0.9}
    assert told(steps(ship, chunk_of(ship, "seal.md"))) == {"part_of": 0.475}
    assert told(steps(ship, chunk_of(ship, "kiosk.md"))) == {"besides": 0.15}


def test_a_statement_of_rdf_by_a_property_of_the_table_is_a_relation_without_an_edge(
    ship: KnowledgeGraph,
) -> None:
    chunks = {each.chunk.name: each.iri for each in reading.chunks(ship.snapshot().store)}
    (step,) = [step for step in steps(ship, chunks["Float valve"]) if step.chunk == chunks["Coil spring"]]
    assert (step.kind, step.weight, step.edges) == ("depends_on", 0.9, ())
    (back,) = steps(ship, chunks["Coil spring"])
    assert (back.kind, back.chunk) == ("required_by", chunks["Float valve"])


def test_types_are_chosen_with_their_inverses(ship: KnowledgeGraph) -> None:
    pump = chunk_of(ship, "pump.md")
    assert told(steps(ship, pump, ["depends on"])) == {"depends_on": 0.9}
    assert told(steps(ship, pump, ["required_by"])) == {"depends_on": 0.9}
    assert told(steps(ship, pump, ["http://example.org/besides"])) == {"^besides": 0.15}
    assert steps(ship, pump, ["extends"]) == []


@pytest.mark.parametrize(
    ("day", "valid"),
    [("2019-12-31", False), ("2020-01-01", True), ("2022-12-31", True), ("2023-01-01", False), ("", True)],
)
def test_an_edge_counts_on_the_days_on_which_it_is_valid(ship: KnowledgeGraph, day: str, valid: bool) -> None:
    assert bool(steps(ship, chunk_of(ship, "seal.md"), day=day)) is valid


def test_a_hub_is_not_followed(ship: KnowledgeGraph) -> None:
    pump = chunk_of(ship, "pump.md")
    assert "has_part" in told(steps(ship, pump, reach=2))
    assert "depends_on" in told(steps(ship, pump, reach=1))
    assert steps(ship, pump, reach=0) == []


def asked(graph: KnowledgeGraph, ranking: Ranking = Ranking.LEARNED, **how: object) -> Answer:
    given = adjusted(graph.recipe.retrieval, {"ranking": ranking})
    return Retriever(graph, given).retrieve(QUESTION, 8, 7, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SHARED, Ranking.PAGERANK, Ranking.SAGEDB])
def test_a_search_follows_relations_unless_told_otherwise(ship: KnowledgeGraph, ranking: Ranking) -> None:
    def reached(**how: object) -> dict[str, str]:
        results = asked(ship, ranking, **how).results
        return {
            result.view.identifier: result.path[-1].kind
            for result in results
            if result.path and result.path[-1].channel == RELATION
        }

    everything = reached()
    assert {"engine.md", "seal.md"} <= everything.keys()
    assert reached(relations=["depends_on"]) == {"engine.md": "depends_on"}
    assert "seal.md" in reached(as_of="2021-06-01")
    assert "seal.md" not in reached(as_of="2026-11-23")
    assert reached(channels=["link", "entity", "statement"]) == {}


@pytest.mark.parametrize("ranking", Ranking)
def test_without_relations_all_is_as_without_the_channel(bare: KnowledgeGraph, ranking: Ranking) -> None:
    others = [name for name in bare.recipe.retrieval.channels if name != RELATION]
    assert asked(bare, ranking).results == asked(bare, ranking, channels=others).results


def test_an_answer_says_what_was_followed_and_only_what_the_graph_says(ship: KnowledgeGraph) -> None:
    document = answer_jsonld(asked(ship, relations=["depends_on"], as_of="2026-11-23"))
    activity = document["wasGeneratedBy"]
    assert (activity["onlyRelation"], activity["asOf"]) == (["depends_on"], "2026-11-23")
    (step,) = [
        step
        for result in document["itemListElement"]
        for step in result["path"]
        if step["channel"] == [RELATION]
    ]
    assert step["edge"]["type"] == ["CuratedEdge"]
    edge = NamedNode(step["edge"]["id"])
    assert list(ship.snapshot().store.quads_for_pattern(edge, None, NamedNode(v.CURATED_EDGE)))
    plain = answer_jsonld(asked(ship))["wasGeneratedBy"]
    assert not {"onlyRelation", "asOf"} & plain.keys()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"relations": ["partof_"]}, "part_of"),
        ({"relations": "part_of"}, "list of strings"),
        ({"relations": []}, "relations is empty"),
        ({"relations": [v.IS_PART_OF]}, "describes the structure of a graph"),
        ({"as_of": "2026"}, "day of the calendar"),
        ({"as_of": "2026-02-30"}, "day of the calendar"),
        ({"as_of": 2026}, "day of the calendar"),
    ],
)
def test_what_does_not_fit_is_refused(ship: KnowledgeGraph, how: dict[str, object], words: str) -> None:
    for from_graph in (0, 3):
        with pytest.raises(InputError, match=words):
            Retriever(ship).retrieve(QUESTION, 4, from_graph, **how)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=words):
            Retriever(ship).retrieve(QUESTION, 4, from_graph, channels=["link"], **how)  # type: ignore[arg-type]


def test_edges_that_users_state_are_no_similarity(ship: KnowledgeGraph) -> None:
    snapshot = ship.snapshot()
    iris = snapshot.vectors.iris
    stated = {each.iri for each in ship.edges}
    for name in CHANNEL_NAMES:
        found = expand(
            snapshot.store, iris, [name], iris, Hubs(50, 50), relations=followed_relations(snapshot)
        )
        edges = {edge for step in found for edge in step.edges}
        assert bool(stated & edges) is (name == RELATION)


def test_edges_of_an_entity_stay_when_its_mentions_become_those_of_a_resource(tmp_path: Path) -> None:
    for name in ("pump.md", "crew.md"):
        (tmp_path / name).write_text(PAGES[name], encoding="utf-8")
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([tmp_path / name for name in ("pump.md", "crew.md")])
    edge = made.edges.add(made.iris.entity("piet ansgar"), "uses", chunk_of(made, "pump.md"))
    text = '<http://example.org/piet> <http://www.w3.org/2000/01/rdf-schema#label> "Piet Ansgar" .'
    (tmp_path / "people.ttl").write_text(text, encoding="utf-8")
    made.ingest([tmp_path / "people.ttl"])
    assert [each.iri for each in made.edges] == [edge.iri]
    for seed, other, kind in (("pump.md", "crew.md", "used_by"), ("crew.md", "pump.md", "uses")):
        found = steps(made, chunk_of(made, seed))
        assert (chunk_of(made, other), kind) in {(step.chunk, step.kind) for step in found}
    later = made.edges.add(made.iris.entity("piet ansgar"), "extends", "pump.md")
    assert later.source == "http://example.org/piet"
    made.delete(["people.ttl"])
    assert [each.iri for each in made.edges] == [edge.iri]
    assert "uses" in told(steps(made, chunk_of(made, "crew.md")))
