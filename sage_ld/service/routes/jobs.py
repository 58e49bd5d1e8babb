"""`/v1/jobs`: writes that take long, how far they have come, and what they did."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, Response, request

from sage_ld.foundation.errors import BusyError, NotFoundError
from sage_ld.service.access.tokens import AccessRole
from sage_ld.service.api import documents, schemas
from sage_ld.service.context import require, require_change, service
from sage_ld.service.http import cursors, request_values, responses
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import choose
from sage_ld.service.http.server_events import EVENTS, event, event_stream
from sage_ld.service.jobs.records import JobRecord, JobRecords

_LOOK: Final = 0.2  # seconds between two looks at a record
_SILENCE: Final = 10.0  # seconds without an event after which a comment says that the stream is alive

blueprint = Blueprint("jobs", __name__, url_prefix="/v1")


@blueprint.get("/jobs")
def listed() -> Response:
    """The jobs, the newest first, without their reports; whoever knows a job's identifier may read it."""
    require(AccessRole.WRITE)
    schema = documents.jobs_schema(service().settings)
    asked = {"limit": schema["properties"]["limit"]["default"]} | request_values.query(schema)
    choice = responses.chosen(responses.JSONS[1:])
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


@blueprint.get("/jobs/<identifier>")
def job(identifier: str) -> Response:
    """A job: its state, its progress, and its report when it has ended."""
    request_values.query(schemas.NOTHING)
    choice = responses.chosen(responses.JSONS[1:])
    answer = responses.json_text(_shown(service().jobs.records, identifier)[1], choice)
    answer.cache_control.no_store = True
    return answer


@blueprint.get("/jobs/<identifier>/events")
def events(identifier: str) -> Response:
    """The progress of a job as server-sent events, the last of which has its name from the final state."""
    request_values.query(schemas.NOTHING)
    choose(request.headers.get("Accept"), (EVENTS,))
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


@blueprint.delete("/jobs/<identifier>")
def cancel(identifier: str) -> Response:
    """Cancels a job, of which nothing is done then; deletes the record of one that has ended."""
    require_change(AccessRole.WRITE)
    request_values.query(schemas.NOTHING)
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
