"""Re-encoding a graph: the same graph as one that was made with the other encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph.canonical import canonical
from graph.corpus import write

from sage_ld.build.encoders import Encoder, load_encoder
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

QUESTION = "Who wrote the music of Night Bus to Hask?"


def made(folder: Path, encoder: str) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(folder / encoder.replace(":", "-"), encoder=encoder)
    graph.ingest([write(folder / "corpus")])
    return graph


@pytest.mark.encoder
@pytest.mark.usefixtures("static_table")
@pytest.mark.parametrize(("before", "after"), [("jaccard", "static"), ("static", "jaccard")])
def test_equals_a_graph_made_with_it(tmp_path: Path, before: str, after: str) -> None:
    graph, fresh = made(tmp_path, before), made(tmp_path, after)
    reader = KnowledgeGraph.open(graph.directory.path)
    earlier = reader.snapshot()
    graph.reencode(after)
    assert canonical(graph) == canonical(fresh)
    left, right = graph.snapshot(), fresh.snapshot()
    rows = np.arange(len(right.vectors.iris))
    assert left.vectors.iris == right.vectors.iris
    assert np.array_equal(left.vectors.take(rows), right.vectors.take(rows))
    assert KnowledgeGraph.open(graph.directory.path).configuration == fresh.configuration
    answer, expected = (Retriever(each).retrieve(QUESTION) for each in (reader, fresh))
    assert [(e.view.iri, e.score) for e in answer.results] == [
        (e.view.iri, e.score) for e in expected.results
    ]
    assert reader.encoder_of(earlier).name == before  # who still reads the old revision goes on with it
    (tmp_path / "corpus" / "more.md").write_text("# Hask\n\nNight Bus to Hask stops at the river Lirr.\n")
    for each in (graph, fresh, reader):
        each.ingest([tmp_path / "corpus"])
    assert canonical(graph) == canonical(fresh)


def test_unknown_encoder_and_empty_graph(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    with pytest.raises(InputError, match="unknown encoder 'word2vec'; choose one of minilm"):
        graph.reencode("word2vec")
    assert graph.reencode("static").revision is None
    assert KnowledgeGraph.open(tmp_path / "graph").encoder.name == "static"


@pytest.fixture
def minilm() -> Encoder:
    return load_encoder("minilm:fp32")


def test_chunk_longer_than_the_encoder_reads(minilm: Encoder) -> None:
    """It gets the mean of its parts, all of them; others get what they always get."""
    short, words = "The ferry leaves at noon.", "ferry harbour river bridge " * 200
    other_end = words + "theremin accordion " * 40
    vectors = encode_stored(minilm, [short, words, other_end])
    assert np.array_equal(vectors[:1], minilm.encode([short]))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert not np.allclose(vectors[1], vectors[2], atol=1e-3)
    theremin = minilm.encode_query("theremin accordion")
    assert vectors[2] @ theremin > vectors[1] @ theremin
