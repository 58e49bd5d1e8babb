"""The life of a booking: held, confirmed, out, returned."""

from datetime import timedelta

from . import (availability, clock, config, db, deposits, holds, inventory,
               invoicing, locks, money, notifications, pricing)
from .errors import ExtendTooLate, SameBikeTwice
from .models import Booking, Window

FIELDS = ("id, customer_id, bike_tag, starts_at, ends_at, state, group_id,"
          " discount_code, returned_at")

# share of the price kept when a booking is cancelled: (hours before start, percent)
CANCEL_STEPS = ((48, 0), (12, 30), (0, 80))


def _load(cur, booking_id):
    cur.execute(f"select {FIELDS} from booking where id = %s", (booking_id,))
    i, customer, tag, start, end, state, group, code, returned = cur.fetchone()
    return Booking(i, customer, tag, Window(start, end), state, group, code, returned)


def book_group(customer_id, tags, window):
    """Hold several bikes for one customer, all or none."""
    if len(set(tags)) != len(tags):
        raise SameBikeTwice("a bike is listed twice")
    if len(tags) > config.get_int("booking.max_group_size"):
        raise ValueError("group too large, ring the shop")
    group_id, placed = None, []
    try:
        for tag in sorted(tags):        # same order for everybody: no deadlocks
            inventory.ensure_rentable(inventory.find_bike(tag))
            booking_id, _ = holds.place(customer_id, tag, window, group_id)
            group_id = group_id or booking_id
            placed.append(booking_id)
    except Exception:
        with db.transaction() as cur:
            cur.execute("delete from booking where id = any(%s)", (placed,))
        raise
    return placed


def hand_over(booking_id):
    """Customer stands in front of the bike: deposit, PIN, state "out"."""
    with db.transaction() as cur:
        booking = _load(cur, booking_id)
        bike = inventory.find_bike(booking.bike_tag)
        deposits.authorise(cur, booking, bike)
        cur.execute("update booking set state = 'out' where id = %s", (booking_id,))
    pin = locks.issue_pin(bike.lock_serial)
    notifications.send(booking.customer_id, "pin", pin=pin, tag=bike.tag)
    return pin


def extend(booking_id, new_end):
    """Longer rental, if the bike is free and the customer is not late already.

    The grace is the same as for late returns (`booking.grace_minutes`).
    """
    grace = timedelta(minutes=config.get_int("booking.grace_minutes"))
    with db.transaction() as cur:
        booking = _load(cur, booking_id)
        if clock.now() > booking.window.end + grace:
            raise ExtendTooLate("past the return time")
        extra = Window(booking.window.end, new_end)
        availability.ensure_free(cur, booking.bike_tag, extra)
        cur.execute("update booking set ends_at = %s where id = %s", (new_end, booking_id))


def take_back(booking_id, at=None):
    """Return. Late fee once per booking, however often the lock reports it."""
    at = at or clock.now()
    with db.transaction() as cur:
        booking = _load(cur, booking_id)
        if booking.state == "returned":
            return
        cur.execute("update booking set state = 'returned', returned_at = %s where id = %s",
                    (at, booking_id))
        fee = late_fee(booking, at)
        invoicing.bill_booking(cur, booking, extra=fee)
        deposits.release(cur, booking.id)


def late_fee(booking, at):
    """Every started hour after the grace costs the hour price plus a half."""
    grace = timedelta(minutes=config.get_int("booking.grace_minutes"))
    late = at - booking.window.end
    if late <= grace:
        return 0
    hours = -(-late.total_seconds() // 3600)
    bike = inventory.find_bike(booking.bike_tag)
    return money.scale(pricing.hour_price(bike.bike_class), hours * 1.5)


def cancel(booking_id):
    """Returns the percentage that is kept."""
    with db.transaction() as cur:
        booking = _load(cur, booking_id)
        ahead = (booking.window.start - clock.now()).total_seconds() / 3600
        kept = next((pct for hours, pct in CANCEL_STEPS if ahead >= hours), 100)
        cur.execute("update booking set state = 'cancelled' where id = %s", (booking_id,))
        invoicing.bill_cancellation(cur, booking, kept)
    notifications.send(booking.customer_id, "cancelled", kept=kept)
    return kept
