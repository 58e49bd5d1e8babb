"""Credentials of a request: its header Authorization, whatever a client wrote there."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from werkzeug import Request
from werkzeug.datastructures import Authorization


def credentials(sent: Request) -> Authorization | None:
    r"""The scheme with its token or password; None without the header, or where it cannot be read.

    >>> credentials(Request({"HTTP_AUTHORIZATION": "Basic dXNlcjp4"})).password
    'x'
    >>> credentials(Request({"HTTP_AUTHORIZATION": "Basic \xff"})) is None
    True
    """
    try:
        return sent.authorization
    except ValueError:  # Werkzeug lets it through where Basic has characters beyond ASCII
        return None


def secret_of(environ: WSGIEnvironment) -> str | None:
    """The bearer token of a request, or the password in Basic, which is all that many clients can send.

    >>> secret_of({"HTTP_AUTHORIZATION": "bearer x"}), secret_of({"HTTP_AUTHORIZATION": "Basic dXNlcjp4"})
    ('x', 'x')
    """
    authorization = credentials(Request(environ))
    if authorization is None:
        return None
    return authorization.token if authorization.type == "bearer" else authorization.password
