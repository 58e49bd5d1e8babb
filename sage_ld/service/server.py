"""`sage-ld serve`: the application under gunicorn, in as many processes as asked for."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from gunicorn import glogging
from gunicorn.app.base import BaseApplication

from sage_ld.errors import InputError
from sage_ld.service.http import logs
from sage_ld.service.threads import Worker
from sage_ld.settings import Settings
from sage_ld.store.directory import Directory

_METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"  # `metrics.FOLDER`: set before metrics is imported
_SECONDS_TO_DRAIN: Final = 5.0


class Server(BaseApplication):
    """gunicorn, configured from here and not from its command line or files."""

    def __init__(self, graph: Path, settings: Settings, options: dict[str, Any]) -> None:
        self._graph, self._settings, self._options = graph, settings, options
        super().__init__()

    def load_config(self) -> None:
        """Sets gunicorn's options."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """The application; called in each web process, after the fork."""
        from sage_ld.service.app import create_app

        return create_app(self._graph, self._settings)


def serve(graph: str | Path, host: str = "127.0.0.1", port: int = 8000, *, processes: int = 1) -> None:
    """Serves the graph in the directory `graph` until SIGTERM or SIGINT, and finishes what is under way.

    Raises NotFoundError, InputError, ConflictError where it cannot be served.
    """
    directory = Directory(Path(graph).resolve())
    settings = Settings.load(dict(directory.configuration().settings))
    _check(settings, host, port, processes)
    logs.configure(settings.log_format)
    Worker.settings = settings
    folder = tempfile.mkdtemp(prefix="sage-ld-metrics-")
    os.environ[_METRICS_FOLDER] = folder
    try:
        Server(directory.path, settings, options(settings, host, port, processes)).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def options(settings: Settings, host: str, port: int, processes: int) -> dict[str, Any]:
    """Gunicorn's options, by its names for them."""
    return {
        "bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        "workers": processes,
        "worker_class": Worker,
        "threads": settings.web_threads,
        "worker_connections": 1000,
        "timeout": 60,  # for a web process that no longer beats its heart, not for a request
        "graceful_timeout": int(max(settings.sparql_timeout, settings.update_timeout) + _SECONDS_TO_DRAIN),
        "keepalive": 5,
        "limit_request_line": settings.max_request_line,
        "limit_request_fields": settings.max_header_fields,
        "limit_request_field_size": settings.max_header_bytes + len("\r\n"),
        "http_parser": "python",  # the one that `heads` knows
        "forwarded_allow_ips": "",  # proxies are believed by the setting trusted_proxies alone
        "control_socket_disable": True,
        "logger_class": Logger,
        "child_exit": _forget,
        "worker_exit": _close,
        "proc_name": "sage-ld",
    }


class Logger(glogging.Logger):
    """Leaves the handlers to `sage_ld.service.http.logs`."""

    def _set_handler(self, *_: Any, **__: Any) -> None:
        """Adds none."""


def _check(settings: Settings, host: str, port: int, processes: int) -> None:
    busy = settings.sparql_workers + settings.sparql_queue + settings.write_queue + 1
    if settings.web_threads <= busy:
        raise InputError(
            f"setting web_threads: {settings.web_threads} is not above {busy}, the requests that may run or "
            "wait (sparql_workers, sparql_queue, write_queue); raise it"
        )
    if not host or any(sign in host for sign in " /@#?"):
        raise InputError(f"host {host!r} is no name or address; give one such as 127.0.0.1 or 0.0.0.0")
    if not 0 < port < 65536:
        raise InputError(f"port {port} is none; give one from 1 to 65535")
    if processes < 1:
        raise InputError(f"{processes} web processes; give at least 1")


def _close(_server: Any, worker: Any) -> None:
    """Ends the worker processes of a web process that ends."""
    from sage_ld.service.context import detach

    if worker.app.callable is not None:
        detach(worker.app.callable)


def _forget(_server: Any, worker: Any) -> None:
    """Takes what a web process that has ended counted as its own out of the sums."""
    from prometheus_client import multiprocess

    Worker.shares.forget(worker.age)
    multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
