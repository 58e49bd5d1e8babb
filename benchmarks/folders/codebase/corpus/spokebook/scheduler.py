"""Jobs. cron starts `spokebook job NAME`; this sees that no two overlap.

A job takes a lease (a row with an end); a second start while the lease lasts
raises JobStillRunning and exits with status 75, which cron mails to nobody.
"""

import contextlib
from datetime import timedelta

from . import clock, config, customers, db, deposits, dunning, holds, notifications, numbering
from .errors import JobStillRunning


def _number_check():
    from . import inventory
    with db.transaction() as cur:
        return {code: numbering.check_series(cur, code, clock.today().year)
                for code in inventory.branches()}


def _lock_poll():
    from . import inventory, locks
    return {code: locks.poll(code) for code in inventory.branches()}


JOBS = {
    "hold-sweep": holds.release_stale,
    "outbox-flush": notifications.flush,
    "deposit-renew": deposits.renew_due,
    "dunning-sweep": dunning.sweep,
    "number-check": _number_check,
    "lock-poll": _lock_poll,
    "privacy-sweep": customers.erase_inactive,
}


@contextlib.contextmanager
def lease(name):
    until = clock.now() + timedelta(seconds=config.get_int("jobs.lease_seconds"))
    with db.transaction() as cur:
        cur.execute(
            "insert into job_lease (name, until) values (%s, %s)"
            " on conflict (name) do update set until = excluded.until"
            " where job_lease.until < %s", (name, until, clock.now()))
        if cur.rowcount == 0:
            raise JobStillRunning(f"{name} holds its lease")
    try:
        yield
    finally:
        with db.transaction() as cur:
            cur.execute("delete from job_lease where name = %s", (name,))


def run(name):
    with lease(name):
        return JOBS[name]()
