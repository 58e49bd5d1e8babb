"""Klinka keypad locks, by way of the bridge box in every shop.

The bridge speaks a small JSON protocol over HTTP. It is on the shop's own
network; when the shop's line is down we cannot reach it, but PINs that were
written to the lock before go on working.
"""

import json
import secrets
import urllib.error
import urllib.request
from datetime import timedelta

from . import clock, config, db
from .errors import LockBatteryLow, LockPinRejected, LockUnreachable

PIN_LENGTH = 6
BAD_PINS = {"123456", "654321", "112233"}


def _acceptable(pin):
    """Digit rule of DN-14, section 3."""
    return pin not in BAD_PINS and all(a != b for a, b in zip(pin, pin[1:]))


def new_pin():
    while True:
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_LENGTH))
        if _acceptable(pin):
            return pin


def _bridge_call(branch, path, body):
    url = config.get(f"locks.bridge_{branch.lower()}") + path
    request = urllib.request.Request(url, data=json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=6) as answer:
            return json.load(answer)
    except (urllib.error.URLError, TimeoutError):
        raise LockUnreachable(f"bridge {branch} does not answer", branch=branch) from None


def _branch_of(serial):
    with db.transaction() as cur:
        cur.execute("select branch from bike where lock_serial = %s", (serial,))
        return cur.fetchone()[0]


def issue_pin(serial):
    """Write a fresh PIN to the lock; valid for `locks.pin_ttl_minutes` to start with.

    The first opening makes it valid until the end of the rental.
    """
    branch = _branch_of(serial)
    pin = new_pin()
    until = clock.now() + timedelta(minutes=config.get_int("locks.pin_ttl_minutes"))
    answer = _bridge_call(branch, "/pin", {
        "lock": serial, "pin": pin, "until": until.isoformat()})
    if answer.get("result") != "stored":
        raise LockPinRejected(f"{serial}: {answer.get('reason', 'no reason given')}")
    return pin


def poll(branch):
    """Job lock-poll: state and battery of every lock of a shop."""
    states = _bridge_call(branch, "/states", {})["locks"]
    with db.transaction() as cur:
        for state in states:
            cur.execute(
                "update lock_state set battery = %s, is_open = %s, seen_at = %s"
                " where serial = %s",
                (state["battery"], state["open"], clock.now(), state["serial"]))
    warn = config.get_int("locks.battery_warn_percent")
    return [s["serial"] for s in states if s["battery"] < warn]


def ensure_battery(serial, percent):
    """Below half the warning level a bike is not handed out at all."""
    if percent < config.get_int("locks.battery_warn_percent") / 2:
        raise LockBatteryLow(f"{serial} has {percent} % left")
