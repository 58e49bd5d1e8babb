"""A disk that is full for a moment, again and again, under a service at work: nothing is lost or hangs."""

from __future__ import annotations

import logging
import os
import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from durability.clients import clients, insert, insist
from durability.test_kills_of_the_service import SEED, check_graph
from durability.writing import LONG, small_graph, write_once
from service.serving import serving

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.service.access.tokens import AccessRole

MOMENTS = 100 if LONG else 4
ROOM = 300_000_000
"""Bytes of the disk that has the graph, and the temporary files of the service."""
_log = logging.getLogger("sage_ld.tests")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own, in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a disk of its own needs the right to mount one")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("the system mounts no disk here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Fills the disk, so that not one more block can be written; returns the file that does."""
    filler = folder / "filler"
    with filler.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 16))
    return filler


def test_full_at_random_moments(disk: Path) -> None:
    graph = small_graph(disk / "graph")
    folder, temporary, chance, times = graph.directory.path, disk / "tmp", random.Random(SEED), []
    for _ in reading.chunk_iris(graph.snapshot().store):  # which moves each heading to where clients write
        write_once(graph)
    temporary.mkdir()
    around = ["env", f"TMPDIR={temporary}"]
    with serving(folder, (AccessRole.WRITE,), 1, around=around) as server:
        chunks = reading.chunk_iris(KnowledgeGraph.open(folder).snapshot().store)
        with clients(server, chunks, SEED) as shared:
            for number in range(1, MOMENTS + 1):
                time.sleep(chance.uniform(0.1, 1))
                filler = fill(disk)
                time.sleep(chance.uniform(0.2, 1.5))
                filler.unlink()
                times.append(insist(lambda: insert(shared)))
                insist(lambda: shared.ledger.check(shared.numbers) is None)
                assert shared.faults == []
                _log.info("%d of %d: well after %.2f s", number, MOMENTS, times[-1])
        assert shared.faults == []
        assert server.stop() == 0
    _log.info("well again after: median %.2f s, longest %.2f s", statistics.median(times), max(times))
    _log.info("writes: %s", dict(shared.ledger.outcomes))
    check_graph(KnowledgeGraph.open(folder), shared)
    assert list((folder / "jobs").glob("*.tmp")) == []
