"""`/export`: the whole graph of one revision as a stream, in each format, compressed on request."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Final, cast

from flask import Flask, Response, current_app, request

from sage_ld.foundation.errors import BusyError, InputError
from sage_ld.graph import Snapshot
from sage_ld.graph.exports.streams import FORMATS, Format, checked_format, source, stream
from sage_ld.service.context import Service, service
from sage_ld.service.http import responses
from sage_ld.service.http.negotiation import Offer, checked_version, choose
from sage_ld.service.openapi.parts import VERSIONS, choice, described, formats
from sage_ld.service.route import RouteReply, Surface

_KEY = "sage_ld.exports"
_GZIP: Final = 16 + zlib.MAX_WBITS  # zlib's sign for the gzip format
_LEVEL: Final = 5
OFFERS: Final = tuple(Offer(each.name, each.media_type) for each in FORMATS.values())

surface = Surface("exporting", tag="data set", errors=("406",))


def attach(app: Flask, opened: Service) -> None:
    """Bounds the exports that are sent at once."""
    app.extensions[_KEY] = threading.BoundedSemaphore(opened.settings.max_exports)


@surface.get(
    "/export",
    "export",
    "The whole graph as a stream",
    query=None,
    parameters=[
        *formats(*FORMATS)[:1],
        choice("rdf", list(VERSIONS), "1.2 keeps triple terms; JSON-LD has no form for them."),
    ],
    reply=RouteReply("The whole graph as a stream.", described(OFFERS)),
    cached=True,
)
def export() -> Response:
    """The graph in the format and version of RDF that parameters or Accept name; in 1.1 unless they do."""
    form, version = _chosen()
    with ExitStack() as stack:
        snapshot = stack.enter_context(service().snapshots.use())
        gzip = _takes_gzip()
        etag = responses.tag(service(), snapshot, form.name, version, "gzip" if gzip else None)
        answer = responses.conditional(etag, lambda: _sent(snapshot, form, version, gzip, stack.pop_all()))
    answer.vary.update(("Accept", "Accept-Encoding"))
    return answer


def _chosen() -> tuple[Format, str]:
    """Format and version, each by its parameter (the version's is `version` or `rdf`), or else by Accept.

    Raises InputError for anything else, or JSON-LD where 1.2 is asked for by a parameter.
    """
    version, rdf = (checked_version(request.args.get(name), name) for name in ("version", "rdf"))
    if version and rdf and version != rdf:
        raise InputError(f"version={version} and rdf={rdf}: two versions of RDF; give one")
    asked = version or rdf
    if (name := request.args.get("format")) is not None:
        form = checked_format(name, asked or "1.1")
    else:
        choice = choose(request.headers.get("Accept"), OFFERS)
        form = checked_format(choice.offer.name, asked or "1.1")
        asked = asked or choice.version
    return form, (asked or "1.1") if form.triple_terms else "1.1"


def _takes_gzip() -> bool:
    """Whether the client likes gzip as well as the plain bytes, which come last if it does not name them."""
    qualities = {coding.lower(): quality for coding, quality in request.accept_encodings}
    named = [qualities[name] for name in ("gzip", "x-gzip") if name in qualities]
    gzip = max(named, default=qualities.get("*", 0.0))
    return gzip > 0 and gzip >= qualities.get("identity", 0.0)


def _sent(snapshot: Snapshot, form: Format, version: str, gzip: bool, held: ExitStack) -> Response:
    """The response, which holds the revision and one of the places until its last byte is taken."""
    pieces: Iterator[bytes] = stream(source(snapshot.stores, form), form.name, version)
    text = "; charset=utf-8" if form.media_type.startswith("text/") else ""
    content_type = form.media_type + text + ("; version=1.2" if version == "1.2" else "")
    name = f"sage-ld-{snapshot.number}.{form.extension}"
    answer = attachment(_compressed(pieces) if gzip else pieces, content_type, name, held)
    if gzip:
        answer.content_encoding = "gzip"
    return answer


def attachment(pieces: Iterator[bytes], content_type: str, name: str, held: ExitStack) -> Response:
    """A file that is sent as it is made; until its last byte is taken it keeps `held` and a place of exports.

    Raises BusyError where no place is free; `held` is closed then.
    """
    if request.method != "HEAD":
        _take_place(held)
    answer = Response(pieces, content_type=content_type)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.call_on_close(held.close)
    return answer


def _take_place(held: ExitStack) -> None:
    places = cast(threading.BoundedSemaphore, current_app.extensions[_KEY])
    if not places.acquire(blocking=False):
        held.close()
        most = service().settings.max_exports
        raise BusyError(
            f"{most} exports are being sent, which is the limit (setting max_exports); try again later"
        )
    give_back: Callable[[], None] = places.release
    held.callback(give_back)


def _compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces in the gzip format, without the time in its header: equal input, equal bytes."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()
