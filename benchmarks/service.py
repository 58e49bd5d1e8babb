"""The service under load: throughput, answers while another process writes, deadlines, search in SPARQL.

    python benchmarks/service.py [--data FOLDER] [--graphs FOLDER] [--graph KG] [--seconds 60] [--clients 32]
        [--parts NAME …]

It serves a copy of the ottqa graph (links ignored), or of the graph KG, on a port of its own. Clients and
service share the machine, and so its cores. Every answer under load is checked, after the load: against the
same query or question in process, on the revision that it says it is of (its entity tag), or on those that
were the newest while it was asked.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import multiprocessing
import os
import random
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlencode

import _sets
import pyoxigraph as ox
from _report import write

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store.directory import Directory
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.service.access.tokens import AccessRole, create_token

PREFIXES = "PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/> "
SMALL = PREFIXES + "SELECT ?document ?name { ?document a sage:Document ; schema:name ?name } LIMIT 10"
NUMBERS = " ".join(map(str, range(500)))
ENDLESS = f"SELECT (COUNT(*) AS ?n) {{ {' '.join(f'VALUES ?{x} {{ {NUMBERS} }}' for x in 'abcd')} }}"
JOINED = (
    "SELECT * { (?chunk ?score) sage:search (%s 20) . ?chunk schema:isPartOf ?document ; schema:name ?name }"
)
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"


class Kind(NamedTuple):
    """One kind of request: the path and body of the one with a number."""

    name: str
    path: str
    body: bytes | None


class Seen(NamedTuple):
    """An answer as it came, and the revisions that were the newest before and after."""

    kind: Kind
    seconds: float
    status: int
    etag: str
    content: bytes
    before: int
    after: int


@dataclass
class Served:
    """A graph that is being served."""

    folder: Path
    port: int
    log: IO[bytes]
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self, processes: int, **settings: object) -> None:
        """Starts `sage-ld serve`, and waits until it answers."""
        command = [sys.executable, "-c", "from sage_ld.cli import main; main()", "serve", str(self.folder)]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--processes", str(processes)],
            stderr=self.log,
            env={**os.environ, **{f"SAGE_LD_{name.upper()}": str(value) for name, value in settings.items()}},
        )
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.ask(Kind("health", "/health/ready", None)).status == 200:
                    return
            time.sleep(0.1)
        raise SystemExit("the service does not answer; its log is on standard error")

    def stop(self) -> None:
        """Ends it."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def ask(
        self, kind: Kind, connection: http.client.HTTPConnection | None = None, token: str | None = None
    ) -> Seen:
        """One request, on a connection of its own unless one is given."""
        directory = Directory(self.folder)
        used = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        before, begin = directory.current(), time.perf_counter()
        headers = {} if kind.body is None else {"Content-Type": UPDATE if token else QUERY}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        used.request("GET" if kind.body is None else "POST", kind.path, kind.body, headers)
        answer = used.getresponse()
        content = answer.read()
        seconds = time.perf_counter() - begin
        if connection is None:
            used.close()
        etag = (answer.getheader("ETag") or "").strip('"')
        return Seen(kind, seconds, answer.status, etag, content, before, directory.current())


def main() -> None:
    """Measures all of it, prints it, and writes it as JSON."""
    made = _sets.parser(__doc__)
    made.add_argument("--graph", type=Path, help="another graph than that of ottqa; it is copied")
    made.add_argument("--seconds", type=float, default=60, help="how long the load lasts")
    made.add_argument("--clients", type=int, default=32)
    made.add_argument("--processes", type=int, default=2, help="web processes")
    parts = {part.__name__: part for part in (throughput, retrievals, searches, deadlines, load)}
    made.add_argument("--parts", nargs="+", choices=parts, default=list(parts), help="what is measured")
    given = made.parse_args()
    questions = _questions(given, made)
    with tempfile.TemporaryDirectory() as temporary, tempfile.TemporaryFile() as log:
        folder = copied(_graph(given, made), Path(temporary))
        served = Served(folder, free_port(), log)
        figures: dict[str, object] = {"web_processes": given.processes}
        for name in given.parts:
            figures[name] = parts[name](served, questions, given)
            print(name, json.dumps(figures[name], indent=2), flush=True)
    write("service", figures)


def _graph(given: argparse.Namespace, made: argparse.ArgumentParser) -> Path:
    if given.graph is not None:
        return Path(given.graph)
    graph = _sets.place(given, made).graph(_sets.SETS[0])
    graph.close()
    return graph.directory.path


def _questions(given: argparse.Namespace, made: argparse.ArgumentParser) -> list[str]:
    dataset = _sets.SETS[0].dataset(_sets.place(given, made).data)
    return random.Random(1).sample(sorted(dataset.questions.values()), 100)


def copied(graph: Path, temporary: Path) -> Path:
    """A copy of a graph below a folder, as backup and restore make it."""
    command = [sys.executable, "-c", "from sage_ld.cli import main; main()"]
    backup, copy = temporary / "backup", temporary / "graph"
    subprocess.run([*command, "backup", str(graph), str(backup)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*command, "restore", str(backup), str(copy)], check=True, stdout=subprocess.DEVNULL)
    return copy


def free_port() -> int:
    """A port of the loopback interface that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(served: Served, processes: int, **settings: object) -> Iterator[None]:
    """Serves a graph as long as the block lasts."""
    served.start(processes, **settings)
    try:
        yield
    finally:
        served.stop()


# --- throughput of a small query ---


def throughput(served: Served, _: Sequence[str], given: argparse.Namespace) -> dict[str, object]:
    """Answers a second of a small SELECT: in process, from one thread, and served over 8 connections.

    `different`: each request has a text of its own, so nothing that the service keeps helps. `same`: one
    text, answers not kept. `kept`: one text, answers kept, as by default. In turns, three times; medians.
    """
    ways: dict[str, tuple[dict[str, object], Callable[[int], str]]] = {
        "different": ({}, lambda number: f"{SMALL} # {number}"),
        "same": ({"max_kept_bytes": 0}, lambda _: SMALL),
        "kept": ({}, lambda _: SMALL),
    }
    rates: dict[str, list[float]] = defaultdict(list)
    for _ in range(3):
        for name, (settings, text) in ways.items():
            rates[f"in_process_{name}"].append(_in_process(served.folder, text, 2))
            with serving(served, given.processes, **settings):
                _hammer(served.port, text, 1)  # workers open the revision
                rates[name].append(_hammer(served.port, text, 3))
    middle = {name: round(statistics.median(each)) for name, each in rates.items()}
    ratios = {f"{name}_ratio": round(middle[name] / middle[f"in_process_{name}"], 2) for name in ways}
    return {**middle, **ratios, "goal_ratio": 0.5}


def _in_process(folder: Path, text: Callable[[int], str], seconds: float) -> float:
    """In a process of its own, as it stands for itself."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        texts = [text(number) for number in range(2_000)]
        return pool.apply(_evaluate, (folder, texts, seconds))


def _evaluate(folder: Path, texts: list[str], seconds: float) -> float:
    directory = Directory(folder)
    store = ox.Store.read_only(str(directory.revision(directory.current()) / "store"))
    done, begin = 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        results = store.query(texts[done % len(texts)], use_default_graph_as_union=True)
        results.serialize(format=ox.QueryResultsFormat.JSON)  # type: ignore[union-attr]
        done += 1
    return done / spent


def _hammer(port: int, text: Callable[[int], str], seconds: float, connections: int = 8) -> float:
    """Answers a second to a light client."""
    selector = selectors.DefaultSelector()
    clients = [Light(port) for _ in range(connections)]
    sent = done = 0
    for each in clients:
        selector.register(each.socket, selectors.EVENT_READ, each)
        each.send(text(sent))
        sent += 1
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        for key, _ in selector.select(1):
            if key.data.receive():
                done += 1
                key.data.send(text(sent))
                sent += 1
    for each in clients:
        each.socket.close()
    return done / spent


class Light:
    """A client that looks at no more of an answer than its status and length."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self._head = f"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: {QUERY}\r\nContent-Length: "
        self._left = 0
        self._ahead = b""

    def send(self, text: str) -> None:
        """Asks."""
        body = text.encode()
        self.socket.sendall(f"{self._head}{len(body)}\r\n\r\n".encode() + body)

    def receive(self) -> bool:
        """Takes what there is of the answer; returns whether that was all of it."""
        block = self._ahead + self.socket.recv(1 << 16)
        self._ahead = b""
        if self._left:
            self._left -= len(block)
        else:
            head, whole, rest = block.partition(b"\r\n\r\n")
            if not whole:
                self._ahead = block
                return False
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"the service says {block[:300]!r}")
            length = head.lower().split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0]
            self._left = int(length) - len(rest)
        return self._left == 0


# --- search in SPARQL, deadlines ---


def retrievals(served: Served, questions: Sequence[str], given: argparse.Namespace) -> dict[str, object]:
    """Five chunks and five neighbours over one connection: the first time, and from that process's cache."""
    kinds = [_retrieval(question) for question in questions[20:]]
    with serving(served, given.processes):
        _warm(served, questions[:20])
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
        first, again = ([served.ask(each, connection) for each in kinds] for _ in range(2))
        connection.close()
    return {"first": _times(first), "goal_first_p50_ms": 45, "kept": _times(again), "goal_kept_p50_ms": 2}


def searches(served: Served, questions: Sequence[str], given: argparse.Namespace) -> dict[str, object]:
    """A search for 20 chunks joined with two patterns: one question after the other, each the first time."""
    with serving(served, given.processes):
        _warm(served, questions)
        seen = [served.ask(_joined(question)) for question in questions]
    rows = [len(json.loads(each.content)["results"]["bindings"]) for each in seen]
    return {**_times(seen), "fewest_rows": min(rows), "goal_p50_ms": 100}


def _joined(question: str) -> Kind:
    return Kind("search", "/sparql", (PREFIXES + JOINED % json.dumps(question)).encode())


def deadlines(served: Served, questions: Sequence[str], given: argparse.Namespace) -> dict[str, object]:
    """Endless queries with timeout=1, one after another, beside four clients that pause between requests."""
    endless = Kind("endless", "/sparql?timeout=1", ENDLESS.encode())

    def others(seconds: float) -> list[Seen]:
        return _clients(
            served, 4, seconds, lambda number, chance: _small(number, chance, questions), pause=0.2
        )

    with serving(served, given.processes):
        _warm(served, questions)
        alone = others(12)
        ended: list[Seen] = []
        stop = threading.Event()

        def ask_endlessly() -> None:
            while not stop.is_set():
                ended.append(served.ask(endless))

        thread = threading.Thread(target=ask_endlessly)
        thread.start()
        beside = others(12)
        stop.set()
        thread.join()
    quiet, disturbed = _by_kind(alone), _by_kind(beside)
    return {
        "endless": {**_times(ended), "status": dict(Counter(each.status for each in ended))},
        "goal_endless_max_ms": 1300,
        "undisturbed": quiet,
        "disturbed": disturbed,
        "p95_ratio": {kind: round(disturbed[kind]["p95_ms"] / quiet[kind]["p95_ms"], 2) for kind in quiet},
        "goal_p95_ratio": 2,
    }


def _small(number: int, chance: random.Random, questions: Sequence[str]) -> Kind:
    if number % 2:
        return _retrieval(chance.choice(questions))
    return Kind("select", "/sparql", f"{SMALL} # {chance.random()}".encode())


def _retrieval(question: str) -> Kind:
    return Kind("retrieve", "/v1/retrieve?" + urlencode({"q": question, "k": 10, "from_graph": 5}), None)


# --- load, while another process writes ---


def load(served: Served, questions: Sequence[str], given: argparse.Namespace) -> dict[str, object]:
    """Clients that ask without pause, and one that writes: updates and ingested files in turn."""
    few = questions[:20]
    token = create_token(served.folder, "benchmark", AccessRole.WRITE, "2026-01-01")
    updates: list[Seen] = []
    ingests: list[Ingest] = []
    held: list[IO[bytes]] = [Directory(served.folder).pin()[1]]
    with serving(served, given.processes):
        _warm(served, few)
        updates.append(served.ask(_update(0), token=token))  # it loads the encoder
        held.append(Directory(served.folder).pin()[1])
        stop = threading.Event()

        def write_on() -> None:
            while not stop.is_set():
                updates.append(served.ask(_update(len(updates)), token=token))
                held.append(Directory(served.folder).pin()[1])  # so that it can be asked again below
                ingests.append(_ingest(served.folder, len(ingests)))
                held.append(Directory(served.folder).pin()[1])

        writer = threading.Thread(target=write_on)
        writer.start()
        seen = _clients(
            served, given.clients, given.seconds, lambda number, chance: _mixed(number, chance, few)
        )
        stop.set()
        writer.join()
    errors = Counter(str(each.status) for each in seen if each.status != 200)
    wrong = _wrong(served.folder, [each for each in seen if each.status == 200])
    return {
        "seconds": given.seconds,
        "clients": given.clients,
        "updates": {**_times(updates), "status": dict(Counter(each.status for each in updates))},
        "ingests": {
            "seconds": [round(each.seconds, 1) for each in ingests],
            "said": [each.said for each in ingests],
        },
        "answers": len(seen),
        "answers_a_second": round(len(seen) / given.seconds, 1),
        "errors": dict(errors),
        "wrong": len(wrong),
        "wrong_first": wrong[:3],
        "kinds": _by_kind(seen),
    }


def _mixed(number: int, chance: random.Random, questions: Sequence[str]) -> Kind:
    """Of ten requests four retrieve, one searches in SPARQL, one counts, four are small queries."""
    turn = number % 10
    if turn < 4:
        return _retrieval(chance.choice(questions))
    if turn == 4:
        return _joined(chance.choice(questions))
    if turn == 5:
        text = PREFIXES + "SELECT (COUNT(*) AS ?n) { ?note a sage:Note }"
        return Kind("count", "/sparql", f"{text} # {chance.randrange(3)}".encode())
    skipped = chance.randrange(20) * 100
    return Kind("select", "/sparql", f"{SMALL} OFFSET {skipped}".encode())


def _update(number: int) -> Kind:
    """Adds a note, and gives a chunk another heading, with which it is encoded and indexed again."""
    text = f"""{PREFIXES}
        INSERT DATA {{ GRAPH <urn:notes> {{ <urn:note:{number}> a sage:Note }} }} ;
        DELETE {{ GRAPH ?g {{ ?chunk sage:heading ?old }} }}
        INSERT {{ GRAPH ?g {{ ?chunk sage:heading "The heron of Osmere was seen {number} times." }} }}
        WHERE {{ {{ SELECT * {{ GRAPH ?g {{ ?chunk a sage:TextChunk ; sage:heading ?old }} }} LIMIT 1 }} }}"""
    return Kind("update", "/update", text.encode())


class Ingest(NamedTuple):
    """A file that another process has taken into the graph."""

    seconds: float
    said: str


def _ingest(folder: Path, number: int) -> Ingest:
    """Has `sage-ld ingest` take in a page that names documents of the graph. Raises where it fails."""
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / f"osmere-{number}.md"
        file.write_text(
            f"# Osmere Bay {number}\n\nManchester United and Bath Rugby have played at Osmere Bay in London, "
            f"which John Smith saw {number} times.\n",
            encoding="utf-8",
        )
        begin = time.perf_counter()
        command = [sys.executable, "-c", "from sage_ld.cli import main; main()", "ingest"]
        done = subprocess.run([*command, str(folder), str(file)], check=True, capture_output=True, text=True)
        return Ingest(time.perf_counter() - begin, done.stdout.splitlines()[0])


def _warm(served: Served, questions: Sequence[str]) -> None:
    """Has every web process load encoder and indexes, and every worker open the revision."""
    for _ in range(2):
        _clients(served, 16, 2, lambda number, chance: _small(number, chance, questions))


def _clients(
    served: Served,
    count: int,
    seconds: float,
    next_kind: Callable[[int, random.Random], Kind],
    pause: float = 0,
) -> list[Seen]:
    """What so many clients see, each on one connection, each asking again once it has its answer."""
    seen: list[Seen] = []
    deadline = time.perf_counter() + seconds

    def run(client: int) -> None:
        chance = random.Random(client)
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
        number = client
        while time.perf_counter() < deadline:
            try:
                seen.append(served.ask(next_kind(number, chance), connection))
            except (OSError, http.client.HTTPException) as error:
                seen.append(Seen(Kind(type(error).__name__, "", None), 0, 0, "", b"", 0, 0))
                connection.close()
            number += 1
            time.sleep(pause)
        connection.close()

    threads = [threading.Thread(target=run, args=(client,)) for client in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return seen


# --- what is right ---


class At(KnowledgeGraph):
    """A graph at one revision."""

    held: Snapshot

    def snapshot(self) -> Snapshot:
        """That one."""
        return self.held


def _wrong(folder: Path, seen: Sequence[Seen]) -> list[str]:
    """Each answer that is not the one of its revision; for SPARQL of one that was the newest meanwhile."""
    graph = At(Directory(folder))
    snapshots: dict[int, Snapshot] = {}
    right: dict[tuple[Kind, int], object] = {}

    def expected(kind: Kind, number: int) -> object:
        if number not in snapshots:
            revision = graph.directory.revision(number)
            snapshots[number] = Snapshot(
                graph.directory, number, (revision / "in-use").open("rb"), Settings()
            )
        if (kind, number) not in right:
            graph.held = snapshots[number]
            right[kind, number] = _right(graph, kind)
        return right[kind, number]

    wrong = []
    for each in sorted(seen, key=lambda each: each.before):
        if each.kind.name == "retrieve":
            numbers = [int(each.etag.split("-")[0])]
            assert each.before <= numbers[0] <= each.after, "an answer of a revision that was not the newest"
        else:
            numbers = list(range(each.before, each.after + 1))
        given = _rounded(json.loads(each.content))
        if not any(given == expected(each.kind, number) for number in numbers):
            wrong.append(f"{each.kind.path} {each.kind.body!r} {numbers}: {each.content[:500]!r}")
    return wrong


def _right(graph: At, kind: Kind) -> object:
    """What is to be said of a request, in process."""
    from urllib.parse import parse_qs, urlsplit

    from sage_ld.service.sparql.queries import read
    from sage_ld.service.workers.searches import expanded
    from sage_ld.service.workers.text_limits import TextLimits

    retriever = Retriever(graph)
    if kind.body is None:
        asked = parse_qs(urlsplit(kind.path).query)
        return _rounded(
            json.loads(json.dumps(answer_jsonld(retriever.retrieve(asked["q"][0], k=10, from_graph=5))))
        )
    text = kind.body.decode()
    uses = read(text, TextLimits(2**16, 128, 200)).searches

    def ask(parameters: Any) -> Any:
        return retriever.retrieve(parameters["q"], **{k: v for k, v in parameters.items() if k != "q"})

    results = graph.held.store.query(expanded(text, uses, 4, ask), use_default_graph_as_union=True)
    said = results.serialize(format=ox.QueryResultsFormat.JSON)  # type: ignore[union-attr]
    return _rounded(json.loads(said or b""))


def _rounded(said: Any) -> Any:
    """Numbers with six digits, which is what the sum of the same numbers in another order leaves alone."""
    if isinstance(said, dict):
        double = str(said.get("datatype", "")).endswith("#double")
        return {
            name: f"{float(value):.6g}" if double and name == "value" else _rounded(value)
            for name, value in said.items()
        }
    if isinstance(said, list):
        return [_rounded(each) for each in said]
    return f"{said:.6g}" if isinstance(said, float) else said


def _by_kind(seen: Sequence[Seen]) -> dict[str, dict[str, float]]:
    kinds = sorted({each.kind.name for each in seen})
    return {kind: _times([each for each in seen if each.kind.name == kind]) for kind in kinds}


def _times(seen: Sequence[Seen]) -> dict[str, float]:
    return times([each.seconds for each in seen])


def times(seconds: Sequence[float]) -> dict[str, float]:
    """Number and percentiles of times, in milliseconds."""
    ordered = sorted(1000 * each for each in seconds)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)

    return {
        "count": len(ordered),
        "p50_ms": at(0.5),
        "p95_ms": at(0.95),
        "p99_ms": at(0.99),
        "max_ms": round(ordered[-1], 1),
    }


if __name__ == "__main__":
    main()
