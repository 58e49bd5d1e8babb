"""Hops over rare words: from the first chunks to what shares with them what the question does not name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.retrieval.channels.word_hops import word_hops
from sage_ld.retrieval.chunks.chunk_table import ChunkTable

TEXTS = {
    "letter.md": "Please fill in the carers' form and hand it to Siobhan at the counter.",
    "phones.md": "Siobhan Keane: extension 215, on leave until May.",
    "rules.md": "The carers' form is free. Cards are handed out at the counter.",
    "pool.md": "Swimming lessons begin in May.",
}


@pytest.fixture
def graph(tmp_path: Path) -> KnowledgeGraph:
    (tmp_path / "files").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "files" / name).write_text(text)
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([tmp_path / "files"])
    return made


def led(graph: KnowledgeGraph, asked: frozenset[str]) -> dict[str, float]:
    """Document that a hop from the letter leads to → its weight."""
    snapshot, retriever = graph.snapshot(), Retriever(graph)
    table, identifiers = ChunkTable.of(snapshot), retriever.identifiers(snapshot)
    names = [identifiers[number] for number in table.documents.tolist()]
    hops = word_hops(snapshot, table, [names.index("letter.md")], asked)
    return {names[at]: weight for at, weight in zip(hops.candidate, hops.weight.tolist(), strict=True)}


def test_what_few_documents_have_leads_from_one_to_the_other(graph: KnowledgeGraph) -> None:
    found = led(graph, frozenset())
    assert found.keys() == {"phones.md", "rules.md"}
    assert found["rules.md"] > found["phones.md"] > 0


def test_what_the_question_names_leads_nowhere(graph: KnowledgeGraph) -> None:
    assert led(graph, frozenset({"siobhan"})).keys() == {"rules.md"}
