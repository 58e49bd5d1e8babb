"""Hosts that requests may be for, and the check of the address that a request claims.

A page of another site reaches a service on loopback by a name of its own that resolves to 127.0.0.1 (DNS
rebinding); its requests still have that name in the header Host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from sage_ld.foundation.errors import InputError
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
