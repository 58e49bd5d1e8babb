"""Hubs: entries by entities' vectors, resources without text, and samples of what lies beyond a hub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import ENTITY, STATEMENT, Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.rankings import bfs
from sage_ld.lab.rankings.bfs import EntityVectors, cosines, mean_lengths
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.retrieval.channels.expansion import (
    HubSampling,
    expand,
    highest_of_each,
    widened,
    with_sampled_hubs,
)

D = "http://example.org/d/"
PREFIXES = f"@prefix d: <{D}> . @prefix rdfs: <{v.RDFS}> .\n"
BERTHS = 12
QUESTION = "Which boat with a funnel lies where the Grey Plover lies?"


def boats(folder: Path) -> KnowledgeGraph:
    """A quay without any text, where twelve boats lie; every boat's page names Quillport."""
    berths = (
        "".join(f"d:b{number} d:liesAt d:quay .\n" for number in range(BERTHS)) + "d:quay d:ownedBy d:o .\n"
    )
    (folder / "berths.ttl").write_text(PREFIXES + berths, encoding="utf-8")
    names = ["Grey Plover", *(f"Sea Mew {number}" for number in range(1, BERTHS))]
    texts = [
        "A ketch.",
        *("A cutter." if number != 7 else "A tug with a funnel." for number in range(1, BERTHS)),
    ]
    records = "".join(
        f'd:b{number} rdfs:label "{name}" ; rdfs:comment "{text}" .\n'
        for number, (name, text) in enumerate(zip(names, texts, strict=True))
    )
    (folder / "boats.ttl").write_text(PREFIXES + records, encoding="utf-8")
    for number in range(6):
        what = "a funnel" if number == 4 else f"{number} sails"
        (folder / f"{number}.md").write_text(f"# Log {number}\n\nA boat with {what} left for Quillport.\n")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest(sorted((*folder.glob("*.ttl"), *folder.glob("*.md"))))
    return graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return boats(tmp_path_factory.mktemp("hubs"))


def record(graph: KnowledgeGraph, name: str) -> str:
    """The chunk that describes a resource."""
    quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.MAIN_ENTITY), NamedNode(D + name))
    (chunk,) = {quad.subject.value for quad in quads}
    return str(chunk)


def chunk_of(graph: KnowledgeGraph, name: str) -> str:
    document = NamedNode(graph.iris.document(name))
    quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.IS_PART_OF), document)
    (chunk,) = {quad.subject.value for quad in quads} & set(graph.snapshot().vectors.iris)
    return str(chunk)


def test_the_cosine_of_a_mean_is_the_mean_of_products_over_its_length() -> None:
    """(1, 0) and (0, 1) have the mean (1/2, 1/2), of length 0.707; its product with (0.6, 0.8) is 0.7."""
    vectors, starts = np.array([[1, 0], [0, 1], [0.6, 0.8]]), np.array([0, 2])
    lengths = mean_lengths(vectors, starts)
    assert lengths.tolist() == pytest.approx([0.5**0.5, 1.0])
    near = cosines(vectors @ np.array([0.6, 0.8]), starts, lengths)
    assert near.tolist() == pytest.approx([0.7 / 0.5**0.5, 1.0])


def test_the_highest_of_each_group_are_kept_whatever_their_order() -> None:
    groups = np.array([3, 1, 3, 3, 1])
    scores = np.array([0.2, 0.5, 0.9, 0.2, -np.inf])
    assert highest_of_each(groups, scores, 2).tolist() == [True, True, True, False, True]
    assert highest_of_each(groups, scores, 1).tolist() == [False, True, True, False, False]


def test_entities_are_as_near_as_the_mean_of_their_chunks(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = graph.snapshot()
    whole = EntityVectors.of(snapshot)
    query = snapshot.vectors.take(np.array([0]))[0]
    scores = snapshot.vectors.scores(query)
    for each in whole.nearest(scores, 5):
        mean = snapshot.vectors.take(each.chunks).astype(np.float64).mean(axis=0)
        assert each.cosine == pytest.approx(float(mean @ query) / np.linalg.norm(mean), abs=1e-5)
    monkeypatch.setattr(bfs, "_BLOCK", 2)  # mentions, or one entity
    assert bfs._read(snapshot).lengths.tolist() == whole.lengths.tolist()


def test_a_bare_hub_is_gone_over_to_what_fits_the_question_best(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}
    seed, tug = record(graph, "b0"), record(graph, "b7")
    scores = np.zeros(len(rows))
    scores[rows[tug]] = 1.0

    def steps(hub: int, most: int) -> dict[str, tuple[str, tuple[str, ...]]]:
        def read(hubs: Hubs) -> list[PathStep]:
            return expand(snapshot.store, [seed], [STATEMENT], rows, hubs)

        sampling = HubSampling(most, scores) if most else None
        found = with_sampled_hubs(read, Hubs(10, hub), sampling, rows)
        return {step.chunk: (step.kind, step.via) for step in found}

    assert steps(5, 0) == {}
    assert steps(5, 1) == {tug: ("liesAt/^liesAt", (D + "b0", D + "quay", D + "b7"))}
    assert len(steps(5, 3)) == 3
    assert len(steps(50, 1)) == BERTHS - 1  # it is no hub there
    assert widened(Hubs(2_000, 5)) == Hubs(2_000, 1_000)


def test_each_property_of_each_seed_is_a_hub_of_its_own() -> None:
    ways = {"a": ("one", "p"), "b": ("one", "p"), "c": ("one", "q"), "d": ("other", "p"), "e": ("other", "p")}
    steps = [
        PathStep(seed, chunk, STATEMENT, name, 1.0, via=("hub", chunk), properties=(name,))
        for chunk, (seed, name) in ways.items()
    ]
    rows = {chunk: row for row, chunk in enumerate(ways)}
    sampling = HubSampling(1, np.array([0.1, 0.9, 0.2, 0.8, 0.7]))
    found = with_sampled_hubs(lambda hubs: steps if hubs.statement > 5 else [], Hubs(5, 5), sampling, rows)
    assert [each.chunk for each in found] == ["b", "c", "d"]


@pytest.mark.parametrize("ranking", [Ranking.LEARNED, Ranking.SHARED])
def test_an_answer_shows_the_hub_on_its_path(graph: KnowledgeGraph, ranking: Ranking) -> None:
    given = replace(graph.recipe.retrieval, ranking=ranking, entity_hub=2, statement_hub=5, tie_pool=30)
    plain = Retriever(graph, given).retrieve(QUESTION, 31, 30, channels=[STATEMENT, ENTITY])
    assert not any(result.path for result in plain.results)
    assert "hubSample" not in answer_jsonld(plain)["wasGeneratedBy"]
    sampled = Retriever(graph, replace(given, hub_sample=1))
    answer = sampled.retrieve(QUESTION, 31, 30, channels=[STATEMENT, ENTITY])
    assert answer_jsonld(answer)["wasGeneratedBy"]["hubSample"] == 1
    hubs = {via for result in answer.results for step in result.path for via in step.via}
    assert D + "quay" in hubs


def test_an_entity_over_the_limit_leads_to_the_best_of_its_chunks(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    rows = {iri: row for row, iri in enumerate(snapshot.vectors.iris)}
    seed, best = chunk_of(graph, "0.md"), chunk_of(graph, "4.md")
    scores = np.zeros(len(rows))
    scores[rows[best]] = 1.0
    quillport = graph.iris.entity("quillport")

    def reached(hub: int, most: int) -> list[str]:
        def read(hubs: Hubs) -> list[PathStep]:
            return expand(snapshot.store, [seed], [ENTITY], rows, hubs)

        sampling = HubSampling(most, scores) if most else None
        steps = with_sampled_hubs(read, Hubs(hub, 0), sampling, rows)
        return [step.chunk for step in steps if step.via == (quillport,)]

    assert reached(2, 0) == []
    assert reached(2, 1) == [best]
    assert len(reached(2, 3)) == 3
    assert sorted(reached(6, 1)) == sorted(reached(6, 0)) != []


def test_bfs_starts_from_the_nearest_entities_where_the_question_names_none(graph: KnowledgeGraph) -> None:
    given = replace(graph.recipe.retrieval, ranking=Ranking.BFS, hops=1)
    question = "what had sails"
    plain = Retriever(graph, given).retrieve(question, 6, 3)
    assert not any("graph" in result.parts for result in plain.results)
    near = Retriever(graph, replace(given, nearest_entities=1)).retrieve(question, 6, 3)
    assert near.results[0].parts["graph"] == 1.0
    assert answer_jsonld(near)["wasGeneratedBy"]["nearestEntities"] == 1
