"""How the time of a function grows with its input, measured so that a busy machine changes nothing."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import AnyStr

_ENOUGH = 0.002  # seconds of work; less is noise
_STEP = 4  # between the two sizes: linear work takes 4 times as long, quadratic work 16 times
_MOST = 9  # in the middle of both
_ROUNDS = 3  # in which growth has to be seen to be believed
_CEILING = 2**18  # size at which work that still cannot be measured is good enough


def assert_linear(run: Callable[[int], object], largest: int, smallest: int = 256) -> None:
    """Fails where `run(size)` takes much more than its share of time at some size up to `largest`.

    Where the work is too little to be measured even at `largest`, the size is raised further. It is raised
    step by step, so a quadratic function is stopped early. Time is the processor's, of this thread: what
    other processes do does not count.
    """
    size = min(smallest, largest)
    short = _seconds(run, size)
    while size < largest or (short < _ENOUGH and size < _CEILING):
        larger = min(size * _STEP, largest) if size < largest else size * _STEP
        long = _seconds(run, larger)
        for _ in range(_ROUNDS - 1):
            if not _is_too_long(short, long):
                break
            short, long = min(short, _seconds(run, size)), min(long, _seconds(run, larger))
        assert not _is_too_long(short, long), f"{larger} take {long:.3f} s, {size} only {short:.3f} s"
        size, short = larger, long


def repeated(fragment: AnyStr, size: int) -> AnyStr:
    """A text of `size` characters or bytes, made of a fragment; one that is empty stays so."""
    return (fragment * (size // max(len(fragment), 1) + 1))[:size]


def _is_too_long(short: float, long: float) -> bool:
    return long >= max(_ENOUGH, short) * _MOST


def _seconds(run: Callable[[int], object], size: int) -> float:
    times = []
    gc.disable()  # it also goes through what all tests before have left
    try:
        for _ in range(3):
            begin = time.thread_time()
            run(size)
            times.append(time.thread_time() - begin)
            if times[-1] > 1:
                break
    finally:
        gc.enable()
    return min(times)
