"""`kill -9` at any moment: the graph opens and conforms, and ingesting again ends where it should."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from graph.canonical import canonical, indexed_links, stored_links
from graph.corpus import FILES, built, write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.configuration import Configuration
from sage_ld.retrieval import Retriever

MOMENTS = 12
CHANGE_MOMENTS = 6
ELSEWHERE = "https://data.example.org/films/"
INGEST = """
import sys, time
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
graph = KnowledgeGraph.open(sys.argv[1])
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.readline()
graph.ingest([sys.argv[2]])
sys.stdout.write("done\\n"); sys.stdout.flush()
"""


def ingest_and_kill(graph: Path, corpus: Path, seconds: float | None) -> float:
    """Ingests in a process of its own that is killed after `seconds`; returns the time that it ran."""
    return run_and_kill(INGEST, graph, corpus, seconds)


def run_and_kill(program: str, graph: Path, corpus: Path, seconds: float | None) -> float:
    """Runs a program in a process that is killed after `seconds`; returns the time that it ran."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(graph), str(corpus)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        started = time.perf_counter()
        process.stdin.write("go\n")
        process.stdin.flush()
        if seconds is None:
            assert process.stdout.readline() == "done\n"
        else:
            with suppress(subprocess.TimeoutExpired):  # else it was done before
                process.wait(seconds)
            process.send_signal(signal.SIGKILL)
    return time.perf_counter() - started


CHANGES = {
    "reencode": ("graph.reencode('static')", Configuration(encoder="static")),
    "rebase": (f"graph.rebase('{ELSEWHERE}')", Configuration(ELSEWHERE, "jaccard")),
}


@pytest.mark.usefixtures("static_table")
@pytest.mark.parametrize("command", CHANGES)
def test_another_encoder_or_base_is_there_with_all_that_follows_or_not_at_all(
    tmp_path: Path, command: str
) -> None:
    call, after = CHANGES[command]
    program = INGEST.replace("graph.ingest([sys.argv[2]])", call)
    former = Configuration(encoder="jaccard")
    original = built(tmp_path / "original", write(tmp_path / "corpus"))
    shutil.copytree(tmp_path / "original", tmp_path / "whole")
    seconds = run_and_kill(program, tmp_path / "whole", tmp_path, None)
    states = {former: canonical(original), after: canonical(KnowledgeGraph.open(tmp_path / "whole"))}
    for moment in range(CHANGE_MOMENTS):
        folder = tmp_path / str(moment)
        shutil.copytree(tmp_path / "original", folder)
        run_and_kill(program, folder, tmp_path, seconds * (moment + 0.5) / CHANGE_MOMENTS)
        graph = KnowledgeGraph.open(folder)
        assert canonical(graph) == states[graph.configuration]
        assert Retriever(graph).retrieve("Who plays the theremin?").results
        graph.relink()
        assert canonical(graph) == states[graph.configuration]
        assert validate(graph.snapshot().store).conforms


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[str], float]:
    """A folder with a graph and the files to ingest next; the graph before and after; how long that takes."""
    folder = tmp_path_factory.mktemp("undisturbed")
    names = tuple(FILES)
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([write(folder / "corpus", names[:3])])
    before = canonical(graph)
    write(folder / "corpus", names[3:])
    shutil.copytree(folder / "graph", folder / "whole")
    seconds = ingest_and_kill(folder / "whole", folder / "corpus", None)
    return folder, before, canonical(KnowledgeGraph.open(folder / "whole")), seconds


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed_at_any_moment(
    tmp_path: Path, undisturbed: tuple[Path, list[str], list[str], float], moment: int
) -> None:
    folder, before, after, seconds = undisturbed
    shutil.copytree(folder / "graph", tmp_path / "graph")
    ingest_and_kill(tmp_path / "graph", folder / "corpus", seconds * (moment + 0.5) / MOMENTS)
    reopened = KnowledgeGraph.open(tmp_path / "graph")
    assert canonical(reopened) in (before, after)
    assert indexed_links(reopened) == stored_links(reopened)
    assert validate(reopened.snapshot().store).conforms
    reopened.ingest([folder / "corpus"])
    assert canonical(reopened) == after
    assert indexed_links(reopened) == stored_links(reopened)


def test_searches_are_answered_while_another_process_ingests(tmp_path: Path) -> None:
    names = tuple(FILES)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    before = graph.ingest([write(tmp_path / "corpus", names[:3])]).revision
    write(tmp_path / "corpus", names[3:])
    retriever = Retriever(graph)
    process = subprocess.Popen(
        [sys.executable, "-c", INGEST, str(tmp_path / "graph"), str(tmp_path / "corpus")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    seen = []
    with process:
        process.stdin.write("go\n")
        process.stdin.flush()
        while process.poll() is None:
            seen.append(retriever.retrieve("Who plays the accordion?").revision)
        assert process.stdout.read() == "ready\ndone\n"
    assert before is not None
    assert seen[0] == before
    assert set(seen) <= {before, before + 1}
    assert retriever.retrieve("Who plays the accordion?").revision == before + 1
