"""static: the weighted mean of vectors that the default encoder gives to word pieces."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from sage_ld.build.encoders import load_encoder
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.build.encoders.static import COMPONENTS, Static, distilled
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

TEXTS = [
    "A band recorded an album in the studio.",
    "The chemistry of polymers and large molecules.",
    "",
    "The ship sailed into the harbour at night.",
    "word " * 3000,
]


@pytest.fixture(scope="module")
def encoder(static_table: Path) -> Static:
    return Static(static_table)


def test_vectors_are_unit_rows_and_zeros_for_nothing(encoder: Static) -> None:
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), COMPONENTS)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths == pytest.approx([1, 1, 0, 1, 1], abs=1e-6)
    assert encoder.encode([]).shape == (0, COMPONENTS)


def test_a_vector_depends_on_its_text_alone(encoder: Static) -> None:
    vectors = encoder.encode(TEXTS)
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], vectors)
    assert np.array_equal([encoder.encode_query(text) for text in TEXTS], vectors)
    assert np.array_equal(
        encoder.encode_query("album an recorded band a"), encoder.encode_query(TEXTS[0][:24])
    )


def test_similar_texts_are_near(encoder: Static) -> None:
    question = encoder.encode_query("Which record did the group of musicians make?")
    near, far = encoder.similarity(question[None], encoder.encode(TEXTS[:2]))[0]
    assert near > far + 0.1


def test_the_table_is_distilled_once(
    encoder: Static, static_table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = encoder.encode(TEXTS)
    monkeypatch.setattr(MiniLM, "vectors_of_pieces", lambda _: pytest.fail("it is distilled again"))
    assert np.array_equal(Static(static_table).encode(TEXTS), vectors)


def as_file(table: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, table)
    return file.getvalue()


SIZE = 500
DAMAGED = (
    *(b"", b"\x93NUMPY", b"no table", b"PK\x03\x04"),
    as_file(np.zeros((10, COMPONENTS), np.float32)),
    as_file(np.zeros((SIZE, COMPONENTS))),
    as_file(np.full((SIZE, COMPONENTS), np.nan, np.float32)),
    as_file(np.zeros((SIZE, COMPONENTS), np.float32))[:-1],
)


@pytest.fixture
def few_pieces(monkeypatch: pytest.MonkeyPatch) -> FloatArray:
    """Vectors of a small vocabulary, in the place of the real one's."""
    random = np.random.default_rng(1).random((SIZE, 384), np.float32)
    monkeypatch.setattr(MiniLM, "vectors_of_pieces", lambda _: random)
    monkeypatch.setattr(MiniLM, "count_pieces", lambda _: SIZE)
    return random


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_table_is_distilled_again(content: bytes, tmp_path: Path, few_pieces: FloatArray) -> None:
    encoder = Static(tmp_path)
    path = tmp_path / f"{encoder.fingerprint.replace('/', '-')}.npy"
    path.write_bytes(content)
    assert np.array_equal(encoder._table, distilled(few_pieces))
    assert np.array_equal(np.load(path), distilled(few_pieces))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_where_nothing_can_be_kept_it_is_distilled_all_the_same(
    tmp_path: Path, few_pieces: FloatArray
) -> None:
    (tmp_path / "file").write_text("")
    assert np.array_equal(Static(tmp_path / "file" / "cache")._table, distilled(few_pieces))
    assert np.array_equal(Static()._table, distilled(few_pieces))


def test_frequent_pieces_weigh_less() -> None:
    vectors = np.random.default_rng(2).standard_normal((30_000, 384)).astype(np.float32)
    lengths = np.linalg.norm(distilled(vectors), axis=1)
    assert lengths[:10].mean() < 0.1 * lengths[-10:].mean()


def test_half_a_surrogate_pair_is_refused(encoder: Static) -> None:
    with pytest.raises(InputError, match="surrogate"):
        encoder.encode_query("a\ud800b")


@pytest.mark.usefixtures("static_table")
def test_a_graph_is_built_and_asked_with_it(tmp_path: Path) -> None:
    (tmp_path / "harbour.md").write_text("# Harbour\n\nShips sail into it at night.\n")
    (tmp_path / "polymers.md").write_text("# Polymers\n\nLarge molecules of repeated parts.\n")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="static")
    graph.ingest([tmp_path / "harbour.md", tmp_path / "polymers.md"])
    assert graph.configuration.encoder == "static"
    first = Retriever(graph).retrieve("Where do vessels arrive?", 1, 0).results[0]
    assert first.view.identifier == "harbour.md"
    assert load_encoder("static", Settings.load()).fingerprint == graph.encoder.fingerprint
