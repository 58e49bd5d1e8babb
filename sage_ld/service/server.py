"""`sage-ld serve`: the checks before it, the socket that listens, and the supervisor that runs."""

from __future__ import annotations

import math
import os
import socket
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.processes.worker_process import search_path
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.configuration import check_format
from sage_ld.graph.store.directory import Directory
from sage_ld.service.access.hosts import check_base, other_address
from sage_ld.service.http import logs, metrics_folder
from sage_ld.service.http.metrics_folder import FOLDER
from sage_ld.service.revisions import CurrentNumber
from sage_ld.service.supervisor import Supervisor

BACKLOG: Final = 4096
"""Connections that wait for a web process to take them."""
FRUGAL: Final = {"MALLOC_ARENA_MAX": "2", "OPENBLAS_NUM_THREADS": "1"}
"""Environment of the web processes and of their workers, where the operator has set nothing else.

By default, glibc gives memory to threads from eight areas for each processor (mallopt(3)). What one revision
leaves free in one area, the next revision does not fill from another, so that the process grows with every
change of the graph. By default, OpenBLAS multiplies with a thread for each processor, and these threads spin
while they wait: a search takes more than twice the processor time, which other requests lack.
"""
UNSENT: Final = 1 << 16
"""Bytes of an answer that the system holds beyond those on their way, which are megabytes by itself: what a
slow client takes would not be seen in time."""


def serve(
    graph: str | Path,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    processes: int = 1,
    base_iri: str | None = None,
) -> None:
    """Serves the graph in the directory `graph` until SIGTERM or SIGINT, and finishes what is under way.

    `base_iri` confirms that clients reach the graph at its base IRI. Raises NotFoundError, InputError,
    ConflictError if it cannot be served.
    """
    directory = Directory(Path(graph).resolve())
    configuration = directory.configuration()
    check_format(configuration, directory.path)
    settings = Settings.load(dict(configuration.settings))
    _check(settings, port, processes)
    check_base(str(graph), configuration.base_iri, host, port, confirmed=base_iri)
    logs.configure(settings.log_format)
    if base_iri is None and not settings.trusted_proxies:
        _warn_of_other_address(graph, configuration.base_iri, host, port)
    with _listening(host, port, settings.read_timeout) as listening, metrics_folder.made() as folder:
        environment = {**FRUGAL, **os.environ, FOLDER: str(folder), "PYTHONPATH": search_path()}
        command = [
            sys.executable,
            "-P",
            "-m",
            "sage_ld.service.web_process",
            str(directory.path),
            host,
            str(listening.fileno()),
        ]
        made = _made(directory)
        Supervisor(command, environment, settings, processes, listening, made).run()


def _warn_of_other_address(graph: str | Path, base_iri: str, host: str, port: int) -> None:
    if other_address(base_iri, host, port):
        logs.SERVICE.warning(
            "the graph's IRIs begin with %s, and lead nowhere if it is served at http://%s:%d alone; unless "
            "a proxy takes that address, move the graph to the one that clients use: sage-ld rebase %s IRI",
            base_iri,
            host,
            port,
            graph,
        )


def _made(directory: Directory) -> Callable[[], object]:
    """A function that gives another value once the graph has another base IRI or encoder."""
    number = CurrentNumber(directory.path)
    read = lru_cache(maxsize=1)(directory.configuration)
    return lambda: (read(number()).base_iri, read(number()).encoder)


def _check(settings: Settings, port: int, processes: int) -> None:
    names = (
        "sparql_workers",
        "sparql_queue",
        "reader_workers",
        "reader_queue",
        "write_queue",
        "preparation_queue",
    )
    busy = sum(getattr(settings, name) for name in names) + 2
    if settings.web_threads <= busy:
        raise InputError(
            f"setting web_threads: {settings.web_threads} is not above {busy}, the requests that may run or "
            f"wait ({', '.join(names)}); raise it"
        )
    if settings.web_threads <= 2 * settings.web_searches:
        raise InputError(
            f"setting web_threads: {settings.web_threads} is not above {2 * settings.web_searches}, twice "
            "web_searches, as half of the threads may wait to search; raise it, or lower web_searches"
        )
    if processes < 1:
        raise InputError(f"{processes} web processes; give at least 1")
    if not 0 < port < 65536:
        raise InputError(f"port {port} is out of range (1–65535)")


def _listening(host: str, port: int, silence: float) -> socket.socket:
    """The socket on which all web processes take connections: one that waits there outlives any of them.

    Where the system can do it (tcp(7), TCP_DEFER_ACCEPT), a connection takes no place in a process before its
    client has sent something, or for `silence` seconds. Raises InputError for a host that is not an address,
    or an address that is taken.
    """
    if not host or any(sign in host for sign in " /@#?"):
        raise InputError(f"host {host!r} is not a name or address; give one such as 127.0.0.1 or 0.0.0.0")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # every connection inherits it
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
        if hasattr(socket, "TCP_DEFER_ACCEPT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, math.ceil(silence))
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        raise InputError(
            f"{host} port {port} cannot be opened ({error.strerror}); choose another port, or stop the "
            "program that uses it"
        ) from None
    return listening
