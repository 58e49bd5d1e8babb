"""Graphs sent to another store: by its graph store protocol, or by SPARQL updates of what differs.

What was sent last is kept in `KG/pushes`, a file of N-Triples for each graph there: by it, a push knows what
it may replace, and what is to be deleted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyoxigraph import BlankNode, DefaultGraph, NamedNode, Quad, RdfFormat, parse

from sage_ld.foundation.errors import (
    ConflictError,
    InputError,
    LimitError,
    NotFoundError,
    UnavailableError,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.streams import view
from sage_ld.graph.remote.remote_store import RemoteStore, graph_address, quads_of_answer, shown
from sage_ld.graph.store.blank_nodes import has_blank, named_by_content
from sage_ld.graph.store.durable_files import remove, replace_file
from sage_ld.graph.store.locks import holding
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.user_statements import as_stored, as_written, users_graphs

_N_TRIPLES: Final = "application/n-triples"
_ACCEPTED: Final = f"{_N_TRIPLES};version=1.2, {_N_TRIPLES};q=0.9"
_UPDATE: Final = "application/sparql-update"
_DONE: Final = (200, 201, 204)
_PENDING, _CLAIMING, _REPLACING = ".pending", ".claiming", ".replacing"
"""The files of a push before its end: of any; of one that does not know yet whether it has made a graph
there, or replaced it."""
_OVER: Final = "pull it first, push to another graph (--to), or replace it (--replace)"


@dataclass(frozen=True, slots=True)
class Push:
    """Graphs to send, and where."""

    endpoint: str
    """The address of a graph store, or of SPARQL updates."""
    folder: Path
    """Where it is kept what was sent."""
    by_update: bool = False
    replaces: bool = False
    """Whether content that did not come from here is replaced."""
    rdf: str = "1.2"
    target: str | None = None
    """The name of the one graph there; else it is the name here."""


@dataclass(frozen=True, slots=True)
class PushedGraph:
    """The numbers of statements by which a graph there was changed."""

    graph: str | None
    """Its name there; None for the default graph."""
    added: int
    removed: int


def chosen_graphs(store: Store, base: str, choice: str) -> list[NamedNode | DefaultGraph]:
    """The graphs that a choice means: `own` (users'), `all`, or one by its IRI.

    Graphs without statements are left out. Raises InputError for no IRI, or a name that is a blank node.
    """
    if choice not in ("own", "all"):
        try:
            return [NamedNode(choice)]
        except ValueError:
            raise InputError(f"--graph {choice[:200]!r}: give own, all or the IRI of a graph") from None
    names = list(users_graphs(store, base) if choice == "own" else store.named_graphs())
    if blank := next((each for each in names if isinstance(each, BlankNode)), None):
        raise InputError(f"the graph {blank} has no IRI by which another store could know it; give it one")
    named = sorted((each for each in names if isinstance(each, NamedNode)), key=lambda each: each.value)
    chosen: list[NamedNode | DefaultGraph] = [DefaultGraph(), *named]
    return [each for each in chosen if next(store.quads_for_pattern(None, None, None, each), None)]


def push(
    store: Store, graphs: Sequence[NamedNode | DefaultGraph], asked: Push, settings: Settings
) -> Iterator[PushedGraph]:
    """Makes graphs there be what they are here, one after the other; what is the same is not sent.

    Raises ConflictError for a graph there with content that did not come from here, InputError, LimitError,
    UnavailableError. Each graph that was told is done.
    """
    if asked.target is not None and len(graphs) != 1:
        raise InputError(f"--to names one graph, and {len(graphs)} are to be sent; choose one: --graph IRI")
    for each in graphs:
        name = _checked(asked.target) or (each.value if isinstance(each, NamedNode) else None)
        standing = as_written(store, store.quads_for_pattern(None, None, None, each))
        quads = named_by_content([*view(standing, asked.rdf)], str(name))
        if len(quads) > (most := settings.max_remote_statements):
            what = f"the graph {name or 'default'}"
            raise LimitError.of(what, len(quads), most, "statements", "max_remote_statements")
        remote = RemoteStore(asked.endpoint, settings)
        send = _by_update if asked.by_update else _by_protocol
        with _Record.kept(asked.folder, f"{asked.endpoint}\n{name}") as record:
            done = send(remote, name, quads, record, asked)
        yield done


def _checked(target: str | None) -> str | None:
    try:
        return None if target is None else NamedNode(target).value
    except ValueError:
        raise InputError(f"--to {str(target)[:200]!r} is not an absolute IRI") from None


class _Record:
    """The statements that were sent to a graph there, as lines of N-Triples."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    @contextmanager
    def kept(cls, folder: Path, target: str) -> Iterator[_Record]:
        """The record of a graph there, for one push at a time. Raises ConflictError beside another."""
        folder.mkdir(exist_ok=True)
        path = folder / f"{hashlib.sha256(target.encode()).hexdigest()[:24]}.nt"
        place = target.partition("\n")[0]
        with holding(path.with_suffix(".lock"), f"another process is pushing to {shown(place)}; wait for it"):
            yield cls(path)

    @property
    def states(self) -> list[set[str]]:
        """The statements that a push has sent, and those that one may have sent that ended early."""
        files = (path for path in (self._path, self._at(_PENDING)) if path.is_file())
        return [set(filter(None, path.read_text("utf-8").split("\n"))) for path in files]

    def is_at(self, stage: str) -> bool:
        """Whether the last push did not come further than to a stage."""
        return self._at(stage).is_file()

    def begin(self, lines: Iterable[str], stage: str = _PENDING) -> None:
        """Says what may be there until `end`."""
        self._write(self._at(stage), lines)

    def begun(self, stage: str) -> None:
        """Says that the first of it is there."""
        self._at(stage).replace(self._at(_PENDING))

    def withdraw(self) -> None:
        """Says that nothing has been sent since the last `end`."""
        remove(self._at(_PENDING))

    def end(self, lines: Iterable[str]) -> None:
        """Says what is there."""
        self._write(self._path, lines)
        for stage in (_PENDING, _CLAIMING, _REPLACING):
            remove(self._at(stage))

    def _at(self, stage: str) -> Path:
        return self._path.with_suffix(stage)

    def _write(self, path: Path, lines: Iterable[str]) -> None:
        replace_file(path, "".join(f"{each}\n" for each in sorted(lines)))


def _lines(quads: Iterable[Quad]) -> set[str]:
    return {f"{each.triple} ." for each in quads}


def _stored(quads: Iterable[Quad], name: str | None) -> set[str]:
    """The statements as a store keeps them that knows values and not their lexical forms."""
    plain = [Quad(*as_stored(each.triple)) for each in quads]
    return _lines(named_by_content(plain, str(name)))


# --- by the graph store protocol ----------------------------------------------------------------------


def _by_protocol(
    remote: RemoteStore, name: str | None, quads: list[Quad], record: _Record, asked: Push
) -> PushedGraph:
    place = graph_address(asked.endpoint, name)
    there = remote.get(place, {"Accept": _ACCEPTED}, accepted=(200, 404))
    found = quads_of_answer(there, remote.settings) if there.response.status_code == 200 else []
    ours, theirs = _stored(quads, name), _stored(found, name)
    lines, states = _lines(quads), record.states
    if theirs == ours and all(each == lines for each in states):
        record.end(lines)
        return PushedGraph(name, 0, 0)
    if theirs and theirs != ours and not asked.replaces:
        _check_ours(place, theirs, record, name)
    body = "".join(f"{each}\n" for each in sorted(lines)).encode()
    headers = {
        "Content-Type": _N_TRIPLES,
        **_conditions(there.response.status_code, there.validators.entity_tag),
    }
    ended_early = record.is_at(_PENDING)
    record.begin(lines.union(*states) if ended_early else lines)
    try:
        answer, _ = remote.send("PUT", place, headers, body, accepted=(*_DONE, 412))
        if answer.status_code == 412:
            raise ConflictError(f"{shown(place)} has changed meanwhile; push again")
    except (ConflictError, InputError, NotFoundError):  # it was refused
        if not ended_early:
            record.withdraw()
        raise
    record.end(lines)
    return PushedGraph(name, len(ours - theirs), len(theirs - ours))


def _conditions(status: int, tag: str) -> dict[str, str]:
    if status == 404:
        return {"If-None-Match": "*"}
    return {"If-Match": tag} if tag.startswith('"') else {}


def _check_ours(place: str, theirs: set[str], record: _Record, name: str | None) -> None:
    """Raises ConflictError for content there that no push has sent."""
    if not (states := record.states):
        count = f"{len(theirs):,} statements"
        raise ConflictError(f"{shown(place)} has {count} that did not come from here; {_OVER}")
    sent = [_stored(parse("\n".join(each), RdfFormat.N_TRIPLES), name) for each in states]
    is_part = record.is_at(_PENDING) and _alike(theirs) <= _alike(set().union(*sent))
    if theirs not in sent and not is_part:
        raise ConflictError(f"{shown(place)} has changed since it was pushed; {_OVER}")


def _alike(lines: Iterable[str]) -> set[str]:
    """The lines without the names of blank nodes, which depend on all that is said of the nodes."""
    return {re.sub(r"_:\w+", "_:", each) for each in lines}


# --- by SPARQL updates --------------------------------------------------------------------------------


def _by_update(
    remote: RemoteStore, name: str | None, quads: list[Quad], record: _Record, asked: Push
) -> PushedGraph:
    if any(has_blank(each.triple) for each in quads):
        raise InputError(
            f"the graph {name or 'default'} has blank nodes, which an update could not delete again; push "
            "it to a graph store, without --update"
        )
    lines, states = _lines(quads), record.states
    replaces = asked.replaces or record.is_at(_REPLACING)
    first = not states or replaces
    before: set[str] = set() if first else set().union(*states)
    added, removed = lines if record.is_at(_PENDING) else lines - before, before - lines
    operations = [_beginning(name, replaces)] if first else []
    stage = _REPLACING if replaces else _CLAIMING if first else _PENDING
    texts = _batches(operations, name, sorted(added), sorted(removed), remote.settings.remote_page)
    for number, text in enumerate(texts):
        if number == 0:
            record.begin(before | lines, stage)
        try:
            remote.send("POST", asked.endpoint, {"Content-Type": _UPDATE}, text.encode(), accepted=_DONE)
        except (InputError, UnavailableError) as error:
            if number == 0 and stage == _CLAIMING:  # by CREATE, which fails where the graph is another's
                raise ConflictError(f"{error}; or, if the graph is there already, {_OVER}") from None
            raise
        if number == 0:
            record.begun(stage)
    record.end(lines)
    return PushedGraph(name, len(added), len(removed))


def _beginning(name: str | None, replaces: bool) -> str:
    """The operation by which a first push takes a graph for itself: CREATE fails where there is one."""
    graph = "DEFAULT" if name is None else f"GRAPH {NamedNode(name)}"
    if replaces:
        return f"DROP SILENT {graph}"
    if name is None:
        raise ConflictError(
            "no update can tell whether the default graph there has other content; name a graph there (--to "
            "IRI), or replace what is there (--replace)"
        )
    return f"CREATE {graph}"


def _batches(
    begin: list[str], name: str | None, added: list[str], removed: list[str], size: int
) -> Iterator[str]:
    """The texts of updates of at most `size` statements."""
    for verb, lines in (("DELETE", removed), ("INSERT", added)):
        for start in range(0, len(lines), size):
            data = "\n".join(lines[start : start + size])
            inside = data if name is None else f"GRAPH {NamedNode(name)} {{\n{data}\n}}"
            yield ";\n".join([*begin, f"{verb} DATA {{\n{inside}\n}}"])
            begin = []
    if begin:
        yield begin[0]
