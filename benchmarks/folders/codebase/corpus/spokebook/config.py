"""Settings.

Lookup order, last one wins:

1. ``DEFAULTS`` below
2. ``/etc/spokebook/settings.toml`` (or the file named in ``SPOKEBOOK_SETTINGS``)
3. environment variables: ``SPOKEBOOK__BOOKING__HOLD_MINUTES=12``

A key that is neither in DEFAULTS nor set raises ``ConfigKeyMissing``. Keys for
which a wrong default would do damage (ledger accounts, secrets, database
address) have no default on purpose.
"""

import os
import tomllib
from functools import lru_cache
from pathlib import Path

from .errors import ConfigKeyMissing, ConfigTypeMismatch

DEFAULT_PATH = "/etc/spokebook/settings.toml"

DEFAULTS = {
    "booking.hold_minutes": 12,
    "booking.turnaround_minutes": 25,
    "booking.min_hours": 2,
    "booking.grace_minutes": 15,
    "booking.max_group_size": 14,
    "booking.horizon_days": 240,
    "pricing.tariff_file": "/etc/spokebook/tariffs.toml",
    "pricing.weekend_factor": 1.15,
    "pricing.day_from_hours": 5,
    "deposit.standard_eur": 60,
    "deposit.ebike_eur": 180,
    "deposit.cargo_eur": 250,
    "deposit.auth_valid_hours": 144,
    "payments.timeout_seconds": 9,
    "payments.retry_max": 3,
    "payments.retry_base_ms": 400,
    "payments.webhook_tolerance_seconds": 240,
    "refunds.window_days": 45,
    "invoice.number_prefix": "QC",
    "invoice.due_days": 14,
    "invoice.lock_after_hours": 36,
    "dunning.first_days": 7,
    "dunning.second_days": 21,
    "dunning.fee_second_eur": "6.50",
    "dunning.max_per_run": 40,
    "export.cutoff_day": 5,
    "locks.poll_seconds": 40,
    "locks.pin_ttl_minutes": 90,
    "locks.battery_warn_percent": 18,
    "maintenance.interval_km": 650,
    "maintenance.ebike_interval_km": 450,
    "maintenance.interval_days": 90,
    "notify.sms_enabled": False,
    "notify.quiet_from": "21:30",
    "notify.quiet_to": "07:00",
    "db.pool_size": 10,
    "db.statement_timeout_ms": 7000,
    "db.acquire_timeout_ms": 2500,
    "jobs.lease_seconds": 300,
    "api.rate_per_minute": 120,
    "auth.session_minutes": 480,
    "privacy.retention_months": 30,
    "locale.timezone": "Europe/Dublin",
}


def _flatten(tree, prefix=""):
    for name, value in tree.items():
        dotted = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flatten(value, dotted + ".")
        else:
            yield dotted, value


def _from_environment():
    for name, value in os.environ.items():
        if name.startswith("SPOKEBOOK__"):
            yield name[len("SPOKEBOOK__"):].replace("__", ".").lower(), value


@lru_cache(maxsize=1)
def _merged():
    merged = dict(DEFAULTS)
    path = Path(os.environ.get("SPOKEBOOK_SETTINGS", DEFAULT_PATH))
    if path.exists():
        merged.update(_flatten(tomllib.loads(path.read_text("utf-8"))))
    merged.update(_from_environment())
    return merged


def get(key):
    """Value of a dotted key, unconverted."""
    try:
        return _merged()[key]
    except KeyError:
        raise ConfigKeyMissing(f"no value for {key}") from None


def get_int(key):
    value = get(key)
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ConfigTypeMismatch(f"{key} is not a whole number: {value!r}") from None


def reload():
    """Forget what was read; the next get() reads the file again (SIGHUP)."""
    _merged.cache_clear()
