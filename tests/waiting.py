"""Waiting for what happens soon, on a machine of any speed."""

from __future__ import annotations

import time
from collections.abc import Callable


def waited_for(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Whether it comes true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
