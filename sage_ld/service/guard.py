"""Checks of every request before it is answered: its address, the right to read, the size of its body.

`admit` comes before them: whoever may not do what a route does need not send a body to it.
"""

from __future__ import annotations

from typing import Final
from wsgiref.types import WSGIEnvironment

from werkzeug import Request

from sage_ld.service.access.hosts import check_address
from sage_ld.service.access.tokens import AccessRole, readers_of_retrievals
from sage_ld.service.access.tokens import check as check_role
from sage_ld.service.context import Service, role_of
from sage_ld.service.extensions import installed
from sage_ld.service.http.body_limits import body_limit

OPEN: Final = ("/health", "/health/live", "/health/ready")
"""The paths that answer everybody under every name: a load balancer has no token, and asks by number."""
CHANGES: Final = ("POST", "PUT", "PATCH", "DELETE")
READS: Final = ("GET", "HEAD")
NEEDED: Final = (
    ("/update", CHANGES, AccessRole.WRITE),
    ("/data", CHANGES, AccessRole.WRITE),
    ("/v1/documents", CHANGES, AccessRole.WRITE),
    ("/v1/edges", CHANGES, AccessRole.WRITE),
    ("/v1/jobs", ("DELETE",), AccessRole.WRITE),
    ("/v1/retrievals", ("POST",), AccessRole.READ),
    ("/v1/retrievals", ("DELETE",), AccessRole.ADMIN),
    ("/v1/cache", ("DELETE",), AccessRole.ADMIN),
    ("/v1/admin", (*CHANGES, *READS), AccessRole.ADMIN),
)
"""The role that a request with one of some methods needs, by its path with what is below it."""
_OF_RETRIEVALS: Final = ("/v1/retrievals", "/v1/analytics")
"""Paths that only the readers of retrievals may read."""
_NEEDED_THERE: Final = (("/v1/jobs", READS, AccessRole.WRITE),)
"""The same by a path alone: everybody who knows a job's identifier may read what is below it."""


def admit(here: Service, environ: WSGIEnvironment) -> AccessRole:
    """The role of the sender of a body, by the head of the request alone.

    Raises SageError if it is lower than the route needs; the application refuses the same request, and
    says best why.
    """
    method = environ["REQUEST_METHOD"]
    path = environ["PATH_INFO"].removeprefix(here.settings.path_prefix)
    if path in OPEN or method == "OPTIONS":
        return AccessRole.NOBODY
    needed = needed_to_read(here)
    extended = (row for each in installed() for row in each.rights)
    rows = [role for row, methods, role in (*NEEDED, *extended) if method in methods and _is_below(path, row)]
    if method in READS and any(_is_below(path, row) for row in _OF_RETRIEVALS):
        rows.append(readers_of_retrievals(here.settings))
    rows += [role for row, methods, role in _NEEDED_THERE if method in methods and path == row]
    needed = max([needed, *rows])
    role = role_of(here, Request(environ)) if "HTTP_AUTHORIZATION" in environ else AccessRole.NOBODY
    check_role(role, needed)
    return role


def _is_below(path: str, row: str) -> bool:
    return path == row or path.startswith(row + "/")


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
