"""Money back."""

from datetime import timedelta

from . import clock, config, db, invoicing, payments
from .errors import InvoiceLocked, RefundExceedsPaid, RefundWindowClosed, RoleMissing


def _refunded_so_far(cur, charge_ref):
    cur.execute("select coalesce(sum(amount), 0) from refund where charge_ref = %s",
                (charge_ref,))
    return cur.fetchone()[0]


def refund(charge_ref, amount, reason, staff, override=False):
    """Pay back all or part of a charge and write the credit note.

    After `refunds.window_days` only somebody with the role "treasurer" can do
    it, with `override`; Payloom itself would allow a year.
    """
    with db.transaction() as cur:
        cur.execute("select amount, charged_at, invoice_number from charge where ref = %s"
                    " for update", (charge_ref,))
        paid, charged_at, number = cur.fetchone()
        age = clock.now() - charged_at
        if age > timedelta(days=config.get_int("refunds.window_days")):
            if not override:
                raise RefundWindowClosed(f"charge is {age.days} days old")
            if "treasurer" not in staff.roles:
                raise RoleMissing("override needs role treasurer")
        done = _refunded_so_far(cur, charge_ref)
        if done + amount > paid:
            raise RefundExceedsPaid(f"{done} of {paid} already paid back")
        if invoicing.month_is_exported(cur, number) and not override:
            raise InvoiceLocked(f"{number} is in an exported month")
        ref = payments.refund(charge_ref, amount, key=f"ref-{charge_ref}-{done}")
        cur.execute(
            "insert into refund (charge_ref, refund_ref, amount, reason, staff_id, at)"
            " values (%s, %s, %s, %s, %s, %s)",
            (charge_ref, ref, amount, reason, staff.id, clock.now()))
        return invoicing.credit_note(cur, number, amount, reason)
