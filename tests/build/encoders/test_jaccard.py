"""jaccard: sets of words, exact and the same everywhere."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.encoders.jaccard import Jaccard, _feature

WORDS = ["red", "blue", "house", "tree", "Émile", "東京", "1969", "river"]
words = st.lists(st.sampled_from(WORDS), max_size=12)


def sets(text):
    return set(re.findall(r"\w+", text.lower()))


@given(words, words)
def test_similarity_is_the_jaccard_index(left, right):
    left, right = " ".join(left), " ".join(right)
    a, b = sets(left), sets(right)
    assert len({_feature(word) for word in a | b}) == len(a | b)
    expected = len(a & b) / len(a | b) if a | b else 0.0
    encoder = Jaccard()
    got = encoder.similarity(encoder.encode([left]), encoder.encode([right]))
    assert got.tolist() == [[np.float32(expected)]]


def test_features_are_the_same_in_every_process():
    assert [_feature(word) for word in ("house", "東京")] == [1491, 1008]


def test_case_and_repetition_do_not_matter():
    encoder = Jaccard()
    once, twice = encoder.encode(["red house", "HOUSE, red house!"])
    assert np.array_equal(once, twice)


def test_shapes():
    encoder = Jaccard()
    assert encoder.encode([]).shape == (0, 2048)
    assert encoder.encode_query("").shape == (2048,)
    assert encoder.encode_query("red").dtype == np.float32
    assert encoder.count_tokens(["red house, Pittsburgh", ""]) == [5, 0]
