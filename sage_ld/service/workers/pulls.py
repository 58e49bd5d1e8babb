"""Pulls: graphs of users that are kept as they are elsewhere, with where they came from.

What a pull has done is said in `{base}graph/sources`, by PROV-O, in the write that changes the graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, ShapeError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes.event_streams import graph_of_stream
from sage_ld.graph.changes.remote_graphs import (
    PulledGraph,
    Validators,
    graph_address,
    graph_at,
    graph_in,
    graph_of_query,
)
from sage_ld.graph.store.blank_nodes import named_by_content
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.graph.store.terms import in_graph, moment, node
from sage_ld.graph.store.user_statements import DEFAULT_GRAPH, as_written
from sage_ld.service.workers.commit import Result, Write
from sage_ld.service.workers.graph_writes import parsed, replace_graph

PAGES = "pulls"
"""The folder in the graph's directory that has the pages of pulls that ended early."""


@dataclass(frozen=True, slots=True)
class Pull:
    """A graph of a user, and where it is taken from."""

    graph: str
    """Its name here; in a graph store also there."""
    sources: tuple[str, ...]
    """Addresses, or files."""
    query: str = ""
    """The CONSTRUCT query that the one source is asked."""
    is_store: bool = False
    """Whether the sources are graph stores."""
    is_stream: bool = False
    """Whether the one source is a linked data event stream."""
    retrievable: bool | None = None
    dry_run: bool = False

    def place(self, source: str) -> str:
        """The address of the graph at one of the sources."""
        return graph_address(source, self.graph) if self.is_store else source


def pull(knowledge: KnowledgeGraph, asked: Pull) -> Result:
    """Makes a graph be what its sources have, by one write of what differs; says what that was.

    `changed` says whether anything was written. Raises InputError, LimitError, NotFoundError,
    UnavailableError, ShapeError, ConflictError: then the graph is as it was.
    """
    iris = knowledge.iris
    name = _checked_name(asked.graph, iris)
    pages = knowledge.directory.path / PAGES / iris.pull(name).rsplit("/", 1)[-1]
    known = _known(knowledge, asked)
    found = list[PulledGraph]()
    for source in asked.sources:
        one = _fetched(source, asked, known, pages, knowledge)
        if one is None:
            return {"changed": False, "added": 0, "removed": 0, "revision": knowledge.directory.current()}
        found.append(one)
    quads = _quads(found, name, knowledge)
    job = {"dry_run": asked.dry_run, "retrievable": asked.retrievable}
    with _dropping(pages), knowledge.writer() as writer:
        write = Write(knowledge, writer, job)
        before = knowledge.directory.current()
        number = knowledge.directory.next_number()
        said = list(_description(iris, name, found, quads, number))

        def beside(store: WritableStore) -> None:
            _describe(write, store, iris.pull(name), said)

        done = replace_graph(write, NamedNode(name), quads, beside)
    remove(pages)
    return {**done, "changed": done["revision"] != before or asked.dry_run}


@contextmanager
def _dropping(pages: Path) -> Iterator[None]:
    """Drops the pages where what they say is refused: the source may have been corrected since."""
    try:
        yield
    except (InputError, ShapeError):
        remove(pages)
        raise


def _checked_name(name: str, iris: Iris) -> str:
    try:
        NamedNode(name)
    except ValueError:
        raise InputError(
            f"--graph {name[:200]!r} is not an absolute IRI; give the name of the graph"
        ) from None
    if name == DEFAULT_GRAPH.value:
        raise InputError(f"<{name}> stands for the default graph; give what is pulled another name")
    if name.startswith(iris.base):
        raise InputError(f"the graph <{name[:200]}> is sage-ld's own; give what is pulled another name")
    return name


def _fetched(
    source: str, asked: Pull, known: _Known, pages: Path, knowledge: KnowledgeGraph
) -> PulledGraph | None:
    """The graph at a source; None where that has not changed."""
    settings = knowledge.settings
    if "://" not in source:
        return graph_in(Path(source), settings)
    if asked.query:
        return graph_of_query(source, asked.query, pages, settings)
    if asked.is_stream:
        standing = _standing(knowledge, asked.graph) if known.bookmark else []
        return graph_of_stream(source, standing, known.bookmark, pages, settings)
    return graph_at(asked.place(source), settings, known.validators)


def _quads(found: Sequence[PulledGraph], name: str, knowledge: KnowledgeGraph) -> set[Quad]:
    """The statements of the sources, in the graph with that name. Raises InputError, LimitError."""
    most, quads = knowledge.settings.max_remote_statements, set[Quad]()
    for graph in found:
        for part in graph.parts:
            job = {"parts": [[part.format, len(part.content)]], "base": graph.source}

            def read(job: dict[str, Any] = job, content: bytes = part.content) -> list[Quad]:
                return list(parsed(job, content, knowledge.settings))

            try:
                read_quads = fetching(read, knowledge.settings)
            except InputError as error:
                raise type(error)(f"{graph.source}: {error}") from None
            quads |= {in_graph(each.triple, NamedNode(name)) for each in read_quads}
            if len(quads) > most:
                raise LimitError.of(
                    graph.source,
                    len(quads),
                    most,
                    "statements",
                    "max_remote_statements",
                    remedy="ask for less (--query)",
                )
    return quads


# --- where a graph came from --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """The state of the one source at the newest pull."""

    validators: Validators = field(default_factory=Validators)
    bookmark: str = ""


def _known(knowledge: KnowledgeGraph, asked: Pull) -> _Known:
    """The state of the one source at the newest pull; none where the graph is not as that pull left it."""
    iris = knowledge.iris
    if knowledge.directory.current() == 0 or len(asked.sources) != 1:
        return _Known()
    store = knowledge.snapshot().stores.named
    said: dict[str, str] = {}
    for each in store.quads_for_pattern(node(iris.pull(asked.graph)), None, None, node(iris.sources_graph)):
        if isinstance(each.object, NamedNode | Literal):
            said[each.predicate.value] = each.object.value
    [source] = asked.sources
    is_same = said.get(v.USED) == asked.place(source)
    if not is_same or said.get(v.CONTENT_HASH) != _digest(list(_standing(knowledge, asked.graph))):
        return _Known()
    validators = Validators(said.get(v.ENTITY_TAG, ""), said.get(v.LAST_MODIFIED, ""))
    return _Known(validators, said.get(v.BOOKMARK, "") if asked.is_stream else "")


def _standing(knowledge: KnowledgeGraph, graph: str) -> Iterable[Quad]:
    store = knowledge.snapshot().stores.named
    return as_written(store, store.quads_for_pattern(None, None, None, NamedNode(graph)))


def _description(
    iris: Iris, name: str, found: Sequence[PulledGraph], quads: Collection[Quad], number: int
) -> Iterable[Quad]:
    """The description of a pull: the graph, its sources, the time, their state, and the revision."""
    subject, graph, where = node(iris.pull(name)), NamedNode(name), node(iris.sources_graph)

    def said(predicate: str, value: NamedNode | Literal) -> Quad:
        return Quad(subject, node(predicate), value, where)

    yield said(v.TYPE, node(v.ACTIVITY))
    yield said(v.GENERATED, graph)
    yield said(v.ENDED_AT, moment(datetime.now(UTC).isoformat(timespec="seconds")))
    yield said(v.REVISION, Literal(number))
    yield said(v.CONTENT_HASH, Literal(_digest(quads)))
    for each in found:
        yield said(v.USED, NamedNode(each.source))
        yield Quad(graph, node(v.DERIVED_FROM), NamedNode(each.source), where)
        if each.validators.entity_tag:
            yield said(v.ENTITY_TAG, Literal(each.validators.entity_tag))
        if each.bookmark:
            yield said(v.BOOKMARK, Literal(each.bookmark))
        if each.validators.last_modified:
            yield said(v.LAST_MODIFIED, Literal(each.validators.last_modified))


def _digest(quads: Collection[Quad]) -> str:
    """The hash of the statements of a graph, whatever their blank nodes are called."""
    lines = "\n".join(sorted(str(each.triple) for each in named_by_content(quads, "")))
    return hashlib.sha256(lines.encode()).hexdigest()


def _describe(write: Write, store: WritableStore, subject: str, said: Sequence[Quad]) -> None:
    """Says what is said of a pull in place of what was said of the one before."""
    where = node(write.writer.iris.sources_graph)
    before = list(store.quads_for_pattern(node(subject), None, None, where))
    for each in list(before):
        if each.predicate.value == v.GENERATED and isinstance(each.object, NamedNode):
            before += store.quads_for_pattern(each.object, node(v.DERIVED_FROM), None, where)
    write.writer.touch(each.triple for each in (*before, *said))
    for each in before:
        store.remove(each)
    store.extend(said)
