"""Seconds, memory and edges of building all similarity edges; run with `python benchmarks/edges.py`.

The vectors are random points around as many centres as real topics would have: what the products cost does
not depend on the values, how many edges pass does little.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from _report import write
from scipy import sparse

from sage_ld.build.edges import Aspect, EdgeInput, build, kind_codes
from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind, FloatArray
from sage_ld.foundation.recipes import PRESETS, load_recipe
from sage_ld.graph.indexes.vectors import dot

DIMENSIONS = 384
PER_TOPIC = 40
TABLES = 0.08
NAMES = 8


def vectors(count: int, random: np.random.Generator) -> FloatArray:
    """Unit vectors in clusters of about PER_TOPIC."""
    centres = random.normal(size=(count // PER_TOPIC + 1, DIMENSIONS))
    raw = centres[random.integers(0, len(centres), count)] + random.normal(size=(count, DIMENSIONS))
    unit: FloatArray = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
    return unit


def corpus(count: int) -> EdgeInput:
    """Chunks of which one in twelve is a table, each naming some entities, common ones more often."""
    random = np.random.default_rng(0)
    kinds = tuple(ChunkKind.TABLE if each < TABLES else ChunkKind.TEXT for each in random.random(count))
    aspects = {name: Aspect.each(vectors(count, random)) for name in AspectName}
    named = np.minimum(random.zipf(1.3, size=count * NAMES) - 1, count * 3)
    where = (np.repeat(np.arange(count), NAMES), named)
    entities = sparse.csr_matrix((np.ones(count * NAMES), where), shape=(count, count * 3 + 1))
    documents = np.arange(count, dtype=np.int64) // 2
    return EdgeInput(kind_codes(kinds), documents, aspects, entities, dot)


def main() -> None:
    """Print one line for each recipe and size, and write them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000])
    parser.add_argument("--recipes", nargs="+", default=list(PRESETS))
    arguments = parser.parse_args()
    figures = []
    for size in arguments.sizes:
        chunks = corpus(size)
        for name in arguments.recipes:
            begin, worked = time.perf_counter(), time.process_time()
            edges = build(chunks, load_recipe(name).edges)
            seconds, worked = time.perf_counter() - begin, time.process_time() - worked
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            kinds = ", ".join(f"{each.kind} {len(each.weight):,}" for each in edges)
            cost = f"{seconds:.1f} s ({worked:.1f} s of CPU), peak {peak:.2f} GiB"
            print(f"{size:,} chunks, {name}: {cost}; {kinds}", flush=True)
            figures.append(
                {
                    "chunks": size,
                    "recipe": name,
                    "seconds": round(seconds, 2),
                    "cpu_s": round(worked, 2),
                    "peak_gib": round(peak, 3),
                    "edges": {str(each.kind): len(each.weight) for each in edges},
                }
            )
    write("edges", {"builds": figures})


if __name__ == "__main__":
    main()
