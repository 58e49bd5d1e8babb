"""Which bikes are free when.

All windows are half-open and in UTC. Between two rentals of one bike lies the
turnaround (`booking.turnaround_minutes`): wash, pump, look at the brakes.
"""

from datetime import timedelta

from . import clock, config, db
from .errors import BeyondHorizon, BikeUnavailable, WindowTooShort
from .models import Window

BLOCKING = ("held", "confirmed", "out")


def gap_minutes(first, second):
    """Minutes between the end of one window and the start of the other.

    The order of the arguments does not matter. Windows that merely touch give
    0; windows that overlap give -1, whatever the size of the overlap.
    """
    if first.start > second.start:
        first, second = second, first
    if second.start < first.end:
        return -1
    return int((second.start - first.end).total_seconds() // 60)


def validate(window):
    if window.hours < config.get_int("booking.min_hours"):
        raise WindowTooShort(f"{window.hours:.1f} h is too short")
    horizon = clock.now() + timedelta(days=config.get_int("booking.horizon_days"))
    if window.end > horizon:
        raise BeyondHorizon(f"bookable until {horizon:%d %b %Y}")


def blocking_windows(cur, tag, around):
    """Windows of the bike that could get in the way of `around`."""
    margin = timedelta(hours=2)
    cur.execute(
        "select starts_at, ends_at from booking"
        " where bike_tag = %s and state = any(%s)"
        " and starts_at < %s and ends_at > %s",
        (tag, list(BLOCKING), around.end + margin, around.start - margin))
    return [Window(*row) for row in cur.fetchall()]


def is_free(cur, tag, window):
    needed = config.get_int("booking.turnaround_minutes")
    return all(gap_minutes(other, window) >= needed
               for other in blocking_windows(cur, tag, window))


def ensure_free(cur, tag, window):
    if not is_free(cur, tag, window):
        raise BikeUnavailable(f"{tag} is taken", tag=tag)


def free_bikes(bikes, window):
    """Those of `bikes` that can be rented for the whole window, best first.

    Best means: the fewest kilometres since its service, so that wear is spread.
    """
    validate(window)
    with db.transaction() as cur:
        free = [b for b in bikes if not b.in_service and is_free(cur, b.tag, window)]
    return sorted(free, key=lambda b: (b.km_since_service, b.tag))
