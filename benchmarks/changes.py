"""Time of adding, replacing and deleting one document, and of seeing each change.

    python benchmarks/changes.py [GRAPH] [--changes N] [--generated N] [--commands N]

GRAPH is a graph that may be written to: its own documents stay as they are. Then two graphs are generated,
one of so many documents and one of ten times as many, and the ratio of their times is given. A change is seen
by a search and by a SPARQL query of the new revision, and its time includes encoding and both.

With --commands, GRAPH is also changed by commands, each a process of its own: `sage-ld ingest` of one new
file, `sage-ld search`, `sage-ld delete`. Their times are those over the start of Python (`python -c pass`).
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from compileall import compile_dir
from pathlib import Path

from _report import write

import sage_ld
from sage_ld import KnowledgeGraph, Retriever

WORDS = [
    f"{first}{last}" for first in "bdfglmnprstv" for last in ("aren", "elto", "imor", "ovane", "ulsk", "yde")
]
ASK = 'ASK { ?document <https://schema.org/identifier> "benchmark/%d" }'
TIMES = 10
"""How many times as many documents the larger generated graph has."""


def main() -> None:
    """Prints p50 and p95 of each kind of change, in milliseconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?", type=Path)
    parser.add_argument("--changes", type=int, default=20, help="how many of each kind")
    parser.add_argument(
        "--generated", type=int, default=1_000, help="documents of the smaller graph; 0: none"
    )
    parser.add_argument("--commands", type=int, default=0, help="how many of each command")
    given = parser.parse_args()
    figures: dict[str, object] = {}
    if given.graph is not None and given.commands:
        figures["commands"] = report("command", commands(given.graph, given.commands))
    if given.graph is not None and given.changes:
        figures["graph"] = report("graph", measured(KnowledgeGraph.open(given.graph), given.changes))
    if given.generated:
        with tempfile.TemporaryDirectory() as folder:
            sizes = (given.generated, TIMES * given.generated)
            times = [measured(generated(Path(folder) / str(size), size), given.changes) for size in sizes]
        for size, each in zip(sizes, times, strict=True):
            figures[f"{size} generated"] = report(f"{size} generated", each)
        figures["ratio"] = {
            name: round(statistics.median(times[1][name]) / statistics.median(times[0][name]), 2)
            for name in times[0]
        }
        print("ratio of the medians:", figures["ratio"], flush=True)
    write("changes", figures)


def text_of(number: int, chance: random.Random) -> str:
    """A document of three sentences, with names, one of which others have too."""
    one, two, three = (chance.choice(WORDS).title() for _ in range(3))
    words = " ".join(chance.choices(WORDS, k=30))
    return (
        f"# {one} {two} {number}\n\n{one} {two} {number} is a bridge in {three}. It was built by {two} "
        f"{three} and opened in {1800 + number % 200}. The engineer wrote of it: {words}.\n"
    )


def generated(folder: Path, count: int) -> KnowledgeGraph:
    """A graph of so many documents."""
    chance, files = random.Random(count), folder / "files"
    files.mkdir(parents=True)
    for number in range(count):
        (files / f"{number:06d}.md").write_text(text_of(number, chance), encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([files])
    return graph


def measured(graph: KnowledgeGraph, count: int) -> dict[str, list[float]]:
    """What each change took, in milliseconds: by the processor's time (`cpu`) and by the clock."""
    chance, times = random.Random(0), dict[str, list[float]]()
    timed(times, "first", lambda: graph.add(text_of(0, chance), identifier="benchmark/0"), graph, 0, True)
    for number in range(1, count + 1):
        name = f"benchmark/{number}"
        for kind, seen, action in (
            (
                "add",
                True,
                lambda name=name, number=number: graph.add(text_of(number, chance), identifier=name),
            ),
            (
                "replace",
                True,
                lambda name=name: graph.add(text_of(-1, chance), identifier=name, replace=True),
            ),
            ("delete", False, lambda name=name: graph.delete([name])),
        ):
            timed(times, kind, action, graph, number, seen)
    graph.delete(["benchmark/0"])
    return {name: each for name, each in times.items() if not name.startswith("first")}


def commands(graph: Path, count: int) -> dict[str, list[float]]:
    """The milliseconds of each command over the start of Python: by the processor's time and by the clock."""
    compile_dir(Path(sage_ld.__file__).parent, quiet=1)  # as its installation does
    chance = random.Random(time.time_ns())  # so that no vector is in the cache
    times: dict[str, list[float]] = {}
    start = [statistics.median(each) for each in zip(*(run("-c", "pass") for _ in range(5)), strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            file = Path(folder) / f"command-{number}.md"
            file.write_text(text_of(number, chance), encoding="utf-8")
            for words in (("ingest", file), ("search", "Who built the bridge?"), ("delete", file.name)):
                took = run("-m", "sage_ld.cli", words[0], graph, words[1])
                for clock, seconds, least in zip(("cpu", "clock"), took, start, strict=True):
                    times.setdefault(f"{words[0]} {clock}", []).append(1000 * (seconds - least))
    return times


def run(*words: str | Path) -> tuple[float, float]:
    """The seconds of Python with these arguments: of the processor, and by the clock."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, end - begin


def timed(
    times: dict[str, list[float]],
    kind: str,
    action: Callable[[], object],
    graph: KnowledgeGraph,
    number: int,
    seen: bool,
) -> None:
    """Takes the time of a change, and of seeing it in a search and in a query."""
    marks = [(time.process_time(), time.perf_counter())]
    action()
    marks.append((time.process_time(), time.perf_counter()))
    Retriever(graph).retrieve("Who built the bridge, and when was it opened?", 10, 5)
    there = bool(graph.snapshot().stores.query(ASK % number, most=1))
    marks.append((time.process_time(), time.perf_counter()))
    assert there is seen, (kind, number)
    for at, clock in enumerate(("cpu", "clock")):
        for name, begin, end in (("written", 0, 1), ("seen", 0, 2)):
            took = 1000 * (marks[end][at] - marks[begin][at])
            times.setdefault(f"{kind} {name} {clock}", []).append(took)


def report(name: str, times: dict[str, list[float]]) -> dict[str, list[float]]:
    """Prints and gives p50 and p95 of each."""
    figures = {}
    for kind, each in times.items():
        p95 = sorted(each)[min(len(each) - 1, round(0.95 * len(each)))]
        figures[kind] = [round(statistics.median(each), 1), round(p95, 1)]
        print(f"{name}: {kind}: p50 {figures[kind][0]} ms, p95 {figures[kind][1]} ms", flush=True)
    return figures


if __name__ == "__main__":
    main()
