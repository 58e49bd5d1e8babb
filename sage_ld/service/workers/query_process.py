"""The process of clients' queries: `python -m sage_ld.service.workers.query_process SOCKET MEMORY GRAPH`.

It reads one job after another from the socket it was started with, and answers each
(`sage_ld.foundation.processes.messages`). It may be killed at any moment, by its web process or by a query
that overflows its stack: it owns nothing but a read-only view of a revision. Its imports are few, because it
is replaced while others wait. It opens the newest revision when it starts, and while it is idle, if it was
asked before.

Answers leave as they are written, and count only when their end has come. Rows are written as JSON whatever
the format asked for, because there rows can be counted, and triple terms be found, for certain.
"""

from __future__ import annotations

import io
import json
import re
import selectors
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import pyoxigraph as ox

from sage_ld.foundation.errors import NotAcceptableError, NotFoundError, ResultLimitError
from sage_ld.foundation.processes import messages, sandbox
from sage_ld.foundation.processes.failures import failure, query_syntax_error
from sage_ld.foundation.processes.parent import connection_to_parent, deadline
from sage_ld.foundation.vocabulary import PREFIXES
from sage_ld.graph.store.graph_files import current_number, revision_folder
from sage_ld.graph.store.pins import pin
from sage_ld.graph.store.query_graphs import of_names
from sage_ld.graph.store.stores import RDF_FORMATS, RESULT_FORMATS, Stores
from sage_ld.graph.store.terms import without_direction
from sage_ld.graph.store.user_statements import as_written, users_dataset
from sage_ld.service.workers.outbound_calls import IN_QUERIES, parse_query, refuse_calls

if TYPE_CHECKING:
    from sage_ld.graph.store.overlays import Overlay

Job = dict[str, Any]
_IDLE: Final = 5.0  # seconds without a job after which a worker looks for a newer revision

_ROW = re.compile(rb'\},\{(?="[^},])')  # inside a JSON string a quotation mark is escaped, or ends it
_SHORTEST_ROW = b'{"a":{"type":"uri","value":"a:"}},'
_TRIPLE = b'"type":"triple"'
_DIRECTION = b'"its:dir"'
_NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")  # XML 1.0, section 2.2
_INSTEAD: Final = {"xml": "application/sparql-results+json", "rdfxml": "text/turtle"}
"""The media type to ask for in place of each format in XML: it holds any text."""


def too_large(limit: int, unit: str, setting: str) -> ResultLimitError:
    """The error of an answer beyond a limit: its number, unit and the setting's name."""
    return ResultLimitError(
        f"more than {limit:,} {unit}; ask for less (LIMIT) or raise the setting {setting}"
    )


class View:
    """The revision that the worker reads, which nobody deletes as long as it is held here.

    `graph` is the directory of the graph.
    """

    def __init__(self, graph: Path) -> None:
        self._graph = graph
        self._folder: str | None = None
        self._pin: IO[bytes] | None = None
        self._is_wanted = True
        self._overlay: tuple[object, Overlay] | None = None
        self.stores = Stores.empty()

    def move(self, folder: str | None) -> Stores:
        """The stores of the revision in `folder`; empty ones for None. Where that fails, nothing changes."""
        self._is_wanted = True
        self._open(folder)
        return self.stores

    def with_retrievals(self, job: Job) -> Stores:
        """The stores with the kept retrievals, as the job describes them; kept until these change."""
        from sage_ld.foundation.settings import Settings
        from sage_ld.graph.provenance import RetrievalLog
        from sage_ld.service.workers.retrievals import overlay

        settings = replace(Settings(), max_queried_retrievals=job["most"])
        log = RetrievalLog(self._graph, job["base"], settings)
        key = self._folder, job["base"], log.state()
        if self._overlay is None or self._overlay[0] != key:
            self._drop_overlay()
            self._overlay = key, overlay(self.stores, log)
        return self._overlay[1].stores

    def _drop_overlay(self) -> None:
        if self._overlay is not None:
            self._overlay[1].close()
            self._overlay = None

    def follow(self) -> None:
        """Moves to the newest revision, if the one that it holds has been asked about since it was opened.

        Otherwise it releases the revisions that are not the newest. So the next query waits for no opening,
        and an old revision can be deleted.
        """
        self._drop_overlay()
        with suppress(Exception):  # the next query says what is wrong
            number = current_number(self._graph)
            newest = str(revision_folder(self._graph, number)) if number else None
            if newest != self._folder:
                wanted, self._is_wanted = self._is_wanted, False
                self._open(newest if wanted else None)

    def _open(self, folder: str | None) -> None:
        if folder != self._folder:
            self._drop_overlay()
            held, self.stores = (None, Stores.empty()) if folder is None else _opened(Path(folder))
            before, self._pin, self._folder = self._pin, held, folder
            if before is not None:
                before.close()


def _opened(folder: Path) -> tuple[IO[bytes], Stores]:
    """A pin on the revision in `folder`, and its stores."""
    if (held := pin(folder)) is None:
        raise FileNotFoundError(f"revision {folder.name} is gone; try again")
    with ExitStack() as stack:
        stack.enter_context(held)
        stores = Stores.open(folder)
        stack.pop_all()
    return held, stores


class Output(io.BytesIO):
    """Sends what is written to it, up to a number of bytes."""

    def __init__(self, peer: messages.Peer, max_bytes: int, form: str = "") -> None:
        super().__init__()
        self._peer = peer
        self._form = form
        self._seam = b""
        self._left = self._limit = max_bytes
        self._waiting = bytearray()

    def write(self, data: Any) -> int:
        """Takes `data`.

        Raises ResultLimitError beyond the limit, NotAcceptableError for what XML cannot hold.
        """
        self._left -= len(data)
        if self._left < 0:
            raise too_large(self._limit, "bytes", "max_result_bytes")
        if self._form in _INSTEAD:
            self._check_characters(data)
        self._waiting += data
        if len(self._waiting) >= messages.BLOCK:
            self.flush()
        return len(data)

    def _check_characters(self, data: Any) -> None:
        """The serializer writes them as they are, and a reader of XML would refuse all of the answer."""
        text = self._seam + bytes(data)
        if (match := _NOT_XML.search(text)) is not None:
            raise NotAcceptableError(
                f"the answer has the character U+{ord(match[0].decode()):04X}, which XML 1.0 cannot hold; "
                f"ask for {_INSTEAD[self._form]}"
            )
        self._seam = text[-2:]  # of a character that goes on in the next piece

    def flush(self) -> None:
        """Sends what waits."""
        if self._waiting:
            messages.send_data(self._peer, bytes(self._waiting))
            self._waiting.clear()

    def end(self, said: Mapping[str, Any]) -> None:
        """Sends what waits and how the job ended: `{}`, or `error` (its kind) and `message`."""
        messages.send_end(self._peer, dict(said), b"" if said else bytes(self._waiting))


class Rows(io.BytesIO):
    """Keeps SPARQL results in JSON, counts the rows that bind something, and looks for what is of RDF 1.2."""

    def __init__(self, max_rows: int, max_bytes: int) -> None:
        super().__init__()
        self._content = bytearray()
        self._counted = 0
        self._rows = 1
        self._max_rows, self._max_bytes = max_rows, max_bytes
        self._is_rdf_12 = False

    def write(self, data: Any) -> int:
        """Takes `data`. Raises ResultLimitError beyond a limit."""
        seam = max(0, len(self._content) - len(_TRIPLE))
        self._content += data
        self._is_rdf_12 = self._is_rdf_12 or any(
            self._content.find(each, seam) >= 0 for each in (_TRIPLE, _DIRECTION)
        )
        if len(self._content) > len(_SHORTEST_ROW) * self._max_rows:
            self._count()
        if len(self._content) > self._max_bytes:
            raise too_large(self._max_bytes, "bytes", "max_result_bytes")
        return len(data)

    def _count(self) -> None:
        for match in _ROW.finditer(self._content, self._counted):
            self._rows += 1
            self._counted = match.end()
        self._counted = max(self._counted, len(self._content) - 4)  # what may yet become a match
        if self._rows > self._max_rows:
            raise too_large(self._max_rows, "rows", "max_rows")

    def content(self, is_rdf_12: bool) -> bytes:
        """The JSON; in RDF 1.1 without the rows that bind a triple term, and without base directions."""
        if is_rdf_12 or not self._is_rdf_12:
            return bytes(self._content)
        said = json.loads(self._content)
        rows = [row for row in said["results"]["bindings"] if not _binds_triple(row)]
        for value in (value for row in rows for value in row.values()):
            value.pop("its:dir", None)
        said["results"]["bindings"] = rows
        return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()


def _binds_triple(row: dict[str, dict[str, Any]]) -> bool:
    return any(value["type"] == "triple" for value in row.values())


def run_query(stores: Stores, job: Job, output: Output) -> None:
    """Evaluates `job["query"]` and sends the answer in `job["format"]`.

    The protocol's graphs replace those of the query. Raises InputError if it calls another server,
    ResultLimitError if it takes too large a merge.
    """
    base = job["base"]
    is_given = job["default_graphs"] is not None
    dataset = of_names(job["default_graphs"], job["named_graphs"]) if is_given else None
    try:
        refuse_calls(job["query"], IN_QUERIES, lambda text: parse_query(text, base))
        results = stores.query(job["query"], base=base, dataset=dataset, most=job["max_merged"])
    except SyntaxError as error:
        raise query_syntax_error(error) from None
    if isinstance(results, ox.QuerySolutions):
        _send_rows(results, job, output)
    elif isinstance(results, ox.QueryBoolean):
        results.serialize(output, RESULT_FORMATS[job["format"]])
    else:
        _send_graph(results, job, output)


def no_graph(name: str) -> NotFoundError:
    """The error for a named graph that does not exist, with a query that lists those that do."""
    return NotFoundError(f"there is no graph <{name[:200]}>; SELECT ?g {{ GRAPH ?g {{}} }} lists the graphs")


def read_graph(stores: Stores, job: Job, output: Output) -> None:
    """Sends the graph `job["graph"]`, for None the merge of all, for the base IRI all that users state.

    Raises NotFoundError if there is none.
    """
    name, store = job["graph"], stores.named
    if job.get("users") is not None:
        _send_graph(users_dataset(store, job["users"]), job, output)
        return
    if name is not None and not store.contains_named_graph(ox.NamedNode(name)):
        raise no_graph(name)
    if job["head"]:
        return
    if name is None:
        merged = as_written(stores.merged, stores.merged, merged=True)
        _send_graph((quad.triple for quad in merged), job, output)
    else:
        quads = as_written(store, store.quads_for_pattern(None, None, None, ox.NamedNode(name)))
        _send_graph((quad.triple for quad in quads), job, output)


def _send_rows(results: ox.QuerySolutions, job: Job, output: Output) -> None:
    rows = Rows(job["max_rows"], job["max_bytes"])
    results.serialize(rows, ox.QueryResultsFormat.JSON)
    content = rows.content(job["version"] == "1.2")
    if job["format"] == "json":
        output.write(content)
        return
    ox.parse_query_results(content, ox.QueryResultsFormat.JSON).serialize(
        output, RESULT_FORMATS[job["format"]]
    )


def _send_graph(triples: Any, job: Job, output: Output) -> None:
    counted = _counted(triples, job["version"] == "1.2", job["max_rows"])
    ox.serialize(counted, output, RDF_FORMATS[job["format"]], prefixes=PREFIXES)  # type: ignore[arg-type]  # all are of one kind


def _counted(triples: Any, keep_triples: bool, max_rows: int) -> Iterator[ox.Triple | ox.Quad]:
    count = 0
    for triple in triples:
        if not keep_triples:
            if isinstance(triple.object, ox.Triple):
                continue
            triple = _plain(triple)
        count += 1
        if count > max_rows:
            raise too_large(max_rows, "triples", "max_rows")
        yield triple


def _plain(triple: ox.Triple | ox.Quad) -> ox.Triple | ox.Quad:
    """A statement whose object has no base direction."""
    plain = without_direction(triple.object)
    if plain is triple.object:
        return triple
    if isinstance(triple, ox.Quad):
        return ox.Quad(triple.subject, triple.predicate, plain, triple.graph_name)
    return ox.Triple(triple.subject, triple.predicate, plain)


_OPERATIONS: dict[str, Callable[[Stores, Job, Output], None]] = {
    "query": run_query,
    "graph": read_graph,
}


def answer(view: View, job: Job, peer: messages.Peer) -> None:
    """Does one job, and sends its answer and how it ended."""
    output = Output(peer, job["max_bytes"], job["format"])
    try:
        stores = view.move(job["folder"])
        if (kept := job.get("retrievals")) is not None:
            stores = view.with_retrievals(kept)
        _OPERATIONS[job["op"]](stores, job, output)
    except (messages.ConnectionClosed, ConnectionError):
        raise
    except Exception as error:
        output.end(failure(error, "worker_memory"))
    else:
        output.end({})


def main() -> None:
    """Answers jobs until the web process closes its end."""
    with connection_to_parent(sys.argv[1]) as connection:
        peer = messages.BufferedPeer(connection)
        sandbox.limit_memory(int(sys.argv[2]))
        sandbox.no_network()
        view, waiting = View(Path(sys.argv[3])), selectors.DefaultSelector()
        waiting.register(connection, selectors.EVENT_READ)
        view.follow()
        messages.send_end(peer, {})
        while True:
            while not waiting.select(_IDLE):
                view.follow()
            job = messages.receive_message(peer)
            with deadline(job["seconds"]):
                answer(view, job, peer)


if __name__ == "__main__":
    main()
