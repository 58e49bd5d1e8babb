"""The process of a service's writes: `python -m sage_ld.service.workers.update_process SOCKET KG MEMORY`.

It takes the graph's lock for each job and gives it back after it, so that other web processes and the
command line write in between. A job is done as a whole or not at all: what it did to `live/` counts when it
is published; where it fails, or is killed at its deadline, the next writer takes `live/` again from the
current revision.

The web process looks how much memory it takes, and kills it where that is more than MEMORY bytes. Its own
limit, which is larger, is there for what grows between two looks.

Before it publishes, it says the number of the revision; so the caller can tell, however the process ends,
whether the job may have been done.
"""

from __future__ import annotations

import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from sage_ld.foundation.errors import ConflictError, SageError, UnavailableError
from sage_ld.foundation.processes import messages, sandbox
from sage_ld.foundation.processes.failures import failure
from sage_ld.foundation.processes.parent import connection_to_parent, deadline
from sage_ld.foundation.progress import Progress
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.upkeep.checking import check_graph
from sage_ld.graph.writing.writer import Writer
from sage_ld.service.workers.commit import Job, Result, Write
from sage_ld.service.workers.document_writes import prepare_reads, write_documents
from sage_ld.service.workers.graph_writes import translated, write_edges, write_graph
from sage_ld.service.workers.reading import decoded_reads
from sage_ld.service.workers.updates import run_update


def relink(write: Write) -> Result:
    """Derives all edges, labels, concepts and thresholds again, as `KnowledgeGraph.relink`."""
    edges = write.graph.deriver(write.writer, write.progress).run_all()
    return {"edges": edges, "warnings": write.writer.warnings, **write.published()}


def prepare(graph: KnowledgeGraph, job: Job, content: bytes, progress: Progress) -> Result:
    """Nothing; the vectors of what was read are in the encoder's cache. Raises LimitError."""
    prepare_reads(graph, decoded_reads(job, content), progress, encodes=True)
    return {}


def translate(graph: KnowledgeGraph, job: Job, content: bytes, progress: Progress) -> Result:
    """The quads of RDF that is sent, as N-Quads. Raises InputError, LimitError."""
    return translated(graph, job, content)


def check(graph: KnowledgeGraph, job: Job, content: bytes, progress: Progress) -> Result:
    """The findings of `check_graph`, which takes the graph's lock itself, and only where it repairs.

    Raises UnavailableError while another process writes.
    """
    try:
        return check_graph(graph.directory, repair=job["repair"], progress=progress).as_json()
    except ConflictError as error:
        raise UnavailableError(f"{error}; try again later") from None


PATIENCE: Final = 0.5
"""Share of a job's time for which it waits while another process writes."""
_IN_MEMORY = 1 << 20
_MEMORY: Final = "write_worker_memory"
_BESIDE: Final = 4 * 2**30  # bytes of address space beside its memory: indexes, of which it maps the files
_OPERATIONS: Final[dict[str, Callable[[Write], Result]]] = {
    "update": run_update,
    "graph": write_graph,
    "documents": write_documents,
    "edges": write_edges,
    "relink": relink,
}
_UNLOCKED: Final[dict[str, Callable[[KnowledgeGraph, Job, bytes, Progress], Result]]] = {
    "prepare": prepare,
    "translate": translate,
    "check": check,
}
"""Operations that need no lock, or take the graph's themselves."""


def answer(graph: KnowledgeGraph, job: Job, body: IO[bytes], peer: messages.Peer) -> None:
    """Does one job and sends its result, or the error that it ended with."""
    body.seek(0)
    try:
        if (operation := _UNLOCKED.get(job["op"])) is not None:
            with ends_at_surprise(peer):
                result = operation(graph, job, body.read(), _Teller(peer, job).progress)
        else:
            result = _written(graph, job, body.read(), peer)
    except (SageError, SyntaxError) as error:
        end = failure(error, _MEMORY)
    else:
        send_line(peer, result)
        end = {}
    if end or result.get("failed"):
        gc.collect()  # an error's traceback may hold the store, and the store its lock
    messages.send_end(peer, end)


def _written(graph: KnowledgeGraph, job: Job, content: bytes, peer: messages.Peer) -> Result:
    """The result of a write; what was sent is prepared before the graph's lock is taken."""
    teller = _Teller(peer, job)
    with ends_at_surprise(peer):
        reads = decoded_reads(job, content)
        prepare_reads(graph, reads, teller.progress, encodes=teller.tells)
    patience = job["seconds"] * PATIENCE
    with ends_at_surprise(peer), waiting_writer(graph, patience) as writer, ends_at_surprise(peer):
        write = Write(graph, writer, job, content, teller.announce, teller.progress, reads)
        return _OPERATIONS[job["op"]](write)


class _Teller:
    """Reports the progress of a job to the caller, if requested, and what is about to be published."""

    def __init__(self, peer: messages.Peer, job: Job) -> None:
        self.tells = bool(job.get("tells"))
        self._peer = peer

    def tell(self, said: Result) -> None:
        """Sends progress."""
        if self.tells:
            send_line(self._peer, {"progress": said})

    def progress(self, step: str, done: int, total: int) -> None:
        """Sends the progress of a step."""
        self.tell({"step": step, "done": done, "total": total})

    def announce(self, number: int) -> None:
        """Sends the number of the revision that is about to be published."""
        send_line(self._peer, {"publishing": number})


def send_line(peer: messages.Peer, said: Result) -> None:
    """Sends a part of the answer, which is JSON lines."""
    messages.send_data(peer, json.dumps(said).encode() + b"\n")


@contextmanager
def ends_at_surprise(peer: messages.Peer) -> Iterator[None]:
    """Tells of an error that no job is meant to end with, and ends the process.

    The store may still be open in it, in a result that another thread has not released; and then nobody
    could write. The lock on the graph is held until the process has ended.
    """
    try:
        yield
    except (SageError, SyntaxError, ConnectionError):
        raise
    except Exception as error:
        messages.send_end(peer, {**failure(error, _MEMORY), "leaving": True})
        sandbox.end_at_once()


@contextmanager
def waiting_writer(graph: KnowledgeGraph, seconds: float) -> Iterator[Writer]:
    """The graph's writer, as soon as no other process writes.

    Raises UnavailableError after `seconds`.
    """
    deadline = time.monotonic() + seconds
    with ExitStack() as stack:
        while True:
            try:
                writer = stack.enter_context(graph.writer())
                break
            except ConflictError as error:
                if time.monotonic() > deadline:
                    raise UnavailableError(f"{error}; try again later") from None
                time.sleep(0.05)
        yield writer


def main() -> None:
    """Answers jobs until the web process closes its end."""
    with connection_to_parent(sys.argv[1]) as peer:
        graph = KnowledgeGraph.open(Path(sys.argv[2]))
        sandbox.limit_memory(int(sys.argv[3]) + _BESIDE)
        messages.send_end(peer, {})
        while True:
            with tempfile.SpooledTemporaryFile(_IN_MEMORY) as body:
                job = messages.receive_message(peer, body)
                with deadline(job["seconds"]):
                    answer(graph, job, body, peer)


if __name__ == "__main__":
    main()
