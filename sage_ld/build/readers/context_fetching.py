"""Contexts of JSON-LD over HTTP, where the setting `context_addresses` allows it: each once, into the folder.

A context is fetched by the process that has a file read, not by the one that reads it, which has no network.
`sage_ld.foundation.outbound` says which hosts it may reach.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urljoin

from sage_ld.build.readers.contexts import HASHES, is_allowed, place_of, remedy, stored
from sage_ld.foundation.errors import InputError, LimitError, MissingContextError
from sage_ld.foundation.outbound import AllowedHosts, ContentLimits, content_of, networks, request
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

_ACCEPTED: Final = "application/ld+json, application/json;q=0.9, application/*+json;q=0.8, */*;q=0.1"
_LD_JSON: Final = "application/ld+json"


def fetching(read: Callable[[], T], settings: Settings) -> T:
    """The result of `read`, which is called again each time that a context that it needs has been fetched.

    Raises what it raises, and InputError or LimitError for a context that cannot be had.
    """
    fetched: set[str] = set()
    while True:
        try:
            return read()
        except MissingContextError as error:
            name = str(error).partition(": its context ")[0]
            missing = error.address
        if len(fetched) >= (most := settings.max_contexts):
            what = f"{name}: contexts that are to be fetched"
            raise LimitError.of(
                what, len(fetched) + 1, most, "contexts", "max_contexts", remedy="inline them"
            )
        try:
            if missing in fetched:
                raise InputError(f"the context {missing} was fetched, and is not there; try again")
            fetch(missing, settings)
        except InputError as error:
            raise type(error)(f"{name}: {error}") from None
        fetched.add(missing)


def fetch(address: str, settings: Settings) -> None:
    """Fetches a context into the folder of the setting `contexts`, and notes its hash.

    Raises InputError where the address or one to which it leads is not allowed, or gives no context within
    `context_timeout`, and LimitError for more than `max_context_bytes` or `max_context_redirects`.
    """
    if stored(address, settings) is not None:
        return  # by another process, meanwhile
    end, place = time.monotonic() + settings.context_timeout, address
    for _ in range(settings.max_context_redirects + 1):
        answer = _answer(place, address, settings, end)
        if answer.content is not None:
            _keep(address, answer.content, settings)
            return
        place = answer.elsewhere
    limit = settings.max_context_redirects
    raise LimitError.of(
        f"the context {address}", limit + 1, limit, "redirects", "max_context_redirects", remedy("")
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """The content of a context, or the address at which it is said to lie."""

    content: bytes | None = None
    elsewhere: str = ""


def _answer(place: str, address: str, settings: Settings, end: float) -> _Answer:
    import httpx2  # here and below: most ingests fetch nothing

    subject = f"the context {address}" + (f", which leads to {place[:200]}," if place != address else "")
    if not is_allowed(place, settings):
        raise InputError(f"{subject} is not in the list of the setting context_addresses; {remedy(address)}")
    listing = "list that address or its network in the setting context_addresses, or "
    reach = AllowedHosts(tuple(networks(settings.context_addresses)), listing + remedy(""))
    try:
        with request(place, subject, reach, end - time.monotonic(), {"Accept": _ACCEPTED}) as answer:
            if answer.has_redirect_location:
                return _Answer(elsewhere=urljoin(place, answer.headers["location"]))
            if answer.status_code != 200:
                raise InputError(f"{subject} is not given (status {answer.status_code}); {remedy(address)}")
            if (other := _alternate(answer)) is not None:
                return _Answer(elsewhere=urljoin(place, other))
            return _Answer(content_of(answer, subject, _limits(settings), end))
    except httpx2.TimeoutException:
        seconds = f"{settings.context_timeout:g} s (context_timeout)"
        raise InputError(
            f"{subject} is not given within {seconds}; try again, or {remedy(address)}"
        ) from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"{subject} cannot be fetched: {reason}; try again, or {remedy(address)}") from None


def _alternate(answer: httpx2.Response) -> str | None:
    """The address of the JSON-LD beside a page (JSON-LD 1.1 API, §9.4.1), such as schema.org's."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.endswith(("/json", "+json")):
        return None
    link = answer.links.get("alternate", {})
    return link.get("url") if link.get("type") == _LD_JSON else None


def _limits(settings: Settings) -> ContentLimits:
    return ContentLimits(
        settings.max_context_bytes,
        "max_context_bytes",
        settings.context_timeout,
        "context_timeout",
        remedy(""),
    )


def _keep(address: str, content: bytes, settings: Settings) -> None:
    """Writes a context into the folder as a whole or not at all, its hash first. Raises InputError."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or "@context" not in document:
        raise InputError(f"the context {address} is no JSON-LD context; {remedy(address)}")
    place = place_of(address)
    assert place is not None  # it was fetched
    path = Path(settings.contexts, place)
    line = f"{hashlib.sha256(content).hexdigest()}  {place.as_posix()}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with Path(settings.contexts, HASHES).open("a", encoding="utf-8") as hashes:
            hashes.write(line)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
    except OSError as error:
        raise InputError(
            f"the context {address} cannot be kept in {settings.contexts}: {error.strerror}; make the folder "
            "of the setting contexts writable"
        ) from None
