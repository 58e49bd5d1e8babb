"""Waiting for what happens soon, on a machine of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds within which whatever has to come to pass does so, also on a machine that is slow and busy."""


def waited_for(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether it comes true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
