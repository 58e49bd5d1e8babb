"""Web origins: whose pages may read responses of the service, and whose may make it change something."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from werkzeug import Request

from sage_ld.foundation.errors import ForbiddenError
from sage_ld.foundation.settings import Settings
from sage_ld.service.access.credentials import credentials
from sage_ld.service.access.hosts import is_loopback

ANY: Final = "*"
AUTOMATIC: Final = "auto"
_OWN: Final = ("same-origin", "none")
"""Values of Sec-Fetch-Site for pages of the service itself, and for what the user typed."""
_PORTS: Final = {"http": ":80", "https": ":443"}
_SHOWN: Final = 60  # characters of what a client sent in a message


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
