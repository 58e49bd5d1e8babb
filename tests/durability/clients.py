"""Clients of a service that write, query and retrieve all the while, whatever is killed meanwhile.

A client may lose its connection, and may be told that the service is busy (503); any other answer than the
one it asked for is a fault.
"""

from __future__ import annotations

import http.client
import json
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from durability.ledger import Ledger, Outcome
from service.serving import UPDATE, Answer, Server
from waiting import PATIENCE

from sage_ld.foundation import vocabulary as v

"""Seconds within which a service answers again: on the slowest machine, under load."""
IS = "http://numbers.example/is"
"""The property of all numbers, and the key of metadata that becomes it."""
DOCUMENT_CHUNKS = 3
"""Chunks of each document that clients put."""
_ALL = f"SELECT ?n {{ ?s <{IS}> ?n }}"
_NUMBERS = " ".join(map(str, range(400)))
_SLOW = f"ASK {{ VALUES ?a {{ {_NUMBERS} }} VALUES ?b {{ {_NUMBERS} }} FILTER(?a + ?b > 800) }}"
_WRITERS = 2
_log = logging.getLogger("sage_ld.tests")
_PAUSE = 0.1  # seconds at most between two requests of a client, so that others have time, too


@dataclass
class Clients:
    """What the clients share: the service, what they know of it, and what went wrong."""

    server: Server
    ledger: Ledger = field(default_factory=Ledger)
    texts: dict[str, int] = field(default_factory=dict)
    """The number in the text of a chunk that was acknowledged last."""
    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    writing: threading.Event = field(default_factory=threading.Event)
    """Whether clients write; without it they leave the graph's lock to the command line."""

    def numbers(self) -> set[int]:
        """All numbers that the service shows."""
        return {int(row["n"]) for row in ask(self.server, _ALL).rows}

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Has nobody write as long as the block lasts, but for what is under way."""
        self.writing.clear()
        try:
            yield
        finally:
            self.writing.set()


@contextmanager
def clients(server: Server, chunks: list[str], seed: int) -> Iterator[Clients]:
    """Clients that ask `server` as long as the block lasts. `chunks` are those whose texts they write."""
    shared, stop = Clients(server), threading.Event()
    shared.writing.set()
    jobs = [
        *(partial(_write, shared, random.Random(seed + n), chunks[n::_WRITERS]) for n in range(_WRITERS)),
        *(partial(each, shared) for each in (_query, _retrieve, _look_at_figures)),
    ]
    threads = [threading.Thread(target=_repeat, args=(shared, stop, each)) for each in jobs]
    for thread in threads:
        thread.start()
    try:
        yield shared
    finally:
        stop.set()
        shared.writing.set()
        for thread in threads:
            thread.join()


def _repeat(shared: Clients, stop: threading.Event, job: Callable[[], None]) -> None:
    """Does a job again and again. What is wrong with the graph or an answer is a fault, and ends it."""
    while not stop.is_set():
        try:
            job()
        except (ConnectionError, http.client.HTTPException):
            stop.wait(0.01)  # a process was killed
        except Exception as error:
            shared.faults.append(f"{type(error).__name__}: {error}")
            return


def insist(ask: Callable[[], bool]) -> float:
    """Asks until it is so, also where the connection is lost; returns the seconds that it took."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        with suppress(ConnectionError, http.client.HTTPException):
            if ask():
                return time.monotonic() - begun
        time.sleep(0.02)
    raise AssertionError(f"not so after {PATIENCE:g} s")


def ready(answer: Answer) -> Answer:
    """An answer that is what was asked for. Raises ConnectionError for a busy service, or a full disk."""
    if answer.status in (503, 507):
        _log.debug("503: %s", answer.json["detail"])
        raise ConnectionError(answer.json["detail"])
    assert answer.status in (200, 201, 202, 204), f"{answer.status} {answer.content[:500]!r}"
    return answer


def outcome(send: Callable[[], Answer]) -> Outcome:
    """What a client knows of the write that it sends."""
    try:
        answer = send()
    except ConnectionRefusedError:
        return Outcome.NOT_DONE
    except (ConnectionError, http.client.HTTPException):
        return Outcome.UNKNOWN
    if answer.status == 412:  # another write came between
        return Outcome.NOT_DONE
    if answer.status in (503, 507) and "being published" in answer.json["detail"]:
        return Outcome.UNKNOWN
    try:
        ready(answer)
    except ConnectionError:
        return Outcome.NOT_DONE
    return Outcome.DONE


# --- reading -----------------------------------------------------------------------------------------


def ask(server: Server, query: str) -> Answer:
    """The answer to a query, whose text is new each time, and so in no cache."""
    return ready(server.query(f"{query} # {random.random()}"))


def _query(shared: Clients) -> None:
    shared.ledger.check(shared.numbers)
    assert ask(shared.server, _SLOW).json["boolean"] is False
    shared.answers["queries"] += 2
    time.sleep(_PAUSE / 2)


def _retrieve(shared: Clients) -> None:
    parameters = urlencode({"q": f"text number{random.randrange(100)}", "k": 3})
    answer = ready(shared.server.send("GET", f"/v1/retrieve?{parameters}"))
    assert answer.json["numberOfItems"] > 0, answer.content
    shared.answers["retrievals"] += 1
    time.sleep(_PAUSE / 2)


def _look_at_figures(shared: Clients) -> None:
    assert b"sage_ld_revision" in ready(shared.server.send("GET", "/metrics")).content
    shared.answers["figures"] += 1
    time.sleep(_PAUSE)


# --- writing -----------------------------------------------------------------------------------------


def _write(shared: Clients, chance: random.Random, chunks: list[str]) -> None:
    """Adds a number in one of several ways, or removes one."""
    shared.writing.wait()
    ledger = shared.ledger
    chosen = ledger.begin_removing(chance, _WAYS) if chance.random() < 0.4 else None
    if chosen is not None:
        number, way = chosen
        remove = _REMOVALS.get(way, _remove)
        ledger.removed(number, outcome(lambda: remove(shared.server, number)))
    else:
        way = chance.choice(sorted(_WAYS))
        number = ledger.begin_adding(way)
        chunk = chance.choice(chunks)
        result = outcome(lambda: _WAYS[way](shared.server, number, chunk))
        ledger.added(number, result := Outcome.NOT_DONE if way in _NEVER else result)
        if way == "text" and result is Outcome.DONE:
            shared.texts[chunk] = number
    time.sleep(chance.uniform(0, _PAUSE))


def insert(shared: Clients) -> bool:
    """Whether one more number can be added."""
    number = shared.ledger.begin_adding("update")
    shared.ledger.added(number, result := outcome(lambda: _insert(shared.server, number, "")))
    return result is Outcome.DONE


def counted(answer: Answer, added: int, removed: int) -> Answer:
    """The answer to a write; one that was done says how many statements came and went."""
    if answer.status in (200, 201, 204):
        said = answer.headers["sage-added"], answer.headers["sage-removed"]
        assert said == (str(added), str(removed)), said
    return answer


def _insert(server: Server, number: int, _: str) -> Answer:
    return counted(server.update(_inserting(number)), 1, 0)


def _insert_after_reading(server: Server, number: int, _: str) -> Answer:
    """An update of the revision that a query has shown, and of no other."""
    read = ask(server, "ASK {}").headers["sage-revision"]
    answer = server.send(
        "POST", "/update", _inserting(number), token="write", Content_Type=UPDATE, If_Match=read
    )
    return counted(answer, 1, 0)


def _try(server: Server, number: int, _: str) -> Answer:
    """A dry run, of which nothing may ever be seen."""
    text = f"DROP SILENT GRAPH <urn:x:none> ; {_inserting(number)} ; CREATE GRAPH <urn:x:graph/{number}>"
    return counted(server.update(text, "?dry-run=true"), 1, 0)


def _break(server: Server, number: int, _: str) -> Answer:
    """An update that breaks the shapes."""
    answer = server.update(f"{_inserting(number)} ; INSERT DATA {{ <urn:x:{number}> a <{v.CHUNK}> }}")
    assert answer.status in (422, 503, 507), answer.content[:500]
    raise ConnectionError("it was refused, as it should be")


def _inserting(number: int) -> str:
    return f"INSERT DATA {{ GRAPH <urn:x:kept> {{ <urn:x:s> <{IS}> {number} }} }}"


def _change_text(server: Server, number: int, chunk: str) -> Answer:
    """One update of a heading, which the indexes follow, and of the numbers; it is in the default graph."""
    before, after = f"<{chunk}> <{v.HEADING}> ?text", f'<{chunk}> <{v.HEADING}> "Text written{number}."'
    exchange = f"DELETE {{ {before} }} INSERT {{ {after} }} WHERE {{ OPTIONAL {{ {before} }} }}"
    return server.update(f"{exchange} ; {_inserting(number)}")


def _put(server: Server, number: int, _: str) -> Answer:
    return _send(server, "PUT", f"urn:x:graph/{number}", number)


def _post(server: Server, number: int, _: str) -> Answer:
    return _send(server, "POST", "urn:x:posted", number)


def _send(server: Server, method: str, graph: str, number: int) -> Answer:
    body = f"<urn:x:{method}> <{IS}> {number} ."
    answer = server.send(method, _path(graph), body, token="write", Content_Type="text/turtle")
    return counted(answer, 1, 0)


def _put_document(server: Server, number: int, _: str, **headers: str) -> Answer:
    """A document of several chunks, with the number in the text of each, and in its metadata."""
    parts = [f"## Part {part}\n\n" + f"This is of {number}. " * 25 for part in range(DOCUMENT_CHUNKS)]
    body = {"text": "\n\n".join(parts), "mediaType": "text/markdown", "metadata": {IS: number}}
    return _send_json(server, "PUT", f"/v1/documents/{document_name(number)}", body, **headers)


def _put_as_job(server: Server, number: int, _: str) -> Answer:
    """The same as a job: what was accepted comes to an end by itself, whatever happens meanwhile."""
    answer = _put_document(server, number, "", Prefer="respond-async")
    if answer.status != 202:
        return answer
    job: dict[str, Any] = {}

    def has_ended() -> bool:
        job.update(ready(server.send("GET", answer.headers["location"], token="write")).json)
        return job["state"] not in ("queued", "running")

    insist(has_ended)
    if job["state"] != "done":  # two of its processes were killed, or the disk was full twice
        assert job["state"] == "interrupted" or job["problem"]["status"] in (503, 507), job
        raise ConnectionError(str(job))
    return answer


def document_name(number: int) -> str:
    """The identifier of the document with a number."""
    return f"numbered-{number}"


def _delete_document(server: Server, number: int) -> Answer:
    return server.send("DELETE", f"/v1/documents/{document_name(number)}", token="write")


def _post_edge(server: Server, number: int, chunk: str) -> Answer:
    """An edge from a chunk to a document; the day on which it begins makes it another one than all others."""
    body = {
        "source": chunk,
        "relation": "related_to",
        "target": "generated/0",
        "validFrom": (date(1000, 1, 1) + timedelta(days=number)).isoformat(),
        "metadata": {IS: number},
    }
    return _send_json(server, "POST", "/v1/edges", body)


def _delete_edge(server: Server, number: int) -> Answer:
    (row,) = ask(server, f"SELECT ?edge {{ GRAPH ?g {{ ?edge <{IS}> {number} }} }}").rows
    return server.send("DELETE", f"/v1/edges/{row['edge'].rpartition('/')[2]}", token="write")


def _send_json(server: Server, method: str, path: str, body: object, **headers: str) -> Answer:
    return server.send(
        method, path, json.dumps(body), token="write", Content_Type="application/json", **headers
    )


def _path(graph: str) -> str:
    return f"/data?graph={quote(graph)}"


def _drop(server: Server, number: int) -> Answer:
    return counted(server.send("DELETE", _path(f"urn:x:graph/{number}"), token="write"), 0, 1)


def _remove(server: Server, number: int) -> Answer:
    return counted(server.update(f"DELETE WHERE {{ GRAPH ?g {{ ?s <{IS}> {number} }} }}"), 0, 1)


_WAYS: dict[str, Callable[[Server, int, str], Answer]] = {
    "update": _insert,
    "transaction": _insert_after_reading,
    "dry run": _try,
    "refused": _break,
    "text": _change_text,
    "graph": _put,
    "posted": _post,
    "put document": _put_document,
    "put as job": _put_as_job,
    "edge": _post_edge,
}
_NEVER = frozenset({"dry run", "refused"})
"""Ways after which the number is not there, whatever the answer was, or its loss."""
_REMOVALS: dict[str, Callable[[Server, int], Answer]] = {
    "graph": _drop,
    "put document": _delete_document,
    "put as job": _delete_document,
    "edge": _delete_edge,
}
"""Of numbers that one update does not remove with all that came with them."""
