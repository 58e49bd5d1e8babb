"""Changes of single documents: they cost what they touch, and relinking gives what a fresh build gives."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from graph.canonical import canonical
from pyoxigraph import NamedNode, Quad

from sage_ld.build.edges.building import Entities
from sage_ld.foundation import processes as workers
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations.edge_input import StoredEntities, entity_matrix
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import PARTS
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.index_table import CHUNK_INDEXES
from sage_ld.retrieval import Retriever

SMALL, LARGE = 40, 400
"""Documents of the graphs that are compared."""
MOST = 1.25
"""How many times as many calls the same change may make in the large graph."""
WORKERS = str(Path(workers.__file__).parent)


def page(name: str, note: str = "") -> str:
    return (
        f"# Page {name} of the survey\n\nMira {name}son measured the Harbour {name}, see [it](x{name}.md). "
        f"She lived in Velmoor.{note}\n\n| Place | Depth |\n|---|---|\n| Harbour {name} | {len(name)} |\n"
    )


def surveyed(folder: Path, count: int, recipe: str = "default") -> KnowledgeGraph:
    files = folder / "files"
    files.mkdir(parents=True)
    for number in range(count):
        name = f"Q{number:04d}"
        (files / f"{name}.md").write_text(page(name), encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard", recipe=recipe)
    graph.ingest([files])
    return graph


@pytest.fixture(scope="module", params=["default", "java"])
def graphs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[KnowledgeGraph, KnowledgeGraph]:
    return (
        surveyed(tmp_path_factory.mktemp("small"), SMALL, request.param),
        surveyed(tmp_path_factory.mktemp("large"), LARGE, request.param),
    )


def calls_of(action: Callable[[], object]) -> int:
    """How many functions an action calls: a loop over all of something calls one for each.

    Those of `workers` are not counted: they look at the clock as long as another process works.
    """
    count = 0

    def counted(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call") and not frame.f_code.co_filename.startswith(WORKERS)

    sys.setprofile(counted)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def search(graph: KnowledgeGraph) -> list[str]:
    results = Retriever(graph).retrieve("Where is the Harbour Zanzibar, which Mira measured?", 6, 3).results
    return [each.view.text for each in results]


def file_of(graph: KnowledgeGraph, note: str = "") -> Path:
    file = graph.directory.path.parent / "files" / "new.md"
    file.write_text(page("Zanzibar", note), encoding="utf-8")
    return file


CHANGES: dict[str, Callable[[KnowledgeGraph], object]] = {
    "adding": lambda graph: graph.ingest([file_of(graph)]),
    "replacing": lambda graph: graph.ingest([file_of(graph, " And she came back.")]),
    "deleting": lambda graph: graph.delete(["new.md"]),
}
"""In the order in which they are made."""


@pytest.mark.growth
def test_a_change_costs_what_it_touches(graphs: tuple[KnowledgeGraph, KnowledgeGraph]) -> None:
    """Counted are the calls of functions, in graphs of which one has ten times the documents of the other."""
    for graph in graphs:  # what is loaded at first use
        CHANGES["adding"](graph)
        CHANGES["deleting"](graph)
    for name, change in CHANGES.items():
        small, large = (calls_of(lambda graph=graph, change=change: change(graph)) for graph in graphs)
        assert large < MOST * small, (name, small, large)


@pytest.mark.growth
def test_the_first_search_after_a_change_costs_what_it_touches(
    graphs: tuple[KnowledgeGraph, KnowledgeGraph],
) -> None:
    """Beyond what the next search costs: opening the revision and making its tables."""
    for graph in graphs:  # what is computed once for all revisions
        CHANGES["adding"](graph)
        search(graph)
        CHANGES["deleting"](graph)
        search(graph)
    for name, change in CHANGES.items():
        more = []
        for graph in graphs:
            change(graph)
            first, then = (calls_of(lambda graph=graph: search(graph)) for _ in range(2))
            more.append(first - then)
        assert more[1] < 1.25 * more[0], (name, more)


@pytest.mark.growth
def test_an_ingest_of_a_folder_costs_what_the_folder_holds(
    graphs: tuple[KnowledgeGraph, KnowledgeGraph],
) -> None:
    """One of three files, new, then unchanged, then with one that has gone."""

    def ingested(graph: KnowledgeGraph) -> int:
        return calls_of(lambda: graph.ingest([folder_of(graph)]))

    def emptied(graph: KnowledgeGraph) -> int:
        (folder_of(graph) / "F1.md").unlink()
        return calls_of(lambda: graph.ingest([folder_of(graph)], sync=True))

    for graph in graphs:
        folder_of(graph).mkdir()
        for name in ("F0", "F1", "F2"):
            (folder_of(graph) / f"{name}.md").write_text(page(name), encoding="utf-8")
        assert graph.ingest([folder_of(graph)], dry_run=True).added == 3
    for change in (ingested, ingested, emptied):
        small, large = map(change, graphs)
        assert large < MOST * small, (small, large)
    for graph in graphs:
        assert graph.ingest([folder_of(graph)], dry_run=True).unchanged == 2
        assert [each for each in graph.documents if "F" in each] == ["more/F0.md", "more/F2.md"]


def folder_of(graph: KnowledgeGraph) -> Path:
    return graph.directory.path.parent / "files" / "more"


def test_each_change_is_seen_by_searches_and_queries(graphs: tuple[KnowledgeGraph, KnowledgeGraph]) -> None:
    graph = graphs[0]
    question = "Where is the Harbour Zanzibar, which Mira Zanzibarson measured?"
    ask = 'ASK { ?document <https://schema.org/identifier> "new.md" }'
    for name, expected in (("adding", True), ("replacing", True), ("deleting", False)):
        CHANGES[name](graph)
        results = Retriever(graph).retrieve(question, 3, 0).results
        assert any("Zanzibar" in each.view.text for each in results) is expected
        assert bool(graph.snapshot().stores.query(ask, most=1)) is expected


def test_a_graph_with_another_base_or_encoder_knows_its_documents(tmp_path: Path) -> None:
    graph = surveyed(tmp_path, 4)
    graph.rebase("http://example.org/other/")
    graph.reencode("jaccard")
    with graph.writer() as writer:
        assert writer.documents.iris == [each.iri for each in sorted_documents(writer.store)]
        assert writer.aspects.is_beside(writer.vectors.segments)
        assert writer.words.iris == writer.vectors.iris


def sorted_documents(store: Store) -> list[StoredDocument]:
    return sorted(reading.documents(store), key=lambda each: each.iri)


def test_a_mention_that_two_graphs_state_is_one(tmp_path: Path) -> None:
    graph = surveyed(tmp_path, 3)
    velmoor = NamedNode(graph.iris.entity("velmoor"))
    with graph.writer() as writer:
        mention = next(writer.store.quads_for_pattern(None, node(v.MENTIONS), velmoor, None))
        again = Quad(mention.subject, mention.predicate, velmoor, NamedNode("http://example.org/also"))
        hub = len(set(mentions(writer.store, velmoor)))
        writer.exchange([], [again])
        assert len(list(mentions(writer.store, velmoor))) == hub + 1 == 4
        writer.mentions.refresh(writer.store)
        entities = StoredEntities(writer.mentions.index, writer.aspects, hub)
        chunks = writer.aspects.positions(set(mentions(writer.store, velmoor)))
        left, right = entities.sharing(chunks, chunks)
        assert len(left) == hub * hub
        similar = entities.block(chunks, chunks)
        np.testing.assert_array_equal(
            similar[left, right], entities.pairs(chunks[left], chunks[right]).astype(np.float32)
        )


def test_what_chunks_share_is_that_of_a_matrix_of_all(tmp_path: Path) -> None:
    """With removed rows, several segments, and chunks that mention nothing."""
    graph = surveyed(tmp_path, SMALL)
    plain = tmp_path / "files" / "plain.md"
    plain.write_text("# plain\n\nit names nothing.\n", encoding="utf-8")
    graph.ingest([plain])
    for name in ("adding", "replacing"):
        CHANGES[name](graph)
    graph.delete(["Q0003.md"])
    with graph.writer() as writer:
        index, aspects = writer.mentions.index, writer.aspects
        chunks = aspects.positions(aspects.iris)
        assert len(index.segments) > 1
        assert len(index) < len(aspects) <= int(chunks.max())
        named = reading.mentions(writer.store)
        of_row = [sorted(named.get(aspects.iri(row), ())) for row in chunks.tolist()]
        every = np.arange(len(chunks))
        for hub in (1, 3, len(chunks)):
            stored, expected = StoredEntities(index, aspects, hub), Entities.of(entity_matrix(of_row), hub)
            left, right = stored.sharing(chunks[::2], chunks)
            np.testing.assert_array_equal((left, right), expected.sharing(every[::2], every))
            np.testing.assert_allclose(
                stored.block(chunks[::2], chunks), expected.block(every[::2], every), rtol=1e-6
            )
            left, right = np.repeat(every, len(every)), np.tile(every, len(every))
            np.testing.assert_allclose(
                stored.pairs(chunks[left], chunks[right]), expected.pairs(left, right), rtol=1e-12
            )


def mentions(store: Store, entity: NamedNode) -> Iterator[str]:
    for quad in store.quads_for_pattern(None, node(v.MENTIONS), entity, None):
        assert isinstance(quad.subject, NamedNode)
        yield quad.subject.value


@pytest.mark.parametrize(("recipe", "seed"), [("default", 0), ("default", 1), ("java", 0)])
def test_after_any_changes_relinking_gives_a_fresh_build(tmp_path: Path, recipe: str, seed: int) -> None:
    """New documents, documents in the place of others, and deletions, in a random order."""
    chance, names = random.Random(seed), [f"Q{number:04d}" for number in range(8)]
    graph = surveyed(tmp_path / "changed", 8, recipe)
    files = tmp_path / "changed" / "files"
    for step in range(10):
        name = chance.choice([*names, f"N{step}"])
        other = chance.choice(names)
        file = files / f"{name}.md"
        if file.exists() and chance.random() < 0.3:
            file.unlink()
            graph.delete([file.name])
        else:
            file.write_text(page(name, f" It is like Page {other} of the survey, {step}."), encoding="utf-8")
            graph.ingest([file])
    graph.relink()
    fresh = KnowledgeGraph.create(tmp_path / "fresh", encoder="jaccard", recipe=recipe)
    fresh.ingest([files])
    assert canonical(graph) == canonical(fresh)


def test_every_index_of_a_revision_is_one_of_the_writer() -> None:
    of_chunks = {each.name for each in CHUNK_INDEXES}
    assert of_chunks | {"documents", "links", "mentions"} == set(PARTS[1:])
