"""minilm: the vectors of the published model, whatever else is in the batch."""

import hashlib
import random

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from sage_ld.encoders import load_encoder, minilm
from sage_ld.encoders.minilm import MiniLM
from sage_ld.errors import InputError
from sage_ld.settings import Settings

WORDS = ["the", "river", "city", "of", "Pittsburgh", "wrote", "1969", "band's", "école", "東京"]
WORDS += ["album-cover,", "(unreleased)", "tower;", "went"]


def sentences(count, longest=90, seed=1):
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(0, longest))) for _ in range(count)]


def readable(encoder, texts):
    counts = encoder.count_tokens(texts)
    return [text for text, count in zip(texts, counts, strict=True) if count <= encoder.max_tokens]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Small matrices on several threads wait for each other when the machine is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=["bf16", "fp32"])
def encoder(request):
    return MiniLM(request.param)


@pytest.fixture(scope="module")
def texts(encoder):
    return readable(encoder, sentences(24))


@pytest.fixture(scope="module")
def vectors(encoder, texts):
    return encoder.encode(texts)


@pytest.fixture(scope="module")
def reference():
    return SentenceTransformer(str(minilm._folder()), device="cpu")


def test_the_vectors_are_those_of_sentence_transformers(texts, vectors, reference):
    cosines = (vectors * reference.encode(texts, normalize_embeddings=True)).sum(axis=1)
    assert cosines.mean() >= 0.999
    assert cosines.min() >= 0.99


def test_fp32_agrees_with_sentence_transformers_to_rounding(reference):
    texts = ["Who sang it?", "", "The Beatles released Abbey Road in 1969."]
    np.testing.assert_allclose(
        MiniLM("fp32").encode(texts), reference.encode(texts, normalize_embeddings=True), atol=2e-6
    )


def test_vectors_are_unit_float32(vectors):
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_vector_depends_on_no_other_text(encoder, texts, vectors):
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert np.array_equal(alone, vectors)


@pytest.mark.parametrize("seed", range(2))
def test_a_vector_depends_on_neither_order_nor_company(encoder, texts, vectors, seed):
    chance = random.Random(seed)
    order = chance.sample(range(len(texts)), len(texts) * 2 // 3)
    others = readable(encoder, sentences(12, seed=seed + 10))
    mixed = encoder.encode([texts[each] for each in order] + others)
    assert np.array_equal(mixed[: len(order)], vectors[order])


@pytest.mark.parametrize("tokens", [1, 100, 4096])
def test_a_vector_does_not_depend_on_the_batch_size(encoder, texts, vectors, tokens, monkeypatch):
    monkeypatch.setattr(minilm, "BATCH_TOKENS", tokens)
    assert np.array_equal(encoder.encode(texts), vectors)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_vector_does_not_depend_on_the_number_of_threads(encoder, texts, vectors, threads, monkeypatch):
    monkeypatch.setitem(encoder.__dict__, "_threads", threads)
    monkeypatch.setattr(minilm, "BATCH_TOKENS", 200)
    assert np.array_equal(encoder.encode(texts), vectors)


def test_torchs_own_threads_stay_as_they_were(encoder, texts):
    torch.set_num_threads(2)
    encoder.encode(texts)
    after = torch.get_num_threads()
    torch.set_num_threads(1)
    assert after == 2


def test_word_pieces_are_counted_as_the_model_reads_them(encoder, reference):
    texts = ["", "Nonso Anozie", "東京タワー", "word " * 300]
    expected = [len(reference.tokenizer.tokenize(text)) for text in texts]
    assert encoder.count_tokens(texts) == expected


def test_the_longest_text_is_encoded_and_a_longer_one_refused(encoder):
    assert encoder.encode(["word " * 254]).shape == (1, 384)
    with pytest.raises(
        InputError, match="255 word pieces, but the encoder minilm reads at most 254; split it"
    ):
        encoder.encode(["short", "word " * 255])


def test_a_question_is_encoded_as_a_text_and_a_long_one_in_windows(encoder):
    assert np.array_equal(encoder.encode_query("Who sang it?"), encoder.encode(["Who sang it?"])[0])
    parts = encoder.encode(["river " * 254, "tower " * 46])
    vector = encoder.encode_query("river " * 254 + "tower " * 46)
    np.testing.assert_allclose(vector, (parts.sum(axis=0) / np.linalg.norm(parts.sum(axis=0))), atol=1e-6)


def test_nothing_to_encode(encoder):
    assert encoder.encode([]).shape == (0, 384)
    assert encoder.count_tokens([]) == []


def test_half_a_surrogate_pair_is_refused(encoder):
    with pytest.raises(InputError, match="surrogate"):
        encoder.encode_query("a\ud800b")


def test_similar_texts_are_near(encoder):
    near, far = encoder.encode(["a band recorded an album", "the chemistry of polymers"])
    question = encoder.encode_query("Which record did the group make?")
    cosines = encoder.similarity(question[None], np.stack([near, far]))
    assert cosines.shape == (1, 2)
    assert cosines[0, 0] > cosines[0, 1] + 0.3


def test_the_fingerprint_names_weights_and_precision():
    assert MiniLM("fp32").fingerprint == "minilm/53aa51172d142c89/fp32"
    assert MiniLM("fp32").fingerprint != MiniLM("bf16").fingerprint


def test_the_precision_is_a_setting():
    assert load_encoder("minilm", Settings(encoder_precision="fp32")).precision == "fp32"
    assert load_encoder("minilm").precision in {"bf16", "fp32"}
    with pytest.raises(InputError, match="'int8' is not a precision; choose one of auto, bf16, fp32"):
        load_encoder("minilm", Settings(encoder_precision="int8"))


def test_altered_weights_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other")
    with pytest.raises(InputError, match=hashlib.sha256(b"other").hexdigest()):
        minilm._check_digest(path)
