"""`/mcp`: the tools over the Model Context Protocol (streamable HTTP), without sessions.

Each message is a request of its own, so that any web process may answer it.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, Response, request

import sage_ld
from sage_ld import extras
from sage_ld.agents import Toolbox
from sage_ld.api import schemas
from sage_ld.service.access import origins
from sage_ld.service.context import role, service
from sage_ld.service.http import request_values
from sage_ld.service.http.asgi_bridge import Application, AsgiExchange
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.tool_backend import toolbox_for

_PROGRESS: Final = b'"progressToken"'
_HOP: Final = frozenset(("connection", "content-length", "date", "server"))

blueprint = Blueprint("mcp", __name__)


@blueprint.post("/mcp")
def mcp() -> Response:
    """The answer to one message of a client, as JSON or, where progress is wanted, as events."""
    origins.refuse_cross_site(request, service().settings)
    request_values.query(schemas.NOTHING)
    extras.load("mcp.server.lowlevel", extras.MCP)
    body, given = request.get_data(), role()
    toolbox = toolbox_for(service(), request.environ, given)
    exchange = AsgiExchange(_application(toolbox, body), request.environ, body)
    try:
        status, headers = exchange.begin()
    except BaseException:
        exchange.close()
        raise
    answer = Response(exchange.blocks(), status, [each for each in headers if each[0] not in _HOP])
    answer.call_on_close(exchange.close)
    answer.cache_control.no_store = True
    return answer


def _application(toolbox: Toolbox, body: bytes) -> Application:
    """The SDK's application for one message, whose body has been read within the limits of the service."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from sage_ld.agents.mcp_server import server_of

    gone = request.environ.get(CLIENT_GONE, lambda: False)
    manager = StreamableHTTPSessionManager(
        server_of(toolbox, sage_ld.__version__, gone),
        json_response=_PROGRESS not in body,
        stateless=True,
        max_request_body_size=max(len(body), 1),
    )

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return application
