"""Customers: find, merge, erase."""

from datetime import timedelta

from . import clock, config, db
from .errors import ErasureBlocked, MergeConflict

ERASED_NAME = "(erased)"


def normalise_email(text):
    """Lower case, no blanks, and the +tag before the @ is dropped."""
    local, _, domain = text.strip().lower().partition("@")
    return f"{local.split('+', 1)[0]}@{domain}"


def merge(keep_id, drop_id):
    """Move everything of one customer to another.

    Refused while both have a bike out: the locks tell the two apart by customer.
    """
    with db.transaction() as cur:
        cur.execute(
            "select count(distinct customer_id) from booking"
            " where state = 'out' and customer_id in (%s, %s)", (keep_id, drop_id))
        if cur.fetchone()[0] == 2:
            raise MergeConflict("both customers have a bike out")
        for table in ("booking", "invoice", "charge", "note"):
            cur.execute(f"update {table} set customer_id = %s where customer_id = %s",
                        (keep_id, drop_id))
        cur.execute("delete from customer where id = %s", (drop_id,))


def erase(customer_id):
    """Blank the personal data; bookings and invoices stay as numbers (DN-19)."""
    with db.transaction() as cur:
        cur.execute("select count(*) from invoice where customer_id = %s"
                    " and open_amount <> 0", (customer_id,))
        if cur.fetchone()[0]:
            raise ErasureBlocked("there is an unpaid invoice or an open credit")
        cur.execute(
            "update customer set name = %s, email = null, phone = null, tags = '{}',"
            " erased_at = %s where id = %s", (ERASED_NAME, clock.now(), customer_id))


def erase_inactive():
    """Job privacy-sweep: people without a rental for `privacy.retention_months`."""
    limit = clock.now() - timedelta(days=30.44 * config.get_int("privacy.retention_months"))
    with db.transaction() as cur:
        cur.execute(
            "select c.id from customer c where c.erased_at is null and not exists"
            " (select 1 from booking b where b.customer_id = c.id and b.ends_at > %s)",
            (limit,))
        ids = [row[0] for row in cur.fetchall()]
    skipped = []
    for customer_id in ids:
        try:
            erase(customer_id)
        except ErasureBlocked:
            skipped.append(customer_id)
    return len(ids) - len(skipped), skipped
