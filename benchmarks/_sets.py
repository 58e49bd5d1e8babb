"""The sets of the retrieval benchmarks: their graphs, built once and kept, and their examples."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.evaluation import Dataset, load_dataset
from sage_ld.lab.tuning import Examples, collect, parameters
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.rankings.features import FEATURE_NAMES

GRAPHS = "SAGE_BENCH_GRAPHS"
EVERY = "SAGE_BENCH_EVERY"
ANSWER, TABLE, SUPPORT = 15.0, 1.0, 7.0
"""Gains: of OTT-QA's answers and tables, which belong together, and of all supporting passages alike."""


@dataclass(frozen=True)
class Set:
    """Questions and a graph to ask them of."""

    name: str
    folder: str
    """Below SAGE_DATA."""
    qrels: str
    ignore_links: bool = False
    recipe: str = "default"
    every: int = 1
    """One question in how many is asked."""
    most: int | None = None
    """Most questions that are asked, taken evenly from all; None: as `every` says."""

    def dataset(self, data: Path) -> Dataset:
        """The questions with what is relevant to them."""
        return self._asked(load_dataset(data / self.folder, self.qrels))

    def tables(self, data: Path) -> Dataset:
        """OTT-QA's questions with their tables."""
        return self._asked(load_dataset(data / self.folder, "table"))

    def _asked(self, whole: Dataset) -> Dataset:
        every = self.every if self.most is None else -(-len(whole.questions) // self.most)
        questions = dict(islice(whole.questions.items(), 0, None, every))
        return replace(
            whole, questions=questions, judgements={name: whole.judgements[name] for name in questions}
        )


SETS = (
    Set("ottqa", "ottqa", "answer", ignore_links=True),
    Set("ottqa-links", "ottqa", "answer"),
    Set("2wiki", "2wiki", "support"),
    Set("hotpotqa", "hotpotqa", "support"),
    Set("musique", "musique", "support"),
)
DOMAINS = (Set("cranfield", "cranfield", "support"), Set("vaswani", "vaswani", "support"))
"""Abstracts of aeronautics and of electronics, with few links and names: nothing is learned of them."""
LARGE = "ottqa"
"""The folder of which `--every` leaves questions out."""
PAPER = Set("ottqa-paper", "ottqa", "answer", ignore_links=True, recipe="paper")


@dataclass(frozen=True)
class Place:
    """Where data and graphs lie."""

    data: Path
    graphs: Path

    def graph(self, each: Set) -> KnowledgeGraph:
        """The graph of a set; built where it is missing, which takes minutes."""
        path = self.graphs / each.name
        graph = (
            KnowledgeGraph.open(path) if path.exists() else KnowledgeGraph.create(path, recipe=each.recipe)
        )
        if graph.directory.current() == 0:
            begin = time.perf_counter()
            graph.ingest([self.data / each.folder], ignore_links=each.ignore_links)
            print(f"built {path} in {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
        return graph


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser that knows where data and graphs lie."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    made.add_argument("--data", type=Path, default=os.environ.get("SAGE_DATA"), help="default: $SAGE_DATA")
    made.add_argument(
        "--graphs",
        type=Path,
        default=os.environ.get(GRAPHS) or user_cache_path("sage-ld") / "benchmarks",
        help=f"where the graphs are built, and reused; default: ${GRAPHS}, or the user's cache folder",
    )
    made.add_argument(
        "--sets", default=",".join(each.name for each in SETS), help="comma-separated; default: all"
    )
    made.add_argument(
        "--every",
        type=int,
        default=os.environ.get(EVERY) or 1,
        help=f"ask every nth question of OTT-QA, for a quicker look; default: ${EVERY}, or 1",
    )
    made.add_argument(
        "--questions", type=int, help="ask at most so many questions of each set, taken evenly; default: all"
    )
    return made


def place(given: argparse.Namespace, made: argparse.ArgumentParser) -> Place:
    """Where the arguments say that data and graphs lie."""
    if given.data is None:
        made.error("name the folder of the data with --data, or set SAGE_DATA")
    return Place(Path(given.data), Path(given.graphs))


def chosen(given: argparse.Namespace, made: argparse.ArgumentParser, sets: Sequence[Set] = SETS) -> list[Set]:
    """The sets that the arguments name, of those that may be named."""
    known = {each.name: each for each in sets}
    names = given.sets.split(",")
    if unknown := [name for name in names if name not in known]:
        made.error(f"--sets {unknown[0]}: the sets are {', '.join(known)}")
    if given.every < 1:
        made.error(f"--every {given.every}: give at least 1")
    if given.questions is not None and given.questions < 1:
        made.error(f"--questions {given.questions}: give at least 1")
    return [
        replace(known[name], every=given.every if known[name].folder == LARGE else 1, most=given.questions)
        for name in names
    ]


def examples(where: Place, each: Set, changes: Mapping[str, Any] | None = None) -> Examples:
    """The candidates of every question by the default recipe, with the values that `changes` names."""
    graph = where.graph(each)
    given = replace(parameters(graph.recipe.retrieval), **(changes or {}))
    dataset = each.dataset(where.data)
    gain = ANSWER if each.qrels == "answer" else SUPPORT
    gains = {question: dict.fromkeys(grades, gain) for question, grades in dataset.judgements.items()}
    if each.qrels == "answer":
        for question, grades in each.tables(where.data).judgements.items():
            if question in gains:
                gains[question] = dict.fromkeys(grades, TABLE) | gains[question]
    found = collect(Retriever(graph, given), dataset, gains)
    assert all(item.values.shape[1] == len(FEATURE_NAMES) for item in found.items)
    return found


def all_examples(
    where: Place, sets: Sequence[Set], changes: Mapping[str, Any] | None = None
) -> dict[str, Examples]:
    """Those of several sets, each asked by a process of its own, as many at a time as there are cores."""
    for each in sets:
        where.graph(each).close()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with ProcessPoolExecutor(min(cores, len(sets)), mp_context=get_context("spawn")) as pool:
        found = pool.map(examples, [where] * len(sets), sets, [changes] * len(sets))
        return dict(zip((each.name for each in sets), found, strict=True))
