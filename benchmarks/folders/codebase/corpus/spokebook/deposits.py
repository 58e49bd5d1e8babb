"""Deposits: an authorisation on the customer's card, normally never captured.

Payloom keeps an authorisation for `deposit.auth_valid_hours`. Rentals that
last longer are renewed by the job deposit-renew: a new authorisation first,
then the old one is let go, so that there is never a moment without one.
Reasons in DN-11.
"""

from datetime import timedelta

from . import clock, config, db, money, notifications, payments
from .errors import DepositExpired, PaymentDeclined

RENEW_BEFORE = timedelta(hours=20)

_KEYS = {"cargo": "deposit.cargo_eur", "touring e-bike": "deposit.ebike_eur"}


def amount_for(bike_class):
    """Cents. Kids' bikes go without a deposit."""
    if bike_class == "kids":
        return 0
    return money.cents(config.get(_KEYS.get(bike_class, "deposit.standard_eur")))


def authorise(cur, booking, bike):
    amount = amount_for(bike.bike_class)
    if amount == 0:
        return None
    ref = payments.authorise(booking.customer_id, amount, key=f"dep-{booking.id}-0")
    cur.execute(
        "insert into deposit (booking_id, amount, auth_ref, authorised_at, round)"
        " values (%s, %s, %s, %s, 0)", (booking.id, amount, ref, clock.now()))
    return ref


def release(cur, booking_id):
    cur.execute("update deposit set released_at = %s where booking_id = %s"
                " and released_at is null returning auth_ref", (clock.now(), booking_id))
    for (ref,) in cur.fetchall():
        payments.void(ref)


def claim(booking_id, amount, reason):
    """Capture part of the deposit for a damage; the rest is let go."""
    with db.transaction() as cur:
        cur.execute(
            "select auth_ref, amount, authorised_at from deposit"
            " where booking_id = %s and released_at is null", (booking_id,))
        row = cur.fetchone()
        if row is None:
            raise DepositExpired(f"booking {booking_id} has no live deposit")
        ref, held, since = row
        if clock.now() - since > timedelta(hours=config.get_int("deposit.auth_valid_hours")):
            raise DepositExpired(f"authorisation {ref} is too old")
        taken = min(amount, held)
        payments.capture(ref, taken, key=f"claim-{booking_id}", note=reason)
        cur.execute("update deposit set released_at = %s, claimed = %s where auth_ref = %s",
                    (clock.now(), taken, ref))
    return taken


def renew_due():
    """Job deposit-renew. A card that says no now gets the shop a notice."""
    valid = timedelta(hours=config.get_int("deposit.auth_valid_hours"))
    limit = clock.now() - valid + RENEW_BEFORE
    renewed = 0
    with db.transaction() as cur:
        cur.execute(
            "select d.booking_id, d.auth_ref, d.amount, d.round, b.customer_id"
            " from deposit d join booking b on b.id = d.booking_id"
            " where d.released_at is null and b.state = 'out' and d.authorised_at < %s",
            (limit,))
        for booking_id, old, amount, n, customer in cur.fetchall():
            try:
                new = payments.authorise(customer, amount, key=f"dep-{booking_id}-{n + 1}")
            except PaymentDeclined:
                notifications.tell_shop(booking_id, "deposit could not be renewed")
                continue
            cur.execute("update deposit set auth_ref = %s, authorised_at = %s, round = %s"
                        " where auth_ref = %s", (new, clock.now(), n + 1, old))
            payments.void(old)
            renewed += 1
    return renewed
