"""The merge of named graphs: kept in the store's default graph, or made where graphs share statements.

    python benchmarks/merging.py [--data FOLDER] [--graphs FOLDER] [--graph KG]

A store is loaded once plain, and once with each statement in the default graph too. The benchmark prints the
size of both, the processor time of loading them, and the time of expansions before and after they are
compacted, with the files in memory and not; the same of the store as it was published; then what publishing
costs beside a graph that shares all it states.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import _sets
from _report import write
from pyoxigraph import DefaultGraph, NamedNode, Quad, Store

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import queries
from sage_ld.graph.store.reading import chunk_iris
from sage_ld.graph.store.shared_statements import TouchedStatements, everywhere, followed
from sage_ld.graph.store.stores import Stores, write_shared

SEEDS, SETS = 20, 40
SHARED = (100, 10_000)


def main() -> None:
    """Measures both ways on a graph, by default that of ottqa."""
    made = _sets.parser(__doc__)
    made.add_argument("--graph", type=Path, help="another graph than that of ottqa; it is only read")
    given = made.parse_args()
    if given.graph is None:
        graph = _sets.place(given, made).graph(_sets.SETS[0])
    else:
        graph = KnowledgeGraph.open(given.graph)
    source = graph.snapshot().stores.named
    iris = chunk_iris(source)
    sample = random.Random(1)
    seeds = [sample.sample(iris, SEEDS) for _ in range(SETS)]
    directory = graph.directory
    store = directory.revision(graph.snapshot().number) / "store"
    figures: dict[str, object] = {"quads": len(source), "published": read(store, True, seeds)}
    print("published", figures["published"], flush=True)
    with tempfile.TemporaryDirectory(dir=directory.path.parent) as temporary:
        for name, copies in (("union", 1), ("kept merge", 2)):
            figures[name] = loaded(source, Path(temporary) / name, copies, seeds)
            print(name, figures[name], flush=True)
        figures["publishing"] = publishing(Path(temporary))
        print(figures["publishing"], flush=True)
    write("merging", figures)


def loaded(source: Store, folder: Path, copies: int, seeds: list[list[str]]) -> dict[str, object]:
    """A store with each statement in so many graphs: its own, and the default graph."""

    def quads() -> Iterator[Quad]:
        for quad in source:
            yield quad
            if copies == 2:
                yield Quad(quad.subject, quad.predicate, quad.object, DefaultGraph())

    store = Store(str(folder))
    begin = time.process_time()
    store.bulk_extend(quads())
    figures: dict[str, object] = {"load_cpu_s": round(time.process_time() - begin, 1)}
    store.flush()
    del store  # which may replace its files as long as it is open
    figures["as loaded"] = read(folder, copies == 1, seeds)
    store = Store(str(folder))
    begin = time.process_time()
    store.optimize()
    figures["optimize_cpu_s"] = round(time.process_time() - begin, 1)
    del store
    figures["optimized"] = read(folder, copies == 1, seeds)
    return figures


def read(folder: Path, union: bool, seeds: list[list[str]]) -> dict[str, object]:
    """The size of a store, its number of files, the median time of expansions by similarity and by link."""
    files = list(folder.iterdir())
    figures: dict[str, object] = {
        "mb": round(sum(file.stat().st_size for file in files) / 1e6),
        "files": len(files),
    }
    for name in ("similarity", "link"):
        for file in files:
            _evict(file)
        store = Store.read_only(str(folder))
        for label in ("cold", "warm"):
            spent = []
            for each in seeds:
                begin = time.perf_counter()
                list(store.query(queries.bind(name, seed=each), use_default_graph_as_union=union))
                spent.append(time.perf_counter() - begin)
            figures[f"{name}_{label}_ms"] = round(statistics.median(spent) * 1e3, 1)
    return figures


def publishing(folder: Path) -> dict[str, object]:
    """What it takes to know the shared statements, and to write the store that has them once."""
    store = Store(str(folder / "union"))
    begin = time.process_time()
    known = everywhere(store)
    figures: dict[str, object] = {"everywhere_cpu_s": round(time.process_time() - begin, 1)}
    statements = list(islice(store, max(SHARED)))
    for count in SHARED:
        graph = NamedNode(f"http://example.org/{count}")
        quads = [Quad(each.subject, each.predicate, each.object, graph) for each in statements[:count]]
        store.extend(quads)
        touched = TouchedStatements({each.triple for each in quads})
        begin = time.process_time()
        known = followed(known, store, touched)
        revision = folder / str(count)
        revision.mkdir()
        store.backup(str(revision / "store"))
        write_shared(store, revision, known)
        figures[f"publish_{count}_cpu_s"] = round(time.process_time() - begin, 2)
        begin = time.process_time()
        Stores.open(revision)
        figures[f"open_{count}_cpu_s"] = round(time.process_time() - begin, 2)
    return figures


def _evict(file: Path) -> None:
    """Lets the system forget the pages of a file, where it knows how."""
    if hasattr(os, "posix_fadvise"):
        with file.open("rb") as handle:
            os.posix_fadvise(handle.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


if __name__ == "__main__":
    main()
