"""The graphs that onnxruntime computes, and the integers of their weights."""

import numpy as np
import pytest
from build.encoders import onnx_graph

from sage_ld.build.encoders.onnx_bert import BLOCK, integers


@pytest.mark.parametrize("precision", onnx_graph.PRECISIONS)
def test_the_graph_of_the_package_is_the_one_that_is_written_here(precision):
    assert onnx_graph.path_of(precision).read_bytes() == onnx_graph.graph_of(precision)


def test_integers_and_scales_are_nearly_the_weights():
    weight = np.random.default_rng(1).normal(size=(5, 3 * BLOCK)).astype(np.float32)
    weight[1, :BLOCK] = 0
    parts = integers(weight)
    values, scales = parts["integers"], parts["scales"]
    assert (values.shape, values.dtype, scales.shape) == ((5, 3, BLOCK), np.uint8, (5, 3))
    again = (values.astype(np.float32) - 128) * scales[..., None]
    assert (np.abs(again.reshape(weight.shape) - weight) <= np.repeat(scales, BLOCK, axis=1) / 1.99).all()
    assert (values[0].min(), values[1, 0].min(), values[1, 0].max()) >= (1, 128, 128)
