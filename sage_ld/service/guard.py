"""Checks of every request before it is answered: its address, the right to read, the size of its body.

`admit` comes before them: whoever may not do what a route does need not send a body to it.
"""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from werkzeug import Request

from sage_ld.service.access.hosts import check_address
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.access.tokens import check as check_role
from sage_ld.service.context import Service, role_of
from sage_ld.service.route_table import body_limit, is_open, needed_role


def admit(here: Service, environ: WSGIEnvironment) -> AccessRole:
    """The role of the sender of a body, by the head of the request alone.

    Raises SageError if it is lower than the route needs; the application refuses the same request, and
    says best why.
    """
    method = environ["REQUEST_METHOD"]
    path = environ["PATH_INFO"].removeprefix(here.settings.path_prefix)
    if is_open(path) or method == "OPTIONS":
        return AccessRole.NOBODY
    needed = max(needed_to_read(here), needed_role(path, method, here.settings))
    role = role_of(here, Request(environ)) if "HTTP_AUTHORIZATION" in environ else AccessRole.NOBODY
    check_role(role, needed)
    return role


def check(here: Service, sent: Request) -> None:
    """Raises SageError for a request that is refused on every route, such as one with a wrong token."""
    if is_open(sent.path):
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
