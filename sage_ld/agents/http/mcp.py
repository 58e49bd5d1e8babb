"""`/mcp`: the tools over the Model Context Protocol (streamable HTTP), without sessions.

Each message is a request of its own, so that any web process may answer it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import Response, request

import sage_ld
from sage_ld.agents import Toolbox
from sage_ld.agents.http.state import agents_of
from sage_ld.agents.http.tool_backend import toolbox_for
from sage_ld.foundation import extras
from sage_ld.service.access import hosts
from sage_ld.service.access.tokens import caller_of
from sage_ld.service.api import schemas
from sage_ld.service.context import role, service
from sage_ld.service.http import request_values
from sage_ld.service.http.asgi_bridge import Application, AsgiExchange
from sage_ld.service.http.body_limits import of_a_tool
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.route import Surface

if TYPE_CHECKING:
    from mcp.server.request_state import RequestStateBoundary

_PROGRESS: Final = b'"progressToken"'
_HOP: Final = frozenset(("connection", "content-length", "date", "server"))

surface = Surface("mcp")


@surface.post("/mcp", limit=of_a_tool)
def mcp() -> Response:
    """The answer to one message of a client, as JSON or, where progress is wanted, as events."""
    hosts.refuse_cross_site(request, service().settings)
    request_values.query(schemas.NOTHING)
    extras.load("mcp.server.lowlevel", extras.MCP)
    body, given = request.get_data(), role()
    toolbox = toolbox_for(service(), request.environ, given)
    exchange = AsgiExchange(_application(toolbox, body, _sealed()), request.environ, body)
    try:
        status, headers = exchange.begin()
    except BaseException:
        exchange.close()
        raise
    answer = Response(exchange.blocks(), status, [each for each in headers if each[0] not in _HOP])
    answer.call_on_close(exchange.close)
    answer.cache_control.no_store = True
    return answer


def _sealed() -> RequestStateBoundary | None:
    """The seal of what a caller brings back with its person's answer, where the policy lets that count."""
    here = service()
    if not agents_of(here).tool_policy.elicits:
        return None
    from sage_ld.agents.mcp.elicitation import sealing

    lifetime = here.settings.approval_lifetime
    return sealing(lifetime, caller_of(request.environ), here.graph.approvals.key_of("requestState"))


def _application(toolbox: Toolbox, body: bytes, sealed: RequestStateBoundary | None) -> Application:
    """The SDK's application for one message, whose body has been read within the limits of the service."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from sage_ld.agents.mcp.mcp_server import server_of

    gone = request.environ.get(CLIENT_GONE, lambda: False)
    manager = StreamableHTTPSessionManager(
        server_of(toolbox, sage_ld.__version__, gone, sealed),
        json_response=_PROGRESS not in body,
        stateless=True,
        max_request_body_size=max(len(body), 1),
    )

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    return application
