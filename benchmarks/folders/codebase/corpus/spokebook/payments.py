"""Client for Payloom.

Every call that moves money carries an idempotency key that the CALLER makes
from the thing paid for, never from the attempt (DN-12). A retry therefore
sends the same key, and Payloom answers with the first result.
"""

import json
import logging
import random
import time
import urllib.error
import urllib.request

from . import config
from .errors import DuplicateCapture, PaymentDeclined, PaymentTimeout

log = logging.getLogger("spokebook.payments")

RETRY_ON = {502, 503, 504}


def backoff(attempt, jitter=random.random):
    """Seconds to wait before attempt 1, 2, 3: doubling, up to 30 % more by chance."""
    base = config.get_int("payments.retry_base_ms") / 1000
    return base * 2 ** (attempt - 1) * (1 + 0.3 * jitter())


def _post(path, body, key):
    request = urllib.request.Request(
        config.get("payments.provider_url") + path,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json",
                 "Authorization": "Bearer " + config.get("payments.api_token"),
                 "Payloom-Key": key})
    timeout = config.get_int("payments.timeout_seconds")
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.load(answer)


def _call(path, body, key):
    last = config.get_int("payments.retry_max")
    for attempt in range(1, last + 2):
        try:
            return _post(path, body, key)
        except urllib.error.HTTPError as problem:
            if problem.code == 402:
                raise PaymentDeclined(problem.read().decode(), key=key) from None
            if problem.code == 409:
                raise DuplicateCapture(f"{path} with {key}", key=key) from None
            if problem.code not in RETRY_ON:
                raise
        except (TimeoutError, urllib.error.URLError):
            pass
        if attempt <= last:
            pause = backoff(attempt)
            log.warning("payloom %s %s: attempt %d, again in %.2f s", path, key, attempt, pause)
            time.sleep(pause)
    raise PaymentTimeout(f"{path} gave no answer in {last + 1} attempts", key=key)


def authorise(customer_id, amount, key):
    """Reserve an amount on the customer's card; returns Payloom's reference."""
    return _call("/v2/authorise", {"payer": customer_id, "cents": amount}, key)["ref"]


def capture(ref, amount, key, note=""):
    return _call(f"/v2/auth/{ref}/capture", {"cents": amount, "note": note}, key)["ref"]


def charge(customer_id, amount, key):
    """Authorise and capture in one go (bookings paid at checkout)."""
    return _call("/v2/charge", {"payer": customer_id, "cents": amount}, key)["ref"]


def void(ref):
    return _call(f"/v2/auth/{ref}/void", {}, f"void-{ref}")


def refund(ref, amount, key):
    return _call(f"/v2/charge/{ref}/refund", {"cents": amount}, key)["ref"]
