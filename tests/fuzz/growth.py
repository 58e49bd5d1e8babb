"""How the time of a function grows with its input, measured so that a busy machine changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

_ENOUGH = 0.05  # seconds of work; less is noise
_STEP = 4  # between the two sizes: linear work takes 4 times as long, quadratic work 16 times
_MOST = 9  # in the middle of both


def assert_linear(run: Callable[[int], object], largest: int) -> None:
    """Fails where `run(size)` takes much more than its share of time at some size up to `largest`.

    The size is raised until the work can be measured, so a quadratic function is stopped early. Time is the
    processor's, of this thread alone: what other processes do does not count.
    """
    size = min(256, largest)
    short = _seconds(run, size)
    while size < largest:
        size = min(size * _STEP, largest)
        long = _seconds(run, size)
        assert long < max(_ENOUGH, short) * _MOST, f"{size} take {long:.3f} s, a quarter {short:.3f} s"
        short = long


def _seconds(run: Callable[[int], object], size: int) -> float:
    times = []
    for _ in range(3):
        begin = time.thread_time()
        run(size)
        times.append(time.thread_time() - begin)
        if times[-1] > 1:
            break
    return min(times)
