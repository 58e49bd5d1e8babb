"""What Payloom tells us, some seconds after the fact."""

import hashlib
import hmac
import json

from . import clock, config, db, notifications
from .errors import WebhookSignature

HANDLERS = {}


def on(kind):
    def register(function):
        HANDLERS[kind] = function
        return function
    return register


def verify(header, body):
    """Header: t=<unix seconds>,v1=<hex>[,v1=<hex>].

    Two secrets may be valid at a time (`payments.webhook_secret` and
    `payments.webhook_secret_old`), so that a rotation needs no maintenance window.
    """
    fields = [part.split("=", 1) for part in header.split(",")]
    stamp = next((v for k, v in fields if k == "t"), "")
    given = [v for k, v in fields if k == "v1"]
    if not stamp.isdigit():
        raise WebhookSignature("no time stamp")
    drift = abs(clock.now().timestamp() - int(stamp))
    if drift > config.get_int("payments.webhook_tolerance_seconds"):
        raise WebhookSignature(f"stamp is {drift:.0f} s off")
    message = stamp.encode() + b"." + body
    for key in ("payments.webhook_secret", "payments.webhook_secret_old"):
        try:
            secret = config.get(key)
        except Exception:
            continue
        wanted = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
        if any(hmac.compare_digest(wanted, v) for v in given):
            return
    raise WebhookSignature("no signature fits")


def receive(header, body):
    """Verify, remember, handle. A repeated event id is acknowledged and ignored."""
    verify(header, body)
    event = json.loads(body)
    with db.transaction() as cur:
        cur.execute("insert into webhook_event (id, kind, at) values (%s, %s, %s)"
                    " on conflict do nothing", (event["id"], event["kind"], clock.now()))
        if cur.rowcount == 0:
            return "seen"
        handler = HANDLERS.get(event["kind"])
        if handler is None:
            return "ignored"
        handler(cur, event["data"])
    return "done"


@on("charge.settled")
def _settled(cur, data):
    cur.execute("update charge set settled_at = %s where ref = %s", (clock.now(), data["ref"]))
    cur.execute("update invoice set paid = paid + %s where number ="
                " (select invoice_number from charge where ref = %s)",
                (data["cents"], data["ref"]))


@on("charge.disputed")
def _disputed(cur, data):
    cur.execute("update charge set disputed = true where ref = %s", (data["ref"],))
    notifications.tell_accounts(f"chargeback on {data['ref']}, answer by {data['answer_by']}")


@on("auth.lapsed")
def _lapsed(cur, data):
    cur.execute("update deposit set released_at = %s where auth_ref = %s returning booking_id",
                (clock.now(), data["ref"]))
    row = cur.fetchone()
    if row:
        notifications.tell_shop(row[0], "the deposit has lapsed at the bank")
