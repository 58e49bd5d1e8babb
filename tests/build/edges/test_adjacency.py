import numpy as np
import pytest

from sage_ld.build.edges import next_weights
from sage_ld.build.encoders import load_encoder


@pytest.mark.parametrize("count", [0, 1, 2, 600])
def test_each_chunk_is_compared_with_the_next(count):
    raw = np.random.default_rng(0).normal(size=(count, 5))
    vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    expected = np.clip((vectors[:-1] * vectors[1:]).sum(axis=1), 0, 1)
    assert next_weights(vectors, lambda a, b: a @ b.T) == pytest.approx(expected, abs=2e-6)


def test_the_lexical_encoder_measures_in_its_own_way():
    encoder = load_encoder("jaccard")
    vectors = encoder.encode(["the red house", "the blue house", "nothing alike"])
    assert next_weights(vectors, encoder.similarity).tolist() == [0.5, 0.0]
