"""Mail and text messages.

Nothing is sent from inside a request: messages are rows in `outbox`, the
worker sends them. In quiet hours only urgent kinds go out, the others wait.
"""

import smtplib
from email.message import EmailMessage

from . import clock, config, db

URGENT = {"pin", "lock_problem"}

SUBJECTS = {
    "pin": "Your PIN for bike {tag}",
    "cancelled": "Your booking is cancelled",
    "reminder1": "A friendly reminder: invoice {number}",
    "reminder2": "Second reminder: invoice {number}",
    "lock_problem": "We are looking at your lock",
}

SHOP_ADDRESS = "{branch}@quaysidecycles.example"
ACCOUNTS_ADDRESS = "accounts@quaysidecycles.example"


def send(customer_id, kind, **facts):
    _queue(f"customer:{customer_id}", kind, facts)


def tell_shop(booking_id, text):
    _queue(f"shop-of-booking:{booking_id}", "internal", {"text": text})


def tell_accounts(text):
    _queue(ACCOUNTS_ADDRESS, "internal", {"text": text})


def _queue(to, kind, facts):
    import json
    with db.transaction() as cur:
        cur.execute("insert into outbox (recipient, kind, facts, queued_at)"
                    " values (%s, %s, %s, %s)", (to, kind, json.dumps(facts), clock.now()))


def may_send(kind, moment):
    if kind in URGENT or kind == "internal":
        return True
    return not clock.in_quiet_hours(
        moment, config.get("notify.quiet_from"), config.get("notify.quiet_to"))


def render(kind, facts):
    subject = SUBJECTS.get(kind, "Quayside Cycles").format(**facts)
    body = "\n".join(f"{k}: {v}" for k, v in facts.items())
    return subject, body


def deliver(address, kind, facts):
    subject, body = render(kind, facts)
    message = EmailMessage()
    message["From"] = config.get("notify.sender")
    message["To"] = address
    message["Subject"] = subject
    message.set_content(body)
    with smtplib.SMTP(config.get("notify.smtp_host"), timeout=10) as relay:
        relay.send_message(message)


def flush(limit=50):
    """Job outbox-flush."""
    sent = 0
    with db.transaction() as cur:
        cur.execute("select id, address, kind, facts from outbox_resolved"
                    " where sent_at is null order by queued_at limit %s for update skip locked",
                    (limit,))
        for row_id, address, kind, facts in cur.fetchall():
            if not may_send(kind, clock.now()):
                continue
            deliver(address, kind, facts)
            cur.execute("update outbox set sent_at = %s where id = %s", (clock.now(), row_id))
            sent += 1
    return sent
