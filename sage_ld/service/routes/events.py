"""`/v1/events`: new revisions as server-sent events, as they are published."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final

from flask import Response, request

from sage_ld.foundation.errors import BusyError
from sage_ld.service.access.tokens import client_of
from sage_ld.service.context import Service, service
from sage_ld.service.http.environ import CLIENT_GONE
from sage_ld.service.http.negotiation import Choice
from sage_ld.service.http.server_events import EVENTS, event, event_stream
from sage_ld.service.openapi.parts import events_of
from sage_ld.service.revisions import CurrentNumber
from sage_ld.service.route import RouteReply, Surface

_LOOK: Final = 0.25  # seconds between two looks at the file that names the newest revision
_SILENCE: Final = 10.0  # seconds without an event after which a comment says that the stream is alive

surface = Surface("events", tag="graph")


@surface.get(
    "/v1/events",
    "events",
    "New revisions as server-sent events",
    offers=(EVENTS,),
    reply=RouteReply(
        "Events `revision`, each with the number of the newest revision: the first at once, others as they "
        "are published.",
        events_of("revision"),
    ),
)
def revisions(_choice: Choice) -> Response:
    """The number of the newest revision, at once and whenever there is another one."""
    here = service()
    client = client_of(request.environ)
    if not here.event_streams.take(client):
        raise BusyError(
            f"too many clients follow revisions (the limit is {here.event_streams.count}, setting "
            "max_event_streams, and one client has to leave room for others); try again later"
        )
    gone = request.environ.get(CLIENT_GONE) or (lambda: False)
    end = time.monotonic() + here.settings.event_stream_time
    answer = event_stream(_events(CurrentNumber(here.directory.path), _renewing(here), gone, end))
    answer.call_on_close(lambda: here.event_streams.release(client))
    return answer


def _renewing(here: Service) -> Callable[[int], None]:
    """The task that computes, for a new revision, everything that was computed for an earlier one."""

    def renew(number: int) -> None:
        for state in here.states.values():
            state.renew(number)

    return renew


def _events(
    number: Callable[[], int], renew: Callable[[int], None], gone: Callable[[], bool], end: float
) -> Iterator[str]:
    """The stream's text. `renew` hears of a revision before the client does."""
    last, spoken = -1, time.monotonic()
    while time.monotonic() < end and not gone():
        if (newest := number()) > last:
            renew(newest)
            yield event("revision", {"revision": newest})
            yield ":\n\n"  # the server sends a part when it has the next one
            last, spoken = newest, time.monotonic()
        elif time.monotonic() - spoken > _SILENCE:
            yield ": alive\n\n"
            spoken = time.monotonic()
        time.sleep(_LOOK)
