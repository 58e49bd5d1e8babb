"""Hyperlinks of files, resolved to the documents to which they lead."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from sage_ld.annotators.targets import Target
from sage_ld.model import Chunk, Link, LinkKind
from sage_ld.readers.registry import SUFFIXES

_INDEXES: Final = ("index", "README")
_SURE: Final = 1.0
_WITHOUT_NAME: Final = {"", ".", ".."}


def resolve_hyperlinks(chunks: Sequence[Chunk], targets: Sequence[Target]) -> list[Link]:
    """The links of each chunk whose target is one of `targets`; those within a document are left out.

    A reference leads to a document by its identifier as it stands, by its URL, or by the path that it names
    as seen from the document it stands in; percent-encoding, query and fragment make no difference, nor does
    the suffix where a page was written as Markdown and is linked to as HTML.
    """
    places = _places(targets)
    sources = {target.identifier: target for target in targets}
    found = []
    for number, chunk in enumerate(chunks):
        source = sources.get(chunk.document, Target(chunk.document, ""))
        for link in chunk.links:
            at = next((places[key] for key in _readings(link.target, source) if key in places), None)
            if at is not None and targets[at].identifier != chunk.document:
                found.append(
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
    return found


class ReferenceIndex:
    """The identifiers and URLs of some documents, to find the references that may lead to one of them.

    `may_lead` is a quick test by the last name of a path, for very many references; what it lets through,
    `leads` resolves.

    >>> references = ReferenceIndex([Target("docs/guide.md", "Guide")])
    >>> references.may_lead("guide.html#top"), references.may_lead("other.html")
    (True, False)
    >>> references.leads("guide.html#top", Target("docs/a.md", ""))
    True
    """

    def __init__(self, targets: Sequence[Target]) -> None:
        self._places = _places(targets)
        self._names = {name for place in self._places for name in _last_names(place)} | _WITHOUT_NAME

    def may_lead(self, reference: str) -> bool:
        """Whether the reference shares the last name of its path with a document, or has no such name."""
        name = _last_name(_plain(reference))
        return name in self._names or posixpath.splitext(name)[0] in self._names

    def leads(self, reference: str, source: Target) -> bool:
        """Whether the reference, standing in the document `source`, may mean one of the documents."""
        return any(reading in self._places for reading in _readings(reference, source))


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


def _places(targets: Sequence[Target]) -> Mapping[str, int]:
    """Identifiers and URLs to targets; identifiers count before URLs, the first before a later."""
    places: dict[str, int] = {}
    for number, target in enumerate(targets):
        places.setdefault(target.identifier, number)
    for number, target in enumerate(targets):
        places.setdefault(unquote(target.identifier), number)
        if target.url:
            places.setdefault(target.url, number)
            places.setdefault(_plain(target.url), number)
    return places


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


def _plain(reference: str) -> str:
    return unquote(urldefrag(reference.partition("?")[0]).url)


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
        yield from (whole + other for other in SUFFIXES)
        yield from (posixpath.join(whole, name + other) for name in _INDEXES for other in SUFFIXES)
