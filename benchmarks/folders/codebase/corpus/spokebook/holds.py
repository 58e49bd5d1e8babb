"""A bike is set aside while its customer pays.

A hold is a booking in state "held" with an expiry. Until 3.4 we locked the row
of the bike for the length of the checkout, see design note DN-05.
"""

from datetime import timedelta

from . import availability, clock, config, db
from .errors import HoldExpired


def place(customer_id, tag, window, group_id=None):
    """Set the bike aside; returns (booking id, expiry)."""
    availability.validate(window)
    expires = clock.now() + timedelta(minutes=config.get_int("booking.hold_minutes"))
    with db.transaction() as cur:
        # serialises rivals for one bike without touching its row
        cur.execute("select pg_advisory_xact_lock(hashtext(%s))", (tag,))
        availability.ensure_free(cur, tag, window)
        cur.execute(
            "insert into booking (customer_id, bike_tag, starts_at, ends_at, state,"
            " group_id, hold_expires_at) values (%s, %s, %s, %s, 'held', %s, %s)"
            " returning id",
            (customer_id, tag, window.start, window.end, group_id, expires))
        return cur.fetchone()[0], expires


def confirm(cur, booking_id):
    """Turn the hold into a booking, inside the caller's transaction."""
    cur.execute(
        "update booking set state = 'confirmed', hold_expires_at = null"
        " where id = %s and state = 'held' and hold_expires_at > %s",
        (booking_id, clock.now()))
    if cur.rowcount == 0:
        raise HoldExpired(f"hold {booking_id} is gone", booking=booking_id)


def extend_once(booking_id, minutes=5):
    """More time, one time only, e.g. when the phone line to the shop is busy."""
    with db.transaction() as cur:
        cur.execute(
            "update booking set hold_expires_at = hold_expires_at + %s * interval '1 minute',"
            " hold_extended = true"
            " where id = %s and state = 'held' and not hold_extended",
            (minutes, booking_id))
        return cur.rowcount == 1


def release_stale():
    """Job hold-sweep: drop holds that have run out. Returns how many."""
    with db.transaction() as cur:
        cur.execute(
            "delete from booking where state = 'held' and hold_expires_at <= %s",
            (clock.now(),))
        return cur.rowcount
