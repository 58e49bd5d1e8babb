"""What a revision has in common with the one before is not made again, and is the same as if it were."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest
from graph.canonical import stored_links

from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.indexes import files
from sage_ld.graph.indexes.strings import text_numbers
from sage_ld.graph.store import reading
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.channels.link_hops import LinkHops, LinkLookup, LinkPairs, follow
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

NAMES = [f"Harbour {name}" for name in ("Aren", "Belto", "Dimor", "Fovane", "Gulsk", "Hyde")]
QUESTION = "Who measured the depth of Harbour Belto, and when?"
HUBS = (0, 2, 100)


def page(name: str, chance: random.Random) -> str:
    """A page that names others and links to them, with a text that changes and one that never does."""
    others = " ".join(f"[{each}](h{NAMES.index(each)}.md)" for each in chance.sample(NAMES, 2))
    rows = "".join(f"| {each} | {chance.randrange(90)} |\n" for each in chance.sample(NAMES, 3))
    return (
        f"# {name}\n\nMira Ansel measured {name}.\n\n## Past {chance.randrange(9)}\n\nIt is by {others}.\n\n"
        f"| Place | Depth |\n|---|---|\n{rows}"
    )


def changed(graph: KnowledgeGraph, chance: random.Random) -> None:
    number = chance.randrange(len(NAMES))
    identifier = f"h{number}.md"
    if identifier in list(graph.documents) and chance.random() < 0.4:
        graph.delete([identifier])
    else:
        graph.add(page(NAMES[number], chance), identifier=identifier, replace=True)


@contextmanager
def opened_anew(graph: KnowledgeGraph) -> Iterator[KnowledgeGraph]:
    """The graph as a process has it that has not read any of its files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_open_groups", WeakValueDictionary())
        with closing(KnowledgeGraph.open(graph.directory.path)) as anew:
            yield anew


def every_hop(snapshot: Snapshot, hub: int) -> LinkHops:
    rows = np.arange(len(snapshot.vectors))
    priority = lambda seeds, candidates: (candidates - seeds).astype(np.float64)  # noqa: E731
    return follow(snapshot, ChunkTable.of(snapshot), rows, hub, priority, 50)


def links_of(pairs: LinkPairs, snapshot: Snapshot) -> dict[tuple[int, int], list[tuple[float, int]]]:
    """By row and number of the document."""
    links, found = snapshot.links, {}
    for row, document, first, count in zip(
        *(each.tolist() for each in (pairs.rows, pairs.documents, pairs.first, pairs.counts)), strict=True
    ):
        at = first + np.arange(count)
        found[row, document] = list(
            zip(links.confidences[at].tolist(), links.begins[at].tolist(), strict=True)
        )
    assert len(found) == len(pairs)
    return found


def check_tables(graph: KnowledgeGraph) -> None:
    """The tables as the store and the lists of names have them."""
    snapshot = graph.snapshot()
    table, iris = ChunkTable.of(snapshot), list(snapshot.vectors.iris)
    assert dict(table.rows) == {iri: row for row, iri in enumerate(iris)}
    assert [snapshot.lexical.iris[row] for row in snapshot.lexical_rows] == iris
    document_of = {each.iri: each.document for each in reading.chunks(snapshot.store)}
    names = [document_of[iri] for iri in iris]
    assert list(table.iris) == list(dict.fromkeys(names))
    assert [table.iris[number] for number in table.documents] == names
    assert dict(table.numbers) == {name: number for number, name in enumerate(table.iris)}
    assert table.numbered(text_numbers([*table.iris, "x:none"])).tolist() == [*range(len(table.iris)), -1]
    for number, name in enumerate(table.iris):
        assert table.chunks(number).tolist() == [row for row, each in enumerate(names) if each == name]
    check_pairs(graph, table)


def check_pairs(graph: KnowledgeGraph, table: ChunkTable) -> None:
    snapshot, pairs = graph.snapshot(), LinkLookup.of(graph.snapshot())
    expected: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for chunk, links in stored_links(graph).items():
        for each in links:
            if (number := table.numbers.get(each.target)) is not None:
                expected.setdefault((table.rows[chunk], number), []).append((each.confidence, each.begin))
    every = np.arange(len(table.documents))
    assert links_of(pairs.of_chunks(every), snapshot) == expected
    leading = Counter(document for _, document in expected)
    for hub in HUBS:
        found, places = pairs.to_documents(np.arange(len(table.iris)), hub)
        assert places.tolist() == found.documents.tolist()
        few = {pair: links for pair, links in expected.items() if leading[pair[1]] <= hub}
        assert links_of(found, snapshot) == few


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tables_follow_any_changes(tmp_path: Path, seed: int) -> None:
    chance, graph = random.Random(seed), KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add("The survey of all harbours, by Mira Ansel.", identifier="survey.md")
    held = [graph.snapshot()]
    for _ in range(8):
        changed(graph, chance)
        check_tables(graph)
        held = [*held[-1:], graph.snapshot()]
        with opened_anew(graph) as anew:
            followed, made = graph.snapshot(), anew.snapshot()
            for hub in HUBS:
                ours, theirs = every_hop(followed, hub), every_hop(made, hub)
                for name in LinkHops.__slots__:
                    np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            answers = [Retriever(each).retrieve(QUESTION, 8, 5).results for each in (graph, anew)]
            assert answers[0] == answers[1]


def test_revisions_have_their_common_files_in_common(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    for number, name in enumerate(NAMES):
        (tmp_path / f"h{number}.md").write_text(page(name, random.Random(number)), encoding="utf-8")
    graph.ingest(sorted(tmp_path.glob("*.md")))
    first = graph.snapshot()
    graph.add("A word.", identifier="word")
    second = graph.snapshot()
    assert first.vectors.segments[0].group is second.vectors.segments[0].group
    with opened_anew(graph) as anew:
        assert anew.snapshot().vectors.segments[0].group is not second.vectors.segments[0].group
