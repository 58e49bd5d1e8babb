"""Writes of clients, passed to the process that writes."""

from __future__ import annotations

import io
from collections.abc import Hashable
from typing import IO, Any, Final

from flask import request

from sage_ld.build.readers.context_fetching import fetching
from sage_ld.foundation.errors import (
    ResultLimitError,
    SageError,
    StorageError,
    TimeLimitError,
    WorkerEndedError,
)
from sage_ld.service.access.tokens import AccessRole, client_of
from sage_ld.service.context import Service, role, service
from sage_ld.service.http.request_values import number
from sage_ld.service.workers.announcements import announced, outcome, whole_lines
from sage_ld.service.workers.reading import UploadReading

_STOPPED: Final = (TimeLimitError, ResultLimitError, WorkerEndedError, StorageError)
"""Errors that end a write at any point, also while it is published."""
_TRANSLATED: Final = frozenset({"jsonld", "rdfxml"})
"""Formats whose contexts and entities may make much of little."""
_SHORT: Final = 1 << 16
"""Bytes of what was read, up to which the writer encodes it itself: some 40 chunks."""


def write(job: dict[str, Any], body: IO[bytes] | None, timeout: str | None = None) -> dict[str, Any]:
    """Has the writer do a job of the current request, as `write_for` does."""
    here = service()
    seconds = number(timeout, "timeout", here.settings.update_timeout)
    return write_for(here, role(), job, body, seconds, client=client_of(request.environ))


def write_for(
    here: Service,
    role: AccessRole,
    job: dict[str, Any],
    body: IO[bytes] | None,
    seconds: float,
    output: io.BytesIO | None = None,
    client: Hashable | None = None,
) -> dict[str, Any]:
    """Has the writer do a job, and returns what it says: of a write of statements, what it changed.

    What it says on the way goes to `output`, too. What is sent is read first, by processes for files, and
    what is long is encoded by another one than the writer. It shares them, and the writer, with other files
    and writes of the `client`.

    Raises what the job raises, ForbiddenError, ShapeError, BusyError, UnavailableError while another process
    writes: nothing is done. Errors that may come while the job is published say whether it may be done:
    those of `_STOPPED`, and any other after the job has announced its revision.
    """
    measures = here.text_limits._asdict()
    rights = {"may_remove": role >= AccessRole.ADMIN}
    output = io.BytesIO() if output is None else output
    reading = UploadReading(here.reads, here.settings, seconds, client)
    try:
        with reading.done({**job, "limits": measures, **rights}, body) as (work, read):
            work, read = _prepared(here, work, read, reading.time_left(), client)
            here.writes.run(work, reading.time_left(), read, output=output, client=client)
    except SageError as error:
        revision = announced(output.getvalue())
        if not isinstance(error, _STOPPED) and revision is None:
            raise
        raise type(error)(f"{error}; {outcome(here.directory, revision)}") from None
    return whole_lines(output.getvalue())[-1]


def _prepared(
    here: Service,
    work: dict[str, Any],
    body: IO[bytes] | None,
    seconds: float,
    client: Hashable | None,
) -> tuple[dict[str, Any], IO[bytes] | None]:
    """A job and its body, after what takes long and needs no lock has been done by another process.

    A long text is encoded, and RDF whose parsing may take long is parsed to N-Quads.
    """
    if body is None:
        return work, body
    if "uploads" in work and body.seek(0, io.SEEK_END) > _SHORT:
        body.seek(0)
        here.preparations.run({**work, "op": "prepare"}, seconds, body, client=client).close()
    body.seek(0)
    if not any(name in _TRANSLATED for name, _ in work.get("parts", ())):
        return work, body

    def quads_of(body: IO[bytes]) -> bytes:
        body.seek(0)
        with here.preparations.run({**work, "op": "translate"}, seconds, body, client=client) as answer:
            return str(whole_lines(answer.read())[-1]["quads"]).encode()

    quads = fetching(lambda: quads_of(body), here.settings)
    return {**work, "parts": [("nquads", len(quads))]}, io.BytesIO(quads)
