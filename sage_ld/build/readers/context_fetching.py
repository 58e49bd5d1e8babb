"""Contexts of JSON-LD over HTTP, where the setting `context_addresses` allows it: each once, into the folder.

A context is fetched by the process that has a file read, not by the one that reads it, which has no network.
The address to which a name leads is looked up once, checked, and connected to: no second answer of the name
service can lead elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urljoin

from sage_ld.build.readers.contexts import HASHES, is_allowed, networks, place_of, remedy, stored
from sage_ld.foundation.errors import InputError, LimitError, MissingContextError
from sage_ld.foundation.package_files import version
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

_ACCEPTED: Final = "application/ld+json, application/json;q=0.9, application/*+json;q=0.8, */*;q=0.1"
_PORTS: Final = {"http": 80, "https": 443}
_LD_JSON: Final = "application/ld+json"
_TRANSLATED: Final = (ip_network("64:ff9b::/96"), ip_network("2002::/16"))
"""Networks of IPv6 in which addresses of IPv4 lie, private ones too (NAT64, 6to4)."""


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
    try:
        with _request(place, subject, settings, end) as answer:
            if answer.has_redirect_location:
                return _Answer(elsewhere=urljoin(place, answer.headers["location"]))
            if answer.status_code != 200:
                raise InputError(f"{subject} is not given (status {answer.status_code}); {remedy(address)}")
            if (other := _alternate(answer)) is not None:
                return _Answer(elsewhere=urljoin(place, other))
            return _Answer(_bounded(answer, subject, settings, end))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(f"{subject} cannot be fetched: {reason}; try again, or {remedy(address)}") from None


@contextmanager
def _request(place: str, subject: str, settings: Settings, end: float) -> Iterator[httpx2.Response]:
    """The answer of the host at an address that has been checked; no proxy, which would look it up again."""
    import httpx2

    url = httpx2.URL(place)
    checked = _checked(url.host, url.port or _PORTS[url.scheme], subject, settings)
    headers = {
        "Host": url.netloc.decode("ascii"),
        "Accept": _ACCEPTED,
        "Accept-Encoding": "identity",
        "User-Agent": f"sage-ld/{version()}",
    }
    patience = max(end - time.monotonic(), 0.01)
    named = {"sni_hostname": url.host}
    with (
        httpx2.Client(trust_env=False, follow_redirects=False, timeout=patience) as client,
        client.stream("GET", url.copy_with(host=checked), headers=headers, extensions=named) as answer,
    ):
        yield answer


def _checked(host: str, port: int, subject: str, settings: Settings) -> str:
    """An address of the host that is public, or in a network of the list. Raises InputError."""
    listed = tuple(networks(settings))
    found = [ip_address(each[4][0]) for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for each in found:
        if _is_public(each) or any(each in network for network in listed):
            return str(each)
    where = ", ".join(sorted({str(each) for each in found}))
    raise InputError(
        f"{subject} lies at the private address {where}; list that address or its network in the setting "
        f"context_addresses, or {remedy('')}"
    )


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the public Internet (RFC 6890), also where it holds one of IPv4.

    >>> [_is_public(ip_address(each)) for each in ("1.1.1.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False]
    """
    inner = getattr(address, "ipv4_mapped", None) or address
    if any(inner in network for network in _TRANSLATED):
        return False
    return inner.is_global and not inner.is_multicast


def _alternate(answer: httpx2.Response) -> str | None:
    """The address of the JSON-LD beside a page (JSON-LD 1.1 API, §9.4.1), such as schema.org's."""
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.endswith(("/json", "+json")):
        return None
    link = answer.links.get("alternate", {})
    return link.get("url") if link.get("type") == _LD_JSON else None


def _bounded(answer: httpx2.Response, subject: str, settings: Settings, end: float) -> bytes:
    import httpx2

    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise InputError(f"{subject} is compressed, though that was not asked for; {remedy('')}")
    content = bytearray()
    for block in answer.iter_raw():
        content += block
        if len(content) > (limit := settings.max_context_bytes):
            raise LimitError.of(subject, len(content), limit, "bytes", "max_context_bytes", remedy(""))
        if time.monotonic() > end:
            raise httpx2.ReadTimeout(f"stopped after {settings.context_timeout:g} s (context_timeout)")
    return bytes(content)


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
