"""The main job at its size: ingest, search, validate and export, with time and memory of each.

    python benchmarks/scale.py [FOLDER] [--graph GRAPH] [--every N] [--ignore-links] [--encoder NAME]

FOLDER is a retrieval benchmark such as `ottqa` below SAGE_DATA. Each step runs in a process of its own, and
so has a peak of memory of its own. Vectors come from the cache where they are there: the time of encoding is
given apart, and the other steps' without it.

With `--every 4` the graph is of every fourth record of each JSON Lines file, and of every fourth other file:
two runs say by how much memory grows with a chunk. The parts of an ingest have the wall clock and the
processor time of the thread that makes them, the parts inside them included; the processor time of the whole
also counts what other threads do meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
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
    parser.add_argument("--every", type=int, default=1, help="the share of the files: one in so many")
    parser.add_argument("--ignore-links", action="store_true", help="leave out the links that files carry")
    parser.add_argument("--encoder", default="minilm", help="as in `sage-ld ingest --help`")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        steps = STEPS | {
            "ingest": partial(ingest, encoder_name=given.encoder, ignore_links=given.ignore_links)
        }
        print(json.dumps(steps[given.step](given.folder, given.graph)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        graph = given.graph or Path(temporary) / "graph"
        folder = given.folder
        if given.every > 1:
            folder = _part(given.folder, Path(temporary) / given.folder.name, given.every)
        options = ["--encoder", given.encoder, *(["--ignore-links"] if given.ignore_links else [])]
        figures: dict[str, object] = {
            "folder": given.folder.name,
            "every": given.every,
            "ignore_links": given.ignore_links,
            "encoder": given.encoder,
        }
        for step in STEPS:
            command = [sys.executable, __file__, str(folder), "--graph", str(graph), "--step", step, *options]
            started = time.perf_counter()
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            figures[step] = json.loads(output.splitlines()[-1]) | {
                "wall_s": round(time.perf_counter() - started, 1)
            }
            print(step, json.dumps(figures[step], indent=2), flush=True)
        write("scale", figures)


def _part(folder: Path, part: Path, every: int) -> Path:
    """One in `every` of the records and files of a benchmark, and all its questions."""
    shutil.copytree(folder, part)
    for each in (part, *part.rglob("*")):  # whose modes are those of the original, which may be read-only
        each.chmod(0o700)
    for file in folder.glob("*.jsonl"):
        if file.name != "queries.jsonl":
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            (part / file.name).write_text("".join(lines[::every]), encoding="utf-8")
    for number, table in enumerate(sorted(part.glob("*/*.html"))):
        if number % every:
            table.unlink()
    return part


def _anonymous_mb() -> float:
    """The memory that is no page of a file, now."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) / 1024


@contextmanager
def _peak_of_anonymous(figures: dict[str, float]) -> Iterator[None]:
    """Looks at the memory twenty times a second, and puts the most into `figures` at the end."""
    ended, most = threading.Event(), [_anonymous_mb()]

    def look() -> None:
        while not ended.wait(0.05):
            most.append(max(most.pop(), _anonymous_mb()))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        figures["anonymous_peak_mb"] = round(most[0], 1)


def _time_parts() -> dict[str, dict[str, float]]:
    """Has each part of an ingest count its seconds, which are those of all its calls."""
    from sage_ld.build.annotators import RuleAnnotator
    from sage_ld.graph.derivations import links, similarity
    from sage_ld.graph.writing.writer import Writer

    parts: dict[str, dict[str, float]] = {}

    def count(owner: Any, name: str) -> None:
        function, seconds = getattr(owner, name), parts.setdefault(name, {"wall_s": 0.0, "cpu_s": 0.0})

        def timed(*given: Any, **named: Any) -> Any:
            wall, cpu = time.perf_counter(), time.thread_time()
            try:
                return function(*given, **named)
            finally:
                seconds["wall_s"] += time.perf_counter() - wall
                seconds["cpu_s"] += time.thread_time() - cpu

        setattr(owner, name, timed)

    count(RuleAnnotator, "annotate")
    for name in (
        "add",
        "flush_indexes",
        "repair_indexes",
        "merge_indexes",
        "replace_graph",
        "compact",
        "publish",
    ):
        count(Writer, name)
    count(similarity, "build")
    count(links, "find_links")
    return parts


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def ingest(
    folder: Path, path: Path, *, encoder_name: str = "minilm", ignore_links: bool = False
) -> dict[str, object]:
    """Builds the graph; encoding is timed apart, inside the encoder."""
    from sage_ld.graph import KnowledgeGraph

    graph = KnowledgeGraph.create(path, encoder=encoder_name)
    encoder, spent = graph.encoder, [0.0]
    encode = encoder.encode

    def timed(texts: list[str], progress: object = None) -> object:
        started = time.perf_counter()
        result = encode(texts)
        spent[0] += time.perf_counter() - started
        return result

    encoder.encode = timed  # type: ignore[method-assign]  # measured from outside, not changed
    parts, memory = _time_parts(), dict[str, float]()
    started, processor = time.perf_counter(), time.process_time()
    with _peak_of_anonymous(memory):
        summary = graph.ingest([folder], ignore_links=ignore_links)
    total, processor = time.perf_counter() - started, time.process_time() - processor
    return {
        "documents": summary.added,
        "chunks": summary.chunks,
        "failed": len(summary.failed),
        "edges": summary.edges,
        "total_s": round(total, 1),
        "encoding_s": round(spent[0], 1),
        "all_but_encoding_s": round(total - spent[0], 1),
        "cpu_s": round(processor, 1),
        "steps_s": {step: round(seconds, 1) for step, seconds in summary.seconds.items()},
        "parts": {part: {unit: round(each, 1) for unit, each in of.items()} for part, of in parts.items()},
        "peak_mb": _peak_mb(),
        **memory,
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
    from sage_ld.graph.shapes.shacl import validate as check

    report = check(KnowledgeGraph.open(path).snapshot().store)
    return {"conforms": report.conforms, "nodes": report.nodes, "peak_mb": _peak_mb()}


def export(_folder: Path, path: Path) -> dict[str, object]:
    """Streams the graph as JSON-LD to nowhere."""
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.exports import export as write

    store = KnowledgeGraph.open(path).snapshot().stores.named
    with Path(os.devnull).open("wb") as sink:
        write(store, sink, "jsonld", "1.1")
    return {"peak_mb": _peak_mb(), "quads": len(store)}


STEPS = {"ingest": ingest, "search": search, "validate": validate, "export": export}

if __name__ == "__main__":
    main()
