"""A disk that is full or read-only: each command ends in one line, and the graph is as it was before."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from durability.test_damaged_indexes import content, graph, undamaged
from durability.test_damaged_revisions import documents

from sage_ld.graph import KnowledgeGraph

__all__ = ["graph", "undamaged"]
ROOM = 20_000
"""Bytes that a file may have: fewer than the store needs for what the tests write."""

_WITHOUT_RIGHTS = (
    ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]
    if os.geteuid() == 0 and shutil.which("setpriv")
    else []
)
"""Has root, who may write everywhere, respect the modes of files as others have to."""


def run(*arguments: object, room: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
    """The command line, on a disk on which no file has more than `room` bytes."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))"
    begin = f"{limit}; from sage_ld.cli.main import main; main()"
    command = [*_WITHOUT_RIGHTS, sys.executable, "-c", begin, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def note(folder: Path) -> Path:
    file = folder / "note.md"
    file.write_text("# Note\n\n" + " ".join(f"Word{number} is said." for number in range(5_000)))
    return file


@pytest.mark.parametrize("command", ["ingest", "relink", "backup"])
def test_a_full_disk_changes_nothing(graph: KnowledgeGraph, tmp_path: Path, command: str) -> None:
    before, revision = documents(graph), content(graph.directory.revision(graph.directory.current()))
    more = {"ingest": [note(tmp_path)], "relink": [], "backup": [tmp_path / "copy"]}[command]
    ended = run(command, graph.directory.path, *more, room=ROOM)
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1, ended.stderr
    assert "the disk is full" in ended.stderr
    assert documents(graph) == before
    assert content(graph.directory.revision(graph.directory.current())) == revision
    assert run(command, graph.directory.path, *more).returncode == 0
    assert (documents(graph) == before) == (command != "ingest")


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere")
@pytest.mark.parametrize("command", ["ingest", "relink", "delete"])
def test_a_read_only_graph_is_searched_and_refuses_writes(
    graph: KnowledgeGraph, tmp_path: Path, command: str
) -> None:
    folders = [graph.directory.path, *(each for each in graph.directory.path.rglob("*") if each.is_dir())]
    for each in folders:
        each.chmod(0o555)
    try:
        more = {"ingest": [note(tmp_path)], "relink": [], "delete": ["heron.md"]}[command]
        ended = run(command, graph.directory.path, *more)
        assert (ended.returncode, ended.stderr.count("\n")) == (1, 1), ended.stderr
        assert "nothing was changed" in ended.stderr
        assert run("search", graph.directory.path, "heron").returncode == 0
    finally:
        for each in folders:
            each.chmod(0o755)
