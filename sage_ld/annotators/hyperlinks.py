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
    yield whole
    stem, suffix = posixpath.splitext(whole)
    if suffix in SUFFIXES:
        yield from (stem + other for other in SUFFIXES if other != suffix)
    else:
        yield from (whole + other for other in SUFFIXES)
        yield from (posixpath.join(whole, name + other) for name in _INDEXES for other in SUFFIXES)
