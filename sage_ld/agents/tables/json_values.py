"""Values of answers as JSON: NaN and infinities, dates, times and bytes as text."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any


def json_value(value: Any) -> Any:
    """A value as JSON has it.

    >>> json_value(Decimal("1.50")), json_value(date(1987, 3, 1)), json_value({"a": [float("nan")]})
    (1.5, '1987-03-01', {'a': ['nan']})
    """
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    if isinstance(value, dict):
        return {str(key): json_value(each) for key, each in value.items()}
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    is_json = isinstance(value, bool | int | str | None) or (
        isinstance(value, float) and math.isfinite(value)
    )
    return value if is_json else str(value)
