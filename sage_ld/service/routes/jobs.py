"""`/v1/jobs`: writes that take long, how far they have come, and what they did."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from flask import Response, request

from sage_ld.foundation.errors import BusyError, NotFoundError
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import documents
from sage_ld.service.context import service
from sage_ld.service.http import cursors, responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.server_events import EVENTS, event, event_stream
from sage_ld.service.jobs.records import JobRecord, JobRecords
from sage_ld.service.openapi.parts import JSON, events_of, in_path
from sage_ld.service.route import RouteReply, Surface

_LOOK: Final = 0.2  # seconds between two looks at a record
_SILENCE: Final = 10.0  # seconds without an event after which a comment says that the stream is alive

_JOB: Final = in_path(
    "identifier",
    "The job's id.",
    {"type": "string", "maxLength": 47, "pattern": "^[0-9a-f]{14}-[0-9a-f]{32}$"},
)

surface = Surface("jobs", tag="documents")


@surface.get(
    "/v1/jobs",
    "jobs",
    "The jobs, the newest first, without their reports",
    role=AccessRole.WRITE,
    query=documents.jobs_schema,
    fills=True,
    offers=responses.JSONS[1:],
    reply=RouteReply("The jobs.", {JSON: "Jobs"}),
)
def listed(asked: dict[str, Any], choice: Choice) -> Response:
    """The jobs, the newest first, without their reports; whoever knows a job's identifier may read it."""
    before = cursors.read(asked["cursor"]) if "cursor" in asked else None
    records = service().jobs.records.newest(asked["limit"] + 1, before)
    shown = records[: asked["limit"]]
    page: dict[str, Any] = {"jobs": [job_json(each) for each in shown]}
    if len(records) > len(shown):
        page["nextCursor"] = cursors.written(shown[-1].identifier)
    answer = responses.json_text(page, choice)
    answer.cache_control.no_store = True
    responses.link_next(answer, page.get("nextCursor"))
    return answer


@surface.get(
    "/v1/jobs/{identifier}",
    "job",
    "A job: its state, its progress, and its report at the end",
    offers=responses.JSONS[1:],
    parameters=[_JOB],
    reply=RouteReply("The job.", {JSON: "Job"}),
)
def job(choice: Choice, identifier: str) -> Response:
    """A job: its state, its progress, and its report when it has ended."""
    answer = responses.json_text(_shown(service().jobs.records, identifier)[1], choice)
    answer.cache_control.no_store = True
    return answer


@surface.get(
    "/v1/jobs/{identifier}/events",
    "jobEvents",
    "The progress of a job as server-sent events",
    offers=(EVENTS,),
    parameters=[_JOB],
    reply=RouteReply(
        "Events `progress`, each a Job, and one with the name of the final state: `done`, `failed`, "
        "`cancelled`, `interrupted`.",
        events_of("progress", "done", "failed", "cancelled", "interrupted"),
    ),
)
def events(_choice: Choice, identifier: str) -> Response:
    """The progress of a job as server-sent events, the last of which has its name from the final state."""
    here = service()
    records = here.jobs.records
    records.read(identifier)
    if not here.jobs.streams.acquire(blocking=False):
        raise BusyError("too many clients follow jobs (setting max_job_streams); read the job itself")
    gone = request.environ.get(CLIENT_GONE) or (lambda: False)
    stream = _events(records, identifier, gone, time.monotonic() + here.settings.job_timeout)
    answer = event_stream(stream)
    answer.call_on_close(here.jobs.streams.release)
    return answer


@surface.delete(
    "/v1/jobs/{identifier}",
    "cancelJob",
    "Cancel a job, or delete the record of one that has ended",
    role=AccessRole.WRITE,
    parameters=[_JOB],
    reply=RouteReply("It ends soon, or is gone."),
)
def cancel(identifier: str) -> Response:
    """Cancels a job, of which nothing is done then; deletes the record of one that has ended."""
    service().jobs.records.cancel(identifier)
    answer = Response(status=204)
    del answer.headers["Content-Type"]
    return answer


def job_json(record: JobRecord, report: dict[str, Any] | None = None) -> dict[str, Any]:
    """A job as clients see it, with what it has done."""
    said: dict[str, Any] = {
        "id": record.identifier,
        "state": str(record.state),
        "created": record.created,
    }
    more = {
        "ended": record.ended,
        "progress": record.progress,
        "report": report,
        "problem": record.problem,
    }
    return said | {name: value for name, value in more.items() if value}


def _shown(records: JobRecords, identifier: str) -> tuple[JobRecord, dict[str, Any]]:
    """A job, and as clients see it: with its report at the end. Raises NotFoundError."""
    record = records.shown(identifier)
    return record, job_json(record, records.report(identifier) if record.state.is_final else None)


def _events(records: JobRecords, identifier: str, gone: Any, end: float) -> Iterator[str]:
    """The stream's text: the job whenever it has changed, and at its end under the name of its state."""
    last: dict[str, Any] = {}
    spoken = time.monotonic()
    while time.monotonic() < end and not gone():
        try:
            record, said = _shown(records, identifier)
        except NotFoundError:
            return
        if said != last:
            name = str(record.state) if record.state.is_final else "progress"
            yield event(name, said)
            last, spoken = said, time.monotonic()
        elif time.monotonic() - spoken > _SILENCE:
            yield ": alive\n\n"
            spoken = time.monotonic()
        if record.state.is_final:
            return
        time.sleep(_LOOK)
