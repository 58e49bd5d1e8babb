"""Hyperlinks of files, resolved to the documents to which they lead."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from sage_ld.build.annotators.targets import Target, places
from sage_ld.build.annotators.targets import plain_reference as _plain
from sage_ld.build.readers.registry import SUFFIXES
from sage_ld.foundation.model import Chunk, Link, LinkKind

_INDEXES: Final = ("index", "README")
_PAGES: Final = tuple(name + suffix for name in _INDEXES for suffix in SUFFIXES)
"""The files that a folder may stand for."""
_SURE: Final = 1.0
_WITHOUT_NAME: Final = {"", ".", ".."}


def resolve_hyperlinks(chunks: Sequence[Chunk], targets: Sequence[Target]) -> list[Link]:
    """The links of each chunk whose target is one of `targets`; those within a document are left out.

    A reference leads to a document by its identifier as it stands, by its URL, or by the path that it names
    as seen from the document it stands in; percent-encoding, query and fragment make no difference, nor does
    the suffix where a page was written as Markdown and is linked to as HTML.
    """
    numbers = {target.identifier: number for number, target in enumerate(targets)}
    return resolved(chunks, targets, places(targets), numbers)


def resolved(
    chunks: Sequence[Chunk], targets: Sequence[Target], known: Mapping[str, int], numbers: Mapping[str, int]
) -> list[Link]:
    """As `resolve_hyperlinks`, by tables: `known` of what leads to which target, `numbers` of identifiers."""
    links = []
    for number, chunk in enumerate(chunks):
        own = numbers.get(chunk.document)
        source = Target(chunk.document, "") if own is None else targets[own]
        for link in chunk.links:
            readings = map(known.get, _readings(link.target, source))
            at = next((each for each in readings if each is not None), None)
            if at is not None and targets[at].identifier != chunk.document:
                links.append(
                    Link(
                        number,
                        at,
                        LinkKind.HYPERLINK,
                        link.text,
                        _SURE,
                        link.begin,
                        link.end,
                        link.row,
                        link.column,
                        link.target,
                    )
                )
    return links


class ReferenceIndex:
    """The identifiers and URLs of some documents, to find the references that may lead to one of them.

    A reference that leads to one of them has one of their `names` among its `reference_names`, by which very
    many references can be looked up; `leads` resolves one.

    >>> references, source = ReferenceIndex([Target("docs/guide.md", "Guide")]), Target("docs/a.md", "")
    >>> references.names & reference_names("guide.html#top", source)
    {'guide'}
    >>> references.leads("guide.html#top", source)
    True
    """

    def __init__(self, targets: Sequence[Target]) -> None:
        self._places = places(targets)
        self.names: Set[str] = {name for place in self._places for name in _last_names(place)}
        """The last names of the paths by which files may refer to one of the documents."""

    def leads(self, reference: str, source: Target) -> bool:
        """Whether the reference, standing in the document `source`, may mean one of the documents."""
        return any(reading in self._places for reading in _readings(reference, source))


def reference_names(reference: str, source: Target) -> set[str]:
    """The names by which a reference in the document `source` is looked up: the last one of its path.

    A path without a name, such as `..` or `#top`, has the name of the folder or page that it leads to.

    >>> sorted(reference_names("../b.html?x", Target("docs/a.md", "")))
    ['b', 'b.html']
    >>> reference_names("..", Target("c/a/b.md", ""))
    {'c'}
    """
    name = _last_name(_plain(reference))
    if name not in _WITHOUT_NAME:
        return {name, posixpath.splitext(name)[0]}
    try:
        parts, absolute = urlsplit(reference), urljoin(source.url or "", reference)
    except ValueError:  # not a URL at all
        return set()
    folders = [_plain(absolute)] if source.url else []
    if parts.path and not parts.netloc:
        folders.append(next(_paths(unquote(parts.path), source.identifier)))
    return {_last_name(each) for each in folders}


def _last_names(place: str) -> Iterator[str]:
    """The last names of the references that may mean the document at a place."""
    for path in (place, _plain(place)):
        name = _last_name(path)
        stem, suffix = posixpath.splitext(name)
        yield name
        if suffix in SUFFIXES:
            yield stem
        if stem in _INDEXES:
            yield _last_name(path.rstrip("/").rpartition("/")[0])


def _last_name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _readings(reference: str, source: Target) -> Iterator[str]:
    """The possible meanings of a reference, as identifiers or URLs, the most literal first.

    >>> list(_readings("../b.html?x#y", Target("docs/a/c.md", "")))[:4]
    ['../b.html?x#y', '../b.html', 'docs/b.html', 'docs/b.md']
    """
    yield reference
    plain = _plain(reference)
    yield plain
    try:
        parts = urlsplit(reference)
        absolute = urljoin(source.url, reference) if source.url else reference
        home = urlsplit(source.url or "").netloc
    except ValueError:  # not a URL at all: `http://[`
        return
    if source.url:
        yield _plain(absolute)
    if parts.netloc and parts.netloc == home:
        yield unquote(parts.path)
    if not parts.scheme and not parts.netloc and parts.path:
        yield from _paths(unquote(parts.path), source.identifier)


def _paths(path: str, identifier: str) -> Iterator[str]:
    """The identifiers that a relative or rooted path may stand for in a document called `identifier`."""
    folder = "" if path.startswith("/") else posixpath.dirname(identifier)
    whole = posixpath.normpath(posixpath.join(folder, path.lstrip("/")))
    whole = "" if whole == "." else whole  # the folder of all
    yield whole
    stem, suffix = posixpath.splitext(whole)
    if suffix in SUFFIXES:
        yield from (stem + other for other in SUFFIXES if other != suffix)
    else:
        yield from map(whole.__add__, SUFFIXES)
        yield from map(posixpath.join(whole, "").__add__, _PAGES)
