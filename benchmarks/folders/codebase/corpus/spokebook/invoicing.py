"""Invoices and credit notes.

An invoice is editable for `invoice.lock_after_hours`, then it is locked; from
then on the only correction is a credit note with its own number.
"""

from datetime import timedelta

from . import clock, config, discounts, inventory, money, numbering, pricing
from .errors import InvoiceLocked, RoundingMismatch, VatRateMissing
from .models import InvoiceLine

# kind of line -> [(valid from, percent)], newest first
VAT = {
    "rental": (("2023-01-01", "13.5"),),
    "goods": (("2020-09-01", "23"),),
    "fee": (("2023-01-01", "23"),),
    "deposit": (("2000-01-01", "0"),),
}


def vat_percent(kind, day):
    for since, percent in VAT.get(kind, ()):
        if since <= day.isoformat():
            return percent
    raise VatRateMissing(f"no rate for {kind} on {day}")


def _write(cur, customer_id, branch, lines, corrects=None):
    number = numbering.next_number(cur, branch)
    cur.execute(
        "insert into invoice (number, customer_id, issued_at, due_on, corrects)"
        " values (%s, %s, %s, %s, %s)",
        (number, customer_id, clock.now(),
         clock.today() + timedelta(days=config.get_int("invoice.due_days")), corrects))
    for position, line in enumerate(lines, 1):
        cur.execute(
            "insert into invoice_line (number, position, text, gross, vat_percent, kind)"
            " values (%s, %s, %s, %s, %s, %s)",
            (number, position, line.text, line.gross, line.vat_percent, line.kind))
    return number


def bill_booking(cur, booking, extra=0):
    bike = inventory.find_bike(booking.bike_tag)
    gross = pricing.quote(bike.bike_class, booking.window)
    if booking.discount_code:
        gross = discounts.apply(gross, discounts.check(cur, [booking.discount_code]))
    day = booking.window.start.date()
    lines = [InvoiceLine(f"Rental {bike.tag}", gross, vat_percent("rental", day))]
    if extra:
        lines.append(InvoiceLine("Late return", extra, vat_percent("fee", day), "fee"))
    return _write(cur, booking.customer_id, bike.branch, lines)


def bill_group(cur, bookings, agreed_total):
    """One invoice for a group with an agreed price; a line for every bike."""
    bikes = [inventory.find_bike(b.bike_tag) for b in bookings]
    weights = [pricing.quote(k.bike_class, b.window) for k, b in zip(bikes, bookings)]
    shares = money.split_evenly(agreed_total, weights)
    day = bookings[0].window.start.date()
    lines = [InvoiceLine(f"Rental {k.tag}", share, vat_percent("rental", day))
             for k, share in zip(bikes, shares)]
    if sum(line.gross for line in lines) != agreed_total:
        raise RoundingMismatch(f"lines do not add up to {agreed_total}")
    return _write(cur, bookings[0].customer_id, bikes[0].branch, lines)


def bill_cancellation(cur, booking, kept_percent):
    if kept_percent == 0:
        return None
    bike = inventory.find_bike(booking.bike_tag)
    gross = money.scale(pricing.quote(bike.bike_class, booking.window), kept_percent / 100)
    line = InvoiceLine("Cancellation", gross, vat_percent("fee", clock.today()), "fee")
    return _write(cur, booking.customer_id, bike.branch, [line])


def amend_line(cur, number, position, new_text):
    """Correct a typing error. Amounts cannot be changed this way."""
    cur.execute("select issued_at from invoice where number = %s for update", (number,))
    issued_at, = cur.fetchone()
    limit = timedelta(hours=config.get_int("invoice.lock_after_hours"))
    if clock.now() - issued_at > limit:
        raise InvoiceLocked(f"{number} was issued {issued_at:%d %b %Y}")
    cur.execute("update invoice_line set text = %s where number = %s and position = %s",
                (new_text, number, position))


def month_is_exported(cur, number):
    cur.execute("select exported_at is not null from invoice where number = %s", (number,))
    return cur.fetchone()[0]


def credit_note(cur, number, amount, reason):
    cur.execute("select customer_id, branch from invoice where number = %s", (number,))
    customer_id, branch = cur.fetchone()
    line = InvoiceLine(f"Credit for {number}: {reason}", -amount,
                       vat_percent("rental", clock.today()))
    return _write(cur, customer_id, branch, [line], corrects=number)
