"""Clients of the service, as far as they share its workers with others."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv6Address, ip_network
from typing import Final
from wsgiref.types import WSGIEnvironment

from sage_ld.service.access.credentials import secret_of

_HOST_BITS: Final = 64  # an interface has them to itself: RFC 4291, section 2.5.4


def client_of(environ: WSGIEnvironment) -> tuple[str, str | None]:
    """The client for whom a request counts: its address, or its IPv6 network, and its token.

    >>> client_of({"REMOTE_ADDR": "2001:db8:0:1::7f"})
    ('2001:db8:0:1::', None)
    """
    address = str(environ.get("REMOTE_ADDR", ""))
    with suppress(ValueError):
        number = IPv6Address(address)
        address = str(number.ipv4_mapped or ip_network((number, _HOST_BITS), strict=False).network_address)
    return address, secret_of(environ) if "HTTP_AUTHORIZATION" in environ else None


def caller_of(environ: WSGIEnvironment) -> str:
    """The identity of a request's sender, as one text: its token, or its address.

    >>> caller_of({"REMOTE_ADDR": "192.0.2.7"})
    'address 192.0.2.7'
    """
    address, token = client_of(environ)
    return f"address {address}" if token is None else f"token {token}"
