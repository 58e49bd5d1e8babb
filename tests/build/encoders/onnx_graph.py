"""The ONNX graphs of the package, operation by operation.

`python tests/build/encoders/onnx_graph.py` writes them.

The weights are not in them: each is an initializer that `sage_ld.build.encoders.onnx_bert` gives to the
session by its name. The operators of the domain com.microsoft are onnxruntime's own:
https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from pathlib import Path

from onnx import TensorProto, helper

import sage_ld.build.encoders
from sage_ld.build.encoders.onnx_bert import BLOCK

LAYERS, WIDTH, WIDE, HEADS, WORDS, PLACES = 6, 384, 1536, 12, 30522, 512
EPSILON = 1e-12
ONNXRUNTIME = "com.microsoft"
PRECISIONS = ("fp32", "int8")
ROUNDS_INPUTS = 4
"""`accuracy_level` of MatMulNBits at which the inputs, too, are rounded to integers of 8 bits."""


def path_of(precision):
    return Path(sage_ld.build.encoders.__file__).with_name(f"minilm-{precision}.onnx")


def graph_of(precision):
    """The bytes of the file: token numbers (texts, length) to mean hidden states (texts, width)."""
    return Graph(precision).serialized()


class Graph:
    def __init__(self, precision):
        self.precision, self.nodes, self.initializers = precision, [], []

    def serialized(self):
        constants = {"zero": 0, "one": 1}
        self.initializers += [
            helper.make_tensor(name, TensorProto.INT64, [1], [value]) for name, value in constants.items()
        ]
        hidden = self.embedded()
        for number in range(LAYERS):
            hidden = self.layer(hidden, f"layer.{number}")
        self.add("ReduceMean", [hidden, "one"], "means", keepdims=0)
        tokens = helper.make_tensor_value_info("tokens", TensorProto.INT64, ["texts", "length"])
        means = helper.make_tensor_value_info("means", TensorProto.FLOAT, ["texts", WIDTH])
        graph = helper.make_graph(self.nodes, "minilm", [tokens], [means], self.initializers)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(ONNXRUNTIME, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9).SerializeToString()

    def embedded(self):
        self.add("Shape", ["tokens"], "length", start=1, end=2)
        places = self.add("Slice", [self.weight("positions", PLACES, WIDTH), "zero", "length"], "places")
        words = self.add("Gather", [self.weight("words", WORDS, WIDTH), "tokens"], "found")
        rows = self.add("Add", [words, places], "rows")
        affine = [self.weight("norm.weight", WIDTH), self.weight("norm.bias", WIDTH)]
        return self.add("LayerNormalization", [rows, *affine], "embedded", epsilon=EPSILON)

    def layer(self, hidden, name):
        qkv = self.linear(hidden, f"{name}.qkv", WIDTH, 3 * WIDTH)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self.add("Split", [qkv], *parts, axis=2, num_outputs=3)
        bias = self.weight(f"{name}.qkv.bias", 3 * WIDTH)
        heads = self.add("MultiHeadAttention", [*parts, bias], f"{name}.heads", num_heads=HEADS)
        attended = self.linear(heads, f"{name}.attended", WIDTH, WIDTH)
        hidden = self.norm(attended, hidden, f"{name}.attended_norm")
        wide = self.linear(hidden, f"{name}.wide", WIDTH, WIDE)
        wide = self.add("BiasGelu", [wide, self.weight(f"{name}.wide.bias", WIDE)], f"{name}.gelu")
        return self.norm(self.linear(wide, f"{name}.narrow", WIDE, WIDTH), hidden, f"{name}.norm")

    def linear(self, rows, name, inputs, outputs):
        """A linear map without its bias, which the operation after it adds."""
        if self.precision == "fp32":
            return self.add("MatMul", [rows, self.weight(f"{name}.weight", inputs, outputs)], name)
        blocks = inputs // BLOCK
        integers = self.weight(f"{name}.integers", outputs, blocks, BLOCK, kind=TensorProto.UINT8)
        scales = self.weight(f"{name}.scales", outputs, blocks)
        size = {"K": inputs, "N": outputs, "bits": 8, "block_size": BLOCK, "accuracy_level": ROUNDS_INPUTS}
        return self.add("MatMulNBits", [rows, integers, scales], name, **size)

    def norm(self, mapped, hidden, name):
        affine = [self.weight(f"{name}.{part}", WIDTH) for part in ("weight", "bias")]
        inputs = [mapped, hidden, *affine, self.weight(f"{mapped}.bias", WIDTH)]
        return self.add("SkipLayerNormalization", inputs, f"{name}.sum", epsilon=EPSILON)

    def weight(self, name, *shape, kind=TensorProto.FLOAT):
        place = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        place.external_data.add(key="location", value="weights")
        self.initializers.append(place)
        return name

    def add(self, operator, inputs, *outputs, **attributes):
        own = {"MultiHeadAttention", "BiasGelu", "MatMulNBits", "SkipLayerNormalization"}
        domain = ONNXRUNTIME if operator in own else ""
        self.nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
        return outputs[0]


if __name__ == "__main__":
    for each in PRECISIONS:
        path_of(each).write_bytes(graph_of(each))
