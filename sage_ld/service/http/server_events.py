"""Server-sent events, as browsers and `curl -N` read them (HTML Living Standard, section 9.2)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import Final

from flask import Response

from sage_ld.foundation.errors import SageError
from sage_ld.service.http import problems
from sage_ld.service.http.negotiation import Offer

EVENTS: Final = Offer("events", "text/event-stream")
_log = logging.getLogger("sage_ld.service")


def event(name: str, data: object) -> str:
    """One event, whose data is JSON in one line.

    >>> print(event("end", {"n": 1}).strip())
    event: end
    data: {"n": 1}
    """
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def problem_event(error: Exception) -> str:
    """An error as an event, for when the status has been sent; one that is a fault of ours is logged."""
    if not isinstance(error, SageError):
        _log.error("unexpected error in a stream", exc_info=error)
        error = SageError("an internal error; the log of the service says more")
    return event("problem", json.loads(problems.problem_response(error).get_data()))


def event_stream(events: Iterable[str]) -> Response:
    """The response that sends events as they come."""
    answer = Response(events, content_type="text/event-stream; charset=utf-8")
    answer.cache_control.no_store = True
    answer.headers["X-Accel-Buffering"] = "no"  # nginx would keep the first events until the end
    return answer
