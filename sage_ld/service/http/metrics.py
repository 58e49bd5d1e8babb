"""Metrics for Prometheus, read at `/metrics`.

With several web processes the figures are added up over all: prometheus-client keeps them in files in the
folder that the environment variable PROMETHEUS_MULTIPROC_DIR names when this module is imported
(`metrics_folder`).
"""

from __future__ import annotations

import math
import os
import re
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Final

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

from sage_ld.foundation.edge_kinds import SIGNALS, WEIGHT
from sage_ld.foundation.errors import UnavailableError
from sage_ld.foundation.model import EdgeKind
from sage_ld.service.http import metrics_folder
from sage_ld.service.http.metrics_folder import FOLDER

metrics_folder.reserve()

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
_TRIES: Final = 20
_PAUSE: Final = 0.05  # seconds between two: together more than the supervisor needs to see a process's end
_POOL: Final = re.compile(r'(?P<name>\w+)\{pool="(?P<pool>\w+)"\} (?P<value>\S+)')
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

REQUESTS: Final = Histogram(
    "sage_ld_request_seconds",
    "Time from the first byte read to the last byte written.",
    ("route", "method", "status", "mode"),
    buckets=_SECONDS,
)
WAITING: Final = Gauge(
    "sage_ld_waiting_requests",
    "Requests that wait for a worker process.",
    ("pool",),
    multiprocess_mode="livesum",
)
WORKING: Final = Gauge(
    "sage_ld_busy_workers", "Worker processes at work.", ("pool",), multiprocess_mode="livesum"
)
ENDED: Final = Counter(
    "sage_ld_workers_ended",
    "Worker processes killed at their deadline or for another reason, or crashed.",
    ("pool", "reason"),
)
REVISION: Final = Gauge(
    "sage_ld_revision", "The revision of the graph that is served.", multiprocess_mode="livemax"
)
DAMAGED: Final = Gauge(
    "sage_ld_damaged",
    "1 where this part of the newest revision is damaged, and is rebuilt or passed over by the service.",
    ("part",),
    multiprocess_mode="livemax",
)
DRIFT_REVISION: Final = Gauge(
    "sage_ld_drift_revision",
    "The revision of which the drift was measured last; 0 before the first time.",
    multiprocess_mode="livemostrecent",
)
DRIFT_CHANGED: Final = Gauge(
    "sage_ld_drift_changed_share",
    "The estimated share of the edges that a relink would change.",
    ("edges",),
    multiprocess_mode="livemostrecent",
)
DRIFT_DISTANCE: Final = Gauge(
    "sage_ld_drift_distance",
    "How far what a threshold cuts has moved since the last relink (Kolmogorov-Smirnov, 0 to 1).",
    ("kind", "signal"),
    multiprocess_mode="livemostrecent",
)
FAILING: Final = Gauge(
    "sage_ld_background_failing",
    "1 where the last turn of this work in the background met an error, after which it is tried again.",
    ("work",),
    multiprocess_mode="livemax",
)
KEPT: Final = Counter("sage_ld_retrievals_kept", "Retrievals written to the log of retrievals.")
LOST: Final = Counter(
    "sage_ld_retrievals_lost", "Retrievals that should have been kept and could not be written."
)


CACHE_REQUESTS: Final = Counter(
    "sage_ld_cache_requests",
    "Answers that were looked for in a cache, by whether they were there.",
    ("cache", "result"),
)
CACHE_ENTRIES: Final = Gauge(
    "sage_ld_cache_entries", "Answers in a cache.", ("cache",), multiprocess_mode="livesum"
)
CACHE_BYTES: Final = Gauge(
    "sage_ld_cache_bytes", "Memory of the answers in a cache.", ("cache",), multiprocess_mode="livesum"
)


class PoolObserver:
    """Counts what a pool of workers tells."""

    def __init__(self, pool: str) -> None:
        self._waiting = WAITING.labels(pool)
        self._waiting.set(0)
        self._working = WORKING.labels(pool)
        self._working.set(0)
        self._pool = pool

    def waiting(self, requests: int) -> None:
        """Records the number of requests that wait for a worker."""
        self._waiting.set(requests)

    def working(self, jobs: int) -> None:
        """Records the number of workers at work."""
        self._working.set(jobs)

    def ended(self, reason: str) -> None:
        """A worker was killed, or died."""
        ENDED.labels(self._pool, reason).inc()


def record_drift(
    revision: int, changed: float | None, distances: Mapping[tuple[EdgeKind, str], float]
) -> None:
    """Records the drift of a revision in place of what any process has recorded before.

    `changed` is the share of edges that a relink would change, None if it is not known; `distances` are those
    that are known.
    """
    DRIFT_REVISION.set(revision)
    DRIFT_CHANGED.labels("similarity").set(math.nan if changed is None else changed)
    for kind, signal in product(EdgeKind, (*SIGNALS, WEIGHT)):
        DRIFT_DISTANCE.labels(kind, signal).set(distances.get((kind, signal), math.nan))


def web_processes() -> int:
    """The number of web processes that count figures: each has a file of those that go with it."""
    folder = os.environ.get(FOLDER)
    return 1 if folder is None else max(1, len(list(Path(folder).glob("gauge_livemax_*.db"))))


def pools() -> dict[str, dict[str, int]]:
    """Of each pool of workers, how many requests wait and how many workers are busy, over all web processes.

    Raises UnavailableError if the figures cannot be read.
    """
    names = {"sage_ld_waiting_requests": "waiting", "sage_ld_busy_workers": "busy"}
    by_pool: dict[str, dict[str, int]] = {}
    for line in _exposition().decode().splitlines():
        matched = _POOL.fullmatch(line)
        if matched and matched["name"] in names:
            by_pool.setdefault(matched["pool"], {})[names[matched["name"]]] = int(float(matched["value"]))
    return by_pool


def exposition() -> bytes:
    """All figures that are known, in Prometheus's text format.

    Raises UnavailableError if their files cannot be read.
    """
    lines = _exposition().splitlines(keepends=True)
    return b"".join(line for line in lines if not line.endswith(b" NaN\n"))


def _exposition() -> bytes:
    if FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # it has no annotations
    for _ in range(_TRIES):
        with suppress(FileNotFoundError, struct.error):  # another process begins or ends at this moment
            return generate_latest(registry)
        time.sleep(_PAUSE)
    raise UnavailableError("the metrics cannot be read now; try again later")
