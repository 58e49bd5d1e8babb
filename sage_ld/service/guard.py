"""Checks of every request before it is answered: its address, the right to read, the size of its body."""

from __future__ import annotations

from typing import Final

from werkzeug import Request

from sage_ld.service.access.hosts import check_address
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.access.tokens import check as check_role
from sage_ld.service.context import Service, role_of
from sage_ld.service.http.body_limits import body_limit

OPEN: Final = ("/health", "/health/live", "/health/ready")
"""The paths that answer everybody under every name: a load balancer has no token, and asks by number."""


def check(here: Service, sent: Request) -> None:
    """Raises SageError for a request that is refused on every route, such as one with a wrong token."""
    if sent.path in OPEN:
        return
    check_address(sent.environ, here.hosts)
    if sent.method != "OPTIONS":
        check_role(role_of(here, sent), needed_to_read(here))
    limit = body_limit(sent.path, sent.method, sent.content_type or "", here.settings)
    if (size := sent.content_length or 0) > limit.bytes:
        raise limit.error(size)


def needed_to_read(here: Service) -> AccessRole:
    """The role that reading needs."""
    return AccessRole.NOBODY if here.settings.public_read else AccessRole.READ
