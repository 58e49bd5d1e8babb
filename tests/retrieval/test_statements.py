"""The channel `statement`: users' RDF as edges, between records and texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import NamedNode
from retrieval.edgeless import EDGELESS

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import STATEMENT, Hubs
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.question import Mode
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld, triples
from sage_ld.retrieval.channels.expansion import expand

D = "http://example.org/d/"
PREFIXES = f"""@prefix d: <{D}> .
@prefix rdfs: <{v.RDFS}> .
"""
YARDS = 12
FILES = {
    "relations.ttl": PREFIXES
    + """d:v1 d:builtAt d:y3 . d:v2 d:builtAt d:y5 . d:v1 d:crew [ d:captain d:p1 ; d:since 1999 ] .
d:y3 d:heldBy d:h1 . d:h1 d:seat d:t1 .
"""
    + "".join(f"d:n{number} d:registeredIn d:t1 .\n" for number in range(30)),
    "vessels.ttl": PREFIXES
    + """d:v1 rdfs:label "Grey Plover" ; rdfs:comment "A ferry with two funnels." .
d:v2 rdfs:label "Sea Mew" ; rdfs:comment "A tug with one funnel." .
"""
    + "".join(f'd:n{number} rdfs:label "Barge {number}" .\n' for number in range(30)),
    "yards.ttl": PREFIXES
    + "".join(f'd:y{number} rdfs:label "Slip {number}" .\n' for number in range(YARDS))
    + 'd:t1 rdfs:label "Osmere" ; rdfs:comment "A town on the estuary." .\n',
    "people.ttl": PREFIXES + 'd:p1 rdfs:label "Edda Marrin" .\n',
    "slip-3.md": "# Slip 3\n\nOn its cradle stood a steam crane until a storm took it.\n",
    "marrin.md": "# A life\n\nThe sailors trusted Edda Marrin, for she had never lost an anchor.\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("statements")
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([folder / name for name in FILES])
    return made


def record(graph: KnowledgeGraph, name: str) -> str:
    """The chunk that describes a resource."""
    quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.MAIN_ENTITY), NamedNode(D + name))
    (chunk,) = {quad.subject.value for quad in quads}
    return str(chunk)


def page(graph: KnowledgeGraph, name: str) -> str:
    """The only chunk of a document."""
    document = NamedNode(graph.iris.document(name))
    quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.IS_PART_OF), document)
    chunks = {quad.subject.value for quad in quads} & set(graph.snapshot().vectors.iris)
    (chunk,) = chunks
    return str(chunk)


def steps(graph: KnowledgeGraph, seed: str, hub: int = 50) -> dict[str, PathStep]:
    """The steps from a chunk, by the chunk that they lead to."""
    snapshot = graph.snapshot()
    found = expand(snapshot.store, [seed], [STATEMENT], snapshot.vectors.iris, Hubs(10, hub))
    return {step.chunk: step for step in found}


def test_a_statement_joins_two_records_in_both_directions(graph: KnowledgeGraph) -> None:
    there, back = record(graph, "v1"), record(graph, "y3")
    step = steps(graph, there)[back]
    assert (step.kind, step.weight, step.via) == ("builtAt", 1.0, (D + "v1", D + "y3"))
    assert step.properties == (v.MAIN_ENTITY, D + "builtAt", f"^{v.MAIN_ENTITY}")
    step = steps(graph, back)[there]
    assert (step.kind, step.via) == ("^builtAt", (D + "y3", D + "v1"))


def test_a_page_about_a_resource_stands_for_it(graph: KnowledgeGraph) -> None:
    step = steps(graph, record(graph, "v1"))[page(graph, "slip-3.md")]
    assert step.properties == (v.MAIN_ENTITY, D + "builtAt", f"^{v.ABOUT}", f"^{v.IS_PART_OF}")
    step = steps(graph, page(graph, "slip-3.md"))[record(graph, "v1")]
    assert step.properties == (v.IS_PART_OF, v.ABOUT, f"^{D}builtAt", f"^{v.MAIN_ENTITY}")


def test_blank_and_bare_nodes_are_walked_through(graph: KnowledgeGraph) -> None:
    found = steps(graph, record(graph, "v1"))
    assert found[record(graph, "p1")].kind == "crew/captain"
    assert found[record(graph, "p1")].via == (D + "v1", D + "p1")  # the node between is blank
    mentioned = found[page(graph, "marrin.md")]
    assert mentioned.properties[-1] == f"^{v.MENTIONS}"
    bare = steps(graph, record(graph, "y3"))[record(graph, "t1")]
    assert (bare.kind, bare.via) == ("heldBy/seat", (D + "y3", D + "h1", D + "t1"))
    back = steps(graph, page(graph, "marrin.md"))[record(graph, "v1")]
    assert back.kind == "^captain/^crew"


def test_the_more_ways_the_less_the_weight_and_none_over_a_hub(graph: KnowledgeGraph) -> None:
    town, barge = record(graph, "t1"), record(graph, "n7")
    assert steps(graph, barge)[town].weight == 1.0
    weight = steps(graph, town)[barge].weight
    assert 0 < weight < 0.2  # one of thirty
    assert barge not in steps(graph, town, hub=29)
    assert barge in steps(graph, town, hub=30)


NOT_FROM_SEEDS = EDGELESS | {Ranking.SAGEDB_LEGACY, Ranking.BFS, Ranking.ENSEMBLE}
"""Rankings that follow nothing, or only from what the question names, and one that fuses such."""


@pytest.mark.parametrize("ranking", sorted(set(Ranking) - NOT_FROM_SEEDS))
def test_only_the_statement_leads_to_the_answer(graph: KnowledgeGraph, ranking: Ranking) -> None:
    question = "Where did the ferry with two funnels come from?"
    given = replace(graph.recipe.retrieval, ranking=ranking, vector_seeds=1)
    retriever = Retriever(graph, given)
    wanted = page(graph, "slip-3.md")

    def paths(mode: Mode, channels: tuple[str, ...] | None = None) -> dict[str, tuple[PathStep, ...]]:
        answer = retriever.retrieve(question, 8, 7, mode=mode, channels=channels)
        return {result.view.iri: result.path for result in answer.results}

    assert wanted not in paths(Mode.HYBRID)
    assert wanted not in paths(Mode.SAGE, ("link", "entity"))
    assert [step.channel for step in paths(Mode.SAGE)[wanted]] == [STATEMENT]


def test_an_answer_names_the_property_and_the_resources(graph: KnowledgeGraph) -> None:
    answer = Retriever(graph).retrieve("Where did the ferry with two funnels come from?", 8, 7)
    document = answer_jsonld(answer)
    (node,) = (
        step
        for result in document["itemListElement"]  # type: ignore[attr-defined]
        if result["item"]["id"] == page(graph, "slip-3.md")
        for step in result["path"]
    )
    assert node["via"] == [D + "v1", D + "y3"]
    assert f"/<{D}builtAt>/" in node["propertyPath"]
    stated = {triple.object.value for triple in triples(document) if triple.predicate.value == v.PATH_VIA}
    assert {D + "v1", D + "y3"} <= stated


def test_the_properties_follow_the_files(graph: KnowledgeGraph, tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")

    def properties() -> set[str]:
        joining = NamedNode(v.STATEMENT_PROPERTY)
        quads = made.snapshot().store.quads_for_pattern(None, NamedNode(v.TYPE), joining)
        return {quad.subject.value.removeprefix(D) for quad in quads}

    file = tmp_path / "relations.ttl"
    for name in ("vessels.ttl", "marrin.md"):
        (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    made.ingest([tmp_path / "vessels.ttl", tmp_path / "marrin.md"])
    assert properties() == set()
    file.write_text(FILES["relations.ttl"], encoding="utf-8")
    made.ingest([file])
    every = {"builtAt", "crew", "captain", "heldBy", "seat", "registeredIn"}
    assert properties() == every
    file.write_text(PREFIXES + "d:v1 d:builtAt d:y3 .\n", encoding="utf-8")
    made.ingest([file])
    assert properties() == {"builtAt"}
    made.delete(["relations.ttl"])
    assert properties() == set()
