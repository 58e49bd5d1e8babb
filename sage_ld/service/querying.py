"""The way from a request to a worker: what may be asked, in which format, and the answer as a response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from flask import Response, request

from sage_ld.errors import InputError
from sage_ld.service.asking import ask_newest
from sage_ld.service.context import Service, service
from sage_ld.service.negotiation import BOOLEANS, GRAPHS, RESULTS, Choice, Offer, checked_version, choose
from sage_ld.service.parameters import Parameters, number
from sage_ld.service.searching import expanded
from sage_ld.service.syntax import Token, checked_query, has_keyword, query_form, speaks_rdf_12
from sage_ld.vocabulary import PREFIXES

_BLOCK = 1 << 16
_OFFERS: Final = {"SELECT": RESULTS, "ASK": BOOLEANS, "CONSTRUCT": GRAPHS, "DESCRIBE": GRAPHS}


@dataclass(frozen=True, slots=True)
class Dataset:
    """The graphs that the protocol names; they take the place of those in the query."""

    default_graphs: tuple[str, ...]
    named_graphs: tuple[str, ...]


def dataset_of(parameters: Parameters, default: str, named: str) -> Dataset | None:
    """The graphs that the parameters `default` and `named` give; None where there is neither.

    Raises InputError for what is no absolute IRI.
    """
    graphs = [checked_iri(iri) for iri in parameters.all(default)]
    others = [checked_iri(iri) for iri in parameters.all(named)]
    return Dataset(tuple(graphs), tuple(others)) if graphs or others else None


def checked_iri(iri: str) -> str:
    """`iri`, if it is absolute and has no sign that no IRI has. Raises InputError."""
    scheme, colon, rest = iri.partition(":")
    wrong = any(sign <= " " or sign in '<>"{}|\\^`' for sign in iri)
    if not (colon and rest and scheme.isascii() and scheme[:1].isalpha()) or wrong:
        raise InputError(f"{iri[:100]!r} is no absolute IRI; give one such as http://example.org/graph")
    return iri


def answer_query(text: str, parameters: Parameters) -> Response:
    """The response to the query `text`: negotiated, within the limits, evaluated in a worker.

    `parameters` may hold default-graph-uri, named-graph-uri, version and timeout. Raises InputError and
    LimitError for what may not be asked, NotAcceptableError, BusyError, TimeLimitError, ResultLimitError.
    """
    here = service()
    found = checked_query(text, here.text_limits)
    dataset = dataset_of(parameters, "default-graph-uri", "named-graph-uri")
    choice = choose(request.headers.get("Accept"), _OFFERS.get(query_form(found), RESULTS + GRAPHS))
    version = version_of(parameters, choice, found)
    job = {
        "op": "query",
        "query": expanded(text, found, here.settings.max_query_searches, ask_newest),
        "base": request.base_url,
        "default_graphs": None if dataset is None else dataset.default_graphs,
        "named_graphs": None if dataset is None else dataset.named_graphs,
        "union": not has_keyword(found, "FROM"),
        **output_of(here, choice, version),
    }
    seconds = number(parameters.one("timeout"), "timeout", here.settings.sparql_timeout)
    return stream(run_job(here, job, seconds), choice.offer, version)


def run_job(here: Service, job: dict[str, Any], seconds: float) -> IO[bytes]:
    """Runs a job on the newest revision, which is held until it is done."""
    with here.revisions.use() as pin:
        folder = None if pin.folder is None else str(pin.folder)
        return here.queries.run({**job, "folder": folder}, seconds)


def version_of(parameters: Parameters, choice: Choice, found: Sequence[Token] = ()) -> str:
    """The version of RDF that the answer is in.

    As the parameter says, or the media type, or the query, where it uses the syntax of 1.2; else 1.1, in
    which an answer has no triple terms, because most clients fail on them.
    """
    asked = checked_version(parameters.one("version")) or choice.version
    return asked or ("1.2" if speaks_rdf_12(found) else "1.1")


def output_of(here: Service, choice: Choice, version: str) -> dict[str, Any]:
    """What a job says of its output: format, version, limits, prefixes."""
    return {
        "format": choice.offer.name,
        "version": version,
        "max_rows": here.settings.max_rows,
        "max_bytes": here.settings.max_result_bytes,
        "prefixes": PREFIXES,
    }


def stream(body: IO[bytes], offer: Offer, version: str) -> Response:
    """The response with all that is in `body`, which is closed after it."""
    size = body.seek(0, 2)
    body.seek(0)
    answer = Response(_blocks(body), content_type=content_type(offer, version))
    answer.content_length = size
    answer.vary.add("Accept")
    answer.call_on_close(body.close)
    return answer


def content_type(offer: Offer, version: str) -> str:
    """The media type with its parameters: text has a charset, RDF 1.2 says that it is."""
    charset = "; charset=utf-8" if offer.media_type.startswith("text/") else ""
    return offer.media_type + charset + ("; version=1.2" if version == "1.2" else "")


def _blocks(body: IO[bytes]) -> Iterator[bytes]:
    while block := body.read(_BLOCK):
        yield block
