"""Graphs as linked data event streams have them: the newest version of each object.

A stream is a collection of immutable members over pages that lead to each other. Linked Data Event Streams:
https://w3id.org/ldes/specification , TREE: https://w3id.org/tree/specification . A page that was immutable
(RFC 8246), or that says that it has not changed, is not read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.remote.paged_queries import PageFolder
from sage_ld.graph.remote.remote_store import (
    ACCEPTED,
    PulledGraph,
    RemoteContent,
    RemoteStore,
    Validators,
    quads_of_answer,
    shown,
)
from sage_ld.graph.store.terms import Term

LDES: Final = "https://w3id.org/ldes#"
TREE: Final = "https://w3id.org/tree#"
_DELETE: Final = "https://www.w3.org/ns/activitystreams#Delete"


@dataclass(frozen=True, slots=True)
class StreamPage:
    """The state of a page when it was read, as it said itself."""

    links: tuple[str, ...]
    """The pages that it leads to."""
    validators: Validators
    is_immutable: bool


@dataclass
class Bookmark:
    """The place up to which a stream was read: its pages, and the properties of its members."""

    pages: dict[str, StreamPage] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    """The properties of members, by the name that LDES has for them."""
    deleted: dict[str, str] = field(default_factory=dict)
    """The objects that the stream has deleted, and when."""

    @classmethod
    def of(cls, text: str) -> Bookmark:
        """The bookmark that `text` says; an empty one for none."""
        said: dict[str, Any] = json.loads(text) if text else {"pages": {}, "paths": {}, "deleted": {}}
        pages = {
            address: StreamPage(tuple(links), Validators(tag, changed), immutable)
            for address, (links, tag, changed, immutable) in said["pages"].items()
        }
        return cls(pages, said["paths"], said["deleted"])

    def text(self) -> str:
        """The bookmark as JSON."""
        pages = {
            address: [each.links, *astuple(each.validators), each.is_immutable]
            for address, each in self.pages.items()
        }
        said = {"pages": pages, "paths": self.paths, "deleted": self.deleted}
        return json.dumps(said, sort_keys=True)


def graph_of_stream(
    address: str, standing: Iterable[Quad], bookmark: str, folder: Path, settings: Settings
) -> PulledGraph | None:
    """The graph with the newest version of each object of a stream; None where no page is new.

    `standing` is the graph as the pull before left it, which `bookmark` belongs to. Pages are kept in
    `folder` as they come. Raises InputError, LimitError, NotFoundError, UnavailableError.
    """
    mark = Bookmark.of(bookmark)
    members: list[_Member] = []
    fresh = False
    for quads in _new_pages(RemoteStore(address, settings), mark, PageFolder(folder, address, settings)):
        fresh = True
        members += _members(quads, mark.paths)
    if not fresh:
        return None
    if not mark.paths.get("stream"):
        raise InputError(
            f"{shown(address)} is not an event stream: nothing in it is an ldes:EventStream or has a "
            "tree:member; pull it without --stream"
        )
    statements = _merged(list(standing), members, mark)
    content = serialize(statements, format=RdfFormat.N_TRIPLES) or b""
    return PulledGraph(address, (RemoteContent("ntriples", content),), bookmark=mark.text())


# --- pages --------------------------------------------------------------------------------------------


def _new_pages(store: RemoteStore, mark: Bookmark, kept: PageFolder) -> Iterator[list[Quad]]:
    """The statements of each page that is new or has changed, from the first on; `mark` takes them."""
    waiting, seen = [urldefrag(store.address).url], set[str]()
    while waiting:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        if len(seen) > (most := store.settings.max_remote_pages):
            what = f"the stream {shown(store.address)}"
            remedy = "begin at a later page"
            raise LimitError.of(what, len(seen), most, "pages", "max_remote_pages", remedy)
        page = mark.pages.get(address)
        if page is None or not page.is_immutable:
            read = _read(store, address, page, kept)
            if read is not None:
                quads, page = read
                mark.pages[address] = page
                _learn(quads, mark.paths)
                yield quads
        assert page is not None  # it was read, now or before
        waiting += page.links


def _read(
    store: RemoteStore, address: str, before: StreamPage | None, kept: PageFolder
) -> tuple[list[Quad], StreamPage] | None:
    """The statements of a page and what it says of itself; None where it has not changed."""
    if (text := kept.get(address)) is not None:
        tag, changed, immutable, content = json.loads(text)
        quads = [*parse(content, RdfFormat.N_TRIPLES, rename_blank_nodes=True)]
        store.take(len(content))
        return quads, StreamPage(_links(quads), Validators(tag, changed), immutable)
    conditions = {} if before is None else before.validators.conditions()
    accepted = (200, 304) if conditions else (200,)
    answer = store.get(address, {"Accept": ACCEPTED, **conditions}, accepted=accepted)
    if answer.response.status_code == 304:
        return None
    quads = quads_of_answer(answer, store.settings)
    immutable = bool(quads) and "immutable" in answer.response.headers.get("cache-control", "").lower()
    said = answer.validators
    page = StreamPage(_links(quads), said, immutable)
    content = (serialize((each.triple for each in quads), format=RdfFormat.N_TRIPLES) or b"").decode()
    if quads:  # else it is asked for again, as in paged queries
        kept.keep(address, json.dumps([said.entity_tag, said.last_modified, immutable, content]))
    return quads, page


def _links(quads: Sequence[Quad]) -> tuple[str, ...]:
    """The pages to which a page leads: those of its relations, and the views of its stream."""
    leads = {TREE + "node", TREE + "view"}
    found = (each.object for each in quads if each.predicate.value in leads)
    try:
        return tuple(
            dict.fromkeys(urldefrag(each.value).url for each in found if isinstance(each, NamedNode))
        )
    except ValueError as error:
        raise InputError(f"the stream leads to an invalid address ({error}); correct it there") from None


def _learn(quads: Sequence[Quad], paths: dict[str, str]) -> None:
    """Notes what a page says of the stream."""
    for each in quads:
        name = each.predicate.value.removeprefix(LDES)
        if name in _PATHS and isinstance(each.object, NamedNode):
            paths[name] = each.object.value
        is_stream = each.predicate.value == v.TYPE and each.object == NamedNode(LDES + "EventStream")
        if is_stream or each.predicate.value == TREE + "member":
            paths["stream"] = str(each.subject)


_PATHS: Final = frozenset({"timestampPath", "versionOfPath", "versionDeletePath", "versionDeleteObject"})


# --- members ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Member:
    """A version of an object."""

    object: NamedNode
    time: Literal | None
    is_deletion: bool
    statements: tuple[Triple, ...]


def _members(quads: Sequence[Quad], paths: dict[str, str]) -> Iterator[_Member]:
    about: dict[object, list[Triple]] = {}
    for each in quads:
        about.setdefault(each.subject, []).append(each.triple)
    for each in quads:
        if each.predicate.value == TREE + "member" and isinstance(each.object, NamedNode):
            yield _member(each.object, about, paths)


def _member(name: NamedNode, about: dict[object, list[Triple]], paths: dict[str, str]) -> _Member:
    said = about.get(name, [])
    of, time = (
        next((each.object for each in said if each.predicate.value == paths.get(path)), None)
        for path in ("versionOfPath", "timestampPath")
    )
    subject = of if isinstance(of, NamedNode) else name
    gone = NamedNode(paths.get("versionDeleteObject", _DELETE))
    path = paths.get("versionDeletePath", v.TYPE)
    return _Member(
        subject,
        time if isinstance(time, Literal) else None,
        any(each.predicate.value == path and each.object == gone for each in said),
        tuple(
            Triple(subject if each.subject == name else each.subject, each.predicate, each.object)
            for each in _described(name, about)
            if each.predicate.value != paths.get("versionOfPath")
        ),
    )


def _described(start: Term, about: dict[object, list[Triple]]) -> Iterator[Triple]:
    """The statements about a node, and about the blank nodes that they lead to."""
    waiting, seen = [start], {start}
    while waiting:
        for each in about.get(waiting.pop(), ()):
            yield each
            if isinstance(each.object, BlankNode) and each.object not in seen:
                seen.add(each.object)
                waiting.append(each.object)


def _merged(standing: Sequence[Quad], members: Sequence[_Member], mark: Bookmark) -> list[Triple]:
    """The statements of a graph after some versions have come: of each object, those of the newest."""
    about: dict[object, list[Triple]] = {}
    for quad in standing:
        about.setdefault(quad.subject, []).append(quad.triple)
    newest: dict[object, _Member] = {}
    for each in members:
        before = newest[each.object].time if each.object in newest else _time_of(each.object, about, mark)
        if _moment(each.time) >= _moment(before):
            newest[each.object] = each
            mark.deleted.pop(str(each.object), None)
            if each.is_deletion:
                mark.deleted[str(each.object)] = each.time.value if each.time else ""
    others = (each for each in about if isinstance(each, NamedNode) and each not in newest)
    shared = {each for name in others for each in _described(name, about)}
    gone = {each for name in newest.values() for each in _described(name.object, about)} - shared
    kept = [quad.triple for quad in standing if quad.triple not in gone]
    return kept + [each for member in newest.values() if not member.is_deletion for each in member.statements]


def _time_of(name: NamedNode, about: dict[object, list[Triple]], mark: Bookmark) -> Literal | None:
    """The time of the version of an object that stands, or that was deleted."""
    if (deleted := mark.deleted.get(str(name))) is not None:
        return Literal(deleted)
    path = mark.paths.get("timestampPath")
    found = (each.object for each in about.get(name, ()) if each.predicate.value == path)
    return next((each for each in found if isinstance(each, Literal)), None)


def _moment(time: Literal | None) -> tuple[datetime, str]:
    """A time in an order that knows time zones; other texts come first, by themselves."""
    text = "" if time is None else time.value
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC), text
    return (found if found.tzinfo else found.replace(tzinfo=UTC)), text
