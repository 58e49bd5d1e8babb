"""The only place that asks what time it is.

Since 3.7 everything is stored and compared in UTC; wall-clock time exists only
at the edges (forms, mails, opening hours). The two nights a year on which the
clocks change are the reason: in the autumn night one wall-clock hour exists
twice, and a rental "from 01:30 to 09:00" was ambiguous.
"""

from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from . import config

UTC = timezone.utc
_frozen = None


def freeze(moment):
    """For tests: pretend it is `moment` (aware datetime) until freeze(None)."""
    global _frozen
    _frozen = moment


def now():
    return _frozen or datetime.now(UTC)


def zone():
    return ZoneInfo(config.get("locale.timezone"))


def today():
    return now().astimezone(zone()).date()


def to_utc(wall, second_time=False):
    """Wall-clock datetime of a form -> UTC.

    In the doubled hour of autumn, `second_time` picks the later one. A time in
    the missing hour of spring is moved forward by an hour, as people's phones do.
    """
    if wall.tzinfo is not None:
        return wall.astimezone(UTC)
    local = wall.replace(tzinfo=zone(), fold=1 if second_time else 0)
    return local.astimezone(UTC)


def day_bounds(day: date):
    """Start and end (exclusive) of a local day, in UTC; 23, 24 or 25 hours."""
    start = to_utc(datetime.combine(day, time(0)))
    end = to_utc(datetime.combine(day + timedelta(days=1), time(0)))
    return start, end


def is_weekend(moment):
    return moment.astimezone(zone()).weekday() >= 5


def in_quiet_hours(moment, quiet_from, quiet_to):
    """True between two "HH:MM" strings, also over midnight."""
    clock = moment.astimezone(zone()).strftime("%H:%M")
    if quiet_from <= quiet_to:
        return quiet_from <= clock < quiet_to
    return clock >= quiet_from or clock < quiet_to
