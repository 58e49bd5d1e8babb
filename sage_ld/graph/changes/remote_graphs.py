"""Graphs as they are elsewhere: in a graph store, at an address, in a file, or behind a SPARQL endpoint.

Graph stores follow https://www.w3.org/TR/sparql11-http-rdf-update/, endpoints
https://www.w3.org/TR/sparql11-protocol/ . Conditional requests follow RFC 9110, section 13.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from pyoxigraph import BlankNode, Quad, RdfFormat, parse, serialize

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.build.readers.contexts import ContextLoader
from sage_ld.build.readers.rdf_text import rdf_quads
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError, UnavailableError
from sage_ld.foundation.outbound import AllowedHosts, ContentLimits, content_at
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.shown_text import harmless
from sage_ld.graph.store.durable_files import remove, replace_file
from sage_ld.graph.store.stores import RDF_FORMATS
from sage_ld.graph.store.tokenizer import Token, tokens

if TYPE_CHECKING:
    import httpx2

_FORMATS: Final = {form: name for name, form in RDF_FORMATS.items()}
ACCEPTED: Final = (
    "application/n-triples;version=1.2, application/n-triples;q=0.9, text/turtle;q=0.8, "
    "application/n-quads;q=0.7, application/trig;q=0.6, application/ld+json;q=0.5, application/rdf+xml;q=0.4"
)
_ROWS: Final = "application/sparql-results+json"
_FORM: Final = "application/x-www-form-urlencoded"
_UNTOLD: Final = frozenset({"", "text/plain", "application/octet-stream"})
"""Media types that say less than the end of an address."""
_SHOWN: Final = 200
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
            raise InputError(f"{address[:_SHOWN]}: no address of http or https, and no file")
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
            raise UnavailableError(f"{address[:_SHOWN]}: its host is not known ({reason})") from None

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
        headers = {"Accept": accept, "Content-Type": _FORM}
        body = f"query={quote(query, safe='')}".encode()
        return RemoteAnswer(self.address, *self.send("POST", self.address, headers, body))


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
        return harmless(address.rpartition("@")[2][:_SHOWN])
    host = parts.netloc.rpartition("@")[2]
    return harmless(parts._replace(netloc=host).geturl()[:_SHOWN])


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
    said = harmless(" ".join(body[: 2 * _SHOWN].decode("utf-8", "replace").split())[:_SHOWN])
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
    answer = store.get(address, {"Accept": ACCEPTED, **known.conditions()}, accepted=(200, 304))
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


# --- a query, page by page ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PagedQuery:
    """A CONSTRUCT query that is asked page by page, ordered by what its template has."""

    text: str
    begin: int
    """Where CONSTRUCT begins."""
    pattern: int
    """Where what follows the template begins."""
    end: int
    """Where LIMIT is put: at the end, or before VALUES behind the pattern."""
    variables: tuple[str, ...]
    is_ordered: bool
    is_whole: bool
    """Whether it is asked once: it has a LIMIT of its own, or no variables."""

    @classmethod
    def of(cls, text: str) -> PagedQuery:
        """The query in a text. Raises InputError for one that is no CONSTRUCT query."""
        found = list(tokens(text))
        at = next((number for number, each in enumerate(found) if each.keyword == "CONSTRUCT"), None)
        if at is None:
            raise InputError("the query of a pull is a CONSTRUCT query; write CONSTRUCT { … } WHERE { … }")
        short = found[at + 1].keyword in ("WHERE", "FROM") if at + 1 < len(found) else True
        outer = list(_outer(found[at + 1 :]))
        opening = next((each.begin for each in outer if each.text == "{"), len(text))
        closing = next((each.end for each in outer if each.text == "}"), len(text))
        words = {each.keyword: each.begin for each in outer}
        names = (each.text for each in found if each.kind == "variable" and opening < each.begin < closing)
        variables = tuple(dict.fromkeys(name.replace("$", "?") for name in names))
        return cls(
            text,
            found[at].begin,
            found[at].end if short else closing,
            words["VALUES"] if words.get("VALUES", -1) > closing else len(text),
            variables,
            "ORDER" in words,
            not variables or "LIMIT" in words or "OFFSET" in words,
        )

    def page(self, size: int, begin: int) -> str:
        """The query for one page of solutions."""
        if self.is_whole:
            return self.text
        return f"{self.text[: self.end]}\n{self._order()}LIMIT {size} OFFSET {begin}\n{self.text[self.end :]}"

    def rest(self, begin: int) -> str:
        """The query for the first solution from `begin` on: a page may have solutions and no statements."""
        return (
            f"{self.text[: self.begin]}SELECT * {self.text[self.pattern : self.end]}\n"
            f"{self._order()}LIMIT 1 OFFSET {begin}\n{self.text[self.end :]}"
        )

    def _order(self) -> str:
        return "" if self.is_ordered else f"ORDER BY {' '.join(self.variables)} "


def _outer(found: list[Token]) -> Iterator[Token]:
    """The tokens outside of all brackets, with these."""
    depth = 0
    for each in found:
        if each.kind == "sign" and each.text in "{([":
            depth += 1
            if depth == 1:
                yield each
        elif each.kind == "sign" and each.text in "})]":
            depth -= 1
            if depth == 0:
                yield each
        elif depth == 0:
            yield each


def graph_of_query(endpoint: str, text: str, folder: Path, settings: Settings) -> PulledGraph:
    """The graph that a CONSTRUCT query makes, page by page.

    Each page is kept in `folder` as it comes, and used again by a pull that follows one that ended early. The
    caller removes the folder once the graph is written. Raises InputError, LimitError, UnavailableError.
    """
    query, store = PagedQuery.of(text), RemoteStore(endpoint, settings)
    size, parts = settings.remote_page, list[RemoteContent]()
    pages = PageFolder(folder, f"{endpoint}\n{size}\n{text}", settings)
    while True:
        if len(parts) >= settings.max_remote_pages:
            what, most = f"the query at {shown(endpoint)}", settings.max_remote_pages
            remedy = "raise remote_page"
            raise LimitError.of(what, most + 1, most, "pages", "max_remote_pages", remedy)
        kept = pages.get(str(len(parts)))
        if kept is None:
            kept = _page(store, query.page(size, len(parts) * size))
            pages.keep(str(len(parts)), kept)
        else:
            store.take(len(kept))
        page = kept.encode()
        parts.append(RemoteContent("ntriples", page))
        if query.is_whole or (not page and not _has_more(store, query.rest(len(parts) * size - size))):
            break
    if len(parts) > 2:  # the last is empty
        _check_joined(parts, endpoint)
    return PulledGraph(endpoint, tuple(parts))


def _page(store: RemoteStore, query: str) -> str:
    """The statements of one page as N-Triples."""
    quads = quads_of_answer(store.ask(query, ACCEPTED), store.settings)
    return (serialize((each.triple for each in quads), format=RdfFormat.N_TRIPLES) or b"").decode()


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
        reason = harmless(str(error)[:_SHOWN])
        raise UnavailableError(
            f"{shown(answer.place)} gives what does not parse ({reason}); try again"
        ) from None


def _has_more(store: RemoteStore, query: str) -> bool:
    answer = store.ask(query, _ROWS)
    try:
        return bool(json.loads(answer.content)["results"]["bindings"])
    except (ValueError, KeyError, TypeError):
        raise UnavailableError(
            f"{shown(store.address)} gives no SPARQL results in JSON ({answer.media_type[:100]}); try again"
        ) from None


def _check_joined(parts: list[RemoteContent], endpoint: str) -> None:
    """Raises InputError for blank nodes in pages: no page says which of them is one of another page."""
    for part in parts:
        for each in parse(part.content, RdfFormat.N_TRIPLES):
            if isinstance(each.subject, BlankNode) or isinstance(each.object, BlankNode):
                raise InputError(
                    f"the query at {shown(endpoint)} gives blank nodes in several pages, which cannot be "
                    "joined; raise the setting remote_page above the number of solutions, or pull by --store"
                )


class PageFolder:
    """The pages of a pull that have come, as files: a pull that follows one that ended early uses them again.

    What was kept for another request, or longer ago than `remote_resume`, is dropped.
    """

    def __init__(self, folder: Path, request: str, settings: Settings) -> None:
        self._folder = folder
        self._stamp = hashlib.sha256(request.encode()).hexdigest()
        mark = folder / "request"
        age = time.time() - mark.stat().st_mtime if mark.is_file() else None
        if age is None or age > settings.remote_resume or mark.read_text("utf-8") != self._stamp:
            remove(folder)
            folder.mkdir(parents=True)
            replace_file(mark, self._stamp)

    def get(self, name: str) -> str | None:
        """The page with a name, if it has come."""
        path = self._path(name)
        return path.read_text("utf-8") if path.is_file() else None

    def keep(self, name: str, page: str) -> None:
        """Keeps a page, unless another pull of the graph has taken the folder away."""
        if self._folder.is_dir():
            replace_file(self._path(name), page)

    def _path(self, name: str) -> Path:
        return self._folder / hashlib.sha256(f"{self._stamp}\n{name}".encode()).hexdigest()[:32]
