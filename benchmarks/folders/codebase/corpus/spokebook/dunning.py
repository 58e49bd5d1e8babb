"""Reminders for unpaid invoices.

Step 1 after `dunning.first_days` past due is friendly and free, step 2 after
`dunning.second_days` adds a fee. A customer with the tag "no-dun" is skipped;
the shops set it when they are talking to somebody already.
"""

from datetime import timedelta

from . import clock, config, db, money, notifications
from .errors import InvoiceLocked


def due_for_reminder(cur, day):
    first = day - timedelta(days=config.get_int("dunning.first_days"))
    cur.execute(
        "select i.number, i.customer_id, i.due_on, i.reminders from invoice i"
        " join customer c on c.id = i.customer_id"
        " where i.open_amount > 0 and i.due_on <= %s and i.reminders < 2"
        " and not ('no-dun' = any(c.tags)) order by i.due_on", (first,))
    return cur.fetchall()


def sweep():
    """Job dunning-sweep. Sends at most `dunning.max_per_run` reminders.

    More than that at once is never right: either the job has not run for weeks
    or something is wrong with the payments we know of. The rest waits, and
    accounts are told.
    """
    sent = 0
    limit = config.get_int("dunning.max_per_run")
    day = clock.today()
    with db.transaction() as cur:
        rows = due_for_reminder(cur, day)
        for number, customer_id, due_on, reminders in rows[:limit]:
            late = (day - due_on).days
            if reminders == 1 and late < config.get_int("dunning.second_days"):
                continue
            if reminders == 1:
                add_fee(cur, number)
            notifications.send(customer_id, f"reminder{reminders + 1}", number=number)
            cur.execute("update invoice set reminders = reminders + 1 where number = %s",
                        (number,))
            sent += 1
    if len(rows) > limit:
        notifications.tell_accounts(f"{len(rows) - limit} reminders held back")
    return sent


def add_fee(cur, number):
    """Book the fee as a separate claim; the invoice itself stays as it is."""
    cur.execute("select exported_at, disputed from invoice where number = %s", (number,))
    exported_at, disputed = cur.fetchone()
    if disputed:
        raise InvoiceLocked(f"{number} is under dispute, no fee")
    cur.execute("insert into dunning_fee (number, amount, at) values (%s, %s, %s)",
                (number, money.cents(config.get("dunning.fee_second_eur")), clock.now()))
