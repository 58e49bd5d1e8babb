"""What a rental costs, before discounts.

Prices live in the tariff file (`pricing.tariff_file`), one table per bike
class with the keys hour, day and week, in euro, VAT included. A rental longer
than `pricing.day_from_hours` is charged by the day, from six days on by the
week if that is cheaper.
"""

import math
import tomllib
from datetime import timedelta
from pathlib import Path

from . import clock, config, money


def _key(bike_class):
    return bike_class.replace(" ", "_").replace("-", "_")


def load_tariff(path=None):
    raw = tomllib.loads(Path(path or config.get("pricing.tariff_file")).read_text("utf-8"))
    return {name: {unit: money.cents(price) for unit, price in row.items() if unit != "label"}
            for name, row in raw["classes"].items()}


def hour_price(bike_class, tariff=None):
    return (tariff or load_tariff())[_key(bike_class)]["hour"]


def _days(window):
    """Calendar-free: every started 24 hours count as a day."""
    return max(1, math.ceil(window.hours / 24))


def _by_days(row, days):
    weeks, rest = divmod(days, 7)
    by_day = min(rest * row["day"], row["week"])
    return weeks * row["week"] + by_day


def weekend_share(window):
    """Part of the window's days (0..1) that begin on Saturday or Sunday."""
    days = _days(window)
    hits = sum(clock.is_weekend(window.start + timedelta(days=i)) for i in range(days))
    return hits / days


def quote(bike_class, window, tariff=None):
    """Gross price in cents."""
    row = (tariff or load_tariff())[_key(bike_class)]
    if window.hours <= config.get_int("pricing.day_from_hours"):
        base = math.ceil(window.hours) * row["hour"]
        base = min(base, row["day"])
    else:
        base = _by_days(row, _days(window))
    surcharge = (float(config.get("pricing.weekend_factor")) - 1) * weekend_share(window)
    return money.scale(base, 1 + surcharge)
