"""minilm: the vectors of the published model, whatever else is in the batch."""

import ctypes
import hashlib
import json
import random
from ctypes.util import find_library
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest
import torch
from build.encoders import torch_bert
from sentence_transformers import SentenceTransformer

from sage_ld.build.encoders import libtorch, load_encoder, minilm, speed
from sage_ld.build.encoders.cache import load_cached
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.errors import InputError, UnavailableError
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
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module", params=minilm.PRECISIONS)
def encoder(request):
    if request.param == "bf16" and not speed.has_bf16():
        pytest.skip("the processor does not compute in bfloat16; what stands in for it may look at the batch")
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


def test_the_vectors_are_those_of_sentence_transformers(encoder, texts, vectors, reference):
    cosines = (vectors * reference.encode(texts, normalize_embeddings=True)).sum(axis=1)
    mean, least = (0.99, 0.98) if encoder.precision == "int8" else (0.999, 0.99)
    assert cosines.mean() >= mean
    assert cosines.min() >= least


def test_fp32_agrees_with_sentence_transformers_to_rounding(reference):
    texts = ["Who sang it?", "", "The Beatles released Abbey Road in 1969."]
    np.testing.assert_allclose(
        MiniLM("fp32").encode(texts), reference.encode(texts, normalize_embeddings=True), atol=2e-6
    )


def test_the_library_gives_the_same_bits_as_torch_itself(encoder, texts):
    pieces = encoder._pieces(texts)
    reference = torch_bert.mean_vectors(minilm._folder() / "model.safetensors", pieces, encoder.precision)
    batches = [pieces, *([each] for each in pieces[:3])]
    found = [minilm._forward(encoder._model, batch) for batch in batches]
    assert np.array_equal(found[0], reference)
    assert all(np.array_equal(each[0], row) for each, row in zip(found[1:], reference, strict=False))


@pytest.mark.parametrize("has_file", [True, False])
def test_the_processor_computes_in_bf16_where_torch_finds_that_it_does(tmp_path, monkeypatch, has_file):
    """Also on a system that has no file about its processors."""
    if not has_file:
        monkeypatch.setattr(speed, "_PROCESSORS", tmp_path / "none")
    assert speed.has_bf16() == bool(torch.cpu.get_capabilities().get("avx512_bf16"))


def test_a_torch_without_a_function_that_encodes_is_named(monkeypatch):
    other = ctypes.CDLL(find_library("m"))
    monkeypatch.setattr(ctypes, "CDLL", lambda path: other)
    spec = spec_from_file_location("libtorch_of_another_version", libtorch.__file__)
    with pytest.raises(
        UnavailableError, match=rf"torch {torch.__version__.partition('+')[0]}.* has no function"
    ):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.parametrize("error", [ImportError("no libcudart"), OSError("not found")])
def test_a_torch_that_cannot_be_loaded_is_unavailable(monkeypatch, error):
    def fails(path):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", fails)
    with pytest.raises(UnavailableError, match="install sage-ld again"):
        libtorch._library_after_import("libtorch_cpu.so")


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
    monkeypatch.setitem(minilm.BATCH_TOKENS, encoder.precision, tokens)
    assert np.array_equal(encoder.encode(texts), vectors)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_vector_does_not_depend_on_the_number_of_threads(encoder, texts, vectors, threads, monkeypatch):
    monkeypatch.setitem(encoder.__dict__, "_threads", threads)
    monkeypatch.setitem(minilm.BATCH_TOKENS, encoder.precision, 200)
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


def test_a_name_gives_the_precision():
    assert load_encoder("minilm:fp32").precision == "fp32"
    assert load_encoder("minilm:int8").name == "minilm:int8"
    with pytest.raises(InputError, match="minilm:int4: 'int4' is not a precision; choose one of fp32, bf16"):
        load_encoder("minilm:int4")


def test_without_one_the_fastest_is_taken_and_remembered(tmp_path, monkeypatch):
    settings = Settings(cache_dir=str(tmp_path))
    chosen = load_encoder("minilm", settings)
    assert chosen.precision in minilm.PRECISIONS
    assert chosen.name == f"minilm:{chosen.precision}"
    (measured_here,) = json.loads((tmp_path / speed.FILE).read_text()).values()
    assert speed.chosen(measured_here) == chosen.precision
    monkeypatch.setattr(minilm, "_one_layer", None)  # it is not measured again
    assert load_encoder("minilm", settings).precision == chosen.precision


def test_a_graph_that_recorded_no_precision_keeps_the_one_that_it_was_made_in(tmp_path, monkeypatch):
    monkeypatch.setattr(minilm, "_one_layer", None)  # it is not measured
    for capable, precision in ((True, "bf16"), (False, "fp32")):
        monkeypatch.setattr(speed, "has_bf16", lambda has=capable: has)
        assert load_cached("minilm", Settings(cache_dir=str(tmp_path))).name == f"minilm:{precision}"


def test_bf16_is_not_offered_where_the_processor_does_not_compute_in_it(tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "has_bf16", lambda: False)
    offered = []
    monkeypatch.setattr(minilm, "_one_layer", lambda precision: lambda: offered.append(precision))
    assert load_encoder("minilm", Settings(cache_dir=str(tmp_path))).precision in {"fp32", "int8"}
    assert set(offered) == {"fp32", "int8"}


def not_measured(precision):
    pytest.fail(f"{precision} is measured again")


def measured(monkeypatch, **seconds):
    """Work that seems to take so many seconds."""
    monkeypatch.setattr(speed, "_once", lambda work: work())
    return lambda precision: lambda: float(seconds[precision])


DAMAGED = (
    "",
    "[]",
    '{"a machine": 3}',
    '{"a machine": {"fp32": -1.0}}',
    "[" * 100_000,
    '{"a": {"fp32": 1e999}}',
)


@pytest.mark.parametrize("content", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_file_of_speeds_is_measured_again(content, tmp_path, monkeypatch):
    (tmp_path / speed.FILE).write_text(content)
    given = tmp_path, minilm.PRECISIONS
    assert speed.fastest(*given, measured(monkeypatch, fp32=2, bf16=1, int8=3)) == "bf16"
    assert speed.fastest(*given, not_measured) == "bf16"


def test_speeds_of_other_machines_stay_where_they_are(tmp_path, monkeypatch):
    given = tmp_path, minilm.PRECISIONS
    monkeypatch.setattr(speed, "_linux_processor", lambda: ["here"])
    assert speed.fastest(*given, measured(monkeypatch, fp32=2, bf16=3, int8=3)) == "fp32"
    monkeypatch.setattr(speed, "_linux_processor", lambda: ["there"])
    assert speed.fastest(*given, measured(monkeypatch, fp32=2, bf16=2, int8=1)) == "int8"
    monkeypatch.setattr(speed, "_linux_processor", lambda: ["here"])
    assert speed.fastest(*given, not_measured) == "fp32"


def test_one_damaged_entry_costs_no_other_machine_its_own(tmp_path, monkeypatch):
    given = tmp_path, minilm.PRECISIONS
    assert speed.fastest(*given, measured(monkeypatch, fp32=2, bf16=3, int8=3)) == "fp32"
    path = tmp_path / speed.FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | {"another": {"fp32": "fast"}}))
    assert speed.fastest(*given, not_measured) == "fp32"


@pytest.mark.parametrize("folder", ["file/cache", None])
def test_where_nothing_can_be_kept_it_is_measured_each_time(folder, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    given = folder and tmp_path / folder, minilm.PRECISIONS
    assert speed.fastest(*given, measured(monkeypatch, fp32=1, bf16=1.5, int8=0.9)) == "fp32"
    assert speed.fastest(*given, measured(monkeypatch, fp32=1, bf16=0.5, int8=0.9)) == "bf16"


def test_altered_weights_are_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"other")
    with pytest.raises(InputError, match=hashlib.sha256(b"other").hexdigest()):
        minilm._check_digest(path)
