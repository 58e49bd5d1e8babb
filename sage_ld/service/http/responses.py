"""Representations of a resource: which one is sent, its validators, and links to the others.

RFC 9110, sections 8.8 (validators) and 12 (negotiation); RFC 8288 (links).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from types import ModuleType
from typing import Final, Protocol
from urllib.parse import quote, urlencode

import pyoxigraph as ox
from flask import Response, request
from werkzeug import Request

import sage_ld
from sage_ld.foundation.errors import InputError, NotAcceptableError
from sage_ld.foundation.lazy_imports import is_installed
from sage_ld.foundation.vocabulary import PREFIXES
from sage_ld.graph.exports import jsonld
from sage_ld.graph.exports.streams import view
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.graph_files import revision_tag
from sage_ld.service.http import addresses
from sage_ld.service.http.negotiation import GRAPHS, Choice, Offer, checked_version, choose

HTML: Final = Offer("html", "text/html", ("application/xhtml+xml",))
PAGES: Final = (HTML,) if is_installed("sage_ld.service.views") else ()
"""The format of pages; none where the pages were left out."""
PAGE: Final = (*PAGES, *GRAPHS)
JSON_LD: Final = Offer("jsonld", "application/ld+json")
JSON: Final = Offer("json", "application/json")
JSONS: Final = (JSON_LD, JSON)
"""JSON-LD, and flat JSON for clients that ask for that by name."""
_SERIALIZERS: Final = {
    "turtle": ox.RdfFormat.TURTLE,
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "rdfxml": ox.RdfFormat.RDF_XML,
}
_NOT_XML: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # XML 1.0, section 2.2
_XML_NAME: Final = re.compile(r"[^\W\d][\w.-]*$")  # a name with which an IRI ends, as an element needs one
_NOT_HTML: Final = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

REVISION: Final = "Sage-Revision"
"""The header with the entity tag of the revision that an answer shows, as If-Match of a write takes it."""
ADDED: Final = "Sage-Added"
REMOVED: Final = "Sage-Removed"
WARNING: Final = "Sage-Warning"


def chosen(offers: Sequence[Offer]) -> Choice:
    """The format and version that the parameters of these names choose, or else the header Accept.

    Raises InputError for an unknown format or version, NotAcceptableError.
    """
    names = [offer.name for offer in offers]
    name, version = request.args.get("format"), checked_version(request.args.get("version"))
    if name is None:
        choice = choose(request.headers.get("Accept"), offers)
    elif name in names:
        choice = Choice(offers[names.index(name)], None)
    else:
        raise InputError(f"format={name[:40]!r}: not offered here; choose from {', '.join(names)}")
    asked = version or choice.version or "1.1"
    return Choice(choice.offer, "1.1" if choice.offer.name in ("html", "jsonld") else asked)


class _Numbered(Protocol):
    """A revision, opened in whatever way."""

    @property
    def number(self) -> int: ...


class _Placed(Protocol):
    """Any object that knows the directory of its graph."""

    @property
    def directory(self) -> Directory: ...


def tag(opened: _Placed, revision: _Numbered, *parts: str | None) -> str:
    """An entity tag for what follows from a revision, this code and `parts` alone."""
    said = [
        revision_tag(opened.directory.path, revision.number),
        *(quote(each, safe="-.") for each in parts if each),
    ]
    return "-".join(said)


def digest_tag(digest: str) -> str:
    """The entity tag of a resource with a digest; a write is compared with the digest alone."""
    return f"{digest}-{quote(sage_ld.__version__, safe='-.')}"


def digest(value: object) -> str:
    """A digest of what JSON can say, such as the parameters of a request, for entity tags and caches.

    It is whole: of 64 bits, a client could find two requests with the same one.
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def conditional(etag: str, make: Callable[[], Response]) -> Response:
    """304 where the client has the representation with this tag already, else what `make` returns.

    `If-None-Match: *` asks whether there is any representation, which only `make` can tell: it raises
    NotFoundError if there is none.
    """
    known = not_modified(request, etag) and request.method in ("GET", "HEAD")
    if known and request.if_none_match.star_tag:
        make().close()
    answer = Response(status=304) if known else make()
    answer.set_etag(etag)
    answer.cache_control.no_cache = True
    answer.vary.add("Accept")
    return answer


def not_modified(sent: Request, etag: str) -> bool:
    """Whether the client of a request has the representation with this tag already."""
    return sent.if_none_match.contains_weak(etag)


def content_type(choice: Choice) -> str:
    """The media type with its parameters; of RDF 1.2 it says that it is."""
    charset = "; charset=utf-8" if choice.offer.media_type.startswith("text/") else ""
    return choice.offer.media_type + charset + ("; version=1.2" if choice.version == "1.2" else "")


def json_text(said: Mapping[str, object], choice: Choice) -> Response:
    """A JSON document in one line."""
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return Response(text + "\n", content_type=choice.offer.media_type)


def html(text: str, status: int = 200) -> Response:
    """A page of ours, which loads nothing but its own stylesheet, scripts and data of this service.

    What HTML has no way to write, control characters and U+FFFE above all, is shown as U+FFFD.
    """
    return made_page(Response(status=status), text)


def made_page(answer: Response, text: str) -> Response:
    """`answer`, with `text` as its page in place of what it had."""
    answer.set_data(_NOT_HTML.sub("\ufffd", text))
    answer.content_type = "text/html; charset=utf-8"
    answer.headers["Content-Security-Policy"] = _PAGE_POLICY
    return answer


def rdf(triples: Iterable[ox.Triple], choice: Choice) -> Response:
    """`triples`, each once, in the format and version chosen; a subject's stand together.

    Raises NotAcceptableError if RDF/XML is chosen, and cannot hold them.
    """
    found = sorted({ox.Quad(*triple) for triple in triples}, key=str)
    is_json = choice.offer.name == "jsonld"
    quads = list(view(found, choice.version or "1.1", with_directions=is_json))
    if is_json:
        subjects = (list(group) for _, group in groupby(quads, key=lambda quad: quad.subject))
        body = "".join(jsonld.document([(None, subjects)])).encode()
    else:
        body = _serialized((quad.triple for quad in quads), _SERIALIZERS[choice.offer.name])
    if choice.offer.name == "rdfxml":
        _refuse_unfit((quad.triple for quad in quads), body.decode())
    return Response(body, content_type=content_type(choice))


def _refuse_unfit(triples: Iterable[ox.Triple], text: str) -> None:
    """Raises NotAcceptableError for what RDF/XML has no way to write (its specification, section 5.1)."""
    for triple in triples:
        if isinstance(triple.object, ox.Triple):
            _refuse_unfit([triple.object], "")
        if not _XML_NAME.search(triple.predicate.value):
            raise NotAcceptableError(
                f"RDF/XML has no name for the property <{triple.predicate.value[:100]}>; ask for text/turtle"
            )
    if (match := _NOT_XML.search(text)) is not None:
        raise NotAcceptableError(
            f"the answer has the character U+{ord(match[0]):04X}, which XML 1.0 cannot hold; "
            "ask for text/turtle"
        )


def _serialized(triples: Iterable[ox.Triple], form: ox.RdfFormat) -> bytes:
    """The text, with its prefixes in order: pyoxigraph writes them in another one each time."""
    prefixes = PREFIXES if form == ox.RdfFormat.TURTLE else None
    lines = (ox.serialize(triples, format=form, prefixes=prefixes) or b"").splitlines(keepends=True)
    count = len(PREFIXES) if prefixes else 0
    return b"".join(sorted(lines[:count]) + lines[count:])


def page_module(name: str) -> ModuleType:
    """A module of the pages, for an answer in HTML, which is chosen only where the pages are there."""
    return import_module(f"sage_ld.service.views.{name}")


def link_alternates(answer: Response, offers: Sequence[Offer], choice: Choice) -> None:
    """Says where each representation has a URL of its own, and which of them this is."""
    for offer in offers:
        relation = "alternate" if offer is HTML else "alternate describedby"
        answer.headers.add("Link", f'<{_url(offer)}>; rel="{relation}"; type="{offer.media_type}"')
    answer.headers["Content-Location"] = _url(choice.offer, choice.version)


def link_pages(answer: Response, starts: Mapping[str, int]) -> None:
    """Links the answer to other parts of its list: a relation to the offset at which such a part begins."""
    kept = [each for each in request.args.items(multi=True) if each[0] != "offset"]
    for relation, start in starts.items():
        query = urlencode([*kept, ("offset", start)])
        answer.headers.add("Link", f'<{request.script_root}{request.path}?{query}>; rel="{relation}"')


def link_next(answer: Response, cursor: str | None) -> None:
    """Links the answer to the part of its list that begins behind a cursor, if there is one."""
    if cursor is not None:
        kept = [each for each in request.args.items(multi=True) if each[0] != "cursor"]
        query = urlencode([*kept, ("cursor", cursor)])
        answer.headers.add("Link", f'<{request.script_root}{request.path}?{query}>; rel="next"')


def format_query(name: str, version: str | None = None) -> str:
    """The query string by which the current resource comes in the format `name`, in RDF 1.1 or `version`."""
    newer = "version=1.2" if version == "1.2" else ""
    return "&".join(filter(None, (addresses.sent_query(request.environ), f"format={name}", newer)))


def part_query(part: int) -> str:
    """The query string by which the page of the current resource shows a part, counted from 1."""
    return "&".join(filter(None, (addresses.sent_query(request.environ), f"part={part}" if part > 1 else "")))


def _url(offer: Offer, version: str | None = None) -> str:
    """The path of the current resource, as sent, with the format named."""
    path = quote(request.script_root) + addresses.sent_path(request.environ)
    return f"{path}?{format_query(offer.name, version)}"


def private(answer: Response) -> Response:
    """The response, which no cache keeps: it may hold what a person asked."""
    answer.cache_control.no_store = True
    answer.vary.add("Accept")
    return answer
