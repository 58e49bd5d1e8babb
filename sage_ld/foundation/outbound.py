"""Requests to other hosts: where they may go, for how long, and how much they may bring.

The address to which a name leads is looked up once, checked, and connected to: no second answer of the name
service can lead elsewhere. No proxy is used, which would look it up again, and no redirect is followed here.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote, urlsplit

from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.package_files import version

if TYPE_CHECKING:
    import ssl

    import httpx2

Network: TypeAlias = IPv4Network | IPv6Network
PORTS: Final = {"http": 80, "https": 443}
_TRANSLATED: Final = (ip_network("64:ff9b::/96"), ip_network("2002::/16"))
"""Networks of IPv6 in which addresses of IPv4 lie, private ones too (NAT64, 6to4)."""


def entries(listed: str) -> list[str]:
    """The entries of a setting that lists addresses and networks, with commas."""
    return [each.strip() for each in listed.split(",") if each.strip()]


@cache
def trusted_authorities() -> ssl.SSLContext:
    """The certificates by which hosts prove who they are, read once: it takes as long as a request."""
    import httpx2

    return httpx2.create_ssl_context()


def networks(listed: str) -> Iterator[Network]:
    """The networks in such a list, also the hosts of its addresses where these are numbers."""
    for each in entries(listed):
        host = urlsplit(each).hostname if "://" in each else each
        try:
            yield ip_network(host or "", strict=False)
        except ValueError:
            continue


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The hosts that requests may reach: public ones (RFC 6890), and those in some networks."""

    networks: tuple[Network, ...] = ()
    remedy: str = ""
    """What to do where a host lies elsewhere, for the error."""

    @classmethod
    def around(cls, address: str, remedy: str) -> AllowedHosts:
        """The reach of a request that a person named: its own host, wherever it lies, and public ones."""
        host, port = _host_and_port(address)
        return cls(tuple(ip_network(str(each)) for each in _found(host, port)), remedy)

    def checked(self, host: str, port: int, subject: str) -> str:
        """An address of a host that may be reached. Raises InputError, OSError for an unknown name."""
        found = _found(host, port)
        for each in found:
            if is_public(each) or any(each in network for network in self.networks):
                return str(each)
        where = ", ".join(sorted({str(each) for each in found}))
        raise InputError(f"{subject} lies at the private address {where}; {self.remedy}")


def _found(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    listed = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(str(each[4][0]).partition("%")[0]) for each in listed]


def _host_and_port(address: str) -> tuple[str, int]:
    parts = urlsplit(address)
    return parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the public Internet (RFC 6890), also where it holds one of IPv4.

    >>> [is_public(ip_address(each)) for each in ("1.1.1.1", "::ffff:127.0.0.1", "64:ff9b::a00:1")]
    [True, False, False]
    """
    inner = getattr(address, "ipv4_mapped", None) or address
    if any(inner in network for network in _TRANSLATED):
        return False
    return inner.is_global and not inner.is_multicast


@contextmanager
def request(
    place: str,
    subject: str,
    reach: AllowedHosts,
    seconds: float,
    headers: Mapping[str, str],
    *,
    method: str = "GET",
    content: bytes | Iterable[bytes] | None = None,
) -> Iterator[httpx2.Response]:
    """The answer of the host at an address, whose content is still to be read.

    `subject` is what an error calls the address. After `seconds` the connection is closed, whatever comes
    over it: no timeout of a single read sees a host that sends a byte now and then. Raises InputError for an
    address out of reach, httpx2.HTTPError and OSError where it does not answer.
    """
    import httpx2  # most commands make no request

    url = httpx2.URL(place)
    checked = reach.checked(url.host, url.port or PORTS[url.scheme], subject)
    sent = {
        "Host": url.netloc.decode("ascii"),
        "Accept-Encoding": "identity",
        "User-Agent": f"sage-ld/{version()}",
        **headers,
    }
    seconds = max(seconds, 0.01)
    with (
        httpx2.Client(
            trust_env=False, follow_redirects=False, timeout=seconds, verify=trusted_authorities()
        ) as client,
        _closed_after(client, seconds),
        client.stream(
            method,
            url.copy_with(host=checked),
            headers=sent,
            content=content,
            extensions={"sni_hostname": url.host},
        ) as answer,
    ):
        yield answer


@contextmanager
def _closed_after(client: httpx2.Client, seconds: float) -> Iterator[None]:
    """Closes a client's connections after some time; what then fails is httpx2.ReadTimeout."""
    import httpx2

    over = threading.Event()

    def close() -> None:
        over.set()
        client.close()

    timer = threading.Timer(seconds, close)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (httpx2.HTTPError, OSError, RuntimeError, ValueError) as error:
        if over.is_set():
            raise httpx2.ReadTimeout(f"stopped after {seconds:g} s") from error
        raise
    finally:
        timer.cancel()


@dataclass(frozen=True, slots=True)
class ContentLimits:
    """The limits of one answer, each with the setting that says it."""

    bytes: int
    bytes_setting: str
    seconds: float
    seconds_setting: str
    remedy: str


def content_of(answer: httpx2.Response, subject: str, limits: ContentLimits, end: float) -> bytes:
    """The content of an answer, which has to be whole by `end` (of time.monotonic).

    Raises LimitError for more than it may have, InputError where it is compressed, httpx2.HTTPError where it
    is cut off or takes too long.
    """
    import httpx2

    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise InputError(f"{subject} is compressed, though that was not asked for; {limits.remedy}")
    content = bytearray()
    for block in answer.iter_raw():
        content += block
        if len(content) > limits.bytes:
            raise LimitError.of(
                subject, len(content), limits.bytes, "bytes", limits.bytes_setting, limits.remedy
            )
        if time.monotonic() > end:
            raise httpx2.ReadTimeout(f"stopped after {limits.seconds:g} s ({limits.seconds_setting})")
    return bytes(content)


def query_request(query: str, accept: str) -> tuple[dict[str, str], bytes]:
    """The headers and body of a query to an endpoint (SPARQL 1.1 Protocol, section 2.1.2)."""
    headers = {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded"}
    return headers, f"query={quote(query, safe='')}".encode()


def content_at(
    place: str,
    subject: str,
    reach: AllowedHosts,
    limits: ContentLimits,
    headers: Mapping[str, str],
    *,
    method: str = "GET",
    content: bytes | None = None,
) -> tuple[httpx2.Response, bytes]:
    """The answer of a host, and its content.

    Raises InputError for an address out of reach, LimitError, UnavailableError where it does not answer whole
    and in time.
    """
    import httpx2

    end = time.monotonic() + limits.seconds
    try:
        with request(
            place, subject, reach, limits.seconds, headers, method=method, content=content
        ) as answer:
            return answer, content_of(answer, subject, limits, end)
    except httpx2.TimeoutException:
        raise UnavailableError(
            f"{subject} does not answer within {limits.seconds:g} s ({limits.seconds_setting}); try again, "
            "or raise that setting"
        ) from None
    except KeyError:
        raise InputError(f"{subject} is not an address of HTTP; give one that begins with https://") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as error:
        reason = str(error) or type(error).__name__
        raise UnavailableError(f"{subject} does not answer: {reason[:200]}; try again") from None
