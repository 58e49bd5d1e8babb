"""The batches of a GPU, computed on the processor, and on a GPU where there is one."""

import random

import numpy as np
import pytest

from sage_ld.build.encoders import minilm, torch_bert
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.build.encoders.torch_bert import TorchBert, batches, has_gpu
from sage_ld.foundation.arrays import unit_rows

WORDS = ["river", "tower", "Pittsburgh", "1969", "東京", "(unreleased)"]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Small matrices on several threads wait for each other when the machine is busy."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def texts():
    chance = random.Random(1)
    return [" ".join(chance.choices(WORDS, k=chance.randint(0, 60))) for _ in range(24)]


def test_batches_hold_each_text_once_by_length_and_count_padding():
    chance = random.Random(2)
    texts = [[1] * chance.randint(2, 40) for _ in range(200)]
    made = list(batches(texts, most=100))
    assert sorted(position for batch in made for position in batch) == list(range(200))
    lengths = [len(texts[position]) for batch in made for position in batch]
    assert lengths == sorted(lengths, reverse=True)
    assert all(len(batch) * len(texts[batch[0]]) <= 100 for batch in made)
    assert list(batches([[1] * 300], most=100)) == [[0]]
    assert list(batches([])) == []


def test_vectors_of_batches_are_those_of_single_texts_in_their_order(texts, monkeypatch):
    monkeypatch.setattr(torch_bert.batches, "__defaults__", (500,))
    encoder = MiniLM("fp32")
    pieces = encoder._pieces(texts)
    model = TorchBert(minilm._folder(), "cpu", "fp32")
    assert len(list(batches(pieces))) > 2
    vectors = model.means(pieces)
    np.testing.assert_allclose(unit_rows(vectors), encoder.encode(texts), atol=2e-6)
    assert np.array_equal(model.means(pieces[::-1])[::-1], vectors)
    assert model.means([]).shape == (0, 384)


def test_a_gpu_encodes_texts_through_its_model(texts, monkeypatch):
    """The way to a GPU, with the processor in its place."""
    monkeypatch.setattr(torch_bert, "has_gpu", lambda: True)
    on_cpu = TorchBert(minilm._folder(), "cpu", "fp32")
    monkeypatch.setattr(torch_bert, "TorchBert", lambda folder, device, precision: on_cpu)
    encoder = MiniLM("cuda-fp32")
    assert np.array_equal(encoder.encode(texts), unit_rows(on_cpu.means(encoder._pieces(texts))))
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.parametrize("precision", ["cuda-fp32", "cuda-fp16"])
def test_a_gpu_gives_nearly_the_vectors_of_the_processor(precision, texts):
    if not has_gpu():
        pytest.skip("torch sees no GPU here")
    cosines = (MiniLM(precision).encode(texts) * MiniLM("fp32").encode(texts)).sum(axis=1)
    assert cosines.min() >= 0.9999
