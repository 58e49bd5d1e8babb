"""One web process: `python -m sage_ld.service.web_process GRAPH HOST SOCKET`.

SOCKET is the number of the open file that listens; all web processes take connections from the same queue.
Its standard input is a socket to the process that started this one: it ends when that process has gone. This
one says over it that it serves.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.net import SocketHolder  # type: ignore[attr-defined]  # its stubs leave it out
from granian.server.embed import Server

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.processes import sandbox
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.directory import Directory
from sage_ld.service import context, route_table
from sage_ld.service.app import create_app
from sage_ld.service.gateway import Gateway
from sage_ld.service.http import logs
from sage_ld.service.server import BACKLOG
from sage_ld.service.supervisor import CANNOT_SERVE, READY, seconds_to_drain

_OWN_FILES: Final = 256  # open files for the store, indexes and workers; half of all where there are few
_FILES_OF_CONNECTION: Final = 2  # its own, and one that its request needs
_LEAST_PATIENCE: Final = 2.0  # seconds


def main() -> None:
    """Serves until SIGTERM or SIGINT, or until the starting process has gone: then it ends at once."""
    sandbox.end_with_parent()
    _leave_no_core_dump()
    graph, host, listening = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    settings = Settings.load(dict(Directory(graph).configuration().settings))
    logs.configure(settings.log_format)
    app = _app(graph, settings, host)
    try:
        here = context.service_of(app)
        _load_encoder(here.graph)
        gateway = Gateway(app.wsgi_app, here.settings, lambda environ: route_table.admit(here, environ))
        asyncio.run(_serve(gateway, listening, settings))
    finally:
        context.detach(app)
    os._exit(0)  # threads that still wait for a client would hold up an ordinary end


def _app(graph: Path, settings: Settings, host: str) -> Flask:
    """The application; without one the process ends, which says why in the log."""
    try:
        return create_app(graph, settings, host)
    except (SageError, OSError) as error:
        logs.SERVICE.error("%s", error)
        raise SystemExit(CANNOT_SERVE) from None


def _load_encoder(graph: KnowledgeGraph) -> None:
    """Has the first question find the encoder loaded; one that cannot be loaded is named in the log."""
    try:
        graph.encoder.load()
    except (SageError, OSError) as error:
        logs.SERVICE.warning("questions cannot be encoded: %s", error)


async def _serve(gateway: Gateway, listening: int, settings: Settings) -> None:
    places = connections(settings.web_connections)
    if places < settings.web_connections:
        logs.SERVICE.warning(
            "the system allows so few open files that %d connections are accepted at once, not the %d of the "
            "setting web_connections; raise its limit (ulimit -n, LimitNOFILE)",
            places,
            settings.web_connections,
        )
    server = _Server(
        gateway,
        listening,
        interface=Interfaces.ASGINL,
        http=HTTPModes.http1,
        websockets=False,
        backpressure=places,
        http1_settings=HTTP1Settings(
            header_read_timeout=int(1000 * patience(settings, places)),
            max_buffer_size=head_size(settings),
        ),
    )
    logs.configure(settings.log_format)  # the server has set handlers of its own
    try:
        async with asyncio.timeout(None) as draining:
            _on_end(lambda: _stop(server, draining, seconds_to_drain(settings)))
            with suppress(BrokenPipeError):  # then `stop` is called as soon as it serves
                os.write(sys.stdin.fileno(), READY)
            await server.serve()
            await gateway.drain()
    except TimeoutError:
        logs.SERVICE.warning("requests under way are given up: they take too long")


def _on_end(stop: Callable[[], None]) -> None:
    """Has `stop` called when the process is told to end, or when the one that started it has gone."""
    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop)
    loop.add_reader(sys.stdin, stop)


def _stop(server: _Server, draining: asyncio.Timeout, seconds: float) -> None:
    """Has the server take no more connections; requests under way have some seconds to end."""
    loop = asyncio.get_running_loop()
    loop.remove_reader(sys.stdin)  # its end stays readable, and would call again and again
    if draining.when() is None:
        draining.reschedule(loop.time() + seconds)
        server.stop()  # type: ignore[no-untyped-call]


class _Server(Server):
    """The HTTP server, on a socket that the supervisor has opened.

    By itself each server on Linux opens one of its own for the same port: what waits there when its process
    dies would be lost.
    """

    def __init__(self, target: Gateway, listening: int, **options: Any) -> None:
        super().__init__(target, **options)
        self._listening = listening

    def _init_shared_socket(self) -> None:
        self._shd = SocketHolder(self._listening, False, BACKLOG)  # type: ignore[call-arg, assignment]


def _leave_no_core_dump() -> None:
    """Has a crash write no memory to disk: questions and tokens are in it."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def head_size(settings: Settings) -> int:
    """Bytes that the head of a request may have as a whole."""
    return max(8192, settings.max_request_line + 8 * settings.max_header_bytes)


def patience(settings: Settings, places: int) -> float:
    """The seconds that a connection may take for the head of a request: fewer where there are few places.

    >>> patience(Settings(), Settings().web_connections) == Settings().read_timeout
    True
    """
    share = places / settings.web_connections
    return min(settings.read_timeout, max(_LEAST_PATIENCE, share * settings.read_timeout))


def connections(most: int) -> int:
    """The number of connections accepted at once: `most`, or as many as the system allows open files.

    A server that runs out of open files could neither accept nor answer.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES_OF_CONNECTION * most + _OWN_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return most
    own = min(_OWN_FILES, soft // 2)
    return max(min(most, (soft - own) // _FILES_OF_CONNECTION), 1)


if __name__ == "__main__":
    main()
