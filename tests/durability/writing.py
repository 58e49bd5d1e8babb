"""A small graph that is written again and again, and what must hold of it whatever has been killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad
from service.serving import generated_graph

from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.upkeep.backup import copy_graph

COUNTER, NUMBER = NamedNode("urn:x:counter"), NamedNode("urn:x:number")
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
"""Whether tests may take minutes."""


def small_graph(folder: Path) -> KnowledgeGraph:
    """A graph of twelve chunks with edges."""
    return KnowledgeGraph.open(generated_graph(folder, documents=3, edges=4))


def write_once(graph: KnowledgeGraph) -> int:
    """Counts one up, and writes the number into the heading of a chunk, which all indexes follow."""
    with graph.writer() as writer:
        store = writer.change()
        before = list(store.quads_for_pattern(COUNTER, NUMBER, None, None))
        number = 1 + max((int(quad.object.value) for quad in before), default=0)
        chunk = NamedNode(reading.chunk_iris(store)[number % 12])
        for quad in [*before, *store.quads_for_pattern(chunk, NamedNode(v.HEADING), None, None)]:
            store.remove(quad)
        store.add(Quad(COUNTER, NUMBER, Literal(number)))
        store.add(Quad(chunk, NamedNode(v.HEADING), Literal(f"Heading number{number} of the tests.")))
        writer.refresh([chunk.value])
        writer.publish()
    return number


def number_of(snapshot: Snapshot) -> int:
    """How many writes a revision shows; its store and all its indexes agree on the last."""
    (quad,) = snapshot.store.quads_for_pattern(COUNTER, NUMBER, None, None)
    number = int(quad.object.value)
    chunks = reading.chunk_iris(snapshot.store)
    assert sorted(snapshot.vectors.iris) == sorted(snapshot.lexical.iris) == chunks
    assert snapshot.lexical.search(f"number{number}", 5)[0] == [chunks[number % 12]]
    return number


def leftovers(folder: Path) -> list[str]:
    """What lies in the folder of a graph and has no business there once nobody reads or writes it."""
    current = f"{int((folder / 'current').read_text()):06d}"
    usual = {"sage-ld.toml", "tokens.toml", "tokens.lock", "lock", "live", "revisions", "current"}
    usual |= {"roots.json", "jobs"}
    entries = {each.name for each in folder.iterdir()} - usual
    revisions = {each.name for each in (folder / "revisions").iterdir()} - {current}
    drafts = {f"jobs/{each.name}" for each in (folder / "jobs").glob("*.tmp")}
    return sorted(entries | revisions | drafts)


def check_whole(folder: Path) -> None:
    """The doctor finds nothing in a graph that nobody uses, and nothing is left over in it."""
    health = KnowledgeGraph.open(folder).check()
    assert health.clean, health
    assert leftovers(folder) == []


def disk_use(folder: Path) -> int:
    """Bytes of all files below a folder; one with several names counts once."""
    files = {(s.st_dev, s.st_ino): s.st_size for s in (p.lstat() for p in folder.rglob("*") if p.is_file())}
    return sum(files.values())


# --- children that are killed ------------------------------------------------------------------------

_FORKS = """
import os, signal, sys
from pathlib import Path
from durability.writing import JOBS

CHANGES = {"os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.link", "shutil.copyfile"}
folder, job, steps = Path(sys.argv[1]), JOBS[sys.argv[2]], 0

def stop_at(last):
    def count(event, arguments):
        global steps
        if event in CHANGES and str(folder.parent) in str(arguments):
            steps += 1
            if steps == last:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

for line in sys.stdin:
    if child := os.fork():
        say("started", child)
        say("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    if last := int(line):
        stop_at(last)
    for _ in range(1 if last else 1_000_000):
        say("wrote", job(folder))
    os._exit(0)
"""


@dataclass
class Children:
    """Children that do a job on a graph, forked from a process that has imported all that they need."""

    process: subprocess.Popen[str]
    child: int = 0

    def start(self, last_step: int = 0) -> None:
        """A child that works until it is killed; or once, and is killed before its n-th change of a name."""
        assert self.process.stdin is not None
        print(last_step, file=self.process.stdin, flush=True)
        self.child = self._read("started")

    def wrote(self) -> int:
        """Waits for the next write that the child acknowledges; returns its number."""
        return self._read("wrote")

    def kill(self) -> None:
        """Ends the child at once."""
        os.kill(self.child, signal.SIGKILL)

    def ended(self) -> tuple[int, int]:
        """The last number that the child acknowledged (0: none) since the last look, and how it ended."""
        number = 0
        while True:
            word, value = self._line()
            if word == "ended":
                return number, value
            number = value

    def _read(self, expected: str) -> int:
        word, value = self._line()
        assert word == expected
        return value

    def _line(self) -> tuple[str, int]:
        assert self.process.stdout is not None
        word, value = self.process.stdout.readline().split()
        return word, int(value)


def copy(folder: Path) -> int:
    """Copies a graph to a folder beside it; returns the number of the revision."""
    return copy_graph(folder, folder.with_name("copy"))


def create(folder: Path) -> int:
    """Creates a graph in a folder beside another one, with the recipe in a file there."""
    made = KnowledgeGraph.create(
        folder.with_name("new"), encoder="jaccard", recipe=str(folder.with_name("own.toml"))
    )
    return made.directory.current()


def begin(folder: Path, base: str = "http://one.example/id/") -> int:
    """Ingests `files` beside a graph into a new graph `begun`, as the command does; returns its revision."""
    made = folder.with_name("begun")
    words = ["ingest", str(made), str(folder.with_name("files")), "--encoder", "jaccard", "--base-iri", base]
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        app(words, standalone_mode=False)
    return Directory(made).current() if Directory(made).exists() else 0


def relink(folder: Path) -> int:
    """Derives what a graph has again, by the recipe in a file beside it; returns its revision."""
    graph = KnowledgeGraph.open(folder)
    return graph.relink(recipe=folder.with_name("own.toml")).revision or 0


JOBS: dict[str, Callable[[Path], int]] = {
    "write": lambda folder: write_once(KnowledgeGraph.open(folder)),
    "copy": copy,
    "create": create,
    "begin": begin,
    "relink": relink,
}
"""What children do; each gives a number."""


@contextmanager
def children(folder: Path, job: str = "write") -> Iterator[Children]:
    """Children that do one of the jobs on the graph in `folder`."""
    tests = Path(__file__).resolve().parents[1]
    search = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, "-c", _FORKS, str(folder), job],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": search},
    ) as process:  # fmt: skip
        yield Children(process)
