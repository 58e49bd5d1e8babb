"""The process that writes for a web process: `python -m sage_ld.sparql.update_process SOCKET KG`.

It takes the graph's lock for each job and gives it back after it, so that other web processes and the
command line write in between. A job is done as a whole or not at all: what it did to `live/` counts when it
is published; where it fails, or is killed at its deadline, the next writer takes `live/` anew from the
current revision.
"""

from __future__ import annotations

import gc
import json
import logging
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pyoxigraph as ox

from sage_ld.errors import (
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotFoundError,
    PreconditionError,
    SageError,
    ShapeError,
    UnavailableError,
)
from sage_ld.exports.validation import Violation, validate
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.writer import Writer
from sage_ld.sparql import own_graphs, preconditions, searches, update_text
from sage_ld.sparql.effects import Touched, takes_effect
from sage_ld.sparql.query_process import GRACE, GRAPH_FORMATS, Job
from sage_ld.sparql.text_limits import TextLimits, measure, refuse_calls, tokens
from sage_ld.store.protocol import Store
from sage_ld.workers import messages, sandbox

PATIENCE: Final = 0.5
"""Share of a job's time for which it waits while another process writes."""
_MOST_VIOLATIONS = 100
_IN_MEMORY = 1 << 20
_MESSAGE = 200  # characters of a parser's message that are passed on
_GRAMMARS: Final = {
    "turtle": ("Turtle", "https://www.w3.org/TR/rdf12-turtle/"),
    "ntriples": ("N-Triples", "https://www.w3.org/TR/rdf12-n-triples/"),
    "jsonld": ("JSON-LD", "https://www.w3.org/TR/json-ld11/"),
    "rdfxml": ("RDF/XML", "https://www.w3.org/TR/rdf12-xml/"),
}
_FAILS = "DROP GRAPH <urn:sage-ld:none>"
_log = logging.getLogger("sage_ld.service")

Result = dict[str, Any]


def run_update(graph: KnowledgeGraph, writer: Writer, job: Job, body: bytes) -> Result:
    """Carries out the update in `body`; one that changes nothing makes no revision.

    Raises InputError and LimitError for one that may not run, ForbiddenError, PreconditionError.
    """
    _check_conditions(graph, writer, job, job["within"] or None)
    text = body.decode("utf-8")
    found = tokens(text)
    refuse_calls(found, ("service", "load"))
    measure(found, TextLimits(**job["limits"]))
    searches.refuse(found)
    base = job["base"]
    written = update_text.operations(text)
    _check_syntax(written, base)
    operations = [_directed(each, job) for each in written]
    if not job["may_remove"]:
        own_graphs.refuse_removals(writer.store, operations, base, graph.configuration.base_iri)
    touched = Touched()
    done = 0

    def carry_out() -> None:
        nonlocal done
        for operation in operations:
            if takes_effect(writer.store, operation, base, touched):
                writer.change().update(operation.text, base_iri=base)
                done += 1

    _without_network(carry_out)
    return _finish(graph, writer, touched) if done else {"revision": graph.directory.current()}


def write_graph(graph: KnowledgeGraph, writer: Writer, job: Job, body: bytes) -> Result:
    """Replaces, adds to or removes a graph.

    Raises InputError where the RDF does not parse, NotFoundError, ForbiddenError, PreconditionError.
    """
    existed = _exists(writer.store, job["graph"])
    if job["action"] == "remove" and not existed:
        raise NotFoundError(f"no graph {job['graph']}")
    _check_conditions(graph, writer, job, job["graph"])
    if job["action"] != "add" and not job["may_remove"]:
        own_graphs.refuse_removal(job["graph"], graph.configuration.base_iri)
    name = ox.DefaultGraph() if job["graph"] is None else ox.NamedNode(job["graph"])
    quads = [ox.Quad(each.subject, each.predicate, each.object, name) for each in _triples(job, body)]
    store, touched = writer.change(), Touched()
    touched.add(quads)
    if job["action"] != "add":
        touched.add(store.quads_for_pattern(None, None, None, name))
        store.clear_graph(name)
    if job["action"] == "remove":
        store.remove_graph(name)
    elif isinstance(name, ox.NamedNode):
        store.add_graph(name)
    store.extend(quads)
    return {**_finish(graph, writer, touched), "created": not existed}


_OPERATIONS: Final[dict[str, Callable[[KnowledgeGraph, Writer, Job, bytes], Result]]] = {
    "update": run_update,
    "graph": write_graph,
}
_KINDS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (LimitError, "limit"),
    (NotFoundError, "missing"),
    (ForbiddenError, "forbidden"),
    (ShapeError, "shapes"),
    (PreconditionError, "precondition"),
    (ConflictError, "conflict"),
    (UnavailableError, "unavailable"),
    (InputError, "refused"),
    (SyntaxError, "syntax"),
    (OSError, "refused"),
    (ValueError, "refused"),
    (RuntimeError, "refused"),
)


def _exists(store: Store, name: str | None) -> bool:
    """Whether there is a graph of that name; None is the default graph, which always is."""
    return name is None or store.contains_named_graph(ox.NamedNode(name))


def _check_conditions(graph: KnowledgeGraph, writer: Writer, job: Job, name: str | None) -> None:
    """Holds what the request asks of a graph against the current revision; the lock keeps it current."""
    if (conditions := job.get("conditions")) is not None:
        tag = preconditions.revision_tag(graph.directory, graph.directory.current())
        preconditions.check(conditions, _exists(writer.store, name), tag)


def _finish(graph: KnowledgeGraph, writer: Writer, touched: Touched) -> Result:
    """Checks the shapes, has the indexes follow, publishes. Raises ShapeError."""
    if report := _new_violations(graph, writer.store, touched.to_check(writer.store)):
        places = f"{len(report)} places" if len(report) > 1 else "one place"
        raise ShapeError(f"the change breaks the shapes in {places}; nothing was changed", report)
    writer.refresh(touched.nodes)
    return {"revision": writer.publish()}


def _new_violations(graph: KnowledgeGraph, store: Store, nodes: set[str]) -> list[str]:
    """What is wrong with the nodes now and was not before."""
    after = validate(store, nodes=nodes, limit=sys.maxsize).violations
    number = graph.directory.current()
    before: tuple[Violation, ...] = ()
    if after and number > 0:
        published = ox.Store.read_only(str(graph.directory.revision(number) / "store"))
        before = validate(published, nodes=nodes, limit=sys.maxsize).violations
    known = set(before)
    return [str(each) for each in after if each not in known][:_MOST_VIOLATIONS]


def _check_syntax(operations: Sequence[update_text.Operation], base: str) -> None:
    """Raises SyntaxError where an operation does not parse, before the first one is carried out.

    pyoxigraph has no parser of updates alone: here an operation in front fails, and the one behind does not
    run.
    """
    for operation in operations:
        try:
            ox.Store().update(f"{operation.prologue} {_FAILS} ; {operation.source}", base_iri=base)
        except RuntimeError:
            continue


def _directed(operation: update_text.Operation, job: Job) -> update_text.Operation:
    """The operation on the graphs that the request names."""
    if job["using"] is not None:
        operation = update_text.using(operation, *job["using"])
    if job["within"] is not None:
        operation = update_text.within(operation, job["within"])
    return operation


def _triples(job: Job, body: bytes) -> Iterator[ox.Quad]:
    """What the parts of the body say. Blank nodes get new names: those of two parts are not the same.

    Raises InputError where one does not parse.
    """
    begin = 0
    for name, size in job["parts"]:
        content = body[begin : begin + size]
        begin += size
        try:
            yield from ox.parse(
                content,
                GRAPH_FORMATS[name],
                base_iri=job["base"],
                without_named_graphs=True,
                rename_blank_nodes=True,
            )
        except SyntaxError as error:
            form, grammar = _GRAMMARS[name]
            raise InputError(f"the {form} does not parse: {str(error)[:_MESSAGE]}; see {grammar}") from None


def _without_network(work: Callable[[], None]) -> None:
    """Runs `work` in a thread that can reach no host (the encoder, in this one, may have to)."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            sandbox.no_network()
            work()
        except BaseException as error:  # raised again below, in the thread that waits
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised.pop()


@contextmanager
def _waiting_writer(graph: KnowledgeGraph, seconds: float) -> Iterator[Writer]:
    """The graph's writer, as soon as no other process writes.

    Raises UnavailableError after so many seconds.
    """
    deadline = time.monotonic() + seconds
    with ExitStack() as stack:
        while True:
            try:
                writer = stack.enter_context(graph.writer())
                break
            except ConflictError as error:
                if time.monotonic() > deadline:
                    raise UnavailableError(f"{error}; ask again later") from None
                time.sleep(0.05)
        yield writer


def answer(graph: KnowledgeGraph, job: Job, body: IO[bytes], peer: messages.Peer) -> None:
    """Does one job and sends its result, or `error` (its kind) and `message`."""
    failure: dict[str, Any] = {}
    try:
        body.seek(0)
        with _waiting_writer(graph, job["seconds"] * PATIENCE) as writer:
            result = _OPERATIONS[job["op"]](graph, writer, job, body.read())
        messages.send_data(peer, json.dumps(result).encode())
    except SageError as error:
        failure = _said(error)
        if isinstance(error, ShapeError):
            failure["report"] = error.report
    except (SyntaxError, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, ConnectionError):
            raise
        failure = _said(error)
    except Exception as error:
        _log.exception("unexpected error in the writer")
        failure = {"error": "internal", "message": str(error)}
    if failure:
        gc.collect()  # the error's traceback may hold the store, and the store its lock
    messages.send_end(peer, failure)


def _said(error: Exception) -> dict[str, Any]:
    kind = next((name for each, name in _KINDS if isinstance(error, each)), "internal")
    return {"error": kind, "message": str(error)}


def main() -> None:
    """Answers jobs until the web process closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    peer = socket.socket(fileno=int(sys.argv[1]))
    graph = KnowledgeGraph.open(Path(sys.argv[2]))
    try:
        while True:
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as body:
                job = messages.receive_message(peer, body)
                signal.setitimer(signal.ITIMER_REAL, job["seconds"] + GRACE)
                answer(graph, job, body, peer)
                signal.setitimer(signal.ITIMER_REAL, 0)
    except (messages.Closed, BrokenPipeError, ConnectionResetError):
        return


if __name__ == "__main__":
    main()
