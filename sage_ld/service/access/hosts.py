"""Hosts and origins: the names under which a request may ask, and the pages that may send it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit
from wsgiref.types import WSGIEnvironment

from flask import Response
from werkzeug import Request

from sage_ld.foundation.errors import ForbiddenError, InputError
from sage_ld.foundation.settings import Settings
from sage_ld.service.access.credentials import credentials
from sage_ld.service.http import responses
from sage_ld.service.http.addresses import PREFIX
from sage_ld.service.http.errors import HostError

LOCAL: Final = "127.0.0.1"
"""The host that the service listens on unless another one is named."""
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.ASCII)
_SCHEMES: Final = ("http", "https")
_SHOWN: Final = 60  # characters of what a client sent in a message


@dataclass(frozen=True, slots=True)
class KnownHosts:
    """The names of a service in lower case, beside those of loopback; None if any name will do."""

    names: frozenset[str] | None

    def __contains__(self, name: str) -> bool:
        return self.names is None or name in self.names or is_loopback(name)


def known(allowed: str, base_iri: str, bound: str) -> KnownHosts:
    """The hosts of a service that listens on `bound`; `allowed` is the setting allowed_hosts.

    >>> hosts = known("", "https://graph.example.org/id/", "127.0.0.1")
    >>> "graph.example.org" in hosts, "127.0.0.2" in hosts, "evil.example" in hosts
    (True, True, False)
    >>> "evil.example" in known("", "https://graph.example.org/id/", "0.0.0.0")
    True
    """
    names = {_name(each.strip()) for each in allowed.split(",") if each.strip()}
    if not names and not is_loopback(bound):
        return KnownHosts(None)
    return KnownHosts(frozenset(names | {_name(urlsplit(base_iri).netloc.rpartition("@")[2])}))


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine's own: localhost, 127.0.0.0/8 or ::1."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_address(environ: WSGIEnvironment, hosts: KnownHosts) -> None:
    """Holds scheme, host and path prefix of a request against what they may be, headers of proxies included.

    Raises InputError for anything that is not an address, HostError for a host that is not one of `hosts`.
    """
    if (scheme := environ.get("wsgi.url_scheme", "")) not in _SCHEMES:
        raise InputError(f"X-Forwarded-Proto {scheme[:_SHOWN]!r}: give http or https")
    if not PREFIX.fullmatch(prefix := environ.get("SCRIPT_NAME", "")):
        raise InputError(f"X-Forwarded-Prefix {prefix[:_SHOWN]!r}: give a path such as /films")
    host = environ.get("HTTP_HOST")
    if host is None:  # of HTTP/1.0, which no browser sends
        return
    if not _HOST.fullmatch(host):
        raise InputError(f"Host {host[:_SHOWN]!r} is not a host; give one such as localhost:8000")
    if (name := _name(host)) not in hosts:
        raise HostError(
            f"Host {name[:_SHOWN]!r} is not one of this service's names; ask for localhost, or add it to the "
            "setting allowed_hosts"
        )


def _name(host: str) -> str:
    """The host without its port.

    >>> _name("[::1]:8000"), _name("Example.org.:80")
    ('[::1]', 'example.org')
    """
    return re.sub(r":[0-9]*$", "", host).lower().rstrip(".")


def check_base(graph: str, base_iri: str, host: str, port: int, *, confirmed: str | None) -> None:
    """Raises InputError for a graph with IRIs on this machine's own name that is served to other machines.

    Not where the user has `confirmed` the base IRI: a proxy or a container may map the address. Raises
    InputError, too, for a base IRI that is confirmed and not the graph's.
    """
    if confirmed is not None and confirmed != base_iri:
        raise InputError(
            f"--base-iri {confirmed} is not that of {graph}, which is {base_iri}; move the graph there: "
            f"sage-ld rebase {graph} {confirmed}"
        )
    if confirmed is None and not is_loopback(host) and is_loopback(urlsplit(base_iri).hostname or ""):
        raise InputError(
            f"host {host} serves other machines, which would look up the graph's IRIs ({base_iri}) on "
            "themselves; "
            f"move the graph: sage-ld rebase {graph} http://NAME:{port}/id/ (or, if clients do reach it at "
            f"that address, such as that of a container: --base-iri {base_iri})"
        )


def other_address(base_iri: str, host: str, port: int) -> bool:
    """Whether the IRIs below `base_iri` cannot lead to a service that listens on `host` and `port`.

    >>> other_address("http://localhost:8000/id/", "127.0.0.1", 8000)
    False
    >>> other_address("http://localhost:8000/id/", "127.0.0.1", 8080)
    True
    >>> other_address("http://graph.example.org/id/", "0.0.0.0", 80)
    False
    """
    base = urlsplit(base_iri)
    if is_loopback(host) and not is_loopback(base.hostname or ""):
        return True
    return base.scheme != "http" or _port(base) != port


def _port(base: SplitResult) -> int | None:
    try:
        return base.port or 80
    except ValueError:
        return None


ANY: Final = "*"
AUTOMATIC: Final = "auto"
_OWN: Final = ("same-origin", "none")
"""Values of Sec-Fetch-Site for pages of the service itself, and for what the user typed."""
_PORTS: Final = {"http": ":80", "https": ":443"}


def resolved(settings: Settings, bound: str) -> Settings:
    """`settings` with the origins that `auto` means for a service that listens on `bound`.

    A page of any origin may read what everybody may read anyway; what is on loopback only this machine may.

    >>> [resolved(Settings(), host).cors_origins for host in ("127.0.0.1", "0.0.0.0")]
    ['', '*']
    """
    if settings.cors_origins != AUTOMATIC:
        return settings
    public = settings.public_read and not is_loopback(bound)
    return replace(settings, cors_origins=ANY if public else "")


def listed(settings: Settings) -> frozenset[str]:
    """The origins of the setting cors_origins, `*` included."""
    return _listed(settings.cors_origins)


def refuse_cross_site(sent: Request, settings: Settings) -> None:
    """Raises ForbiddenError for a request that the page of another site has a browser send.

    A browser adds the password that it knows for the service to such a request, so the page would act with
    the rights of its reader. It does not add a Bearer token: pages of the origins that are listed by name may
    change things with one. A request with neither Sec-Fetch-Site nor Origin does not come from a page.
    """
    site, origin = sent.headers.get("Sec-Fetch-Site"), sent.headers.get("Origin")
    if site in _OWN or (site is None and (origin is None or _is_own(origin, sent.host))):
        return
    authorization = credentials(sent)
    bearer = authorization is not None and authorization.type == "bearer"
    if bearer and origin != ANY and origin in listed(settings):
        return
    raise ForbiddenError(
        f"a page of {(origin or 'another site')[:_SHOWN]!r} may not change anything here; list its origin in "
        "the setting cors_origins, and send a Bearer token"
    )


def _is_own(origin: str, host: str) -> bool:
    """Whether `origin` is that of the service at `host`; which scheme it is reached by, a proxy may hide.

    >>> _is_own("https://example.org", "example.org:443"), _is_own("null", "example.org")
    (True, False)
    """
    scheme, _, place = origin.partition("://")
    port = _PORTS.get(scheme)
    return port is not None and place.lower().removesuffix(port) == host.lower().removesuffix(port)


@lru_cache(4)
def _listed(origins: str) -> frozenset[str]:
    return frozenset(each.strip() for each in origins.split(",") if each.strip())


_POLICY: Final = "Content-Security-Policy"
HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    _POLICY: ("default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
_EXPOSED = (
    "Content-Disposition, ETag, Link, Location, Preference-Applied, Retry-After, "
    f"{responses.REVISION}, {responses.ADDED}, {responses.REMOVED}, {responses.WARNING}"
)
_PREFLIGHT_SECONDS = 86400


def headers(settings: Settings, origin: str | None) -> dict[str, str]:
    """The headers of an answer to a page of `origin`, except `Vary: Origin` (`varies_by_origin`)."""
    allowed = listed(settings)
    if origin is None or not ("*" in allowed or origin in allowed):
        return HEADERS
    return HEADERS | {
        "Access-Control-Allow-Origin": "*" if "*" in allowed else origin,
        "Access-Control-Expose-Headers": _EXPOSED,
    }


def framing_policy(settings: Settings) -> str:
    """The policy of a page that pages of the origins in the setting cors_origins may show inside of them."""
    allowed = " ".join(sorted(listed(settings))) or "'none'"
    return f"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors {allowed}"


def varies_by_origin(settings: Settings) -> bool:
    """Whether the headers of an answer depend on whose page asks."""
    allowed = listed(settings)
    return bool(allowed) and "*" not in allowed


def add_headers(answer: Response, settings: Settings, origin: str | None) -> Response:
    """Adds to an answer to a page of `origin` what it does not have yet of its headers."""
    may_be_framed = "frame-ancestors 'none'" not in answer.headers.get(_POLICY, HEADERS[_POLICY])
    for name, value in headers(settings, origin).items():
        if name == "X-Frame-Options" and may_be_framed:  # it knows no list of origins
            continue
        if answer.status_code != 304 or name != _POLICY:  # of a page that is kept, its own policy holds
            answer.headers.setdefault(name, value)
    if varies_by_origin(settings):
        answer.vary.add("Origin")
    return answer


def add_all(answer: Response, settings: Settings, sent: Request) -> Response:
    """Adds all headers that the answer to a request needs, also those that a page asks for beforehand."""
    add_headers(answer, settings, sent.headers.get("Origin"))
    asks = sent.method == "OPTIONS" and "Access-Control-Request-Method" in sent.headers
    if asks and "Access-Control-Allow-Origin" in answer.headers:
        answer.headers["Access-Control-Allow-Methods"] = answer.headers.get("Allow", "GET, HEAD")
        answer.headers["Access-Control-Allow-Headers"] = (
            "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer"
        )
        answer.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_SECONDS)
    return answer
