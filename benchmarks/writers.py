"""Readers and writers at the same time: errors, lost updates, memory and disk over some minutes.

    python benchmarks/writers.py [GRAPH] [--readers 16] [--writers 4] [--seconds 300]

A copy of GRAPH is served; without one, a graph of 1,000 generated documents. Each reader retrieves, asks
SPARQL and reads documents in turn. Each writer puts, replaces, patches and deletes documents and edges of its
own, and counts one document up that all writers share: it reads the number, and puts the next one with
`If-Match`. If the number in the end is that of the acknowledged steps, no update was lost. Memory is what the
processes of the service have for themselves; its slope is that of the second half.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from _report import write
from changes import generated, text_of
from service import PREFIXES, Served, copied, free_port, serving, times

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

SHARED = "/v1/documents/shared-counter"
SAMPLE_SECONDS = 2.0
SETTLED_SECONDS = 20.0
"""Time after the load in which the service frees what it held for requests."""


@dataclass
class Load:
    """What clients of a service have seen."""

    port: int
    token: str
    deadline: float
    answers: dict[str, list[float]] = field(default_factory=dict)
    """Seconds of each answer, by kind."""
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    steps: int = 0
    """How often the shared number was counted up."""
    written: int = 0
    """Bytes of text in acknowledged writes."""
    guard: threading.Lock = field(default_factory=threading.Lock)

    def runs(self) -> bool:
        """Whether it is to go on."""
        return time.monotonic() < self.deadline

    def send(
        self, kind: str, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, Any, str]:
        """One request: its status, its JSON and its ETag. A status that nobody expects is a fault."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if method != "GET":
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        begun = time.perf_counter()
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.take_down(kind, 0, time.perf_counter() - begun, f"{type(error).__name__}: {error}")
            return 0, None, ""
        finally:
            connection.close()
        self.take_down(
            kind, answer.status, time.perf_counter() - begun, content[:300].decode("utf-8", "replace")
        )
        return answer.status, json.loads(content) if content else None, answer.getheader("ETag") or ""

    def take_down(self, kind: str, status: int, seconds: float, content: str) -> None:
        """Keeps what came of a request."""
        with self.guard:
            self.answers.setdefault(kind, []).append(seconds)
            self.statuses[f"{kind} {status}"] += 1
            if status not in (200, 201, 204) and (kind, status) != ("count up", 412):
                self.faults.append(f"{kind}: {status} {content}")

    def wrote(self, size: int) -> None:
        """Counts the bytes of an acknowledged write."""
        with self.guard:
            self.written += size


def main() -> None:
    """Runs the load, and prints and writes what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graph", nargs="?", type=Path)
    parser.add_argument("--readers", type=int, default=16)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--processes", type=int, default=2, help="web processes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryFile() as log:
        if asked.graph is None:
            folder = generated(Path(temporary), 1_000).directory.path
        else:
            folder = copied(asked.graph, Path(temporary))
        served = Served(folder, free_port(), log)
        figures = measured(served, asked)
    print(json.dumps(figures, indent=2), flush=True)
    write("writers", figures)


def measured(served: Served, asked: argparse.Namespace) -> dict[str, object]:
    """Figures of one run."""
    token = create_token(served.folder, "benchmark", AccessRole.WRITE, "2026-01-01")
    before = disk_bytes(served.folder)
    with serving(served, asked.processes):
        load = Load(served.port, token, time.monotonic() + 60)
        load.send("first", "PUT", SHARED, {"text": "The number is 0.", "metadata": {"number": 0}})
        load.deadline = time.monotonic() + asked.seconds
        memory = run(load, served.process.pid, asked.readers, asked.writers)
        during = disk_bytes(served.folder)
        time.sleep(SETTLED_SECONDS)
        memory_after = memory_by_program(served.process.pid)
        _, shared, _ = load.send("last", "GET", SHARED)
    after = disk_bytes(served.folder)
    health = KnowledgeGraph.open(served.folder).check()
    half = memory[len(memory) // 2 :]
    slope = np.polyfit([at for at, _ in half], [size for _, size in half], 1)[0]
    return {
        "readers": asked.readers,
        "writers": asked.writers,
        "seconds": asked.seconds,
        "answers": {kind: times(seconds) for kind, seconds in sorted(load.answers.items())},
        "statuses": dict(sorted(load.statuses.items())),
        "faults": len(load.faults),
        "first_faults": load.faults[:5],
        "steps": {"acknowledged": load.steps, "shown": shared["metadata"]["number"]},
        "memory_mb": {
            "first_tenth": _mb(statistics.median(size for _, size in memory[: len(memory) // 10 + 1])),
            "half": _mb(half[0][1]),
            "end": _mb(half[-1][1]),
            "settled": _mb(sum(memory_after.values())),
            "settled_by_program": {name: _mb(size) for name, size in memory_after.most_common()},
            "slope_a_minute_in_the_second_half": round(60 * slope / 1e6, 2),
        },
        "disk_mb": {
            "before": {name: _mb(size) for name, size in before.items()},
            "under_load": {name: _mb(size) for name, size in during.items()},
            "after": {name: _mb(size) for name, size in after.items()},
            "text_written": _mb(load.written),
        },
        "health": {"clean": health.clean, "findings": [str(each) for each in health.findings[:5]]},
    }


def run(load: Load, process: int, readers: int, writers: int) -> list[tuple[float, int]]:
    """Runs the clients; returns the seconds since the begin and the bytes of memory of each look."""
    jobs = [(read, number) for number in range(readers)] + [(change, number) for number in range(writers)]
    threads = [threading.Thread(target=job, args=(load, number)) for job, number in jobs]
    begun, memory = time.monotonic(), []
    for thread in threads:
        thread.start()
    while load.runs():
        memory.append((time.monotonic() - begun, sum(memory_by_program(process).values())))
        time.sleep(SAMPLE_SECONDS)
    for thread in threads:
        thread.join()
    return memory


# --- clients ---


def read(load: Load, number: int) -> None:
    """A client that retrieves, asks SPARQL and reads documents in turn."""
    chance, turn = random.Random(number), number
    while load.runs():
        question = text_of(chance.randrange(1_000), chance)[:80]
        select = f"{PREFIXES} SELECT ?d ?n {{ ?d a sage:Document ; schema:name ?n }} LIMIT {1 + turn % 20}"
        kind, path = (
            ("retrieve", "/v1/retrieve?" + urlencode({"q": question, "k": 5})),
            ("select", "/sparql?" + urlencode({"query": select})),
            ("document", SHARED),
        )[turn % 3]
        load.send(kind, "GET", path)
        turn += 1


def change(load: Load, number: int) -> None:
    """A client that changes documents and edges of its own, and counts the shared document up."""
    chance, turn = random.Random(1_000 + number), 0
    while load.runs():
        change_one(load, f"written-{number}-{turn}", chance)
        count_up(load)
        turn += 1


def change_one(load: Load, name: str, chance: random.Random) -> None:
    """Puts, replaces, patches and joins a document; deletes it half the time."""
    path = f"/v1/documents/{name}"
    for kind in ("put", "replace"):
        text = f"{text_of(chance.randrange(10**6), chance)} It is {name}, {kind}."
        if load.send(kind, "PUT", path, {"text": text})[0] in (200, 201):
            load.wrote(len(text))
    load.send(
        "patch", "PATCH", path, {"metadata": {"turn": name}}, Content_Type="application/merge-patch+json"
    )
    edge = {"source": name, "relation": "related_to", "target": "shared-counter", "weight": 0.5}
    load.send("edge", "POST", "/v1/edges", edge)
    if chance.random() < 1 / 2:
        load.send("delete", "DELETE", path)


def count_up(load: Load) -> None:
    """Puts the next number into the shared document, once no other writer has come between."""
    while load.runs():
        _, document, tag = load.send("read before counting", "GET", SHARED)
        if document is None:
            return
        number = int(document["metadata"]["number"]) + 1
        body = {"text": f"The number is {number}.", "metadata": {"number": number}}
        if load.send("count up", "PUT", SHARED, body, If_Match=tag)[0] == 200:
            with load.guard:
                load.steps += 1
            return


# --- memory and disk ---


def memory_by_program(process: int) -> Counter[str]:
    """Bytes of anonymous memory of a process and all below it, by program; what they share counts once."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(folder.name))
    sizes, rest = Counter[str](), [process]
    while rest:
        each = rest.pop()
        rest.extend(children.get(each, []))
        sizes[_program(each)] += _own_bytes(each)
    return sizes


def _program(process: int) -> str:
    """The module that a process runs; `serve` for the command."""
    with contextlib.suppress(OSError, ValueError):
        words = Path(f"/proc/{process}/cmdline").read_text().split("\0")
        return words[words.index("-m") + 1]
    return "serve"


def _own_bytes(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:"))


def disk_bytes(folder: Path) -> dict[str, int]:
    """Bytes on disk below a folder by the first part of the path, and `all`; hard links count once."""
    sizes: Counter[str] = Counter()
    seen = set()
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place) / name
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            if status.st_ino not in seen:
                seen.add(status.st_ino)
                part = path.relative_to(folder).parts[0]
                sizes[part] += 512 * status.st_blocks
                sizes["all"] += 512 * status.st_blocks
    return dict(sizes.most_common())


def _mb(size: float) -> float:
    return round(size / 1e6, 1)


if __name__ == "__main__":
    main()
