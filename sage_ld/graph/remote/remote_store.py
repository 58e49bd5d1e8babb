"""Graphs as they are elsewhere: in a graph store, at an address, in a file.

Graph stores follow https://www.w3.org/TR/sparql11-http-rdf-update/, endpoints
https://www.w3.org/TR/sparql11-protocol/ . Conditional requests follow RFC 9110, section 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from pyoxigraph import Quad, RdfFormat

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.build.readers.contexts import ContextLoader
from sage_ld.build.readers.rdf_text import rdf_quads
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError, UnavailableError
from sage_ld.foundation.outbound import AllowedHosts, ContentLimits, content_at, query_request
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.shown_text import harmless
from sage_ld.graph.store.stores import RDF_FORMATS

if TYPE_CHECKING:
    import httpx2

_FORMATS: Final = {form: name for name, form in RDF_FORMATS.items()}
ACCEPTED: Final = (
    "application/n-triples;version=1.2, application/n-triples;q=0.9, text/turtle;q=0.8, "
    "application/n-quads;q=0.7, application/trig;q=0.6, application/ld+json;q=0.5, application/rdf+xml;q=0.4"
)
_UNTOLD: Final = frozenset({"", "text/plain", "application/octet-stream"})
"""Media types that say less than the end of an address."""
SHOWN: Final = 200
"""Characters of others' texts in a message."""
_PRIVATE: Final = "pull from that address itself, if it may be asked"


@dataclass(frozen=True, slots=True)
class RemoteContent:
    """RDF of one answer: the name of its format, and its bytes."""

    format: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Validators:
    """The state of a source by which it says whether it has changed (RFC 9110, section 8.8)."""

    entity_tag: str = ""
    last_modified: str = ""

    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request."""
        if self.entity_tag:
            return {"If-None-Match": self.entity_tag}
        return {"If-Modified-Since": self.last_modified} if self.last_modified else {}


@dataclass(frozen=True, slots=True)
class PulledGraph:
    """A graph as it is at its source, whose address is an IRI."""

    source: str
    parts: tuple[RemoteContent, ...]
    validators: Validators = Validators()
    bookmark: str = ""
    """How far a stream was read."""


class RemoteStore:
    """Requests to the host of one address, within the limits of a pull or a push.

    What it is redirected to may lie elsewhere, but nowhere private, and gets no credentials.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        self.address, self.settings = address, settings
        self._origin = _parts(address)[:2]
        if self._origin[0] not in ("http", "https") or not self._origin[1]:
            raise InputError(f"{address[:SHOWN]}: no address of http or https, and no file")
        if "@" in self._origin[1]:
            raise InputError(
                f"{shown(address)}: an address with a name or password would be kept in the graph; set "
                "SAGE_LD_REMOTE_AUTHORIZATION instead, such as 'Basic …'"
            )
        self.left = settings.max_remote_bytes
        try:
            self._reach = AllowedHosts.around(address, _PRIVATE)
        except (OSError, UnicodeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UnavailableError(f"{address[:SHOWN]}: its host is not known ({reason})") from None

    def send(
        self,
        method: str,
        place: str,
        headers: Mapping[str, str],
        content: bytes | None = None,
        *,
        accepted: tuple[int, ...] = (200,),
        subject: str = "",
    ) -> tuple[httpx2.Response, bytes]:
        """The answer to one request, whose status is one of those accepted, and its content.

        A GET may lead elsewhere. Raises InputError, LimitError, NotFoundError, UnavailableError.
        """
        settings = self.settings
        remedy = "ask for less (--query)"
        limits = ContentLimits(
            self.left, "max_remote_bytes", settings.remote_timeout, "remote_timeout", remedy
        )
        sent = dict(headers)
        if settings.remote_authorization and urlsplit(place)[:2] == self._origin:
            sent["Authorization"] = settings.remote_authorization
        answer, body = content_at(
            place,
            subject or shown(place),
            self._reach,
            limits,
            sent,
            method=method,
            content=content,
        )
        self.left -= len(body)
        if answer.has_redirect_location and method != "GET":
            leads = _joined(place, answer.headers["location"])
            raise InputError(f"{shown(place)} leads to {shown(leads)}; give that address")
        if answer.status_code in accepted or answer.has_redirect_location:
            return answer, body
        raise _refusal(place, answer.status_code, body)

    def take(self, count: int) -> None:
        """Counts bytes that came in an earlier pull."""
        self.left -= count

    def get(
        self, place: str, headers: Mapping[str, str], *, accepted: tuple[int, ...] = (200,)
    ) -> RemoteAnswer:
        """The answer of an address, or of the one that it leads to. Raises as `send`."""
        first, subject = place, shown(place)
        for _ in range(self.settings.max_remote_redirects + 1):
            answer, content = self.send("GET", place, headers, accepted=accepted, subject=subject)
            if not answer.has_redirect_location:
                return RemoteAnswer(place, answer, content)
            place = _joined(place, answer.headers["location"])
            if _parts(place).scheme not in ("http", "https"):
                raise InputError(f"{shown(first)} leads to {shown(place)}, which is not fetched")
            subject = f"{shown(first)}, which leads to {shown(place)},"
        limit = self.settings.max_remote_redirects
        remedy = "give the last address"
        raise LimitError.of(shown(first), limit + 1, limit, "redirects", "max_remote_redirects", remedy)

    def ask(self, query: str, accept: str) -> RemoteAnswer:
        """The answer of the endpoint at the address to a query. Raises as `send`."""
        return RemoteAnswer(self.address, *self.send("POST", self.address, *query_request(query, accept)))


@dataclass(frozen=True, slots=True)
class RemoteAnswer:
    """The answer of an address, whole."""

    place: str
    response: httpx2.Response
    content: bytes

    @property
    def media_type(self) -> str:
        """The media type, without parameters."""
        return self.response.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def validators(self) -> Validators:
        """The state of the source, as the answer says it; what is not ASCII cannot be sent back."""
        said = (self.response.headers.get(name, "") for name in ("etag", "last-modified"))
        return Validators(*(each if each.isascii() else "" for each in said))

    def rdf(self) -> RemoteContent:
        """The content as RDF. Raises InputError for another media type."""
        found = None
        if self.media_type not in _UNTOLD:
            found = RdfFormat.from_media_type(self.media_type)
        else:
            found = _format_of_name(urlsplit(self.place).path)
        if found not in _FORMATS:
            said = self.media_type or "no media type"
            raise InputError(
                f"{shown(self.place)} gives {said[:100]}, which is not read as RDF; give the address of "
                "Turtle, TriG, N-Triples, N-Quads, JSON-LD or RDF/XML, or an endpoint with --query"
            )
        return RemoteContent(_FORMATS[found], self.content)


def shown(address: str) -> str:
    """An address as a message shows it: without credentials."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return harmless(address.rpartition("@")[2][:SHOWN])
    host = parts.netloc.rpartition("@")[2]
    return harmless(parts._replace(netloc=host).geturl()[:SHOWN])


def _parts(address: str) -> SplitResult:
    """The parts of an address. Raises InputError for one that has none."""
    try:
        return urlsplit(address)
    except ValueError as error:
        raise InputError(f"{shown(address)} is an invalid address ({error}); correct it") from None


def _joined(place: str, reference: str) -> str:
    """The address that one at a place leads to. Raises InputError for none."""
    try:
        return urljoin(place, reference)
    except ValueError as error:
        raise InputError(f"{shown(place)} leads to an invalid address ({error})") from None


def _refusal(place: str, status: int, body: bytes) -> Exception:
    said = harmless(" ".join(body[: 2 * SHOWN].decode("utf-8", "replace").split())[:SHOWN])
    what = f"{shown(place)} answers with status {status}" + (f": {said}" if said else "")
    if status == 404:
        return NotFoundError(f"{what}; name what is there")
    if status in (401, 403):
        return InputError(f"{what}; set SAGE_LD_REMOTE_AUTHORIZATION, such as 'Bearer TOKEN'")
    if status == 429 or status >= 500:
        return UnavailableError(f"{what}; try again later")
    return InputError(f"{what}; correct the address or the query")


def _format_of_name(path: str) -> RdfFormat | None:
    return RdfFormat.from_extension(path.rpartition(".")[2].lower())


# --- one answer ---------------------------------------------------------------------------------------


def graph_address(store: str, graph: str | None) -> str:
    """The address of a graph in a graph store; None is its default graph (section 4.2 of the protocol).

    >>> graph_address("http://localhost:7878/store", "urn:x:a")
    'http://localhost:7878/store?graph=urn%3Ax%3Aa'
    """
    return f"{store}{'&' if urlsplit(store).query else '?'}" + (
        "default" if graph is None else f"graph={quote(graph, safe='')}"
    )


def graph_at(address: str, settings: Settings, known: Validators) -> PulledGraph | None:
    """The graph that an address gives; None where it is still as it was when it had the state `known`.

    Raises InputError, LimitError, NotFoundError, UnavailableError.
    """
    store = RemoteStore(address, settings)
    conditions = known.conditions()
    accepted = (200, 304) if conditions else (200,)
    answer = store.get(address, {"Accept": ACCEPTED, **conditions}, accepted=accepted)
    if answer.response.status_code == 304:
        return None
    return PulledGraph(address, (answer.rdf(),), answer.validators)


def graph_in(file: Path, settings: Settings) -> PulledGraph:
    """The graph in a file. Raises InputError, LimitError."""
    found = _format_of_name(file.name)
    if found not in _FORMATS:
        endings = ".ttl, .nt, .trig, .nq, .jsonld or .rdf"
        raise InputError(f"{file}: the name does not show a format of RDF; end it with {endings}")
    try:
        with file.open("rb") as stream:
            content = stream.read(settings.max_remote_bytes + 1)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    if len(content) > settings.max_remote_bytes:
        raise LimitError.of(
            str(file), file.stat().st_size, settings.max_remote_bytes, "bytes", "max_remote_bytes"
        )
    return PulledGraph(file.resolve().as_uri(), (RemoteContent(_FORMATS[found], content),))


def quads_of_answer(answer: RemoteAnswer, settings: Settings) -> list[Quad]:
    """The statements of an answer, in the default graph.

    Raises UnavailableError where it does not parse, InputError, LimitError.
    """
    part, loader = answer.rdf(), ContextLoader(shown(answer.place), settings)

    def read() -> list[Quad]:
        return list(rdf_quads(part.content, RDF_FORMATS[part.format], answer.place, loader))

    try:
        return fetching(read, settings)
    except SyntaxError as error:
        reason = harmless(str(error)[:SHOWN])
        raise UnavailableError(
            f"{shown(answer.place)} gives what does not parse ({reason}); try again"
        ) from None
