"""Behaviour of a service under hostile load: a mixed attack, and two ordinary clients beside it.

    python benchmarks/hostile.py [--graph KG] [--seconds 300] [--processes 2]

Two ordinary clients (retrieval, a small SELECT) are alone first; then a third one writes once a second, each
time a new revision, that all processes open; then all of them are beside the attack; then the first two are
alone again. In between, each of some hostile documents is sent beside a client that writes lines and one that
asks. An acknowledged write must be there at the end, each process that was lost must have been replaced, and
the memory of all processes together is watched. All of it is on loopback, bounded in number and time. The
attackers are a process of their own at the lowest priority, because attackers elsewhere take no time of our
processors, and have an address of their own, by which the service tells clients apart.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import itertools
import json
import multiprocessing
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from _report import write

from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

FILMS = Path(__file__).parents[1] / "examples" / "films"
QUERY, UPDATE = "application/sparql-query", "application/sparql-update"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
SMALL = "SELECT ?s ?n { ?s a <https://w3id.org/sage-ld#Document> ; <https://schema.org/name> ?n } LIMIT 10"
NUMBERS = " ".join(map(str, range(500)))
ENDLESS = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {NUMBERS} }}' for x in 'abcd')} }}"
QUESTIONS = ("Who composed The Ninth Ferry?", "Which novel is The Glass Orchard based on?", "the fog gala")
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 100}">' for n in range(8))
CROWD = 1_500
"""Connections that say nothing useful at a time."""
ATTACKER = "127.0.0.2"


@dataclass(frozen=True)
class Attack:
    """A request that is meant to do harm."""

    method: str
    path: str
    content_type: str
    body: Callable[[], bytes]
    writes: bool = False


ATTACKS = {
    "json": Attack("POST", "/v1/retrieve", JSON, lambda: _channels(2_000)),
    "json integers": Attack("POST", "/v1/retrieve", JSON, lambda: b'{"q":"x","documents":%s}' % _integers()),
    "json depth": Attack("POST", "/v1/retrieve", JSON, lambda: b"[" * 100_000),
    "tokens": Attack("POST", "/sparql", QUERY, lambda: b"a." * 16_000),
    "quotes": Attack("POST", "/sparql", QUERY, lambda: b"'\\" * 16_000),
    "long quotes": Attack("POST", "/sparql", QUERY, lambda: b"'''" * 10_000),
    "form": Attack("POST", "/sparql", FORM, lambda: b"query=" + b"%41" * 5_000_000),
    "fields": Attack("POST", "/sparql", FORM, lambda: b"a=1&" * 500_000),
    "endless": Attack("POST", "/sparql?timeout=3", QUERY, ENDLESS.encode),
    "rows": Attack(
        "POST", "/sparql?timeout=3", QUERY, lambda: ENDLESS.replace("(COUNT(*) AS ?n)", "*").encode()
    ),
    "nesting": Attack("POST", "/sparql", QUERY, lambda: b"SELECT * " + b"{" * 3_000 + b"}" * 3_000),
    "service": Attack("POST", "/sparql", QUERY, lambda: b"ASK { ?s ?p trueSERVICE <http://a/> {} }"),
    "iteration": Attack(
        "POST",
        "/update",
        UPDATE,
        lambda: b"INSERT { ?s ?p 1 } WHERE {GRAPH <x:g>{?s ?p trueSERVICE ?z {?a ?b ?c}}}",
        writes=True,
    ),
    "product": Attack(
        "POST",
        "/update?timeout=5",
        UPDATE,
        lambda: b"INSERT { GRAPH <x:p> { ?a ?b ?d } } WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
        writes=True,
    ),
    "entities": Attack(
        "PUT",
        "/data?graph=x:e",
        "application/rdf+xml",
        lambda: f"<!DOCTYPE r [{ENTITIES}]><r>&e7;</r>".encode(),
        writes=True,
    ),
}

DOCUMENTS = {
    "substitutions": Attack("PUT", "/v1/documents/a.rst", "text/x-rst", lambda: _doubled(), writes=True),
    "key": Attack("PUT", "/v1/documents/a.toml", "application/toml", lambda: _long_key(), writes=True),
    "tables": Attack("PUT", "/v1/documents/a.zip", "application/zip", lambda: _tables(1_000), writes=True),
    "copies": Attack("POST", "/update", UPDATE, lambda: COPIES, writes=True),
    "records": Attack(
        "PUT", "/v1/documents/a.jsonl", "application/jsonl", lambda: _records(3_500), writes=True
    ),
    "prose": Attack("PUT", "/v1/documents/a.md", "text/markdown", lambda: _prose(1_000), writes=True),
}
"""Documents and an update that held the one process that writes for a minute, in their day.

The last two mean no harm: they are as large as a request may be that somebody waits for, and each time new.
"""
_NUMBERS = itertools.count()
COPIES = b"""
PREFIX sage: <https://w3id.org/sage-ld#>
INSERT { GRAPH <x:a> { ?s ?p ?o } GRAPH <x:b> { ?s ?p ?o } GRAPH <x:c> { ?s ?p ?o } }
WHERE { { SELECT ?g { GRAPH ?g { ?d a sage:Document } } LIMIT 1 } GRAPH ?g { ?s ?p ?o } }
"""


def _doubled() -> bytes:
    """Fourteen substitutions, each of which names the one before twice."""
    lines = [f".. |a{n}| replace:: |a{n - 1}| |a{n - 1}|" for n in range(14, 0, -1)]
    return "\n".join([*lines, ".. |a0| replace:: x", "", "|a14|", ""]).encode()


def _records(count: int) -> bytes:
    run = next(_NUMBERS)
    return b"\n".join(b'{"id": %d, "part": "KQ-%d-%d"}' % (n, run, n) for n in range(count))


def _prose(count: int) -> bytes:
    run = next(_NUMBERS)
    sentences = "The ferry {n} of line {run} crossed the sound, and Mira Tolland wrote of its captain. " * 8
    return "\n\n".join(sentences.format(n=n, run=run) for n in range(count)).encode()


def _long_key() -> bytes:
    return b".".join([b"a"] * 20_000) + b" = 1\n"


def _tables(count: int) -> bytes:
    """An archive of tables that one metadata file of CSV on the Web describes."""
    content, columns = io.BytesIO(), {"columns": [{"titles": "a"}, {"titles": "b"}]}
    tables = [{"url": f"t{n}.csv", "tableSchema": columns} for n in range(count)]
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        metadata = {"@context": "http://www.w3.org/ns/csvw", "tables": tables}
        archive.writestr("csv-metadata.json", json.dumps(metadata))
        for n in range(count):
            archive.writestr(f"t{n}.csv", "a,b\n1,2\n")
    return content.getvalue()


def _channels(count: int) -> bytes:
    return json.dumps({"q": "x", "channels": [{"a": number} for number in range(count)]}).encode()


def _integers() -> bytes:
    return json.dumps(list(range(100_000))).encode()


@dataclass
class Seen:
    """What the ordinary clients and the attackers saw."""

    times: dict[str, list[float]] = field(default_factory=lambda: {"retrieval": [], "select": []})
    failures: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    acknowledged: list[int] = field(default_factory=list)
    memory: int = 0
    """The most that all processes took together, bytes."""


@dataclass
class Address:
    """Where the service listens, a token for writing, and the address from which a client asks."""

    port: int
    token: str
    client: str = "127.0.0.1"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content_type: str = QUERY,
        writes: bool = False,
    ) -> tuple[int, bytes]:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=60, source_address=(self.client, 0)
        )
        headers = {"Content-Type": content_type} | (
            {"Authorization": f"Bearer {self.token}"} if writes else {}
        )
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


class Service(Address):
    """A served graph."""

    def __init__(self, folder: Path, processes: int, log: int) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        super().__init__(port, create_token(folder, "hostile", AccessRole.WRITE, "2026-01-01"))
        command = "from sage_ld.cli import main; main()"
        options = ["--port", str(port), "--processes", str(processes)]
        self.numbers = itertools.count(1)
        """Makes each query and each write another one, so that no answer is a kept one."""
        self.process = subprocess.Popen(
            [sys.executable, "-c", command, "serve", str(folder), *options], stderr=log
        )

    def ready(self) -> None:
        """Waits until it answers."""
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask("GET", "/health/ready")[0] == 200:
                    return
            time.sleep(0.1)
        raise SystemExit("the service does not answer")

    def family(self) -> list[int]:
        """All of its processes."""
        found = [self.process.pid]
        for each in found:
            with contextlib.suppress(OSError):
                for children in Path(f"/proc/{each}/task").glob("*/children"):  # of each of its threads
                    found += map(int, children.read_text().split())
        return found

    def memory(self) -> int:
        """Bytes that all of its processes have for themselves."""
        return sum(_anonymous(each) for each in self.family())


def _anonymous(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return 1024 * int(line.split()[1])
    return 0


def main() -> None:
    """Measures, prints and writes the figures."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    made.add_argument("--graph", type=Path, help="a graph, which is copied; default: that of examples/films")
    made.add_argument("--seconds", type=float, default=300)
    made.add_argument("--processes", type=int, default=2)
    given = made.parse_args()
    _many_files()
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryFile() as log:
        folder = _graph(given.graph, Path(temporary))
        service = Service(folder, given.processes, log.fileno())
        service.ready()
        try:
            figures = _measure(service, given.seconds)
        finally:
            service.process.send_signal(signal.SIGTERM)
            figures_status = service.process.wait(120)
    figures["exit status"] = figures_status
    print(json.dumps(figures, indent=2))
    write("hostile", figures)


def _many_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, hard), hard))


def _graph(source: Path | None, temporary: Path) -> Path:
    folder = temporary / "graph"
    if source is None:
        graph = KnowledgeGraph.create(folder)
        graph.ingest([FILMS])
        graph.close()
    else:
        command = [sys.executable, "-c", "from sage_ld.cli import main; main()"]
        subprocess.run([*command, "backup", str(source), str(temporary / "backup")], check=True)
        subprocess.run([*command, "restore", str(temporary / "backup"), str(folder)], check=True)
    return folder


def _measure(service: Service, seconds: float) -> dict[str, object]:
    alone, beside_writes, attacked = Seen(), Seen(), Seen()
    _together(service, Seen(), 10)  # encoder and revision are opened
    _together(service, alone, seconds / 5)
    _together(service, beside_writes, seconds / 5, "writes")
    documents = _documents(service, seconds / 10)
    _together(service, attacked, seconds, "writes", "attack")
    time.sleep(5)
    _together(service, alone, seconds / 5)
    status, content = service.ask("POST", "/sparql", b"SELECT ?n { GRAPH <x:kept> { ?s <x:is> ?n } }")
    rows = json.loads(content)["results"]["bindings"] if status == 200 else []
    there = {int(row["n"]["value"]) for row in rows}
    p95 = {kind: _p95(each) for kind, each in attacked.times.items()}
    return {
        "p95 alone": {kind: _p95(each) for kind, each in alone.times.items()},
        "p95 beside writes": {kind: _p95(each) for kind, each in beside_writes.times.items()},
        "p95 attacked": p95,
        "attacked / alone": _ratios(p95, alone),
        "attacked / beside writes": _ratios(p95, beside_writes),
        "beside hostile documents / alone": documents,
        "asked during the attack": {kind: len(each) for kind, each in attacked.times.items()},
        "failures of ordinary clients": dict(attacked.failures + alone.failures + beside_writes.failures),
        "attacks by answer": {name: dict(each) for name, each in sorted(attacked.statuses.items())},
        "writes acknowledged": len(beside_writes.acknowledged) + len(attacked.acknowledged),
        "writes lost": len({*beside_writes.acknowledged, *attacked.acknowledged} - there),
        "most memory, MB": round(attacked.memory / 1e6),
        "memory afterwards, MB": round(service.memory() / 1e6),
        "processes afterwards": len(service.family()),
    }


def _documents(service: Service, seconds: float) -> dict[str, dict[str, float | str]]:
    """The p95 of writing a line and of a retrieval beside each of `DOCUMENTS`, in terms of that alone."""
    quiet, ratios = Seen(), {}
    _asked_beside(service, quiet, seconds)
    for name, each in DOCUMENTS.items():
        seen, stop, statuses = Seen(), threading.Event(), {name: Counter[str]()}
        target = Address(service.port, service.token, ATTACKER)
        attacker = threading.Thread(target=_attack, args=(target, statuses, stop, 0, {name: each}))
        attacker.start()
        _asked_beside(service, seen, seconds)
        stop.set()
        attacker.join()
        p95 = {kind: _p95(times) for kind, times in seen.times.items() if times}
        answers = " ".join(f"{status}: {count}" for status, count in statuses[name].items())
        ratios[name] = {**_ratios(p95, quiet), "answers": answers, "failures": str(dict(seen.failures))}
    return ratios


def _asked_beside(service: Service, seen: Seen, seconds: float) -> None:
    """Has one client write a line again and again, and another ask."""
    seen.times, stop = {"retrieval": [], "put": []}, threading.Event()
    line = "/v1/documents/line"
    work: list[Callable[[], None]] = [
        lambda: _ask(service, seen, stop, "retrieval", lambda n: ("GET", _retrieval(n), None)),
        lambda: _ask(service, seen, stop, "put", lambda n: ("PUT", line, b"The line %d." % n), writes=True),
    ]
    _run_for(seconds, stop, work)


def _ratios(p95: dict[str, float], reference: Seen) -> dict[str, float]:
    return {kind: round(value / _p95(reference.times[kind]), 2) for kind, value in p95.items()}


def _p95(times: list[float]) -> float:
    ordered = sorted(times)
    return round(ordered[int(0.95 * len(ordered))], 4) if ordered else float("inf")


def _together(service: Service, seen: Seen, seconds: float, *others: Literal["writes", "attack"]) -> None:
    """Has the ordinary clients that read ask for so many seconds, and others beside them."""
    stop = threading.Event()
    work: list[Callable[[], None]] = [
        lambda: _ask(service, seen, stop, "retrieval", lambda n: ("GET", _retrieval(n), None)),
        lambda: _ask(service, seen, stop, "select", lambda n: ("POST", "/sparql", f"{SMALL} # {n}".encode())),
        lambda: _watch(service, seen, stop),
    ]
    if "writes" in others:
        work.append(lambda: _write(service, seen, stop))
    if "attack" in others:
        work += [
            lambda: _kill(service, stop),
            lambda: seen.statuses.update(_attacked(service.port, service.token, seconds)),
        ]
    _run_for(seconds, stop, work)


def _run_for(seconds: float, stop: threading.Event, work: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=each) for each in work]
    for thread in threads:
        thread.start()
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()


def _attacked(port: int, token: str, seconds: float) -> dict[str, Counter[str]]:
    """Attacks from a process of their own; how often each attack was answered in which way."""
    with multiprocessing.get_context("spawn").Pool(1) as attackers:
        return attackers.apply(_attack_all, (port, token, seconds))


def _attack_all(port: int, token: str, seconds: float) -> dict[str, Counter[str]]:
    os.nice(19)
    _many_files()
    target, stop = Address(port, token, ATTACKER), threading.Event()
    statuses: dict[str, Counter[str]] = {name: Counter() for name in ATTACKS}
    work: list[Callable[[], None]] = [lambda: _crowd(target, stop)]
    work += [lambda seed=seed: _attack(target, statuses, stop, seed) for seed in range(4)]
    _run_for(seconds, stop, work)
    return statuses


def _retrieval(number: int) -> str:
    return "/v1/retrieve?" + urlencode({"q": f"{QUESTIONS[number % 3]} {number % 7}"})


def _ask(
    service: Service,
    seen: Seen,
    stop: threading.Event,
    kind: str,
    request: Callable[[int], tuple[str, str, bytes | None]],
    writes: bool = False,
) -> None:
    while not stop.is_set():
        number = next(service.numbers)
        begin = time.perf_counter()
        try:
            content_type = "text/plain" if writes else QUERY
            status, _ = service.ask(*request(number), content_type, writes)
            seen.times[kind].append(time.perf_counter() - begin)
            if status not in (200, 201):
                seen.failures[f"{kind}: {status}"] += 1
        except (OSError, http.client.HTTPException) as error:
            seen.failures[f"{kind}: {type(error).__name__}"] += 1
        stop.wait(0.05)


def _write(service: Service, seen: Seen, stop: threading.Event) -> None:
    while not stop.is_set():
        number = next(service.numbers)
        body = f"INSERT DATA {{ GRAPH <x:kept> {{ <x:s> <x:is> {number} }} }}".encode()
        with contextlib.suppress(OSError, http.client.HTTPException):
            if service.ask("POST", "/update", body, UPDATE, writes=True)[0] == 200:
                seen.acknowledged.append(number)
        stop.wait(1)


def _attack(
    target: Address,
    statuses: dict[str, Counter[str]],
    stop: threading.Event,
    seed: int,
    attacks: dict[str, Attack] = ATTACKS,
) -> None:
    chance = random.Random(seed)
    while not stop.is_set():
        name, each = chance.choice(sorted(attacks.items(), key=lambda item: item[0]))
        try:
            status, _ = target.ask(each.method, each.path, each.body(), each.content_type, each.writes)
            said = str(status)
        except (OSError, http.client.HTTPException) as error:
            said = type(error).__name__
        statuses[name][said] += 1
        stop.wait(0.1)


BEGINNINGS = (
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nAS",
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01",
)


def _crowd(target: Address, stop: threading.Event) -> None:
    """Keeps many connections open that say nothing useful."""
    while not stop.is_set():
        with contextlib.ExitStack() as stack:
            for number in range(CROWD):
                with contextlib.suppress(OSError):
                    client = socket.create_connection(("127.0.0.1", target.port), 5, (target.client, 0))
                    stack.enter_context(client)
                    client.sendall(BEGINNINGS[number % len(BEGINNINGS)])
            stop.wait(10)


def _kill(service: Service, stop: threading.Event) -> None:
    """Ends a process of the service now and then, never the supervisor."""
    chance = random.Random(0)
    while not stop.wait(20):
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(chance.choice(service.family()[1:]), signal.SIGKILL)


def _watch(service: Service, seen: Seen, stop: threading.Event) -> None:
    while not stop.wait(0.5):
        seen.memory = max(seen.memory, service.memory())


if __name__ == "__main__":
    main()
