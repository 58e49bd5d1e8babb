"""The context that the routes of one web process share, and access to it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from flask import Flask, current_app, g, request

from sage_ld.foundation.errors import ForbiddenError, InputError, StorageError
from sage_ld.foundation.processes.idle_workers import WorkerKind
from sage_ld.foundation.processes.places import Places
from sage_ld.foundation.processes.pool import Pool
from sage_ld.foundation.question import Answer
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.exports.dataset import DatasetDescription
from sage_ld.graph.store.configuration import Configuration, check_format
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.durable_files import replace_file
from sage_ld.graph.store.graph_files import UNKNOWN, current_or_unknown, revision_tag
from sage_ld.graph.store.overlays import remove_left
from sage_ld.graph.store.statistics import Statistics, statistics
from sage_ld.graph.views.drift import Drift
from sage_ld.retrieval.rankings.table import client_rankings
from sage_ld.service.access import hosts
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.access.tokens import AccessRole, Tokens, check, readers_of_retrievals
from sage_ld.service.answer_cache import (
    AnswerCache,
    CachedContent,
    CacheLimits,
    CacheObserver,
    QueryKey,
    query_bytes,
    retrieval_bytes,
)
from sage_ld.service.background import Latest
from sage_ld.service.extensions import ExtensionState, installed
from sage_ld.service.http import metrics
from sage_ld.service.http.errors import AuthenticationError
from sage_ld.service.jobs.records import JobRecords
from sage_ld.service.jobs.runner import JobRunner
from sage_ld.service.keeping import Keeper
from sage_ld.service.revisions import CurrentNumber, Newest, Pin, file_mark
from sage_ld.service.verification import Verification
from sage_ld.service.workers.query_jobs import query_worker
from sage_ld.service.workers.reading import reading_pool
from sage_ld.service.workers.text_limits import TextLimits

if TYPE_CHECKING:
    from werkzeug import Request

_KEY = "sage_ld"
_CLEARED: Final = "caches-cleared"
"""The file in a graph's directory that is written again when the caches of answers are cleared."""
_REST: Final = 20.0
"""Times as long as measuring the drift took, and for each web process, one does not measure it again.

Together they measure a twentieth of the time.
"""
WRITE_WORKER: Final = "sage_ld.service.workers.update_process"
_LONG_WRITE: Final = 10.0
"""Seconds of processor time after which a write gives way to readers; `max_request_chunks` takes less.

Other writes wait for it, so that a lower priority would slow down all of them.
"""
_LONG_PREPARATION: Final = 1.0
"""Seconds of processor time after which encoding gives way: nobody but its own client waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The parts that one web process works with: graph, workers, caches, view of the newest revision."""

    directory: Directory
    configuration: Configuration
    settings: Settings
    tokens: Tokens
    revisions: Newest[Pin]
    """The newest revision, pinned, for what workers read."""
    snapshots: Newest[Snapshot]
    """The newest revision, opened in this process, for our own queries and the indexes."""
    answers: AnswerCache[QueryKey, CachedContent]
    """Answers to queries."""
    retrieved: AnswerCache[str, Answer]
    """Answers to questions, by the digest of what was asked."""
    queries: Pool
    """Runs what clients wrote. `sage_ld.service.sparql.queries` has the way to it."""
    statistics: Latest[Statistics]
    """The counts of the newest revision, for its descriptions; counted in the background."""
    drift: Latest[Drift | None]
    """How far the newest revision has moved from the last build; measured in the background."""
    event_streams: Places
    """The places of clients that follow revisions; each holds a thread."""
    graph: KnowledgeGraph
    """The graph that is asked: its encoder and recipe. A request names the revision that it asks."""
    searches: Places
    """The places of requests for which this process searches; `requests.searching` takes one."""
    service_queries: Places
    """The places of queries for which this process asks other endpoints."""
    search_queue: Places
    """The places of requests that wait to search: each holds a thread, of which others need some."""
    model_requests: Places
    """The places of requests that ask the language model; `requests.asking_model` takes one."""
    keeper: Keeper
    """Keeps retrievals, as far as the settings say."""
    writes: Pool
    """The one process that writes for this web process; `sage_ld.service.sparql.writes` has the way to it."""
    preparations: Pool
    """The one process that encodes what is long before it is written."""
    reads: Pool
    """The processes that read what clients send; `sage_ld.service.workers.reading` has the way to them."""
    jobs: JobRunner
    """Writes that take long, done one after the other by a process of their own."""
    hosts: hosts.KnownHosts
    """The hosts that requests may be for."""
    verification: Verification
    """What is known of damage in the newest revision."""
    states: dict[str, ExtensionState] = field(default_factory=dict)
    """What extensions keep, by their names."""

    @property
    def text_limits(self) -> TextLimits:
        """The limits of the text of a query."""
        return TextLimits.of(self.settings)

    def cache_state(self, revision: int, rebuilt: Iterable[str] = ()) -> Hashable:
        """The state for which cached answers are valid: revision, and the last time that caches were cleared.

        `rebuilt` are the indexes that were rebuilt for this process: those on disk gave other answers.
        """
        cleared = file_mark(str(self.directory.path / _CLEARED))
        return revision_tag(self.directory.path, revision), cleared, frozenset(rebuilt)

    def clear_caches(self) -> None:
        """Drops the cached answers of all web processes. Raises StorageError if that cannot be told them."""
        try:
            replace_file(self.directory.path / _CLEARED, "")
        except OSError as error:
            raise StorageError(f"the caches cannot be cleared: {error.strerror}; check the disk") from None
        self.answers.clear()
        self.retrieved.clear()

    def close(self) -> None:
        """Ends the workers and releases the revision."""
        self.verification.close()
        self.keeper.close()
        self.queries.close()
        for state in self.states.values():
            state.close()
        self.jobs.close()
        self.writes.close()
        self.preparations.close()
        self.reads.close()
        self.revisions.close()
        self.snapshots.close()


def open_service(path: Path, settings: Settings | None = None, host: str = hosts.LOCAL) -> Service:
    """The service of the graph in the directory `path`, which listens on `host`.

    Raises NotFoundError, InputError, ConflictError.
    """
    directory = Directory(path.resolve())
    configuration = directory.configuration()
    check_format(configuration, directory.path)
    chosen = hosts.resolved(settings or Settings.load(dict(configuration.settings)), host)
    client_rankings(chosen)  # refuses a wrong name now, where a request would find it
    readers_of_retrievals(chosen)
    DatasetDescription.of(chosen)
    remove_left(directory.path)
    graph = KnowledgeGraph(directory, chosen)
    keeper = Keeper(graph.retrievals)
    number = CurrentNumber(directory.path)
    verification = Verification(
        directory, lambda parts: snapshots.renew(lambda each: each.rebuilt.keys() >= set(parts))
    )
    snapshots = Newest(number, lambda: _snapshot(directory, chosen, verification))
    write_worker = WorkerKind(
        WRITE_WORKER,
        (str(directory.path), str(chosen.write_worker_memory)),
        "write_worker_memory",
        memory=chosen.write_worker_memory,
        lazy=True,
        gives_way=True,
        ordinary_seconds=_LONG_WRITE,
        time_setting="update_timeout",
    )
    queries = Pool(
        query_worker(directory, chosen, gives_way=True),
        chosen.sparql_workers,
        chosen.sparql_queue,
        metrics.PoolObserver("sparql"),
        chosen.sparql_long_queries,
        chosen.queue_timeout,
    )
    writes = Pool(
        write_worker, 1, chosen.write_queue, metrics.PoolObserver("write"), max_wait=chosen.queue_timeout
    )
    preparations = Pool(
        dataclasses.replace(write_worker, ordinary_seconds=_LONG_PREPARATION),
        1,
        chosen.preparation_queue,
        metrics.PoolObserver("preparation"),
        max_wait=chosen.queue_timeout,
    )
    job_worker = dataclasses.replace(write_worker, time_setting="job_timeout")
    job_pool = Pool(job_worker, 1, 1, metrics.PoolObserver("jobs"))
    reads = reading_pool(chosen, metrics.PoolObserver("reading"))
    jobs = JobRunner(JobRecords(directory.path, chosen), job_pool, reads, directory, chosen)
    verification.start()
    jobs.start()
    opened = Service(
        directory=directory,
        configuration=configuration,
        settings=chosen,
        tokens=Tokens(directory.path),
        revisions=Newest(number, lambda: _pin(directory, verification)),
        snapshots=snapshots,
        answers=AnswerCache(
            _cache_limits(chosen, chosen.max_kept_bytes), query_bytes, CacheObserver("queries")
        ),
        retrieved=AnswerCache(
            _cache_limits(chosen, chosen.max_retrieved_bytes),
            retrieval_bytes,
            CacheObserver("retrievals"),
        ),
        queries=queries,
        statistics=Latest(lambda: _counted(snapshots), most_waiting=most_waiting(chosen)),
        drift=Latest(lambda: _measured(graph, snapshots), lambda: _REST * metrics.web_processes()),
        event_streams=Places(chosen.max_event_streams),
        graph=graph,
        searches=Places(chosen.web_searches),
        service_queries=Places(chosen.max_service_queries),
        search_queue=Places(chosen.web_threads // 2),
        model_requests=Places(max(1, min(chosen.web_model_requests, chosen.web_threads // 4))),
        keeper=keeper,
        writes=writes,
        preparations=preparations,
        reads=reads,
        jobs=jobs,
        hosts=hosts.known(chosen.allowed_hosts, configuration.base_iri, host),
        verification=verification,
    )
    try:
        opened.states.update((each.name, each.begin(opened)) for each in installed())
    except BaseException:
        opened.close()
        raise
    return opened


def most_waiting(settings: Settings) -> int:
    """The number of requests, each holding a thread, that may wait for a value made in the background."""
    return max(1, settings.web_threads // 4)


def _cache_limits(settings: Settings, room: int) -> CacheLimits:
    return CacheLimits(room, settings.max_kept_answers, settings.kept_answer_lifetime)


def checked_prefix(prefix: str) -> str:
    """The path below which the service is reached. Raises InputError for anything else.

    >>> checked_prefix("/graphs/films")
    '/graphs/films'
    """
    if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", prefix):
        raise InputError(f"setting path_prefix: {prefix!r} is not a path; give one such as /graphs/films")
    return prefix


def local_path(opened: Service, iri: str) -> str:
    """The path of an IRI of this service, as its routes have it: without the setting path_prefix."""
    path, prefix = urlsplit(iri).path, opened.settings.path_prefix
    return path.removeprefix(prefix) if prefix and path.startswith(prefix + "/") else path


def attach(app: Flask, opened: Service) -> None:
    """Makes `opened` the service of `app`."""
    app.extensions[_KEY] = opened


def detach(app: Flask) -> None:
    """Closes the service of `app`, which then answers nothing more."""
    if (opened := app.extensions.pop(_KEY, None)) is not None:
        opened.close()


def service_of(app: Flask) -> Service:
    """The service of `app`."""
    return cast(Service, app.extensions[_KEY])


def service() -> Service:
    """The service that answers the current request."""
    return service_of(current_app)


def role() -> AccessRole:
    """The role of the sender of the current request. Raises AuthenticationError for a wrong token."""
    if "role" not in g:
        g.role = role_of(service(), request)
    return cast(AccessRole, g.role)


def role_of(here: Service, sent: Request) -> AccessRole:
    """The role of the sender of a request. Raises AuthenticationError for a wrong token."""
    if "Authorization" not in sent.headers:
        return AccessRole.NOBODY
    secret = secret_of(sent.environ)
    found = here.tokens.role_of(secret) if secret else AccessRole.NOBODY
    if found is AccessRole.NOBODY:
        raise AuthenticationError("this service does not know the token; check it, or get another")
    return found


def require(needed: AccessRole) -> None:
    """Raises AuthenticationError or ForbiddenError if the current request may not do what needs that role.

    Where no token has the role, the service does not do it for anybody, and says so.
    """
    given = role()
    if given is AccessRole.NOBODY and needed > AccessRole.READ and not service().tokens.any(needed):
        raise ForbiddenError(
            "this service is read-only; make a token: "
            f"sage-ld token create KG NAME --role {needed.name.lower()}"
        )
    check(given, needed)


def require_change(needed: AccessRole) -> None:
    """Raises as `require` does, and ForbiddenError for what the page of another site has a browser send."""
    hosts.refuse_cross_site(request, service().settings)
    require(needed)


def _pin(directory: Directory, verification: Verification) -> Pin:
    newest = current_or_unknown(directory.path)
    pin = Pin.newest(directory)
    metrics.REVISION.set(pin.number)
    verification.begin(pin.number)
    if pin.number < newest or newest == UNKNOWN:
        verification.note(pin.number, {"revision": f"{_named(newest)}; revision {pin.number} is served"})
    return pin


def _named(number: int) -> str:
    """The damage to the newest revision, which another one replaces."""
    return "the file current is damaged" if number == UNKNOWN else f"revision {number} cannot be read"


def _counted(snapshots: Newest[Snapshot]) -> tuple[int, Statistics]:
    with snapshots.use() as snapshot:
        return snapshot.number, statistics(snapshot.stores)


def _measured(graph: KnowledgeGraph, snapshots: Newest[Snapshot]) -> tuple[int, Drift | None]:
    with snapshots.use() as snapshot:
        drift = graph.drift(snapshot)
        thresholds = () if drift is None else drift.thresholds
        distances = {(each.kind, each.signal): each.distance for each in thresholds}
        metrics.record_drift(snapshot.number, None if drift is None else drift.changed, distances)
        return snapshot.number, drift


def _snapshot(directory: Directory, settings: Settings, verification: Verification) -> Snapshot:
    snapshot = Snapshot.newest(directory, settings, verification.distrusted)
    verification.begin(snapshot.number)
    verification.note(snapshot.number, snapshot.rebuilt)
    return snapshot
