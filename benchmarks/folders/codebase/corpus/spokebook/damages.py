"""Damage reports and what they cost the customer."""

from . import clock, db, deposits, maintenance, money
from .errors import InvoiceLocked

# flat rates in euro, spare part and work together; anything else is estimated
FLAT = {
    "puncture": "0",
    "lost_key": "25",
    "bent_wheel": "70",
    "broken_light": "30",
    "lost_helmet": "40",
    "lost_battery": "520",
}

# above this (euro) a second person has to look at the bike
SECOND_LOOK_FROM = "120"


def report(booking_id, tag, kind, staff_id, estimate=None):
    """File a report, block the bike if it cannot be ridden; returns its id."""
    cost = money.cents(estimate if estimate is not None else FLAT[kind])
    with db.transaction() as cur:
        cur.execute(
            "insert into damage (booking_id, tag, kind, cost, staff_id, at)"
            " values (%s, %s, %s, %s, %s, %s) returning id",
            (booking_id, tag, kind, cost, staff_id, clock.now()))
        damage_id = cur.fetchone()[0]
    if kind in ("bent_wheel", "lost_battery"):
        maintenance.take_out(tag, kind, staff_id)
    return damage_id


def settle(damage_id, staff_id):
    """Take the cost from the deposit; what is missing is left as a claim.

    Large damages need a second member of staff, who may not be the one that
    wrote the report.
    """
    with db.transaction() as cur:
        cur.execute("select booking_id, kind, cost, staff_id, invoice_number"
                    " from damage where id = %s for update", (damage_id,))
        booking_id, kind, cost, reporter, number = cur.fetchone()
        if number is not None:
            raise InvoiceLocked(f"damage {damage_id} is billed as {number}")
        if cost >= money.cents(SECOND_LOOK_FROM) and staff_id == reporter:
            raise PermissionError("somebody else has to confirm this one")
    taken = deposits.claim(booking_id, cost, kind) if cost else 0
    return cost - taken
