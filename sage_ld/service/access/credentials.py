"""Credentials of a request: its header Authorization, whatever a client wrote there."""

from __future__ import annotations

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
