"""HTTP, for the web shop and the tablets behind the counter. Plain WSGI.

Public routes need no session. Routes under /staff want the cookie `sb_staff`,
which lasts `auth.session_minutes` from the last request, not from login.
"""

import json
import logging
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from . import bookings, clock, config, db, holds, inventory, pricing, refunds, webhooks
from .errors import RoleMissing, SessionExpired, SpokeError
from .models import Window

log = logging.getLogger("spokebook.api")
ROUTES = []


@dataclass
class Staff:
    id: int
    roles: set = field(default_factory=set)


def route(method, pattern, role=None):
    def register(function):
        ROUTES.append((method, re.compile(pattern + "$"), role, function))
        return function
    return register


def current_staff(environ):
    token = dict(p.strip().split("=", 1) for p in
                 environ.get("HTTP_COOKIE", "").split(";") if "=" in p).get("sb_staff")
    since = clock.now() - timedelta(minutes=config.get_int("auth.session_minutes"))
    with db.transaction() as cur:
        cur.execute("update staff_session set last_seen = %s where token = %s"
                    " and last_seen > %s returning staff_id, roles",
                    (clock.now(), token, since))
        row = cur.fetchone()
    if row is None:
        raise SessionExpired("please log in again")
    return Staff(row[0], set(row[1]))


def _window(body):
    return Window(*(clock.to_utc(datetime.fromisoformat(body[k])) for k in ("from", "to")))


@route("POST", r"/quote")
def quote(body):
    return {"cents": pricing.quote(body["class"], _window(body))}


@route("POST", r"/holds")
def place_hold(body):
    window = _window(body)
    branch = inventory.branches()[body["branch"]]
    inventory.ensure_open(branch, window.start)
    inventory.ensure_open(branch, window.end)
    booking_id, expires = holds.place(body["customer"], body["tag"], window)
    return {"booking": booking_id, "expires": expires.isoformat()}


@route("POST", r"/bookings/(\d+)/cancel")
def cancel(body, booking_id):
    return {"kept_percent": bookings.cancel(int(booking_id))}


@route("POST", r"/staff/bookings/(\d+)/hand-over", role="counter")
def hand_over(body, booking_id, staff):
    return {"pin": bookings.hand_over(int(booking_id))}


@route("POST", r"/staff/refunds", role="counter")
def refund(body, staff):
    number = refunds.refund(body["charge"], body["cents"], body["reason"], staff,
                            override=bool(body.get("override")))
    return {"credit_note": number}


def application(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    try:
        status, answer = 200, _dispatch(environ, body)
    except SpokeError as problem:
        status, answer = problem.http, problem.as_json()
        log.warning("%s %s %s", problem.code, environ["PATH_INFO"], problem.detail)
    start_response(f"{status} -", [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]


def _dispatch(environ, body):
    path = environ["PATH_INFO"]
    if path == "/payloom/events":
        return {"result": webhooks.receive(environ.get("HTTP_PAYLOOM_SIGNATURE", ""), body)}
    for method, pattern, role, function in ROUTES:
        found = pattern.match(path)
        if found and method == environ["REQUEST_METHOD"]:
            kwargs = {}
            if role:
                kwargs["staff"] = staff = current_staff(environ)
                if role not in staff.roles:
                    raise RoleMissing(f"needs role {role}")
            return function(json.loads(body or b"{}"), *found.groups(), **kwargs)
    return {"code": "SPK-0404", "detail": "no such route"}
