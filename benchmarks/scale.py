"""The main job at its size: ingest, search, validate and export, with time and memory of each.

    python benchmarks/scale.py [FOLDER] [--graph GRAPH]

FOLDER is a retrieval benchmark such as `ottqa` below SAGE_DATA. Each step runs in a process of its own, and
so has a peak of memory of its own. Vectors come from the cache where they are there: the time of encoding is
given apart, and the other steps' without it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _report import write

SEARCHES = 200
WARM = 5


def main() -> None:
    """Runs the steps one after the other and prints what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "folder", nargs="?", default=Path(os.environ.get("SAGE_DATA", ".")) / "ottqa", type=Path
    )
    parser.add_argument("--graph", type=Path, help="where the graph goes; a temporary folder without it")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        print(json.dumps(STEPS[given.step](given.folder, given.graph)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        graph = given.graph or Path(temporary) / "graph"
        figures: dict[str, object] = {"folder": given.folder.name}
        for step in STEPS:
            command = [sys.executable, __file__, str(given.folder), "--graph", str(graph), "--step", step]
            started = time.perf_counter()
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            figures[step] = json.loads(output.splitlines()[-1]) | {
                "wall_s": round(time.perf_counter() - started, 1)
            }
            print(step, json.dumps(figures[step], indent=2), flush=True)
        write("scale", figures)


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def ingest(folder: Path, path: Path) -> dict[str, object]:
    """Builds the graph; encoding is timed apart, inside the encoder."""
    from sage_ld.graph import KnowledgeGraph

    graph = KnowledgeGraph.create(path)
    encoder, spent = graph.encoder, [0.0]
    encode = encoder.encode

    def timed(texts: list[str], progress: object = None) -> object:
        started = time.perf_counter()
        result = encode(texts)
        spent[0] += time.perf_counter() - started
        return result

    encoder.encode = timed  # type: ignore[method-assign]  # measured from outside, not changed
    started = time.perf_counter()
    summary = graph.ingest([folder])
    total = time.perf_counter() - started
    return {
        "documents": summary.added,
        "chunks": summary.chunks,
        "failed": len(summary.failed),
        "edges": summary.edges,
        "total_s": round(total, 1),
        "encoding_s": round(spent[0], 1),
        "all_but_encoding_s": round(total - spent[0], 1),
        "steps_s": {step: round(seconds, 1) for step, seconds in summary.seconds.items()},
        "peak_mb": _peak_mb(),
    }


def search(folder: Path, path: Path) -> dict[str, object]:
    """Asks questions in a warm process; what goes over the graph's edges is timed apart."""
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.retrieval import Retriever
    from sage_ld.retrieval.rankings import learned

    times: dict[str, list[float]] = {"search": [], "graph": []}
    candidates = learned.candidates

    def timed(*given: Any, **named: Any) -> learned.Candidates:
        started = time.perf_counter()
        result = candidates(*given, **named)
        times["graph"].append(time.perf_counter() - started)
        return result

    learned.candidates = timed
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ask = Retriever(KnowledgeGraph.open(path))
    for question in [json.loads(line)["text"] for line in lines][: SEARCHES + WARM]:
        started = time.perf_counter()
        ask.retrieve(question)
        times["search"].append(time.perf_counter() - started)
    figures: dict[str, object] = {}
    for name, seconds in times.items():
        figures[f"{name}_p50_ms"] = round(statistics.median(seconds[WARM:]) * 1e3, 1)
        figures[f"{name}_p95_ms"] = round(statistics.quantiles(seconds[WARM:], n=20)[-1] * 1e3, 1)
    return figures | {"peak_mb": _peak_mb()}


def validate(_folder: Path, path: Path) -> dict[str, object]:
    """Checks the graph against the shapes."""
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.shapes.shacl import validate as check

    report = check(KnowledgeGraph.open(path).snapshot().store)
    return {"conforms": report.conforms, "nodes": report.nodes, "peak_mb": _peak_mb()}


def export(_folder: Path, path: Path) -> dict[str, object]:
    """Streams the graph as JSON-LD to nowhere."""
    from sage_ld.exports import export as write
    from sage_ld.graph import KnowledgeGraph

    store = KnowledgeGraph.open(path).snapshot().stores.named
    with Path(os.devnull).open("wb") as sink:
        write(store, sink, "jsonld", "1.1")
    return {"peak_mb": _peak_mb(), "quads": len(store)}


STEPS = {"ingest": ingest, "search": search, "validate": validate, "export": export}

if __name__ == "__main__":
    main()
