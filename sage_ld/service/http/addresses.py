"""Addresses of resources: the IRIs that the address of a request may mean, and the address of an IRI.

RDF compares IRIs as strings, while a path on its way is encoded in more than one manner. So an address is
taken as it was sent first, then as the IRI that it is by RFC 3987, section 3.2, and only then decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote, unquote, urlsplit
from wsgiref.types import WSGIEnvironment

from pyoxigraph import NamedNode

from sage_ld.graph.store.protocol import Store

PREFIX: Final = re.compile(r"(/[A-Za-z0-9._~-]+)*")
"""The paths below which a service may be reached."""
FORMAT_PARAMETERS: Final = ("format", "version")
"""Parameters that choose the format of a resource."""
PARAMETERS: Final = (*FORMAT_PARAMETERS, "part")
"""Parameters that choose how, or which part of, a resource is shown, and are no part of its IRI."""
_SAFE: Final = "/:@!$&'()*+,;=-._~%?"
_NOT_ASCII: Final = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
_DOT_SEGMENT: Final = re.compile(r"(^|/)(\.|%2e){1,2}(/|$)", re.IGNORECASE)


def sent(environ: WSGIEnvironment) -> str:
    """Path and query of a request as they came, without the path below which the service is reached.

    >>> sent({"RAW_URI": "/films/id/slash%2Fx?y=1", "SCRIPT_NAME": "/films"})
    '/id/slash%2Fx?y=1'
    """
    raw = environ.get("RAW_URI") or environ.get("REQUEST_URI")
    if raw is None:
        raw = quote(environ.get("PATH_INFO", "").encode("latin-1")) + "?" + environ.get("QUERY_STRING", "")
    if not raw.startswith("/"):  # the absolute form, which clients of a proxy send
        raw = "/" + raw.partition("://")[2].partition("/")[2]
    prefix = environ.get("SCRIPT_NAME", "")
    local = raw.removeprefix(prefix) if prefix and raw.startswith(prefix + "/") else raw
    return quote(local.encode("latin-1", "replace"), safe=_SAFE)


def sent_path(environ: WSGIEnvironment) -> str:
    """The path of a request as it came, without the path below which the service is reached."""
    return sent(environ).partition("?")[0]


def sent_query(environ: WSGIEnvironment) -> str:
    """The query string of a request as it came, without what says how to show the resource."""
    return _kept(sent(environ).partition("?")[2])


def sent_name(environ: WSGIEnvironment, path: str, decoded: str) -> str:
    """The rest of an address after `path`, as sent; `decoded` where `path` was sent in another spelling.

    >>> sent_name({"RAW_URI": "/id/a%20b"}, "/id/", "a b")
    'a%20b'
    """
    address, begin = sent(environ), quote(path, safe=_SAFE)
    return address.removeprefix(begin) if address.startswith(begin) else quote(decoded)


def names(sent_name: str) -> Iterator[str]:
    """The possible ends, after the base, of the IRI that an address means; the likeliest first.

    >>> list(names("caf%C3%A9%2F1"))
    ['caf%C3%A9%2F1', 'café%2F1', 'café/1']
    """
    path, _, query = sent_name.partition("?")
    kept = _kept(query)
    whole = f"{path}?{kept}" if kept else path
    yield from dict.fromkeys((whole, _unicode(whole), path, _unicode(path), unquote(path)))


def known(store: Store, iri: str) -> bool:
    """Whether the graph says anything of `iri`, or has a named graph of that name."""
    try:
        subject = NamedNode(iri)
    except ValueError:
        return False
    return (
        next(store.quads_for_pattern(subject, None, None), None) is not None
        or next(store.quads_for_pattern(None, None, subject), None) is not None
        or store.contains_named_graph(subject)
    )


def path(store: Store, base: str, iri: str) -> str | None:
    """The path at which an IRI below `base` answers; None if its address would mean something else.

    >>> from pyoxigraph import Store
    >>> path(Store(), "http://example.org/id/", "http://example.org/id/caf%C3%A9")
    '/id/caf%C3%A9'
    >>> path(Store(), "http://example.org/id/", "http://example.org/id/q?format=csv") is None
    True
    """
    name, root = quote(iri.removeprefix(base), safe=_SAFE), urlsplit(base).path
    if base.endswith("#") or name.startswith("/") or _DOT_SEGMENT.search(name.partition("?")[0]):
        return None
    if not name and root == "/":  # the search page is there
        return None
    for each in names(name):
        if base + each == iri:
            return quote(root, safe=_SAFE) + name
        if known(store, base + each):
            return None
    return None


def _kept(query: str) -> str:
    pieces = query.split("&") if query else []
    return "&".join(each for each in pieces if each.partition("=")[0] not in PARAMETERS)


def _unicode(address: str) -> str:
    """The IRI that an address is: what UTF-8 has beyond ASCII is decoded, and nothing else."""
    return _NOT_ASCII.sub(_decoded, address)


def _decoded(match: re.Match[str]) -> str:
    try:
        return unquote(match[0], errors="strict")
    except UnicodeDecodeError:
        return match[0]
