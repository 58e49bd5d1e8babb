"""Pulls: graphs of users that are kept as they are elsewhere, with where they came from.

What a pull has done is said in `{base}graph/sources`, by PROV-O, in the write that changes the graph.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.build.readers.derived_graphs import left_out, without_derived
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError, InputError, LimitError, ShapeError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.remote.event_streams import graph_of_stream
from sage_ld.graph.remote.paged_queries import graph_of_query
from sage_ld.graph.remote.remote_store import (
    PulledGraph,
    Validators,
    graph_address,
    graph_at,
    graph_in,
)
from sage_ld.graph.store.blank_nodes import named_by_content
from sage_ld.graph.store.durable_files import remove
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.locks import holding
from sage_ld.graph.store.protocol import Store, WritableStore
from sage_ld.graph.store.terms import in_graph, moment, node
from sage_ld.graph.store.user_statements import DEFAULT_GRAPH, as_written
from sage_ld.service.workers.commit import Result, Write
from sage_ld.service.workers.graph_writes import parsed, replace_graphs

DATASET, STORE, QUERY, STREAM = "dataset", "store", "query", "stream"
PAGES: Final = "pulls"
"""The folder in the graph's directory that has the pages of pulls that ended early."""


@dataclass(frozen=True, slots=True)
class Pull:
    """Graphs of a user, and where they are taken from."""

    sources: tuple[str, ...]
    """Addresses, or files."""
    kind: str = DATASET
    """What the sources are: one of `KINDS`."""
    graph: str | None = None
    """The name of the one graph here, in a graph store also there. Without it, named graphs keep theirs."""
    query: str = ""
    """The CONSTRUCT query that the one source is asked."""
    retrievable: bool | None = None
    dry_run: bool = False
    replaces: bool = False
    """Whether graphs that others have made here are replaced where a source names them."""

    @property
    def name(self) -> str:
        """The name of the pull, and of the graph of what stands in no named graph."""
        return self.graph or self.place(self.sources[0])

    def place(self, source: str) -> str:
        """The address of one of the sources, as an IRI."""
        if self.kind == STORE:
            return graph_address(source, self.graph)
        return source if "://" in source else Path(source).resolve().as_uri()


def pull(knowledge: KnowledgeGraph, asked: Pull) -> Result:
    """Makes graphs be what their sources have, by one write of what differs; says what that was.

    `changed` says whether anything was written. Raises InputError, LimitError, NotFoundError,
    UnavailableError, ShapeError, ConflictError: then all is as it was.
    """
    _check(asked)
    name = _checked_name(asked.name, knowledge.iris)
    pages = knowledge.directory.path / PAGES / knowledge.iris.pull(name).rsplit("/", 1)[-1]
    pages.parent.mkdir(exist_ok=True)
    with holding(pages.with_suffix(".lock"), f"another process is pulling {name}; wait until it is done"):
        return _pulled(knowledge, asked, pages)


def _pulled(knowledge: KnowledgeGraph, asked: Pull, pages: Path) -> Result:
    iris, name, known = knowledge.iris, asked.name, _known(knowledge, asked)
    found = list[PulledGraph]()
    for source in asked.sources:
        one = KINDS[asked.kind].fetch(_SourceRequest(source, asked, known, pages, knowledge.settings))
        if one is None:
            return {"changed": False, "added": 0, "removed": 0, "revision": knowledge.directory.current()}
        found.append(one)
    stated = _quads(found, asked, knowledge)
    quads = set(without_derived(list(stated)))
    warnings = [left_out(derived)] if (derived := len(stated) - len(quads)) else []
    names = _graphs(quads, name, iris)
    job = {"dry_run": asked.dry_run, "retrievable": asked.retrievable}
    with _dropping(pages), knowledge.writer() as writer:
        write = Write(knowledge, writer, job)
        before = knowledge.directory.current()
        number = knowledge.directory.next_number()
        if asked.graph is None and not asked.replaces:
            _refuse_others(writer.store, iris, name, names)
        gone = [each for each in _generated(writer.store, iris, name) if each not in names]
        said = list(_description(iris, name, names, found, quads, number))

        def beside(store: WritableStore) -> None:
            _describe(write, store, iris.pull(name), said)

        done = replace_graphs(write, names, quads, gone, beside)
    remove(pages)
    warnings += done["warnings"]
    return {**done, "warnings": warnings, "changed": done["revision"] != before or asked.dry_run}


def _check(asked: Pull) -> None:
    """Raises InputError for sources and options that do not go together."""
    kind, several = KINDS[asked.kind], len(asked.sources) > 1
    if asked.graph is None and (several or kind.needs_name):
        raise InputError("name the graph: --graph IRI")
    if asked.kind != DATASET and any("://" not in each for each in asked.sources):
        raise InputError(f"--{asked.kind} is for addresses of http or https; a file is read without it")
    if several and not kind.takes_several:
        raise InputError(f"--{asked.kind} takes one SOURCE; pull each into a graph of its own")


@contextmanager
def _dropping(pages: Path) -> Iterator[None]:
    """Drops the pages where what they say is refused: the source may have been corrected since."""
    try:
        yield
    except (InputError, ShapeError):
        remove(pages)
        raise


def _refuse_others(store: Store, iris: Iris, name: str, names: Iterable[NamedNode]) -> None:
    """Raises ConflictError for a graph that is here, and that no pull of this name has made."""
    made = set(_made(store, iris, name))
    for each in names:
        if each not in made and next(store.quads_for_pattern(None, None, None, each), None) is not None:
            raise ConflictError(
                f"the graph {each} has statements here that do not come from {name}; replace it (--replace), "
                "or pull into a graph of another name (--graph)"
            )


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


@dataclass(frozen=True, slots=True)
class _SourceRequest:
    """A source, and what is known of it."""

    source: str
    asked: Pull
    known: _Known
    pages: Path
    settings: Settings

    def query(self) -> PulledGraph:
        return graph_of_query(self.source, self.asked.query, self.pages, self.settings)

    def stream(self) -> PulledGraph | None:
        standing = self.known.standing if self.known.bookmark else ()
        return graph_of_stream(self.source, standing, self.known.bookmark, self.pages, self.settings)

    def graph(self) -> PulledGraph | None:
        if "://" not in self.source:
            return graph_in(Path(self.source), self.settings)
        return graph_at(self.asked.place(self.source), self.settings, self.known.validators)


class SourceKind(NamedTuple):
    """A kind of source, and what goes with it."""

    fetch: Callable[[_SourceRequest], PulledGraph | None]
    """Gives what is there, or None where that has not changed."""
    needs_name: bool
    takes_several: bool


KINDS: Final = {
    DATASET: SourceKind(_SourceRequest.graph, needs_name=False, takes_several=True),
    STORE: SourceKind(_SourceRequest.graph, needs_name=True, takes_several=True),
    QUERY: SourceKind(_SourceRequest.query, needs_name=True, takes_several=False),
    STREAM: SourceKind(_SourceRequest.stream, needs_name=False, takes_several=False),
}
"""By the option that says it; without one, a file or an address of RDF."""


def _quads(found: Sequence[PulledGraph], asked: Pull, knowledge: KnowledgeGraph) -> set[Quad]:
    """The statements of the sources, in the graphs where they are to stand. Raises InputError, LimitError."""
    most, quads = knowledge.settings.max_remote_statements, set[Quad]()
    unnamed, is_dataset = NamedNode(asked.name), asked.kind == DATASET
    for graph in found:
        for part in graph.parts:
            job = {"parts": [[part.format, len(part.content)]], "base": graph.source, "dataset": is_dataset}

            def read(job: dict[str, Any] = job, content: bytes = part.content) -> list[Quad]:
                return list(parsed(job, content, knowledge.settings))

            try:
                read_quads = fetching(read, knowledge.settings)
            except InputError as error:
                raise type(error)(f"{graph.source}: {error}") from None
            for each in read_quads:
                is_unnamed = isinstance(each.graph_name, DefaultGraph)
                if asked.graph and not is_unnamed:
                    raise InputError(
                        f"{graph.source} has named graphs, and --graph names one; leave it out, to keep each "
                        "under its own name"
                    )
                quads.add(in_graph(each.triple, unnamed) if is_unnamed else each)
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


def _graphs(quads: Iterable[Quad], name: str, iris: Iris) -> list[NamedNode]:
    """The graphs that a pull keeps, one at least. Raises InputError for one without an IRI, or of ours."""
    found = {each.graph_name for each in quads}
    if blank := next((each for each in found if not isinstance(each, NamedNode)), None):
        raise InputError(f"the graph {blank} has no IRI by which the next pull could know it; give it one")
    names = sorted(each.value for each in found if isinstance(each, NamedNode))
    return [NamedNode(_checked_name(each, iris)) for each in names or [name]]


# --- where a graph came from --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Known:
    """The state of the one source at the newest pull, and the statements that it gave."""

    validators: Validators = field(default_factory=Validators)
    bookmark: str = ""
    standing: Sequence[Quad] = ()


def _known(knowledge: KnowledgeGraph, asked: Pull) -> _Known:
    """The state of the one source at the newest pull; none where the graphs are not as it left them."""
    iris = knowledge.iris
    if knowledge.directory.current() == 0 or len(asked.sources) != 1:
        return _Known()
    store = knowledge.snapshot().stores.named
    said: dict[str, str] = {}
    for each in store.quads_for_pattern(node(iris.pull(asked.name)), None, None, node(iris.sources_graph)):
        if isinstance(each.object, NamedNode | Literal):
            said[each.predicate.value] = each.object.value
    if said.get(v.USED) != asked.place(asked.sources[0]):
        return _Known()
    graphs = _generated(store, iris, asked.name)
    quads = (store.quads_for_pattern(None, None, None, each) for each in graphs)
    standing = list(as_written(store, chain.from_iterable(quads)))
    if said.get(v.CONTENT_HASH) != _digest(standing):
        return _Known()
    validators = Validators(said.get(v.ENTITY_TAG, ""), said.get(v.LAST_MODIFIED, ""))
    return _Known(validators, said.get(v.BOOKMARK, "") if asked.kind == STREAM else "", standing)


def _generated(store: Store, iris: Iris, name: str) -> list[NamedNode]:
    """The graphs that the newest pull of that name has made, less those that another one has made as well."""
    generated, where = node(v.GENERATED), node(iris.sources_graph)
    return [
        each
        for each in _made(store, iris, name)
        if len([*store.quads_for_pattern(None, generated, each, where)]) == 1
    ]


def _made(store: Store, iris: Iris, name: str) -> list[NamedNode]:
    """The graphs that the newest pull of that name has made."""
    subject, where = node(iris.pull(name)), node(iris.sources_graph)
    found = store.quads_for_pattern(subject, node(v.GENERATED), None, where)
    return [each.object for each in found if isinstance(each.object, NamedNode)]


def _description(
    iris: Iris,
    name: str,
    graphs: Sequence[NamedNode],
    found: Sequence[PulledGraph],
    quads: Collection[Quad],
    number: int,
) -> Iterable[Quad]:
    """The description of a pull: the graphs, their sources, the time, their state, and the revision."""
    subject, where = node(iris.pull(name)), node(iris.sources_graph)

    def said(predicate: str, value: NamedNode | Literal) -> Quad:
        return Quad(subject, node(predicate), value, where)

    yield said(v.TYPE, node(v.ACTIVITY))
    yield from (said(v.GENERATED, each) for each in graphs)
    yield said(v.ENDED_AT, moment(datetime.now(UTC).isoformat(timespec="seconds")))
    yield said(v.REVISION, Literal(number))
    yield said(v.CONTENT_HASH, Literal(_digest(quads)))
    for each in found:
        yield said(v.USED, NamedNode(each.source))
        source = NamedNode(each.source)
        yield from (Quad(graph, node(v.DERIVED_FROM), source, where) for graph in graphs)
        if each.validators.entity_tag:
            yield said(v.ENTITY_TAG, Literal(each.validators.entity_tag))
        if each.bookmark:
            yield said(v.BOOKMARK, Literal(each.bookmark))
        if each.validators.last_modified:
            yield said(v.LAST_MODIFIED, Literal(each.validators.last_modified))


def _digest(quads: Collection[Quad]) -> str:
    """The hash of the statements of graphs, whatever their blank nodes are called."""
    lines = "\n".join(sorted(map(str, named_by_content(quads, ""))))
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
