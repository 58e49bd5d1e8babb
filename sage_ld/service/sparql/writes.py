"""The way from a request to the process that writes."""

from __future__ import annotations

import json
from typing import IO, Any

from sage_ld.service.access.tokens import Role
from sage_ld.service.context import role, service
from sage_ld.service.http.parameters import number


def write(job: dict[str, Any], body: IO[bytes] | None, timeout: str | None = None) -> dict[str, Any]:
    """Has the writer do a job, and gives what it says: `revision`, and of a graph whether it was `created`.

    Nothing of a job that fails is done, killed at its deadline or not. Raises what the job raises,
    ForbiddenError, ShapeError, BusyError, TimeLimitError, UnavailableError while another process writes.
    """
    here = service()
    limits = here.text_limits
    settings = here.settings
    seconds = number(timeout, "timeout", settings.update_timeout)
    measures = {"bytes": settings.max_body_bytes, "depth": limits.depth, "patterns": limits.patterns}
    rights = {"may_remove": role() >= Role.ADMIN}
    with here.writes.run({**job, "limits": measures, **rights}, seconds, body) as answer:
        said: dict[str, Any] = json.load(answer)
    return said
